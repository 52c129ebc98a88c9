"""Stories by day: how many each day has, and what is developing."""

from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter

from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.stories import Brief

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTally:
    """How many stories a collection has on a day, and how many groups of coverage they are of."""

    collection: str
    stories: int
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDay:
    day: date
    stories: int
    groups: int
    collections: list[DayTally]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTally:
    """How many stories there are, and how many groups of coverage they are of."""

    stories: int
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySummary:
    """What a day holds, and when the nearest stories before and after it were last seen."""

    tally_by_collection: dict[str, StoryTally]
    earlier_at: datetime | None
    later_at: datetime | None


async def count_stories(
    conn: Connection, *, since: datetime, until: datetime, timezone: str, collection: str | None
) -> dict[date, int]:
    """How many stories each local day has."""
    return {
        row["day"]: row["stories"] for row in await conn.fetch(SQL["count_stories"], since, until, timezone, collection)
    }


async def list_developing(conn: Connection, *, grown_since: datetime, known_by: datetime, limit: int) -> list[Brief]:
    return [Brief(**row) for row in await conn.fetch(SQL["developing"], grown_since, known_by, limit)]


async def list_days(
    conn: Connection, *, timezone: str, since: datetime, until: datetime, limit: int, collection: str | None = None
) -> list[StoryDay]:
    """The latest days that have stories; `since` and `until` are beginnings of days in the timezone."""
    await slices.plan_for_values(conn)
    rows = await conn.fetch(SQL["days"], timezone, since, until, collection, limit)
    found = []
    for day, of_day in groupby(rows, key=itemgetter("day")):
        tallies = [
            DayTally(collection=row["collection"], stories=row["stories"], groups=row["groups"]) for row in of_day
        ]
        found.append(
            StoryDay(
                day=day,
                stories=sum(tally.stories for tally in tallies),
                groups=sum(tally.groups for tally in tallies),
                collections=tallies,
            )
        )
    return found


async def summarize_day(
    conn: Connection, *, since: datetime, until: datetime, collection: str | None = None
) -> DaySummary:
    """The window's stories in numbers; the neighbours are those of the collection, if one is named."""
    tallies = [dict(row) for row in await conn.fetch(SQL["day"], since, until)]
    around = await conn.fetchrow(SQL["around"], since, until, collection)
    return DaySummary(tally_by_collection={tally.pop("collection"): StoryTally(**tally) for tally in tallies}, **around)
