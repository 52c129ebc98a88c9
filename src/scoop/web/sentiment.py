"""The pages of sentiment: a card for each tool, a comparison, the series of a tool with its evidence, re-analyses."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from scoop.actions import tool_reports
from scoop.actions.tool_reports import TrendReport
from scoop.core import charts, sentiment_trends
from scoop.core import sentiment_cache as core
from scoop.core.charts import Bar
from scoop.core.sentiment import SentimentLabel
from scoop.core.sentiment_cache import PERIOD_BY_HOURS, SentimentCacheEntry
from scoop.core.sentiment_trends import MAX_COMPARED, MAX_DAYS
from scoop.core.tools import Tool
from scoop.http import pagination, routes, sentiment
from scoop.http.deps import CurrentDesk, Desk, ReadConn, WriteConn
from scoop.http.pagination import MAX_CURSOR
from scoop.http.routes import needs
from scoop.http.sentiment import CurrentSentiment
from scoop.stages import sentiment_cache
from scoop.store import sentiment_cache as store
from scoop.store import sentiment_jobs, tools
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import DayPoint, HotTool, Interval, PassageFilter, SeriesPoint, ToolTrend, Window
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

RANGES = ((24, "24 hours"), (168, "7 days"), (720, "30 days"))
SPARK_DAYS = 30
SHOWN_HOT = 6
SHOWN_STORIES = 12
SHOWN_POSTS = 6
SHOWN_JOBS = 50
PAGE = 20  # passages
INTERVALS: tuple[Interval, ...] = ("hour", "day", "week")
ToolSlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]
RangeHours = Annotated[int, Query(ge=1, le=720)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard:
    """A tool on the dashboard; changes are against the same number of hours before, None if it had no mentions then."""

    tool: Tool
    entry: SentimentCacheEntry
    points: str
    mentions_change: float | None
    average_change: float | None
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    cards: Sequence[ToolCard]
    hot: Sequence[HotTool]
    trending: Sequence[TrendReport]
    last_refresh_at: datetime | None
    is_stale: bool


@router.get("/sentiment")
@needs("read")
async def dashboard_page(desk: CurrentDesk, context: PageContext, hours: RangeHours = 168) -> Response:
    async with desk.reading() as conn:
        found = await _dashboard(conn, context, hours)
    return pages.page("sentiment.html", context, page=found, hours=hours, RANGES=RANGES, charts=charts)


async def _dashboard(conn: Connection, context: PageContext, hours: int) -> Dashboard:
    now = context.now
    active = [tool for tool in await tools.list_tools(conn) if tool.is_active]
    entry_by_tool = await _entries(conn, active, hours, now=now)
    trends = await reads.list_trends(conn, Window.of(now, hours=hours))
    before = {each.tool_id: each for each in trends if each.previous_mentions}
    lines = await reads.get_sparklines(conn, Window.of(now, days=SPARK_DAYS), timezone=str(context.timezone))
    total = sum(entry.total_mentions for entry in entry_by_tool.values())
    cards = [
        ToolCard(
            tool=tool,
            entry=entry,
            points=charts.spark_points(_days(lines.get(tool.tool_number, ()), context.today)),
            mentions_change=_mentions_change(before.get(tool.tool_id)),
            average_change=_average_change(before.get(tool.tool_id), entry),
            share=entry.total_mentions / total if total else 0.0,
        )
        for tool in active
        if (entry := entry_by_tool.get(tool.tool_id)) is not None
    ]
    metadata = await sentiment_cache.get_metadata(conn, now=now)
    refreshed = datetime.fromtimestamp(metadata.last_refresh_ts, now.tzinfo) if metadata.last_refresh_ts else None
    return Dashboard(
        cards=sorted(cards, key=lambda card: (-card.entry.total_mentions, card.tool.slug)),
        hot=await reads.list_hot(conn, Window.of(now, hours=hours), limit=SHOWN_HOT),
        trending=tool_reports.trend_reports(trends, limit=SHOWN_HOT),
        last_refresh_at=refreshed,
        is_stale=core.is_stale(metadata.last_refresh_ts, now),
    )


def _mentions_change(trend: ToolTrend | None) -> float | None:
    return None if trend is None else sentiment_trends.change(trend.mentions, trend.previous_mentions)


def _average_change(trend: ToolTrend | None, entry: SentimentCacheEntry) -> float | None:
    return None if trend is None or not entry.total_mentions else entry.average_sentiment - trend.previous_average


async def _entries(
    conn: Connection, active: Sequence[Tool], hours: int, *, now: datetime
) -> dict[UUID, SentimentCacheEntry]:
    """The cached entries of tools, stale ones too: the page says how old they are. If one is missing, all are computed.

    A tool whose entry breaks a rule has none.
    """
    period = PERIOD_BY_HOURS.get(hours)
    cached = {entry.tool_id: entry for entry in await store.list_entries(conn, period)} if period else {}
    if any(tool.tool_id not in cached for tool in active):
        made = sentiment_cache.make_entries(await store.aggregate(conn, [hours], now=now), now=now)
        cached |= {entry.tool_id: entry for entry in made.entries}
    return {tool.tool_id: cached[tool.tool_id] for tool in active if tool.tool_id in cached}


def _days(points: Sequence[DayPoint], today: date) -> list[int]:
    """The mentions of each of the last days, the oldest first."""
    by_day = {point.day: point.mentions for point in points}
    return [by_day.get(today - timedelta(days=ago), 0) for ago in reversed(range(SPARK_DAYS))]


@router.get("/sentiment/compare")
@needs("read")
async def compare_page(
    desk: CurrentDesk,
    cache: CurrentSentiment,
    context: PageContext,
    tool: Annotated[list[ToolSlug] | None, Query(max_length=MAX_COMPARED)] = None,
    hours: RangeHours = 168,
) -> Response:
    async with desk.reading() as conn:
        listed = [each for each in await tools.list_tools(conn) if each.is_active]
    chosen = list(dict.fromkeys(tool or ()))
    found = [await cache.read(each, hours) for each in chosen]
    pairs = [(each.tool, each.entry) for each in found]
    compared = tool_reports.compare(pairs, now=context.now) if pairs else []
    return pages.page(
        "sentiment_compare.html", context, listed=listed, chosen=chosen, compared=compared, hours=hours, RANGES=RANGES
    )


@router.get("/sentiment/tools/{slug}")
@needs("read")
async def tool_page(
    desk: CurrentDesk,
    context: PageContext,
    slug: ToolSlug,
    days: Annotated[int, Query(ge=1, le=MAX_DAYS)] = 30,
    interval: Interval = "day",
    label: SentimentLabel | None = None,
    source: Annotated[str | None, Query(max_length=200)] = None,
    at: datetime | None = None,
    to: datetime | None = None,
    after: Annotated[str | None, Query(max_length=MAX_CURSOR)] = None,
) -> Response:
    """The series of a tool, and the passages behind it: all, or those of the intervals that begin `at` until `to`."""
    async with desk.reading() as conn:
        found = await sentiment.root(conn, slug)
        numbers = await reads.list_members(conn, found.tool_number)
        window = Window.of(context.now, days=days)
        points = await reads.get_series(conn, numbers, window, interval=interval, timezone=str(context.timezone))
        stories = await reads.list_stories(conn, numbers, window, limit=SHOWN_STORIES)
        posts = await reads.list_hot_posts(conn, numbers, window, limit=SHOWN_POSTS)
        last = to or at
        shown = _interval_window(points, at, last) or window
        filters = PassageFilter(window=shown, label=label, source=source or None)
        position = pagination.decode_cursor(after, datetime, int)
        cursor = (position[0], position[1]) if position else None
        listed = await reads.list_passages(conn, numbers, filters, after=cursor, limit=PAGE + 1)
    passages = pagination.paginate(listed, PAGE, lambda each: each.cursor)
    given: dict[str, object] = {"days": days, "interval": interval, "label": label, "source": source}
    given |= {"at": at and at.isoformat(), "to": to and to.isoformat()}

    def href(**changes: object) -> str:
        values = {name: value for name, value in {**given, **changes}.items() if value}
        return f"/sentiment/tools/{found.slug}?{urlencode(values)}"

    return pages.page(
        "sentiment_tool.html",
        context,
        tool=found,
        points=points,
        stories=stories,
        posts=[post for post in posts if post.comments or post.upvotes],
        passages=passages,
        given=given,
        at=at if shown is not window else None,
        to=last,
        href=href,
        INTERVALS=INTERVALS,
        total=sum(point.total_mentions for point in points),
    )


def _interval_window(points: Sequence[SeriesPoint], at: datetime | None, last: datetime | None) -> Window | None:
    """The window of the points that begin at a moment until another; None if no points do."""
    instant = timedelta(microseconds=1)  # a window has its end and not its beginning
    starts = [point.starts_at for point in points]
    if at is None or last is None or not {at, last} <= set(starts) or last < at:
        return None
    position = starts.index(last) + 1
    following = starts[position] if position < len(starts) else last + timedelta(days=7)
    return Window(since=at - instant, until=following - instant)


@router.get("/sentiment/tools/{slug}/series.csv")
@needs("read")
async def series_csv(
    desk: CurrentDesk,
    slug: ToolSlug,
    days: Annotated[int, Query(ge=1, le=MAX_DAYS)] = 30,
    interval: Interval = "day",
) -> Response:
    """The numbers of a series as CSV."""
    tool, points = await _series(desk, slug, days, interval)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    columns = SeriesPoint.__slots__
    writer.writerow(columns)
    writer.writerows([getattr(point, column) for column in columns] for point in points)
    return _attachment(lines.getvalue(), "text/csv; charset=utf-8", f"{tool.slug}.csv")


@router.get("/sentiment/tools/{slug}/series.svg")
@needs("read")
async def series_svg(
    desk: CurrentDesk,
    slug: ToolSlug,
    days: Annotated[int, Query(ge=1, le=MAX_DAYS)] = 30,
    interval: Interval = "day",
) -> Response:
    """The chart of a series as SVG."""
    tool, points = await _series(desk, slug, days, interval)
    bars = [
        Bar(
            label=f"{point.starts_at.astimezone(desk.timezone):%d %b}",
            counts=(point.positive_count, point.neutral_count, point.negative_count),
            average=point.average_sentiment if point.total_mentions else None,
        )
        for point in points
    ]
    title = f"Mentions of {tool.name} per {interval}"
    return _attachment(charts.stacked_svg(title, bars), "image/svg+xml", f"{tool.slug}.svg")


async def _series(desk: Desk, slug: str, days: int, interval: Interval) -> tuple[Tool, list[SeriesPoint]]:
    async with desk.reading() as conn:
        tool = await sentiment.root(conn, slug)
        numbers = await reads.list_members(conn, tool.tool_number)
        window = Window.of(desk.clock(), days=days)
        return tool, await reads.get_series(conn, numbers, window, interval=interval, timezone=str(desk.timezone))


def _attachment(content: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)


@router.get("/sentiment/jobs")
@needs("read")
async def jobs_page(context: PageContext, conn: ReadConn) -> Response:
    jobs = await sentiment_jobs.list_jobs(conn, limit=SHOWN_JOBS)
    reports = [tool_reports.job_report(job, now=context.now) for job in jobs]
    is_pending = any(job.status in {"queued", "running"} for job in jobs)
    return pages.page("sentiment_jobs.html", context, jobs=reports, is_pending=is_pending)


@router.post("/sentiment/jobs/{job_id}/cancel")
@needs("edit")
async def cancel_job(conn: WriteConn, job_id: Annotated[int, Field(ge=1, le=2**63 - 1)]) -> Response:
    await sentiment_jobs.cancel(conn, job_id)
    return pages.redirect_with_notice("/sentiment/jobs", notice="Re-analysis cancelled. What it has done stays.")
