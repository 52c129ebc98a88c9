"""When a digest is due and what it tells of, over two years of days that are not all 24 hours long."""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from scoop.core import digest_windows
from scoop.core.digest_windows import DigestWindow

FIRST, LAST = date(2026, 1, 1), date(2027, 12, 31)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
DAILY = {"0 9 * * *": time(9), "30 2 * * *": time(2, 30), "0 0 * * *": time(0), "59 23 * * *": time(23, 59)}
WEEKLY = "0 9 * * 1"
CRONS = [*DAILY, WEEKLY]
BERLIN, TOKYO, CAIRO = "Europe/Berlin", "Asia/Tokyo", "Africa/Cairo"  # in Cairo it is midnight that is skipped
ZONES = [BERLIN, TOKYO]
CHANGES = {BERLIN: [date(2026, 3, 29), date(2026, 10, 25)], CAIRO: [date(2026, 4, 24), date(2026, 10, 29)]}


def days(first: date = FIRST, last: date = LAST) -> list[date]:
    return [first + number * DAY for number in range((last - first).days + 1)]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@cache
def first_passes(zone: str) -> dict[datetime, datetime]:
    """Each hour that the clocks of a zone show, and when they first show it: by looking at the clock."""
    shown: dict[datetime, datetime] = {}
    hour = datetime(FIRST.year, 1, 1, tzinfo=UTC) - 2 * DAY
    while hour.date() <= LAST + 2 * DAY:
        shown.setdefault(hour.astimezone(ZoneInfo(zone)).replace(tzinfo=None), hour)
        hour += HOUR
    return shown


def expected(zone: str, day: date, clock: time) -> datetime:
    """The first pass of a time of the clock, or the first moment after the gap that it falls into."""
    hour = datetime.combine(day, clock.replace(minute=0))
    passes = first_passes(zone)
    return passes[hour] + clock.minute * MINUTE if hour in passes else passes[hour + HOUR]


@cache
def told(cron: str, zone: str) -> dict[date, DigestWindow]:
    found = {day: digest_windows.window(cron, zone, day) for day in days()}
    return {day: window for day, window in found.items() if window is not None}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("cron", CRONS)
def test_every_minute_of_two_years_belongs_to_exactly_one_digest(cron, zone):
    found = list(told(cron, zone).values())
    minutes = sum((window.end - window.start) // MINUTE for window in found)
    assert minutes == (found[-1].end - found[0].start) // MINUTE
    for before, after in pairwise(found):
        assert before.start < before.end == after.start
        for moment in (before.end - MINUTE, before.end, before.end + MINUTE):
            assert before.holds(moment) != after.holds(moment)


@pytest.mark.parametrize("zone", [*ZONES, CAIRO])
@pytest.mark.parametrize("cron", DAILY)
def test_a_daily_digest_is_due_once_on_each_local_date(cron, zone):
    due = {day: digest_windows.due_at(cron, zone, day) for day in days()}
    assert due == {day: expected(zone, day, DAILY[cron]) for day in days()}
    assert [moment.astimezone(ZoneInfo(zone)).date() for moment in due.values()] == days()


@pytest.mark.parametrize("zone", [BERLIN, CAIRO])
def test_any_minute_may_be_the_time_where_clocks_change(zone):
    minutes = [time(number // 60, number % 60) for number in range(24 * 60)]
    around = [day + shift * DAY for day in CHANGES[zone] for shift in (-1, 0, 1)]
    wrong = [
        (day, clock)
        for day in around
        for clock in minutes
        if digest_windows.due_at(f"{clock.minute} {clock.hour} * * *", zone, day) != expected(zone, day, clock)
    ]
    assert wrong == []


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("cron", CRONS)
def test_the_latest_digest_is_the_one_whose_window_ended_last(cron, zone):
    found = told(cron, zone)
    for earlier, later in pairwise(found):
        assert digest_windows.latest(cron, zone, found[later].end) == later
        assert digest_windows.latest(cron, zone, found[later].end - MINUTE) == earlier
        assert digest_windows.following(cron, earlier) == later


@pytest.mark.parametrize(
    ("cron", "day", "start", "end"),
    [
        ("30 2 * * *", "2026-03-29", "2026-03-28T01:30Z", "2026-03-29T01:00Z"),  # 02:30 is skipped: 03:00
        ("30 2 * * *", "2026-03-30", "2026-03-29T01:00Z", "2026-03-30T00:30Z"),
        ("30 2 * * *", "2026-10-25", "2026-10-24T00:30Z", "2026-10-25T00:30Z"),  # the first of two
        ("30 2 * * *", "2026-10-26", "2026-10-25T00:30Z", "2026-10-26T01:30Z"),
        ("0 9 * * *", "2026-03-29", "2026-03-28T08:00Z", "2026-03-29T07:00Z"),  # 23 hours
        ("0 9 * * *", "2026-10-25", "2026-10-24T07:00Z", "2026-10-25T08:00Z"),  # 25 hours
        (WEEKLY, "2026-03-30", "2026-03-23T08:00Z", "2026-03-30T07:00Z"),
        ("0 9 * * *", "2028-02-29", "2028-02-28T08:00Z", "2028-02-29T08:00Z"),
        ("0 9 * * *", "2028-03-01", "2028-02-29T08:00Z", "2028-03-01T08:00Z"),
        ("0 9 29 2 *", "2028-02-29", "2024-02-29T08:00Z", "2028-02-29T08:00Z"),
    ],
)
def test_days_that_are_shorter_longer_or_rare(cron, day, start, end):
    assert digest_windows.window(cron, BERLIN, date.fromisoformat(day)) == DigestWindow(start=at(start), end=at(end))


@pytest.mark.parametrize(
    ("zone", "day", "end"),
    [
        (TOKYO, "2026-12-31", "2026-12-31T00:00Z"),
        (TOKYO, "2027-01-01", "2027-01-01T00:00Z"),
        (BERLIN, "2027-01-01", "2027-01-01T08:00Z"),
        ("Pacific/Kiritimati", "2027-01-01", "2026-12-31T19:00Z"),
        ("Pacific/Pago_Pago", "2026-12-31", "2026-12-31T20:00Z"),
    ],
)
def test_the_date_is_that_of_the_topics_own_zone(zone, day, end):
    local = date.fromisoformat(day)
    assert digest_windows.due_at("0 9 * * *", zone, local) == at(end)
    assert digest_windows.latest("0 9 * * *", zone, at(end)) == local


def test_a_date_without_a_digest_has_no_window():
    tuesday = date(2026, 11, 17)
    assert digest_windows.window(WEEKLY, BERLIN, tuesday) is None
    assert digest_windows.due_at(WEEKLY, BERLIN, tuesday) is None
    assert digest_windows.following(WEEKLY, tuesday) == date(2026, 11, 23)
    assert digest_windows.latest("0 9 29 2 *", BERLIN, at("2027-06-01T00:00Z")) == date(2024, 2, 29)


@pytest.mark.parametrize("cron", ["0 9 * * *", " 59  23 * * 1-5 ", "30 2 29 2 *", "0 9 1 */3 *", "0 9 * * MON"])
def test_a_cron_that_comes_at_most_once_a_day_will_do(cron):
    digest_windows.check_cron(cron)


@pytest.mark.parametrize(
    ("cron", "told"),
    [
        ("", "e.g. 0 9 * * * for every day at 09:00"),
        ("30m", "e.g. 0 9 * * * for every day at 09:00"),
        ("@daily", "e.g. 0 9 * * * for every day at 09:00"),
        ("0 9 * *", "a cron of five fields (minute hour day month weekday), as 15 6 * * 1-5"),
        ("0 9 * * * *", "a cron of five fields (minute hour day month weekday), as 15 6 * * 1-5"),
        ("0 25 * * *", "write minute hour day month weekday, as 15 6 * * 1-5"),
        ("x 9 * * *", "write minute hour day month weekday, as 15 6 * * 1-5"),
        ("0 9 31 4 *", "bad day-of-month; write minute hour day month weekday"),
        ("*/5 9 * * *", "name one minute and one hour, e.g. 0 9 * * 1-5"),
        ("0 9,17 * * *", "name one minute and one hour, e.g. 0 9 * * 1-5"),
        ("0 * * * *", "name one minute and one hour, e.g. 0 9 * * 1-5"),
    ],
)
def test_any_other_cron_is_refused_with_its_fix(cron, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        digest_windows.check_cron(cron)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2026, 11, 15, 7, 59, tzinfo=UTC), datetime(2026, 11, 15, 8, tzinfo=UTC)),
        (datetime(2026, 11, 15, 8, tzinfo=UTC), datetime(2026, 11, 16, 8, tzinfo=UTC)),
        (datetime(2026, 3, 28, 9, tzinfo=UTC), datetime(2026, 3, 29, 7, tzinfo=UTC)),  # the clocks were set forward
    ],
)
def test_the_next_digest_is_the_first_that_is_not_due_yet(now, due):
    assert digest_windows.upcoming("0 9 * * *", BERLIN, now) == due


def test_the_last_due_moment_is_the_latest_that_has_come():
    due = datetime(2026, 11, 15, 8, tzinfo=UTC)
    before, at = due - timedelta(seconds=1), due
    assert digest_windows.last_due("0 9 * * *", "Europe/Berlin", before) == due - timedelta(days=1)
    assert digest_windows.last_due("0 9 * * *", "Europe/Berlin", at) == due
