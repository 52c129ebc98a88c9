"""When a source is visited next: intervals, cron, crawl windows, and the two days a year that are not 24 hours long."""

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import schedules
from scoop.core.schedules import Cron, Interval, VisitWindow

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ("UTC", "Europe/Berlin", "Asia/Tokyo", "America/Havana", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kolkata")
SPRING_DAYS = (date(2026, 3, 29), date(2027, 3, 28))  # 02:00 to 03:00 does not exist
AUTUMN_DAYS = (date(2026, 10, 25), date(2027, 10, 31))  # 02:00 to 03:00 comes twice
MORNING = VisitWindow(start=time(6, 30), end=time(7, 15))
NIGHT = VisitWindow(start=time(22), end=time(2))

moments = st.integers(0, 20 * 366 * 86400).map(
    lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
spreads = st.floats(0, 1)
times_of_day = st.times().map(lambda found: found.replace(second=0, microsecond=0))
window_lists = st.lists(
    st.builds(VisitWindow, start=times_of_day, end=times_of_day).filter(lambda window: window.start != window.end),
    max_size=4,
)
intervals = st.builds("{}{}".format, st.integers(1, 400), st.sampled_from("mhd"))
crons = st.builds(
    "{} {} {} * {}".format,
    st.sampled_from(("*", "*/7", "0", "30", "15,45")),
    st.sampled_from(("*", "*/5", "0", "2", "0-3", "23", "0-23")),
    st.sampled_from(("*", "1", "L", "29")),
    st.sampled_from(("*", "1-5", "SUN", "MON#1")),
)


def berlin(day: date, hour: int, minute: int = 0, *, is_second_pass: bool = False) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=BERLIN, fold=is_second_pass).astimezone(UTC)


def visit(
    schedule: str, now: datetime, *windows: VisitWindow, timezone: str = "Europe/Berlin", spread: float = 0
) -> str:
    """The next visit on the source's own clock."""
    found = schedules.next_visit(schedule, now=now, spread=spread, timezone=timezone, windows=windows)
    return found.astimezone(ZoneInfo(timezone)).strftime("%m-%d %H:%M")


def is_open(window: VisitWindow, moment: datetime, timezone: str) -> bool:
    """Whether the wall clock, to the minute, shows a time of the window."""
    shown = moment.astimezone(ZoneInfo(timezone)).time().replace(second=0, microsecond=0)
    if window.start < window.end:
        return window.start <= shown <= window.end
    return shown >= window.start or shown <= window.end


@pytest.mark.parametrize(
    ("schedule", "found"),
    [
        ("30m", Interval(step=timedelta(minutes=30))),
        (" 2d ", Interval(step=timedelta(days=2))),
        ("15  6 * * 1-5", Cron(expression="15 6 * * 1-5")),
        ("0 9 * * mon", Cron(expression="0 9 * * mon")),
    ],
)
def test_a_schedule_is_an_interval_or_a_cron(schedule: str, found: schedules.Schedule) -> None:
    assert schedules.parse(schedule) == found


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        ("", "write 30m, 1h or 2d"),
        ("0m", "at least 1m"),
        ("hourly", "write 30m, 1h or 2d"),
        ("* * * *", "five fields"),
        ("0 15 6 * * *", "five fields"),
        ("61 6 * * *", "bad minute"),
        ("0 6 * * FUN", "bad day-of-week"),
        ("0 6 30 2 *", "bad day-of-month"),
        ("0 6 31 2,4 *", "bad day-of-month"),
        ("0 6 * 2 MON#5,TUE#9", "bad day-of-week"),
        ("0 6 */29 2 MON#5", "never fires"),
        ("0 6 " + "1," * 5000 + "1 * *", "five fields"),
    ],
)
def test_a_schedule_that_is_none_is_refused_with_the_fix(schedule: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        schedules.parse(schedule)


@given(st.one_of(st.text(), st.text("0123456789*/-,#LWmhd ", max_size=40)))
def test_any_text_is_a_schedule_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        assert schedules.parse(text)


def test_an_interval_is_spread_by_up_to_a_twentieth() -> None:
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    assert schedules.next_visit("1h", now=now, spread=0) == now + timedelta(hours=1)
    assert schedules.next_visit("1h", now=now, spread=1) == now + timedelta(hours=1, minutes=3)


def test_a_cron_is_spread_within_its_minute() -> None:
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    found = schedules.next_visit("15 6 * * *", now=now, spread=0.5)
    assert found == datetime(2026, 11, 17, 6, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(("timezone", "hour"), [("UTC", 9), ("Asia/Tokyo", 0), ("Europe/Berlin", 8)])
def test_a_cron_goes_by_the_clock_of_its_source(timezone: str, hour: int) -> None:
    now = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)
    found = schedules.next_visit("0 9 * * *", now=now, spread=0, timezone=timezone)
    assert found == datetime(2026, 11, 16, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "hour", "windows", "expected"),
    [
        ("30m", 6, (MORNING,), "11-16 06:30"),
        ("1h", 6, (MORNING,), "11-16 07:00"),
        ("1h", 8, (MORNING,), "11-17 06:30"),
        ("1h", 8, (MORNING, NIGHT), "11-16 22:00"),
        ("1h", 0, (NIGHT,), "11-16 01:00"),
        ("1h", 22, (NIGHT,), "11-16 23:00"),
        ("1h", 23, (NIGHT,), "11-17 00:00"),
        ("1h", 2, (NIGHT,), "11-16 22:00"),
        ("0 3 * * *", 12, (MORNING,), "11-17 06:30"),
        ("0 7 * * *", 12, (MORNING,), "11-17 07:00"),
    ],
)
def test_a_visit_outside_every_window_waits_for_the_next_one(
    schedule: str, hour: int, windows: tuple[VisitWindow, ...], expected: str
) -> None:
    assert visit(schedule, berlin(date(2026, 11, 16), hour), *windows) == expected


def test_those_who_waited_for_a_window_do_not_all_come_at_once() -> None:
    now = berlin(date(2026, 11, 16), 12)
    assert visit("1h", now, MORNING, spread=0.5) == "11-17 06:37"
    assert visit("1h", now, NIGHT, spread=1) == "11-16 22:15"


def test_the_spread_does_not_carry_a_visit_out_of_its_window() -> None:
    assert visit("1d", berlin(date(2026, 11, 16), 7), MORNING, spread=1) == "11-17 07:00"


@pytest.mark.parametrize("day", SPRING_DAYS)
def test_a_time_that_the_clocks_skip_comes_at_the_end_of_the_gap(day: date) -> None:
    for minute in range(60):
        assert visit(f"{minute} 2 * * *", berlin(day, 0)) == f"{day:%m-%d} 03:00"


@pytest.mark.parametrize("day", AUTUMN_DAYS)
def test_a_time_that_comes_twice_is_visited_the_first_time_only(day: date) -> None:
    for minute in range(60):
        first = schedules.next_visit(f"{minute} 2 * * *", now=berlin(day, 0), spread=0, timezone="Europe/Berlin")
        assert first == berlin(day, 2, minute)
        assert visit(f"{minute} 2 * * *", first) == f"{day + timedelta(days=1):%m-%d} 02:{minute:02}"


@pytest.mark.parametrize("day", AUTUMN_DAYS)
def test_an_hourly_cron_goes_on_through_the_hour_that_comes_twice(day: date) -> None:
    now = berlin(day, 2)
    assert schedules.next_visit("0 * * * *", now=now, spread=0, timezone="Europe/Berlin") == now + timedelta(hours=1)


@pytest.mark.parametrize("day", SPRING_DAYS + AUTUMN_DAYS)
@pytest.mark.parametrize("schedule", ["0 2 * * *", "30 2 * * *", "*/20 1-3 * * *", "5 0 * * *", "59 23 * * *"])
def test_from_every_minute_of_a_day_of_change_the_next_visit_is_the_same_until_it_has_come(
    day: date, schedule: str
) -> None:
    now, end = berlin(day, 0), berlin(day + timedelta(days=1), 0)
    planned = now
    while now < end:
        found = schedules.next_visit(schedule, now=now, spread=0, timezone="Europe/Berlin")
        assert found > now
        assert found == planned or planned <= now
        planned, now = found, now + timedelta(minutes=1)


@pytest.mark.parametrize("day", SPRING_DAYS + AUTUMN_DAYS)
@pytest.mark.parametrize("timezone", ["Europe/Berlin", "Asia/Tokyo"])
def test_from_every_minute_of_a_day_of_change_visits_keep_to_the_windows(day: date, timezone: str) -> None:
    window = VisitWindow(start=time(1, 30), end=time(3, 30))
    now = berlin(day, 0)
    for _ in range(25 * 60):
        found = schedules.next_visit("1m", now=now, spread=0.9, timezone=timezone, windows=(window,))
        assert found >= now + timedelta(minutes=1)
        assert is_open(window, found, timezone)
        now += timedelta(minutes=1)


@pytest.mark.parametrize("day", SPRING_DAYS)
def test_a_window_that_the_clocks_skip_opens_at_the_end_of_the_gap(day: date) -> None:
    window = VisitWindow(start=time(2, 10), end=time(2, 50))
    assert visit("30m", berlin(day, 0), window, spread=0.7) == f"{day:%m-%d} 03:00"


@pytest.mark.parametrize("day", AUTUMN_DAYS)
def test_a_window_in_the_hour_that_comes_twice_opens_once(day: date) -> None:
    window = VisitWindow(start=time(2, 10), end=time(2, 50))
    assert visit("30m", berlin(day, 2, 10, is_second_pass=True), window) == f"{day + timedelta(days=1):%m-%d} 02:10"


@given(schedule=st.one_of(intervals, crons), now=moments, spread=spreads, timezone=st.sampled_from(ZONES))
def test_a_visit_is_never_in_the_past(schedule: str, now: datetime, spread: float, timezone: str) -> None:
    assert schedules.next_visit(schedule, now=now, spread=spread, timezone=timezone) > now


@given(schedule=intervals, now=moments, spread=spreads, timezone=st.sampled_from(ZONES), windows=window_lists)
def test_a_visit_is_never_earlier_than_its_interval(
    schedule: str, now: datetime, spread: float, timezone: str, windows: list[VisitWindow]
) -> None:
    found = schedules.next_visit(schedule, now=now, spread=spread, timezone=timezone, windows=windows)
    assert found >= now + schedules.interval(schedule)


@given(
    schedule=st.one_of(intervals, crons),
    now=moments,
    spread=spreads,
    timezone=st.sampled_from(("UTC", "Asia/Tokyo", "Asia/Kolkata")),  # where no gap moves a window
    windows=window_lists.filter(bool),
)
def test_a_visit_is_always_inside_a_window(
    schedule: str, now: datetime, spread: float, timezone: str, windows: list[VisitWindow]
) -> None:
    found = schedules.next_visit(schedule, now=now, spread=spread, timezone=timezone, windows=windows)
    assert found > now
    assert any(is_open(window, found, timezone) for window in windows)


@given(moment=moments, timezone=st.sampled_from(("UTC", "Asia/Tokyo", "Asia/Kolkata")), windows=window_lists)
def test_a_moment_outside_all_windows_is_moved_to_the_next_opening(
    moment: datetime, timezone: str, windows: list[VisitWindow]
) -> None:
    found = schedules.within_windows(moment, timezone=timezone, windows=windows)
    if not windows or any(is_open(window, moment, timezone) for window in windows):
        assert found == moment
    else:
        assert moment < found <= moment + timedelta(days=1)
        assert any(is_open(window, found, timezone) for window in windows)


def test_windows_are_read_from_their_json() -> None:
    raw = [{"start": "06:30", "end": "07:15"}, {"start": "22:00", "end": "02:00"}]
    assert schedules.windows(raw) == (MORNING, NIGHT)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"start": "06:30", "end": "25:00"}, r"crawl_windows\[1\]\.end: '25:00' is not a time as 07:15"),
        ({"start": "6:30", "end": "07:00"}, r"crawl_windows\[1\]\.start: '6:30' is not a time as 07:15"),
        ({"start": 630, "end": "07:00"}, r"crawl_windows\[1\]\.start: 630 is not a time"),
        ({"start": "06:30"}, r'crawl_windows\[1\]: write \{"start": "06:30"'),
        ({"start": "06:30", "end": "07:00", "days": "all"}, r"crawl_windows\[1\]: write"),
        ("06:30-07:15", r"crawl_windows\[1\]: write"),
        ({"start": "06:30", "end": "06:30"}, r"crawl_windows\[1\]: starts and ends at 06:30"),
    ],
)
def test_a_window_that_is_none_is_named(raw: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        schedules.windows([{"start": "06:30", "end": "07:15"}, raw])


@pytest.mark.parametrize("timezone", ["Berlin", "Europe", "../etc/passwd", "", "Europe/Berlin\0"])
def test_a_timezone_that_is_none_is_refused_with_the_fix(timezone: str) -> None:
    with pytest.raises(ValueError, match="such as Europe/Berlin"):
        schedules.zone(timezone)
