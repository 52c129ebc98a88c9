"""The sentiment cache: entries per tool and period, what servers counted, and the aggregates they are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from scoop.core import sentiment_cache as core
from scoop.core.sentiment_cache import Aggregate, CacheMetadata, Period, SentimentCacheEntry
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
DAY = timedelta(hours=24)
COUNTS_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAggregate:
    """The aggregate of a tool for the hours before a moment."""

    tool_id: UUID
    hours: int
    aggregate: Aggregate


@dataclass(slots=True)
class CacheCounts:
    """What a server counted in a minute."""

    hits: int = 0
    misses: int = 0
    errors: int = 0


@dataclass(slots=True)
class PendingCounts:
    """What a server counted and has not written yet, by minute."""

    by_minute: dict[datetime, CacheCounts] = field(default_factory=dict)

    def at(self, now: datetime) -> CacheCounts:
        return self.by_minute.setdefault(now.replace(second=0, microsecond=0), CacheCounts())

    def take(self) -> dict[datetime, CacheCounts]:
        taken, self.by_minute = self.by_minute, {}
        return taken

    def give_back(self, taken: Mapping[datetime, CacheCounts]) -> None:
        """Count again what could not be written."""
        for minute, counts in taken.items():
            own = self.at(minute)
            own.hits, own.misses, own.errors = (
                own.hits + counts.hits,
                own.misses + counts.misses,
                own.errors + counts.errors,
            )


async def add_up(conn: Connection, tool_number: int | None = None) -> None:
    """Add up the hours of mentions that changed, of one tool or all; aggregates are right before it too, but slower."""
    async with conn.transaction():
        await commit_quickly(conn)
        await conn.execute(SQL["lock_sums"])
        kept = [row["tool_number"] for row in await conn.fetch(SQL["lock_tools"], tool_number)]
        await conn.execute(SQL["add_up"], kept)


async def commit_quickly(conn: Connection) -> None:
    """Let the commit of a transaction not wait for the disk."""
    await conn.execute(SQL["commit_quickly"])


async def aggregate(
    conn: Connection, hours: Sequence[int], *, now: datetime, tool_number: int | None = None
) -> list[ToolAggregate]:
    """The mentions of all active tools, or of one, in these windows, in one pass."""
    lengths = sorted(hours)
    # The beginning of a window is not in it, so that a mention that is exactly an hour old is not of the last hour.
    starts = [now - timedelta(hours=length) + timedelta(microseconds=1) for length in reversed(lengths)]
    async with conn.transaction():
        await conn.execute(SQL["prepare"])
        rows = await conn.fetch(SQL["aggregates"], lengths, now, tool_number, starts)
    return [
        ToolAggregate(
            tool_id=UUID(int=row["tool_id"].int),
            hours=row["hours"],
            aggregate=Aggregate(
                positive_count=row["positive_count"],
                negative_count=row["negative_count"],
                neutral_count=row["neutral_count"],
                compound_sum=row["compound_sum"],
                story_count=row["story_count"],
                publisher_family_count=row["publisher_family_count"],
            ),
        )
        for row in rows
    ]


async def count_cached(conn: Connection, *, now: datetime) -> tuple[int, int]:
    """The mentions of the last 30 days, to the hour, and those of the entries for 30 days."""
    row = await conn.fetchrow(SQL["count_cached"], now - timedelta(hours=core.HOURS["DAY_30"]))
    return row["counted"], row["cached"]


async def get(conn: Connection, tool_id: UUID, period: Period) -> SentimentCacheEntry | None:
    row = await conn.fetchrow(SQL["get"], tool_id, period)
    return None if row is None else entry_of(row)


async def list_entries(conn: Connection, period: Period | None = None) -> list[SentimentCacheEntry]:
    return [entry_of(row) for row in await conn.fetch(SQL["list"], period)]


async def put(conn: Connection, entries: Sequence[SentimentCacheEntry], *, now: datetime) -> None:
    columns = (
        "tool_id", "period", "positive_count", "negative_count", "neutral_count", "story_count",
        "publisher_family_count", "average_sentiment", "period_start_ts", "period_end_ts", "last_updated_ts",
    )  # fmt: skip
    values = [[getattr(entry, column) for entry in entries] for column in columns]
    await conn.execute(SQL["put"], *values, int(now.timestamp()))


async def invalidate(conn: Connection, tool_number: int) -> int:
    """Delete the entries of a tool; gives how many there were."""
    return _affected(await conn.execute(SQL["invalidate"], tool_number))


async def clean(conn: Connection, *, now: datetime) -> int:
    """Delete old entries and counts; gives the number of entries."""
    await conn.execute(SQL["forget_counts"], now - COUNTS_KEPT)
    return _affected(await conn.execute(SQL["clean"], int((now - core.KEPT_FOR).timestamp())))


async def lock_entry(conn: Connection, key: str) -> None:
    """Wait until no other server computes this entry; held until the end of the transaction."""
    await conn.execute(SQL["lock_entry"], key)


async def count(conn: Connection, counted: Mapping[datetime, CacheCounts]) -> None:
    counts = counted.values()
    await conn.execute(
        SQL["count"],
        list(counted),
        [each.hits for each in counts],
        [each.misses for each in counts],
        [each.errors for each in counts],
    )


async def put_metadata(conn: Connection, *, at: datetime, took: timedelta, tools: Sequence[UUID]) -> None:
    """Note a refresh."""
    await conn.execute(SQL["put_metadata"], int(at.timestamp()), max(0, int(took.total_seconds() * 1000)), list(tools))


async def get_metadata(conn: Connection, *, now: datetime) -> CacheMetadata:
    """The last refresh, and what all servers counted in the last 24 hours."""
    return metadata_of(await conn.fetchrow(SQL["metadata"], now - DAY, now))


def metadata_of(row: Mapping[str, Any]) -> CacheMetadata:
    """The metadata of a row."""
    tools = tuple(UUID(int=each.int) for each in row["tools_refreshed"])
    return CacheMetadata(**{**row, "tools_refreshed": tools})


def entry_of(row: Mapping[str, Any]) -> SentimentCacheEntry:
    """The entry of a row; its total and percentages follow from the counts."""
    tool_id, period = UUID(int=row["tool_id"].int), row["period"]
    counts = (row["positive_count"], row["negative_count"], row["neutral_count"])
    positive, negative, neutral = core.percentages(*counts)
    return SentimentCacheEntry(
        id=f"{tool_id}:{period}",
        tool_id=tool_id,
        period=period,
        total_mentions=sum(counts),
        positive_count=counts[0],
        negative_count=counts[1],
        neutral_count=counts[2],
        positive_percentage=positive,
        negative_percentage=negative,
        neutral_percentage=neutral,
        average_sentiment=row["average_sentiment"],
        period_start_ts=row["period_start_ts"],
        period_end_ts=row["period_end_ts"],
        last_updated_ts=row["last_updated_ts"],
        story_count=row["story_count"],
        publisher_family_count=row["publisher_family_count"],
    )


def _affected(status: str) -> int:
    return int(status.rpartition(" ")[2])
