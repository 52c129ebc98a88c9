"""The page of a tool: its numbers, the series with its evidence, and the series as files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response
from pydantic import Field

from scoop.core import charts, mention_texts, sentiment_trends
from scoop.core.charts import Bar
from scoop.core.sentiment import SentimentLabel
from scoop.core.sentiment_cache import SentimentCacheEntry
from scoop.core.sentiment_trends import MAX_DAYS
from scoop.core.tools import Tool
from scoop.http import pagination, routes, sentiment
from scoop.http.deps import CurrentDesk, Desk
from scoop.http.pagination import MAX_CURSOR
from scoop.http.routes import needs
from scoop.stages import sentiment_cache
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import Interval, Passage, PassageFilter, SeriesPoint, Window
from scoop.web import downloads, pages
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN_STORIES = 12
SHOWN_POSTS = 6
PAGE = 20  # passages
INTERVALS: tuple[Interval, ...] = ("hour", "day", "week")
BAR_LABELS: dict[Interval, str] = {"hour": "%d %b %H:00", "day": "%d %b", "week": "%d %b"}
ToolSlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFigures:
    """The numbers of a tool for the range of its series; changes are None without mentions in the range before.

    `share` is that of the mentions of all active tools; None for an archived one.
    """

    entry: SentimentCacheEntry
    mentions_change: float | None
    average_change: float | None
    share: float | None


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
        figures = await _figures(conn, found, days, now=context.now)
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
        figures=figures,
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
        sentence_parts=sentence_parts,
    )


async def _figures(conn: Connection, tool: Tool, days: int, *, now: datetime) -> ToolFigures:
    entry = await sentiment_cache.compute(conn, tool, 24 * days, now=now)
    trends = await reads.list_trends(conn, Window.of(now, days=days))
    own = next((each for each in trends if each.tool_id == tool.tool_id), None)
    has_before = own is not None and own.previous_mentions > 0
    return ToolFigures(
        entry=entry,
        mentions_change=sentiment_trends.change(own.mentions, own.previous_mentions) if own and has_before else None,
        average_change=own.average_sentiment - own.previous_average if own and has_before and own.mentions else None,
        share=entry.total_mentions / max(1, sum(each.mentions for each in trends)) if tool.is_active else None,
    )


def sentence_parts(passage: Passage) -> mention_texts.SentenceParts:
    """The words of a passage around the sentence of the mention, cut where they are long."""
    return mention_texts.sentence_parts(passage.before, passage.mention, passage.after, passage.language)


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
    columns = SeriesPoint.__slots__
    rows = [
        [point.starts_at.astimezone(desk.timezone).isoformat(), *(getattr(point, column) for column in columns[1:])]
        for point in points
    ]
    return downloads.csv_file(f"{tool.slug}.csv", columns, rows)


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
            label=f"{point.starts_at.astimezone(desk.timezone):{BAR_LABELS[interval]}}",
            counts=(point.positive_count, point.neutral_count, point.negative_count),
            average=point.average_sentiment if point.total_mentions else None,
        )
        for point in points
    ]
    title = f"Mentions of {tool.name} per {interval}"
    return downloads.attachment(f"{tool.slug}.svg", "image/svg+xml", charts.stacked_svg(title, bars))


async def _series(desk: Desk, slug: str, days: int, interval: Interval) -> tuple[Tool, list[SeriesPoint]]:
    async with desk.reading() as conn:
        tool = await sentiment.root(conn, slug)
        numbers = await reads.list_members(conn, tool.tool_number)
        window = Window.of(desk.clock(), days=days)
        return tool, await reads.get_series(conn, numbers, window, interval=interval, timezone=str(desk.timezone))
