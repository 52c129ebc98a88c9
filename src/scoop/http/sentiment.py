"""Reads through the sentiment cache: hits are cheap, a miss is computed once, a stale entry is served meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Annotated, Any

import structlog
from fastapi import Depends, Request

from scoop.core import tools as core
from scoop.core.sentiment_cache import PERIOD_BY_HOURS, InvalidEntry, Period, SentimentCacheEntry
from scoop.core.tools import Tool
from scoop.errors import ConfigError, DatabaseUnavailable, Retry
from scoop.http.deps import UNAVAILABLE, Desk
from scoop.projections import SentimentDocuments
from scoop.stages import sentiment_cache
from scoop.stages.sentiment_cache import CacheStatus
from scoop.store import db, tools
from scoop.store import sentiment_cache as store
from scoop.store.db import Connection
from scoop.store.sentiment_cache import PendingCounts

log = structlog.get_logger()

REMEMBERED_SECONDS = 1.0  # for so long another server's invalidation may go unnoticed
RENEWED_SECONDS = 0.5  # from then on an entry that is asked for is read again, and nobody waits for that
PATIENCE_SECONDS = 0.5  # for a slow database, if there is a remembered entry to serve instead
DOCUMENT_SECONDS = 2.0  # for another store; then the database is asked
FLUSH_SECONDS = 1.0
MAX_REMEMBERED = 2_000
FAILURES = (DatabaseUnavailable, InvalidEntry, db.ServerError, *UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentReading:
    """An entry, the tool that it is of, and how the cache gave it."""

    tool: Tool
    entry: SentimentCacheEntry
    status: CacheStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedEntry:
    tool: Tool
    entry: SentimentCacheEntry | None
    read_at: float

    @property
    def age(self) -> float:
        return monotonic() - self.read_at


@dataclass(slots=True)
class SentimentReads:
    """The cache as one server reads it; `documents` are read instead of the database if the operator chose them."""

    desk: Desk
    documents: SentimentDocuments | None = None
    counts: PendingCounts = field(default_factory=PendingCounts)
    _remembered: dict[tuple[str, Period], RememberedEntry] = field(default_factory=dict)
    _look_ups: dict[tuple[str, Period], asyncio.Task[RememberedEntry]] = field(default_factory=dict)
    _flights: dict[tuple[Any, ...], asyncio.Task[SentimentCacheEntry]] = field(default_factory=dict)
    _flush: asyncio.Task[None] | None = None

    async def read(self, reference: str, hours: int) -> SentimentReading:
        """The entry of a tool, by id or slug, for the last hours."""
        try:
            return await self._read(reference, hours)
        except FAILURES:
            self._count("errors")  # it is not cached, and nobody gets zeros
            raise

    async def _read(self, reference: str, hours: int) -> SentimentReading:
        period = PERIOD_BY_HOURS.get(hours)
        if period is None:
            return await self._bypass(reference, hours)
        found = await self._look_up(reference, period)
        if found.entry is None:
            entry = await self._fill(found.tool, period)
            self._count("misses")
            return SentimentReading(tool=found.tool, entry=entry, status="MISS")
        self._count("hits")
        if found.entry.is_stale(self.desk.clock()):
            self._refresh(found.tool, period)
        return SentimentReading(tool=found.tool, entry=found.entry, status="HIT")

    async def _bypass(self, reference: str, hours: int) -> SentimentReading:
        async with self.desk.reading() as conn:
            tool = await root(conn, reference)
        now = self.desk.clock()

        async def compute() -> SentimentCacheEntry:
            async with self.desk.reading() as conn:
                return await sentiment_cache.compute(conn, tool, hours, now=now)

        entry = await asyncio.shield(self._fly((tool.tool_number, hours), compute))
        return SentimentReading(tool=tool, entry=entry, status="BYPASS")

    async def _look_up(self, reference: str, period: Period) -> RememberedEntry:
        """The stored entry, as it was a moment ago; an older one if the database is slow."""
        remembered = self._remembered.get((reference, period))
        if remembered is None or remembered.entry is None:
            return await asyncio.shield(self._renew(reference, period))
        if remembered.age < REMEMBERED_SECONDS:
            if remembered.age >= RENEWED_SECONDS:
                self._renew(reference, period)
            return remembered
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(self._renew(reference, period))
        except (TimeoutError, DatabaseUnavailable) as error:
            log.warning("sentiment served from memory", tool=reference, period=period, error=str(error) or "slow")
            return remembered

    def _renew(self, reference: str, period: Period) -> asyncio.Task[RememberedEntry]:
        """The running look-up of an entry, or a new one: callers of the same moment share it."""
        key, look_ups = (reference, period), self._look_ups

        def end(done: asyncio.Task[RememberedEntry]) -> None:
            del look_ups[key]
            if not done.cancelled() and (error := done.exception()) is not None:
                log.debug("sentiment not looked up", error=str(error) or type(error).__name__)

        if key not in look_ups:
            look_ups[key] = asyncio.create_task(self._look_up_now(reference, period))
            look_ups[key].add_done_callback(end)
        return look_ups[key]

    async def _look_up_now(self, reference: str, period: Period) -> RememberedEntry:
        remembered = self._remembered  # what was forgotten meanwhile stays forgotten
        async with self.desk.reading() as conn:
            tool = await root(conn, reference)
            entry = await store.get(conn, tool.tool_id, period) if self.documents is None else None
        if self.documents is not None:
            entry = await self._find_document(self.documents, tool, period)
        found = RememberedEntry(tool=tool, entry=entry, read_at=monotonic())
        if len(remembered) >= MAX_REMEMBERED:
            remembered.clear()
        remembered[reference, period] = found
        return found

    async def _find_document(
        self, documents: SentimentDocuments, tool: Tool, period: Period
    ) -> SentimentCacheEntry | None:
        """The entry of the other store; that of the database if the store fails, which counts as an error."""
        try:
            async with asyncio.timeout(DOCUMENT_SECONDS):
                return await documents.find_entry(tool.tool_id, period)
        except (TimeoutError, Retry, ConfigError, InvalidEntry) as error:
            self._count("errors")
            log.warning("sentiment read from the database", tool=tool.slug, period=period, error=str(error) or "slow")
        async with self.desk.reading() as conn:
            return await store.get(conn, tool.tool_id, period)

    async def drop(self, conn: Connection, tool: Tool) -> int:
        """Drop the entries of a tool, everywhere; gives their number in the database."""
        dropped = await sentiment_cache.invalidate(conn, tool)
        if self.documents is not None:
            await self.documents.drop_entries(tool.tool_id)
        self.forget()
        return dropped

    async def _fill(self, tool: Tool, period: Period) -> SentimentCacheEntry:
        async def fill() -> SentimentCacheEntry:
            async with self.desk.writing() as conn:
                return await sentiment_cache.fill(conn, tool, period, now=self.desk.clock())

        return await asyncio.shield(self._fly((tool.tool_number, period), fill))

    def _refresh(self, tool: Tool, period: Period) -> None:
        """Compute a stale entry again, without letting anybody wait for it."""

        async def refresh() -> SentimentCacheEntry:
            async with self.desk.writing() as conn:
                return await sentiment_cache.fill(conn, tool, period, now=self.desk.clock())

        self._fly((tool.tool_number, period), refresh).add_done_callback(self._note_refresh)

    def _note_refresh(self, refreshing: asyncio.Task[SentimentCacheEntry]) -> None:
        if not refreshing.cancelled() and (error := refreshing.exception()) is not None:
            self._count("errors")
            log.warning("sentiment not refreshed", error=str(error) or type(error).__name__)

    def _fly(
        self, key: tuple[Any, ...], compute: Callable[[], Awaitable[SentimentCacheEntry]]
    ) -> asyncio.Task[SentimentCacheEntry]:
        """The running computation of an entry, or a new one: callers of the same moment share it."""
        if key not in self._flights:
            task = asyncio.ensure_future(compute())
            self._flights[key] = task
            task.add_done_callback(lambda _task: self._flights.pop(key, None))
        return self._flights[key]

    def forget(self) -> None:
        """Read every entry from the database again: one was dropped."""
        self._remembered, self._look_ups = {}, {}

    def _count(self, name: str) -> None:
        counts = self.counts.at(self.desk.clock())
        setattr(counts, name, getattr(counts, name) + 1)
        if self._flush is None or self._flush.done():
            self._flush = asyncio.create_task(self._flush_soon())

    async def _flush_soon(self) -> None:
        await asyncio.sleep(FLUSH_SECONDS)
        await self.flush()

    async def flush(self) -> None:
        """Add what this server counted to the counts of all."""
        if not (taken := self.counts.take()):
            return
        try:
            async with self.desk.writing() as conn:
                await store.count(conn, taken)
        except FAILURES as error:
            self.counts.give_back(taken)
            log.warning("hits of the sentiment cache not written", error=str(error) or type(error).__name__)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write the last counts when the server stops."""
        try:
            yield
        finally:
            if self._flush is not None:
                self._flush.cancel()
            await self.flush()


async def root(conn: Connection, reference: str) -> Tool:
    """The tool with an id or slug, or the one that its mentions count for."""
    tool = await tools.get(conn, reference)
    return tool if tool.merged_into is None else core.root_of(tool, await tools.list_tools(conn))


async def _reads(request: Request) -> SentimentReads:
    reads: SentimentReads = request.app.state.sentiment
    return reads


CurrentSentiment = Annotated[SentimentReads, Depends(_reads)]
"""The sentiment cache, as an argument of a handler."""
