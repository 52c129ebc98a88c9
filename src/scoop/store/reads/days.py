"""Days in figures: how many events and stories each has, and the nearest days that have some."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from scoop.core.front_page import EventTally
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices

SQL = db.blocks(__name__)

MAX_COUNTED = 1000  # of a day in the calendar: to count all of 300,000 events took most of the page's time


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTally:
    """How many stories of a collection a day has, and how many groups of coverage they form."""

    collection: str
    stories: int
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDay:
    day: date
    stories: int
    groups: int
    collections: list[StoryTally]


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySummary:
    """A day in figures, and when the nearest events before and after it were last seen."""

    tallies: list[EventTally]
    earlier_at: datetime | None
    later_at: datetime | None


async def count_events(
    conn: Connection, *, first: date, until: date, timezone: str, collection: str | None
) -> dict[date, int]:
    """The number of events of each local day that has some, MAX_COUNTED for a day that has more."""
    rows = await conn.fetch(SQL["count_events"], first, until, timezone, collection, MAX_COUNTED)
    return {row["day"]: row["events"] for row in rows}


async def list_days(
    conn: Connection, *, timezone: str, since: datetime, until: datetime, limit: int, collection: str | None = None
) -> list[StoryDay]:
    """The latest days that have stories; `since` and `until` are starts of days in the timezone."""
    await slices.plan_for_values(conn)
    rows = await conn.fetch(SQL["days"], timezone, since, until, collection, limit)
    return [_story_day(day, list(of_day)) for day, of_day in groupby(rows, key=itemgetter("day"))]


def _story_day(day: date, rows: Sequence[Mapping[str, Any]]) -> StoryDay:
    return StoryDay(
        day=day,
        stories=sum(row["stories"] for row in rows),
        groups=sum(row["groups"] for row in rows),
        collections=[_tally(row) for row in rows],
    )


def _tally(row: Mapping[str, Any]) -> StoryTally:
    return StoryTally(collection=row["collection"], stories=row["stories"], groups=row["groups"])


async def summarize_day(
    conn: Connection, *, since: datetime, until: datetime, collection: str | None = None
) -> DaySummary:
    """The events of a window in figures; its neighbours are those of the collection, if one is named."""
    tallies = [EventTally(**row) for row in await conn.fetch(SQL["day"], since, until)]
    around = await conn.fetchrow(SQL["around"], since, until, collection)
    return DaySummary(tallies=tallies, **around)
