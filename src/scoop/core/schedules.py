"""The time of the next fetch of a source: intervals, cron expressions and daily windows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

MIN_INTERVAL = timedelta(minutes=1)
UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
CRON_SPREAD = timedelta(minutes=1)  # cron has no finer unit, so the fetch stays in that minute
OPENING_SPREAD = timedelta(minutes=15)  # sources that waited are fetched soon after a window opens, but not all at once
MAX_CRON_CHARACTERS = 200

_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)
_TIME_OF_DAY = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_ANY_YEAR = datetime(2000, 1, 1)  # noqa: DTZ001 - a cron expression is checked on the calendar alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A fixed time after the last fetch."""

    step: timedelta

    @property
    def spread(self) -> timedelta:
        return self.step / 20

    def due(self, now: datetime, _zone: tzinfo) -> datetime:
        return now + self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """At local times."""

    expression: str

    @property
    def spread(self) -> timedelta:
        return CRON_SPREAD

    def due(self, now: datetime, zone: tzinfo) -> datetime:
        """The next firing; a named hour comes once a day, also when clocks change."""
        local = now.astimezone(zone)
        if self.expression.split()[1] == "*":
            return next(CronSim(self.expression, local)).astimezone(UTC)
        firings = CronSim(self.expression, local.replace(tzinfo=None))
        return next(moment for firing in firings if (moment := instant(firing, zone)) > now)


Schedule = Interval | Cron


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitWindow:
    """A part of the day in which a source may be fetched; one that ends before it starts spans midnight."""

    start: time
    end: time


def parse(schedule: str) -> Schedule:
    """An interval such as 30m, or a cron of five fields; ValueError with the fix for anything else."""
    fields = schedule.split()
    return Interval(step=interval(schedule)) if len(fields) < 2 else _cron(" ".join(fields))


def interval(schedule: str) -> timedelta:
    """An interval such as 30m, 1h or 2d; ValueError with the fix for anything else."""
    match = re.fullmatch(r"([0-9]{1,5})([mhd])", schedule.strip())
    if not match or (step := int(match[1]) * UNITS[match[2]]) < MIN_INTERVAL:
        raise ValueError(f"{schedule!r} is not an interval; write 30m, 1h or 2d (at least 1m)")
    return step


def windows(raw: Iterable[Any]) -> tuple[VisitWindow, ...]:
    """Crawl windows from their JSON, `[{"start": "06:30", "end": "07:15"}]`; ValueError names the problem."""
    return tuple(_window(window, f"crawl_windows[{index}]") for index, window in enumerate(raw))


def zone(timezone: str) -> ZoneInfo:
    """The timezone of that name; ValueError with the fix when there is none."""
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:  # OSError: the name of a folder, as Europe
        raise ValueError(f"{timezone!r} is not a timezone; write a name such as Europe/Berlin") from error


def next_visit(
    schedule: str, *, now: datetime, spread: float, timezone: str = "UTC", windows: Sequence[VisitWindow] = ()
) -> datetime:
    """The next fetch, within the windows, in UTC; `spread` from 0 to 1 keeps fetches from coinciding."""
    plan, local = parse(schedule), zone(timezone)
    due = plan.due(now.astimezone(UTC), local)
    later = due + plan.spread * spread
    if not windows:
        return later
    openings = list(_openings(windows, due, local))
    for moment in (later, due):  # a fetch that is due in a window is not moved out of it
        if any(start <= moment <= end for start, end in openings):
            return moment
    start, end = min(opening for opening in openings if opening[0] > due)
    return start + min(end - start, OPENING_SPREAD) * spread


def within_windows(moment: datetime, *, timezone: str, windows: Sequence[VisitWindow]) -> datetime:
    """The moment itself if a window is open then, or if there are none; else the next opening."""
    openings = list(_openings(windows, moment, zone(timezone)))
    if not openings or any(start <= moment <= end for start, end in openings):
        return moment
    return min(start for start, _ in openings if start > moment)


def _cron(expression: str) -> Cron:
    if len(expression) > MAX_CRON_CHARACTERS or len(expression.split()) != 5:
        raise ValueError(
            f"{expression[:MAX_CRON_CHARACTERS]!r} is neither an interval, as 30m, nor a cron of five fields "
            "(minute hour day month weekday), as 15 6 * * 1-5"
        )
    try:
        firing = next(CronSim(expression, _ANY_YEAR), None)
    except CronSimError as error:
        reason = str(error).lower()
        raise ValueError(
            f"{expression!r} is not a cron: {reason}; write minute hour day month weekday, as 15 6 * * 1-5"
        ) from error
    if firing is None:
        raise ValueError(f"{expression!r} never fires: no year has such a day")
    return Cron(expression=expression)


def _window(raw: Any, name: str) -> VisitWindow:
    if not isinstance(raw, dict) or raw.keys() != {"start", "end"}:
        raise ValueError(f'{name}: write {{"start": "06:30", "end": "07:15"}}')
    start, end = (_time_of_day(raw[key], f"{name}.{key}") for key in ("start", "end"))
    if start == end:
        raise ValueError(f"{name}: starts and ends at {raw['start']}; leave crawl_windows empty for the whole day")
    return VisitWindow(start=start, end=end)


def _time_of_day(raw: Any, name: str) -> time:
    match = _TIME_OF_DAY.fullmatch(raw) if isinstance(raw, str) else None
    if not match:
        raise ValueError(f"{name}: {raw!r} is not a time as 07:15")
    return time(int(match[1]), int(match[2]))


def _openings(windows: Sequence[VisitWindow], around: datetime, zone: tzinfo) -> Iterator[tuple[datetime, datetime]]:
    """Beginning and end of every window that may hold a moment or open next after it."""
    today = around.astimezone(zone).date()
    for day in (today - _DAY, today, today + _DAY, today + 2 * _DAY):
        for window in windows:
            yield _opening(window, day, zone)


def _opening(window: VisitWindow, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    last_day = day if window.start < window.end else day + _DAY
    return instant(datetime.combine(day, window.start), zone), instant(datetime.combine(last_day, window.end), zone)


def instant(local: datetime, zone: tzinfo) -> datetime:
    """The moment of a local time: the first of two, or the first after the gap of a clock change."""
    while True:
        moment = local.replace(tzinfo=zone).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None) == local:
            return moment
        local += _MINUTE
