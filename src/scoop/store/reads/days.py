"""Stories by day: how many each day has, and what is developing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from scoop.model import Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.stories import story_from

SQL = db.blocks(__name__)


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
    """A day in figures, and when the nearest stories before and after it were last seen."""

    tally_by_collection: dict[str, StoryTally]
    earlier_at: datetime | None
    later_at: datetime | None


async def count_stories(
    conn: Connection, *, since: datetime, until: datetime, timezone: str, collection: str | None
) -> dict[date, int]:
    """The number of stories of each local day that has some."""
    return {
        row["day"]: row["stories"] for row in await conn.fetch(SQL["count_stories"], since, until, timezone, collection)
    }


async def list_developing(conn: Connection, *, grown_since: datetime, known_by: datetime, limit: int) -> list[Story]:
    return [story_from(row) for row in await conn.fetch(SQL["developing"], grown_since, known_by, limit)]


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
    """The stories of a window in figures; its neighbours are those of the collection, if one is named."""
    tallies = [_tally(row) for row in await conn.fetch(SQL["day"], since, until)]
    around = await conn.fetchrow(SQL["around"], since, until, collection)
    return DaySummary(tally_by_collection={tally.collection: tally for tally in tallies}, **around)
