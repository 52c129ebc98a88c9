"""The stats page: arrivals and merged documents per day, and the counts of collections and sources."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from weakref import WeakKeyDictionary

from fastapi import FastAPI, Request, Response

from scoop.http import errors, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import sources as source_reads
from scoop.store.reads import stats as stats_reads
from scoop.store.reads.stats import CollectionStats, DayStats, SourceStats
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

RANGES = (7, 30, 90)  # days; a longer range would read too many rows
DEFAULT_RANGE = 30
TOP_SOURCES = 10
MAX_SOURCES = 200
CACHED_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedStats:
    day: date
    counts: DayStats


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsPage:
    """The counts of a range of days; `sources` are the busiest of `source_count`."""

    days: list[DatedStats]
    matches: dict[str, int]
    collections: list[CollectionStats]
    sources: list[SourceStats]
    source_names: dict[str, str]
    source_count: int

    @property
    def arrivals(self) -> int:
        return sum(day.counts.arrivals for day in self.days)

    @property
    def opened(self) -> int:
        return sum(day.counts.opened for day in self.days)

    @property
    def folded(self) -> int:
        return sum(day.counts.folded for day in self.days)

    @property
    def folded_share(self) -> float:
        """The share of documents that were merged into an existing story."""
        return self.folded / (self.opened + self.folded) if self.folded else 0.0

    @property
    def is_empty(self) -> bool:
        return not (self.arrivals or self.opened or self.folded or self.sources or self.collections)


@dataclass(slots=True)
class StatsCache:
    """Counts every range at most once a minute for all visitors: on a large desk that takes seconds."""

    _pages: dict[tuple[date, int], tuple[float, StatsPage]] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, desk: Desk, context: PageContext, days: int) -> StatsPage:
        async with self._lock:
            counted_at, stats = self._pages.get((context.today, days), (float("-inf"), None))
            if stats is None or time.monotonic() - counted_at > CACHED_SECONDS:
                async with desk.reading() as conn:
                    stats = await _count(conn, context, days)
                self._pages = {key: page for key, page in self._pages.items() if key[0] == context.today}
                self._pages[context.today, days] = time.monotonic(), stats
        return stats


_caches: WeakKeyDictionary[FastAPI, StatsCache] = WeakKeyDictionary()


@router.get("/stats")
@needs("read")
async def stats_page(
    request: Request, desk: CurrentDesk, context: PageContext, days: str = str(DEFAULT_RANGE), sources: str = ""
) -> Response:
    """The counts of the last days including today; `sources=all` lists all sources instead of the busiest ten."""
    if days not in map(str, RANGES):
        raise errors.invalid("days", f"must be one of {', '.join(map(str, RANGES))}")
    stats = await _caches.setdefault(request.app, StatsCache()).get(desk, context, int(days))
    shown = stats.sources if sources == "all" else stats.sources[:TOP_SOURCES]
    return pages.page("stats.html", context, stats=stats, sources=shown, chosen=int(days), RANGES=RANGES)


async def _count(conn: Connection, context: PageContext, days: int) -> StatsPage:
    windows = _windows(context, days)
    since, until = windows[0][1][0], windows[-1][1][1]
    counts = await stats_reads.count_days(conn, [window for _, window in windows])
    sources, source_count = await stats_reads.count_sources(conn, since=since, until=until, limit=MAX_SOURCES)
    return StatsPage(
        days=[DatedStats(day=day, counts=count) for (day, _), count in zip(windows, counts, strict=True)],
        matches=await stats_reads.count_matches(conn, since=since, until=until),
        collections=await stats_reads.count_collections(conn, since=since, until=until),
        sources=sources,
        source_names=await source_reads.get_names(conn, [source.source for source in sources]),
        source_count=source_count,
    )


def _windows(context: PageContext, count: int) -> list[tuple[date, tuple[datetime, datetime]]]:
    """The last days with their first and last moments, the oldest first."""
    days = [context.today - timedelta(days=ago) for ago in reversed(range(count))]
    return [(day, context.window(day)) for day in days]
