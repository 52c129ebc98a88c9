"""The sentiment cache at work: refresh, reads through the cache, invalidation, health."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import perf_counter
from typing import Literal
from uuid import UUID

import structlog

from scoop.core import sentiment_cache as core
from scoop.core.sentiment_cache import HOURS, CacheMetadata, InvalidEntry, Period, SentimentCacheEntry
from scoop.core.tools import Tool, root_of
from scoop.faults import fault
from scoop.store import sentiment_cache as store
from scoop.store import tools
from scoop.store.db import Connection
from scoop.store.sentiment_cache import ToolAggregate

log = structlog.get_logger()

CacheStatus = Literal["HIT", "MISS", "BYPASS"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """What a refresh computed, and the tools whose entries broke a rule: these keep their old entries."""

    entries: Sequence[SentimentCacheEntry]
    failed: Sequence[UUID]


async def refresh(conn: Connection, *, now: datetime) -> Refreshed:
    """Compute the entries of all active tools and periods in one pass, and store them."""
    began = perf_counter()
    await store.add_up(conn)
    fault("sentiment.added_up")
    made = make_entries(await store.aggregate(conn, list(HOURS.values()), now=now), now=now)
    async with conn.transaction():
        await store.commit_quickly(conn)
        await store.put(conn, made.entries, now=now)
        if made.failed:
            counted = store.PendingCounts()
            counted.at(now).errors += len(made.failed)
            await store.count(conn, counted.take())
        took = timedelta(seconds=perf_counter() - began)
        refreshed = list(dict.fromkeys(entry.tool_id for entry in made.entries))
        await store.put_metadata(conn, at=now, took=took, tools=refreshed)
        fault("sentiment.refreshed")
    return made


async def follow_changes(conn: Connection, *, now: datetime) -> None:
    """Add up the mentions that changed; refresh early if the cache lacks a tenth, as on a desk that has just begun."""
    await store.add_up(conn)
    if core.is_behind(*await store.count_cached(conn, now=now)):
        await refresh(conn, now=now)


def make_entries(aggregates: Sequence[ToolAggregate], *, now: datetime) -> Refreshed:
    """The entries of aggregates; a tool with an invalid one fails as a whole, the others do not."""
    by_tool: dict[UUID, list[SentimentCacheEntry]] = {}
    failed: dict[UUID, None] = {}
    for each in aggregates:
        try:
            made = core.entry(each.tool_id, each.hours, each.aggregate, now=now)
        except InvalidEntry as error:
            log.warning("sentiment not cached", tool=str(each.tool_id), hours=each.hours, error=str(error))
            failed[each.tool_id] = None
        else:
            by_tool.setdefault(each.tool_id, []).append(made)
    entries = [entry for tool_id, made in by_tool.items() if tool_id not in failed for entry in made]
    return Refreshed(entries=entries, failed=list(failed))


async def renew(conn: Connection, tool_number: int | None, *, now: datetime) -> None:
    """Drop what is cached of a tool and compute it again; everything without a tool."""
    if tool_number is None:
        await refresh(conn, now=now)
        return
    listed = await tools.list_tools(conn)
    root = root_of(next(tool for tool in listed if tool.tool_number == tool_number), listed)
    await store.invalidate(conn, tool_number)
    await store.invalidate(conn, root.tool_number)
    await store.add_up(conn, tool_number)
    made = await store.aggregate(conn, list(HOURS.values()), now=now, tool_number=root.tool_number)
    if root.is_active:
        await store.put(conn, make_entries(made, now=now).entries, now=now)


async def compute(conn: Connection, tool: Tool, hours: int, *, now: datetime) -> SentimentCacheEntry:
    """The entry of a tool for a number of hours, from the mentions."""
    (found,) = await store.aggregate(conn, [hours], now=now, tool_number=tool.tool_number)
    return core.entry(tool.tool_id, hours, found.aggregate, now=now)


async def fill(conn: Connection, tool: Tool, period: Period, *, now: datetime) -> SentimentCacheEntry:
    """Compute an entry and store it, inside the caller's transaction; one server does that at a time."""
    await store.lock_entry(conn, f"{tool.tool_id}:{period}")
    if (present := await store.get(conn, tool.tool_id, period)) is not None and not present.is_stale(now):
        return present
    made = await compute(conn, tool, HOURS[period], now=now)
    await store.put(conn, [made], now=now)
    return made


async def invalidate(conn: Connection, tool: Tool) -> int:
    """Drop the entries of a tool; gives their number."""
    return await store.invalidate(conn, tool.tool_number)


async def clean(conn: Connection, *, now: datetime) -> int:
    """Drop the entries that nobody has refreshed for a week."""
    return await store.clean(conn, now=now)


async def get_metadata(conn: Connection, *, now: datetime) -> CacheMetadata:
    """The metadata, checked by its rules."""
    made = await store.get_metadata(conn, now=now)
    core.check_metadata(made)
    return made
