"""Figures as a page: what arrived each day, what was folded, what each source and collection brought."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from weakref import WeakKeyDictionary

from fastapi import FastAPI, Request, Response

from scoop.core import text
from scoop.http import errors, routes
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import stats as stats_reads
from scoop.store.reads.stats import CollectionStats, DayStats, SourceStats
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

RANGES = (7, 30, 90)  # days; every figure is read for so many at most
USUAL = 30
SHOWN_SOURCES = 200
KEPT_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    day: date
    figures: DayStats


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsPage:
    """What the last days came to; `sources` are those that brought most, `source_count` is how many there are."""

    dated: list[Dated]
    matches: dict[str, int]
    collections: list[CollectionStats]
    sources: list[SourceStats]
    source_count: int

    @property
    def arrivals(self) -> int:
        return sum(each.figures.arrivals for each in self.dated)

    @property
    def opened(self) -> int:
        return sum(each.figures.opened for each in self.dated)

    @property
    def folded(self) -> int:
        return sum(each.figures.folded for each in self.dated)

    @property
    def folded_share(self) -> float:
        """The part of the documents that told nothing of their own."""
        return self.folded / (self.opened + self.folded) if self.folded else 0.0

    @property
    def is_empty(self) -> bool:
        return not (self.arrivals or self.opened or self.folded or self.sources or self.collections)


@dataclass(slots=True)
class Sheet:
    """The figures, counted at most once a minute for all who look: of a large desk that takes a while."""

    _counted: dict[tuple[date, int], tuple[float, StatsPage]] = field(default_factory=dict)
    _counting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def figures(self, desk: Desk, context: PageContext, days: int) -> StatsPage:
        async with self._counting:
            counted_at, found = self._counted.get((context.today, days), (float("-inf"), None))
            if found is None or time.monotonic() - counted_at > KEPT_SECONDS:
                async with desk.reading() as conn:
                    found = await _counted(conn, context, days)
                self._counted = {key: kept for key, kept in self._counted.items() if key[0] == context.today}
                self._counted[context.today, days] = time.monotonic(), found
        return found


_sheets: WeakKeyDictionary[FastAPI, Sheet] = WeakKeyDictionary()


@router.get("/stats")
@needs("read")
async def stats_page(request: Request, desk: CurrentDesk, context: PageContext, days: str = str(USUAL)) -> Response:
    """The figures of the last days, today among them."""
    if days not in map(str, RANGES):
        raise errors.invalid("days", f"must be one of {', '.join(map(str, RANGES))}")
    found = await _sheets.setdefault(request.app, Sheet()).figures(desk, context, int(days))
    return pages.page("stats.html", context, found=found, chosen=int(days), RANGES=RANGES, plain=text.one_line)


async def _counted(conn: Connection, context: PageContext, days: int) -> StatsPage:
    windows = _windows(context, days)
    since, until = windows[0][1][0], windows[-1][1][1]
    found = await stats_reads.count_days(conn, [window for _, window in windows])
    sources, source_count = await stats_reads.count_sources(conn, since=since, until=until, limit=SHOWN_SOURCES)
    return StatsPage(
        dated=[Dated(day=day, figures=each) for (day, _), each in zip(windows, found, strict=True)],
        matches=await stats_reads.count_matches(conn, since=since, until=until),
        collections=await stats_reads.count_collections(conn, since=since, until=until),
        sources=sources,
        source_count=source_count,
    )


def _windows(context: PageContext, count: int) -> list[tuple[date, tuple[datetime, datetime]]]:
    """The last days with their first and last moments, the oldest first."""
    days = [context.today - timedelta(days=ago) for ago in reversed(range(count))]
    return [(day, context.window(day)) for day in days]
