"""What is to be done with a post, so that it arrives once."""

from datetime import UTC, date, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import delivery
from scoop.core.delivery import Pace, Plan
from scoop.model import Post

NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)
DAY = date(2026, 11, 16)
PACE = Pace()


def a_post(*, tried: timedelta | None = None, looks: int = 0) -> Post:
    """A post whose last try of unknown outcome began so long ago, or that was never tried."""
    moment = None if tried is None else NOW - tried
    return Post(
        post_id=1,
        digest_run_id=1,
        topic_slug="ai_news",
        run_date=DAY,
        channel="main",
        kind="file",
        options={},
        part_no=1,
        parts=1,
        key="key",
        marker="marker",
        payload="",
        state="waiting" if tried is None else "sending",
        sending_at=moment,
        tried_at=moment,
        looks=looks,
    )


def plan(post: Post, *, age=timedelta(), finds=False, repeats=False) -> Plan:
    return delivery.plan(post, now=NOW, made_at=NOW - age, finds=finds, repeats=repeats, pace=PACE)


def test_a_new_post_is_sent():
    assert plan(a_post()) == Plan(step="send")
    assert plan(a_post(), repeats=True) == Plan(step="send")


def test_a_new_post_is_looked_for_first_where_that_is_possible():
    assert plan(a_post(), finds=True) == Plan(step="look")


@pytest.mark.parametrize(("finds", "repeats"), list(product([False, True], repeat=2)))
def test_yesterdays_digest_that_was_never_sent_is_left_to_a_person(finds, repeats):
    held = plan(a_post(), age=PACE.stale + timedelta(seconds=1), finds=finds, repeats=repeats)
    assert held.step == "hold"
    assert "to send it now: scoop posts resend" in held.reason
    assert plan(a_post(), age=PACE.stale, finds=finds, repeats=repeats).step != "hold"


def test_what_may_have_arrived_is_sent_again_only_where_that_does_no_harm():
    assert plan(a_post(tried=timedelta(seconds=1)), repeats=True) == Plan(step="send")


def test_what_may_have_arrived_and_cannot_be_looked_for_is_held():
    held = plan(a_post(tried=timedelta(seconds=1)))
    assert held.step == "hold"
    assert "look into the channel, then decide: scoop posts held" in held.reason


def test_what_may_have_arrived_is_looked_for_once_it_must_show():
    waits = plan(a_post(tried=timedelta(seconds=5)), finds=True)
    assert waits == Plan(step="look", after=PACE.settle - timedelta(seconds=5))
    assert plan(a_post(tried=PACE.settle), finds=True) == Plan(step="look")


def test_what_may_have_arrived_is_not_held_for_its_age_where_it_can_be_looked_for():
    assert plan(a_post(tried=timedelta(days=3)), age=timedelta(days=4), finds=True) == Plan(step="look")


@pytest.mark.parametrize(
    ("post", "step"),
    [
        (a_post(), "send"),
        (a_post(tried=PACE.nonce_lasts - timedelta(seconds=1)), "send"),  # if it is there, we are given it
        (a_post(tried=PACE.nonce_lasts), "look"),
        (a_post(tried=PACE.nonce_lasts, looks=1), "send"),
    ],
    ids=["never tried", "the nonce is remembered", "looked for once", "looked for twice"],
)
def test_what_was_not_found_is_sent_when_that_is_safe(post, step):
    found = delivery.plan_unfound(post, now=NOW, pace=PACE)
    assert found == Plan(step=step, after=PACE.between_looks if step == "look" else timedelta())


spans = st.none() | st.timedeltas(timedelta(), timedelta(days=5))


@given(spans, st.timedeltas(timedelta(), timedelta(days=5)), st.booleans(), st.booleans(), st.integers(0, 3))
def test_what_may_have_arrived_is_never_sent_blindly(tried, age, finds, repeats, looks):
    found = plan(a_post(tried=tried, looks=looks), age=age, finds=finds, repeats=repeats)
    assert found.after >= timedelta()
    assert (found.step == "hold") == bool(found.reason)
    if found.step == "send" and tried is not None:
        assert repeats
    if found.step == "look":
        assert finds


def test_a_post_keeps_its_key_and_every_other_has_another():
    one = ("desk", "ai_news", DAY, "main", 1)
    others = [
        ("elsewhere", "ai_news", DAY, "main", 1),
        ("desk", "world_news", DAY, "main", 1),
        ("desk", "ai_news", DAY + timedelta(days=1), "main", 1),
        ("desk", "ai_news", DAY, "second", 1),
        ("desk", "ai_news", DAY, "main", 2),
    ]
    assert delivery.key(*one) == "desk/ai_news/2026-11-16/main/1"
    assert len({delivery.marker(delivery.key(*each)) for each in [one, one, *others]}) == 6


@given(st.text())
def test_a_marker_is_short_and_plain(key):
    marker = delivery.marker(key)
    assert marker == delivery.marker(key)
    assert len(marker) == delivery.MARKER_CHARACTERS <= 25
    assert marker.isascii()
    assert marker.isalnum()
