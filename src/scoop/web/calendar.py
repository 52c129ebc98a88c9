"""A month of days, each with its number of stories: how a reader gets to any of them."""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

from scoop.errors import NotFound
from scoop.store.db import Connection
from scoop.store.reads import days as day_reads
from scoop.web.context import PageContext

YEARS = range(1900, 3000)  # beyond, a timezone can push a day out of the calendar
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A day of the month; None beside it are the days of others in its first and last week."""

    day: date
    stories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """`earlier` and `later` are the first days of the months around it, None where there can be no stories."""

    first: date
    weeks: list[list[Cell | None]]
    earlier: date | None
    later: date | None


def day_named(name: str) -> date:
    """The day of an address; NotFound where it names none."""
    try:
        day = date.fromisoformat(name)
    except ValueError as error:
        raise NotFound(f"{name!r} is not a day") from error
    if day.year not in YEARS or day.isoformat() != name:
        raise NotFound(f"{name!r} is not a day as in 2026-11-15")
    return day


def month_named(name: str) -> date:
    """The first day of the month of an address; NotFound where it names none."""
    return day_named(f"{name}-01")


async def month(conn: Connection, context: PageContext, day: date, *, collection: str | None) -> Month:
    """The month that a day is in."""
    first = day.replace(day=1)
    after = _next(first)
    since, until = context.window(first)[0], context.window(after)[0]
    stories = await day_reads.count_stories(
        conn, since=since, until=until, timezone=str(context.timezone), collection=collection
    )
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    return Month(
        first=first,
        weeks=[
            [Cell(day=each, stories=stories.get(each, 0)) if each.month == first.month else None for each in week]
            for week in weeks
        ],
        earlier=_if_known((first - timedelta(days=1)).replace(day=1)),
        later=_if_known(after) if after <= context.today else None,
    )


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _if_known(first: date) -> date | None:
    return first if first.year in YEARS else None
