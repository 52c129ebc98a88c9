"""The calendar: a month of days, each with its number of events."""

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from scoop.errors import NotFound
from scoop.store.reads.days import MAX_COUNTED
from scoop.web.context import PageContext

YEARS = range(1900, 3000)  # near the ends of the calendar a timezone would push a day out of it
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A day of the month."""

    day: date
    events: int

    @property
    def event_count(self) -> str:
        return f"{self.events:,}+" if self.events >= MAX_COUNTED else f"{self.events:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """`earlier` and `later` are the first days of the months around it, None if these can have no events.

    In its first and last week the days of other months are None.
    """

    first: date
    weeks: list[list[Cell | None]]
    earlier: date | None
    later: date | None


def parse_day(name: str) -> date:
    """The day in a path; NotFound for any other text."""
    try:
        day = date.fromisoformat(name)
    except ValueError as error:
        raise NotFound(f"{name!r} is not a day; write it as 2026-11-15") from error
    if day.year not in YEARS or day.isoformat() != name:
        raise NotFound(f"{name!r} is not a day; write it as 2026-11-15")
    return day


def parse_month(name: str) -> date:
    """The first day of the month in a path; NotFound for any other text."""
    return parse_day(f"{name}-01")


def month_days(day: date) -> tuple[date, date]:
    """The first day of the month that a day is in, and of the next one."""
    first = day.replace(day=1)
    return first, _next(first)


def month(context: PageContext, day: date, events_by_day: Mapping[date, int]) -> Month:
    """The month that a day is in."""
    first = day.replace(day=1)
    after = _next(first)
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    return Month(
        first=first,
        weeks=[
            [Cell(day=day, events=events_by_day.get(day, 0)) if day.month == first.month else None for day in week]
            for week in weeks
        ],
        earlier=_if_in_range((first - timedelta(days=1)).replace(day=1)),
        later=_if_in_range(after) if after <= context.today else None,
    )


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _if_in_range(first: date) -> date | None:
    return first if first.year in YEARS else None
