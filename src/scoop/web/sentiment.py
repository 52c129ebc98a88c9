"""The pages of sentiment: a card for each tool, a comparison, re-analyses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from scoop.actions import tool_reports
from scoop.actions.tool_reports import TrendReport
from scoop.core import charts, sentiment_trends
from scoop.core import sentiment_cache as core
from scoop.core import tools as core_tools
from scoop.core.sentiment_cache import PERIOD_BY_HOURS, CacheMetadata, SentimentCacheEntry
from scoop.core.sentiment_trends import MAX_COMPARED
from scoop.core.tools import Tool
from scoop.http import routes
from scoop.http.deps import CurrentDesk, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.http.sentiment import CurrentSentiment
from scoop.stages import sentiment_cache
from scoop.store import sentiment_cache as store
from scoop.store import sentiment_jobs, tools
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import DayPoint, HotTool, ToolTrend, Window
from scoop.web import downloads, pages
from scoop.web.context import Context, PageContext

router = routes.for_pages()

CardOrder = Literal["mentions", "average", "change", "name"]
RANGES = ((24, "24 hours"), (168, "7 days"), (720, "30 days"))
ORDERS: tuple[tuple[CardOrder, str], ...] = (
    ("mentions", "most mentioned"),
    ("average", "best liked"),
    ("change", "moved most"),
    ("name", "by name"),
)
SPARK_DAYS = 30
SHOWN_HOT = 6
SHOWN_SHARES = 10
SHOWN_JOBS = 50
SHOWN_CHOICES = 80  # tools that may stand above a comparison; of more the choice is closed
ALL = 1_000  # tools
ToolSlug = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]
RangeHours = Annotated[int, Query(ge=1, le=720)]
Category = Annotated[str, Query(max_length=core_tools.MAX_NAME)]
ENTRY_COLUMNS = (
    "total_mentions", "positive_count", "negative_count", "neutral_count", "positive_percentage",
    "negative_percentage", "neutral_percentage", "average_sentiment", "story_count", "publisher_family_count",
)  # fmt: skip


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
    """The cards of a category, or of all tools; `categories` are those that there are."""

    cards: Sequence[ToolCard]
    categories: Sequence[str]
    hot: Sequence[HotTool]
    trending: Sequence[TrendReport]
    last_refresh_at: datetime | None
    is_stale: bool


@router.get("/sentiment")
@needs("read")
async def dashboard_page(
    desk: CurrentDesk,
    context: PageContext,
    hours: RangeHours = 168,
    category: Category | None = None,
    order: CardOrder = "mentions",
) -> Response:
    async with desk.reading() as conn:
        found = await _dashboard(conn, context, hours, category or None)
    ranked = sorted(found.cards, key=_by_mentions)

    def href(**changes: object) -> str:
        given = {"hours": hours, "category": category, "order": order} | changes
        return f"/sentiment?{urlencode({name: value for name, value in given.items() if value})}"

    return pages.page(
        "sentiment.html",
        context,
        page=found,
        cards=sorted(ranked, key=CARD_KEYS[order]),
        shares=[card for card in ranked if card.entry.total_mentions],
        given={"hours": hours, "category": category, "order": order},
        href=href,
        RANGES=RANGES,
        ORDERS=ORDERS,
        SHOWN_SHARES=SHOWN_SHARES,
        charts=charts,
    )


@router.get("/sentiment.csv")
@needs("read")
async def dashboard_csv(
    desk: CurrentDesk, context: PageContext, hours: RangeHours = 168, category: Category | None = None
) -> Response:
    """The numbers of the dashboard as CSV."""
    async with desk.reading() as conn:
        found = await _dashboard(conn, context, hours, category or None)
    columns = ("tool", "name", "vendor", "categories", *ENTRY_COLUMNS, "mentions_change", "average_change", "share")
    rows = [
        [
            *(card.tool.slug, card.tool.name, card.tool.vendor, "; ".join(card.tool.categories)),
            *(getattr(card.entry, column) for column in ENTRY_COLUMNS),
            *(card.mentions_change, card.average_change, round(card.share, 4)),
        ]
        for card in sorted(found.cards, key=_by_mentions)
    ]
    return downloads.csv_file(f"sentiment-{hours}-hours.csv", columns, rows)


def _by_mentions(card: ToolCard) -> tuple[int, str]:
    return -card.entry.total_mentions, card.tool.slug


CARD_KEYS: dict[CardOrder, Callable[[ToolCard], Any]] = {
    "mentions": _by_mentions,
    "average": lambda card: (not card.entry.total_mentions, -card.entry.average_sentiment),
    "change": lambda card: -abs(card.average_change or 0.0),
    "name": lambda card: core_tools.name_key(card.tool.name),
}


async def _dashboard(conn: Connection, context: Context, hours: int, category: str | None) -> Dashboard:
    now = context.now
    everything = [tool for tool in await tools.list_tools(conn) if tool.is_active]
    active = [tool for tool in everything if category is None or category in tool.categories]
    slugs = {tool.slug for tool in active}
    window = Window.of(now, hours=hours)
    entry_by_tool = await _entries(conn, active, hours, now=now)
    trends = [each for each in await reads.list_trends(conn, window) if each.slug in slugs]
    hot = [each for each in await reads.list_hot(conn, window, limit=ALL) if each.slug in slugs]
    metadata = await sentiment_cache.get_metadata(conn, now=now)
    return Dashboard(
        cards=await _cards(conn, context, active, entry_by_tool, trends),
        categories=sorted({each for tool in everything for each in tool.categories}),
        hot=hot[:SHOWN_HOT],
        trending=tool_reports.trend_reports(trends, limit=SHOWN_HOT),
        last_refresh_at=_refreshed_at(metadata, now),
        is_stale=core.is_stale(metadata.last_refresh_ts, now),
    )


def _refreshed_at(metadata: CacheMetadata, now: datetime) -> datetime | None:
    return datetime.fromtimestamp(metadata.last_refresh_ts, now.tzinfo) if metadata.last_refresh_ts else None


async def _cards(
    conn: Connection,
    context: Context,
    active: Sequence[Tool],
    entry_by_tool: Mapping[UUID, SentimentCacheEntry],
    trends: Sequence[ToolTrend],
) -> list[ToolCard]:
    before = {each.tool_id: each for each in trends if each.previous_mentions}
    lines = await reads.get_sparklines(conn, Window.of(context.now, days=SPARK_DAYS), timezone=str(context.timezone))
    total = sum(entry.total_mentions for entry in entry_by_tool.values())
    return [
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


def _mentions_change(trend: ToolTrend | None) -> float | None:
    return None if trend is None else round(sentiment_trends.change(trend.mentions, trend.previous_mentions), 4)


def _average_change(trend: ToolTrend | None, entry: SentimentCacheEntry) -> float | None:
    if trend is None or not entry.total_mentions:
        return None
    return round(entry.average_sentiment - trend.previous_average, 4)


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
    tool: Annotated[list[ToolSlug] | None, Query(max_length=ALL)] = None,
    hours: RangeHours = 168,
) -> Response:
    async with desk.reading() as conn:
        listed = [each for each in await tools.list_tools(conn) if each.is_active]
    chosen = list(dict.fromkeys(tool or ()))
    is_too_much = len(chosen) > MAX_COMPARED
    found = [] if is_too_much else [await cache.read(each, hours) for each in chosen]
    pairs = [(each.tool, each.entry) for each in found]
    compared = tool_reports.compare(pairs, now=context.now) if pairs else []
    shown = [each.sentiment.tool_slug for each in compared]

    def from_base(base: str) -> str:
        """The same comparison, with differences to another tool."""
        ordered = [base, *(slug for slug in shown if slug != base)]
        return f"/sentiment/compare?{urlencode({'tool': ordered, 'hours': hours}, doseq=True)}"

    return pages.page(
        "sentiment_compare.html",
        context,
        listed=listed,
        chosen=shown or chosen,
        problem=f"Choose at most {MAX_COMPARED} tools; {len(chosen)} are chosen." if is_too_much else "",
        compared=compared,
        counted_at=min((datetime.fromtimestamp(each.entry.last_updated_ts, UTC) for each in found), default=None),
        hours=hours,
        from_base=from_base,
        SHOWN_CHOICES=SHOWN_CHOICES,
        RANGES=RANGES,
    )


@router.get("/sentiment/jobs")
@needs("read")
async def jobs_page(context: PageContext, conn: ReadConn) -> Response:
    """Re-analyses with their progress, and how the cache does."""
    jobs = await sentiment_jobs.list_jobs(conn, limit=SHOWN_JOBS)
    reports = [tool_reports.job_report(job, now=context.now) for job in jobs]
    is_pending = any(job.status in {"queued", "running"} for job in jobs)
    metadata = await sentiment_cache.get_metadata(conn, now=context.now)
    return pages.page(
        "sentiment_jobs.html",
        context,
        jobs=reports,
        is_pending=is_pending,
        cache=tool_reports.cache_report(metadata),
        refreshed_at=_refreshed_at(metadata, context.now),
    )


@router.post("/sentiment/jobs/{job_id}/cancel")
@needs("edit")
async def cancel_job(conn: WriteConn, job_id: Annotated[int, Field(ge=1, le=2**63 - 1)]) -> Response:
    await sentiment_jobs.cancel(conn, job_id)
    return pages.redirect_with_notice("/sentiment/jobs", notice="Re-analysis cancelled. What it has done stays.")
