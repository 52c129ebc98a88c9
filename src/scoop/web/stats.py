"""Figures as a page: what arrived each day, what was folded, what each source and collection brought."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from fastapi import Response

from scoop.core import text
from scoop.doors import problems, routers
from scoop.doors.desk import Reads
from scoop.doors.rights import needs
from scoop.store import figures
from scoop.store.figures import Day
from scoop.web import pages
from scoop.web.reader import For, Reader

router = routers.for_pages()

RANGES = (7, 30, 90)  # days; every figure is read for so many at most
USUAL = 30
SHOWN_SOURCES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    day: date
    figures: Day


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    arrivals: int
    opened: int
    folded: int

    @property
    def folded_share(self) -> float:
        """The part of the documents that told nothing of their own."""
        return self.folded / (self.opened + self.folded) if self.folded else 0.0


@router.get("/stats")
@needs("read")
async def stats_page(conn: Reads, reader: For, days: str = str(USUAL)) -> Response:
    """The figures of the last days, today among them."""
    if days not in map(str, RANGES):
        raise problems.invalid("days", f"must be one of {', '.join(map(str, RANGES))}")
    windows = _windows(reader, int(days))
    since, until = windows[0][1][0], windows[-1][1][1]
    found = await figures.days(conn, [window for _, window in windows])
    sources, source_count = await figures.sources(conn, since=since, until=until, limit=SHOWN_SOURCES)
    return pages.page(
        "stats.html", reader, chosen=int(days), RANGES=RANGES,
        dated=[Dated(day=day, figures=each) for (day, _), each in zip(windows, found, strict=True)],
        totals=_totals(found),
        matches=await figures.matches(conn, since=since, until=until),
        collections=await figures.collections(conn, since=since, until=until),
        sources=sources, source_count=source_count, plain=text.one_line,
    )  # fmt: skip


def _windows(reader: Reader, count: int) -> list[tuple[date, tuple[datetime, datetime]]]:
    """The last days with their first and last moments, the oldest first."""
    days = [reader.today - timedelta(days=ago) for ago in reversed(range(count))]
    return [(day, reader.window(day)) for day in days]


def _totals(days: list[Day]) -> Totals:
    return Totals(
        arrivals=sum(day.arrivals for day in days),
        opened=sum(day.opened for day in days),
        folded=sum(day.folded for day in days),
    )
