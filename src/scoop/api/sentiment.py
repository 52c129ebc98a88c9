"""Sentiment in the API: aggregates, comparisons, series, the passages behind them, hot and trending tools."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import AwareDatetime, Field

from scoop.actions import tool_reports
from scoop.actions.tool_reports import CacheReport, ComparedTool, SentimentReport, TrendReport
from scoop.api import document, moments
from scoop.api.tools import ToolRef
from scoop.core import items
from scoop.core.sentiment import SentimentLabel
from scoop.core.sentiment_cache import MAX_HOURS
from scoop.core.sentiment_trends import MAX_COMPARED, MAX_DAYS
from scoop.core.tools import Tool
from scoop.http import pagination, responses, routes, sentiment
from scoop.http.deps import CurrentDesk, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, ShortText
from scoop.http.routes import needs
from scoop.http.sentiment import CurrentSentiment
from scoop.stages import sentiment_cache
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import (
    HotPost,
    HotTool,
    Interval,
    MentioningStory,
    Passage,
    PassageFilter,
    SeriesPoint,
    Window,
)

router = routes.for_programs("Sentiment")

SERIES_STORIES = 20
CACHE_STATUS, CACHE_AGE = "X-Cache-Status", "X-Cache-Age"
Hours = Annotated[int, Query(ge=1, le=MAX_HOURS, description="The length of the period, until now.")]
Days = Annotated[int, Query(ge=1, le=MAX_DAYS, description="The length of the period, until now.")]
Most = Annotated[int, Query(ge=1, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesReport:
    """The mentions of a tool per interval, without gaps, and the stories that mention it most."""

    tool_id: UUID
    tool_slug: str
    interval: Interval
    timezone: str
    points: list[SeriesPoint]
    stories: list[MentioningStory]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidated:
    tool_id: UUID
    entries: int


class PassageParams(PageParams):
    """Which mentions to list."""

    hours: Annotated[int, Field(ge=1, le=MAX_DAYS * 24)] = MAX_HOURS
    label: SentimentLabel | None = None
    source: ShortText | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


@router.get("/tools/{tool}/sentiment", response_model=SentimentReport)
@needs("read")
async def get_sentiment(
    request: Request, desk: CurrentDesk, cache: CurrentSentiment, tool: ToolRef, hours: Hours = 24
) -> Response:
    """The mentions of a tool in the last hours, by sentiment.

    1, 24, 168 and 720 hours are cached: `X-Cache-Status` is HIT or MISS, else BYPASS; `X-Cache-Age` is in seconds.
    """
    found = await cache.read(tool, hours)
    now = desk.clock()
    headers = {CACHE_STATUS: found.status, CACHE_AGE: str(found.entry.age(now))}
    return responses.json(request, tool_reports.sentiment_report(found.tool, found.entry, now=now), headers=headers)


@router.get("/tools/compare", response_model=list[ComparedTool], responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def compare_tools(
    request: Request,
    desk: CurrentDesk,
    cache: CurrentSentiment,
    tool: Annotated[list[ToolRef], Query(min_length=2, max_length=MAX_COMPARED)],
    hours: Hours = 24,
) -> Response:
    """Two to ten tools over the same hours; differences are to the first."""
    found = [await cache.read(each, hours) for each in dict.fromkeys(tool)]
    now = desk.clock()
    pairs = [(each.tool, each.entry) for each in found]
    return responses.json(request, tool_reports.compare(pairs, now=now))


@router.get("/tools/{tool}/timeseries", response_model=SeriesReport)
@needs("read")
async def get_timeseries(
    request: Request, desk: CurrentDesk, conn: ReadConn, tool: ToolRef, days: Days = 30, interval: Interval = "day"
) -> Response:
    """The mentions of a tool per hour, day or week of the desk's timezone; intervals without mentions have zeros."""
    found, numbers = await _members(conn, tool)
    window = Window.of(desk.clock(), days=days)
    timezone = str(desk.timezone)
    report = SeriesReport(
        tool_id=found.tool_id,
        tool_slug=found.slug,
        interval=interval,
        timezone=timezone,
        points=await reads.get_series(conn, numbers, window, interval=interval, timezone=timezone),
        stories=await reads.list_stories(conn, numbers, window, limit=SERIES_STORIES),
    )
    return responses.json(request, report)


@router.get("/tools/{tool}/passages", response_model=Listed[Passage])
@needs("read")
async def list_passages(
    request: Request, desk: CurrentDesk, conn: ReadConn, tool: ToolRef, wanted: Annotated[PassageParams, Query()]
) -> Response:
    """The mentions behind the numbers, the newest first: the passage that was scored, with its source."""
    _, numbers = await _members(conn, tool)
    until = moments.within(wanted.until or desk.clock())
    since = moments.within(wanted.since) if wanted.since else _before(until, hours=wanted.hours)
    filters = PassageFilter(window=Window(since=since, until=until), label=wanted.label, source=wanted.source)
    position = pagination.decode_cursor(wanted.cursor, datetime, int)
    after = (position[0], position[1]) if position else None
    found = await reads.list_passages(conn, numbers, filters, after=after, limit=wanted.limit + 1)
    return responses.json(request, pagination.paginate(found, wanted.limit, lambda each: each.cursor))


def _before(moment: datetime, *, hours: int) -> datetime:
    return max(moment, items.FIRST_MOMENT + timedelta(hours=hours)) - timedelta(hours=hours)


@router.get("/hot-topics", response_model=list[HotTool])
@needs("read")
async def list_hot_topics(
    request: Request, desk: CurrentDesk, conn: ReadConn, hours: Hours = 24, limit: Most = 10
) -> Response:
    """The tools by heat: 10 for each mention, 2 for each comment on a post that mentions it, 1 for each point of it."""
    return responses.json(request, await reads.list_hot(conn, Window.of(desk.clock(), hours=hours), limit=limit))


@router.get("/hot-topics/{tool}/posts", response_model=list[HotPost])
@needs("read")
async def list_hot_posts(
    request: Request, desk: CurrentDesk, conn: ReadConn, tool: ToolRef, hours: Hours = 24, limit: Most = 10
) -> Response:
    """The posts behind a hot topic, by heat."""
    _, numbers = await _members(conn, tool)
    window = Window.of(desk.clock(), hours=hours)
    return responses.json(request, await reads.list_hot_posts(conn, numbers, window, limit=limit))


@router.get("/trending", response_model=list[TrendReport])
@needs("read")
async def list_trending(
    request: Request, desk: CurrentDesk, conn: ReadConn, hours: Hours = 24, limit: Most = 10
) -> Response:
    """The tools whose mentions grow fastest against the same number of hours before."""
    trends = await reads.list_trends(conn, Window.of(desk.clock(), hours=hours))
    return responses.json(request, tool_reports.trend_reports(trends, limit=limit))


@router.get("/cache/health", response_model=CacheReport)
@needs("read")
async def get_cache_health(request: Request, desk: CurrentDesk, cache: CurrentSentiment) -> Response:
    """The reads of 24 hours. Healthy: above 90 % hits, below 5 errors. Degraded: from 70 %, up to 20 errors."""
    await cache.flush()
    async with desk.reading() as conn:
        metadata = await sentiment_cache.get_metadata(conn, now=desk.clock())
    return responses.json(request, tool_reports.cache_report(metadata))


@router.post("/cache/invalidate/{tool}", response_model=Invalidated)
@needs("admin")
async def invalidate_cache(request: Request, cache: CurrentSentiment, conn: WriteConn, tool: ToolRef) -> Response:
    """Drop what is cached of a tool; the next read computes it."""
    found = await sentiment.root(conn, tool)
    return responses.json(request, Invalidated(tool_id=found.tool_id, entries=await cache.drop(conn, found)))


async def _members(conn: Connection, reference: str) -> tuple[Tool, list[int]]:
    """The tool that the mentions of a tool count for, and the numbers of all that count for it."""
    found = await sentiment.root(conn, reference)
    return found, await reads.list_members(conn, found.tool_number)
