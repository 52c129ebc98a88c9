"""Figures over some days: what arrived, what was folded, what each source and collection brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from scoop.store import db
from scoop.store.db import Connection
from scoop.store.work import Waiting

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStats:
    """The figures of one day: arrivals, the documents that opened a story, those that were folded into one."""

    arrivals: int
    opened: int
    folded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionStats:
    collection: str
    stories: int
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStats:
    """What the runs of a source came to; pushed items are runs of the source `items`."""

    source: str
    runs: int
    failed_runs: int
    items_fetched: int
    items_inserted: int
    items_failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSubject:
    """What a piece of work is about; `label` is empty where that is gone."""

    label: str
    source: str | None
    story_uuid: UUID | None


async def days(conn: Connection, windows: Sequence[tuple[datetime, datetime]]) -> list[DayStats]:
    """The figures of each window, in order."""
    rows = await conn.fetch(SQL["days"], [since for since, _ in windows], [until for _, until in windows])
    return [DayStats(arrivals=row["arrivals"], opened=row["opened"], folded=row["folded"]) for row in rows]


async def matches(conn: Connection, *, since: datetime, until: datetime) -> dict[str, int]:
    rows = await conn.fetch(SQL["matches"], since, until)
    return {row["match_type"]: row["count"] for row in rows}


async def collections(conn: Connection, *, since: datetime, until: datetime) -> list[CollectionStats]:
    return [CollectionStats(**row) for row in await conn.fetch(SQL["collections"], since, until)]


async def sources(conn: Connection, *, since: datetime, until: datetime, limit: int) -> tuple[list[SourceStats], int]:
    """The sources that brought most, and how many there are in all."""
    rows = [dict(row) for row in await conn.fetch(SQL["sources"], since, until, limit)]
    total = rows[0]["sources"] if rows else 0
    return [SourceStats(**{name: value for name, value in row.items() if name != "sources"}) for row in rows], total


async def subjects(conn: Connection, waiting: Sequence[Waiting]) -> dict[tuple[str, int], WorkSubject]:
    """What pieces of work are about, by stage and subject."""
    if not waiting:
        return {}
    rows = await conn.fetch(SQL["subjects"], [each.stage for each in waiting], [each.subject for each in waiting])
    return {
        (row["stage"], row["subject"]): WorkSubject(
            label=row["label"], source=row["source"], story_uuid=row["story_uuid"]
        )
        for row in rows
    }
