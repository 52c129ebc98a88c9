"""Counts in total and over days: arrivals, new stories, merged documents, sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.store import db, work
from scoop.store.db import Connection
from scoop.store.reads import collections
from scoop.store.reads.collections import CollectionSummary

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    sources: int
    runs: int
    arrivals: int
    refused: int
    documents: int
    stories: int
    merged_stories: int
    members: int
    events: int
    match_types: dict[str, int]
    collections: list[CollectionSummary]
    work: list[work.Count]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStats:
    """The counts of one day: arrivals, documents that opened a story, documents that joined one."""

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
    """The totals of a source's runs; pushed items are runs of the source `items`."""

    source: str
    runs: int
    failed_runs: int
    items_fetched: int
    items_inserted: int
    items_failed: int


async def get_stats(conn: Connection) -> Stats:
    async with conn.transaction(isolation="repeatable_read", readonly=True):
        return Stats(
            **await conn.fetchrow(SQL["totals"]),
            match_types={row["match_type"]: row["count"] for row in await conn.fetch(SQL["match_types"])},
            collections=await collections.list_collections(conn),
            work=await work.counts(conn),
        )


async def count_days(conn: Connection, windows: Sequence[tuple[datetime, datetime]]) -> list[DayStats]:
    """The counts of each window, in order."""
    rows = await conn.fetch(SQL["days"], [since for since, _ in windows], [until for _, until in windows])
    return [DayStats(arrivals=row["arrivals"], opened=row["opened"], folded=row["folded"]) for row in rows]


async def count_matches(conn: Connection, *, since: datetime, until: datetime) -> dict[str, int]:
    rows = await conn.fetch(SQL["matches"], since, until)
    return {row["match_type"]: row["count"] for row in rows}


async def count_collections(conn: Connection, *, since: datetime, until: datetime) -> list[CollectionStats]:
    return [CollectionStats(**row) for row in await conn.fetch(SQL["collections"], since, until)]


async def count_sources(
    conn: Connection, *, since: datetime, until: datetime, limit: int
) -> tuple[list[SourceStats], int]:
    """The sources with most new items, and the number of all sources."""
    rows = [dict(row) for row in await conn.fetch(SQL["sources"], since, until, limit)]
    total = rows[0]["sources"] if rows else 0
    return [SourceStats(**{name: value for name, value in row.items() if name != "sources"}) for row in rows], total
