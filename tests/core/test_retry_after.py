"""What servers ask of a client is understood, and obeyed within reason."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import retry_after

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
hour = timedelta(hours=1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", timedelta(minutes=2)),
        (" 0 ", timedelta()),
        ("Mon, 16 Nov 2026 13:00:00 GMT", hour),
        ("Mon, 16 Nov 2026 11:00:00 GMT", timedelta()),
        ("99999999", retry_after.LONGEST_WAIT),
        ("Mon, 16 Nov 2099 13:00:00 GMT", retry_after.LONGEST_WAIT),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_garbage_is_nothing(value, expected):
    assert retry_after.retry_after(value, now=NOW) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Cache-Control": "public, max-age=3600"}, hour),
        ({"Cache-Control": 'MAX-AGE="60"'}, timedelta(minutes=1)),
        ({"Cache-Control": "max-age=31536000"}, retry_after.LONGEST_FRESHNESS),
        ({"Cache-Control": "no-cache, max-age=3600"}, timedelta()),
        ({"Cache-Control": "s-maxage=3600"}, timedelta()),
        ({"Expires": "Mon, 16 Nov 2026 13:00:00 GMT"}, hour),
        ({"Expires": "0"}, timedelta()),
        ({"Cache-Control": "max-age=60", "Expires": "Mon, 16 Nov 2026 13:00:00 GMT"}, timedelta(minutes=1)),
        ({}, timedelta()),
    ],
)
def test_an_answer_says_how_long_it_stays_good(headers, expected):
    assert retry_after.fresh_for(headers, now=NOW) == expected


@given(st.text(), st.text())
def test_no_header_breaks_anything(first, second):
    retry_after.retry_after(first, now=NOW)
    retry_after.fresh_for({"Cache-Control": first, "Expires": second}, now=NOW)


def waits(*, may_pass: bool) -> list[timedelta]:
    return [retry_after.backoff(failures=n, asked=None, may_pass=may_pass, spread=0) for n in range(15)]


def test_what_may_pass_is_tried_again_in_5_15_and_45_seconds_and_then_ever_later():
    assert waits(may_pass=True)[:4] == [timedelta(seconds=seconds) for seconds in (5, 15, 45, 135)]
    assert waits(may_pass=True)[-1] == timedelta(days=1)


def test_what_was_refused_rests_for_hours_and_at_most_a_day():
    assert waits(may_pass=False)[:3] == [hour, 2 * hour, 4 * hour]
    assert waits(may_pass=False)[-1] == timedelta(days=1)


@given(
    st.integers(0, 10_000),
    st.none() | st.timedeltas(timedelta(), retry_after.LONGEST_WAIT),
    st.booleans(),
    st.floats(0, 1),
)
def test_a_server_is_never_asked_earlier_than_it_asked_for(failures, asked, may_pass, spread):
    wait = retry_after.backoff(failures=failures, asked=asked, may_pass=may_pass, spread=spread)
    assert wait >= (asked or timedelta())
    assert wait <= retry_after.LONGEST_WAIT
