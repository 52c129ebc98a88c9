"""Tools and sentiment as interfaces report them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from scoop.core import sentiment_cache as core
from scoop.core import sentiment_trends
from scoop.core.sentiment_cache import CacheHealth, CacheMetadata, SentimentCacheEntry
from scoop.core.tools import Tool, ToolOrigin, ToolStatus
from scoop.store.reads.sentiment import ToolTrend
from scoop.store.sentiment_jobs import JobStatus, SentimentJob


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReport:
    """A tool; `merged_into` is the id of the tool that its mentions count for."""

    tool_id: UUID
    slug: str
    name: str
    vendor: str
    categories: Sequence[str]
    aliases: Sequence[str]
    context_words: Sequence[str]
    status: ToolStatus
    merged_into: UUID | None
    origin: ToolOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentReport:
    """The aggregates of a tool for a period; all percentages are 0 without mentions.

    Stories and publishers are null if the entry is read from a store that has only the mentions.
    """

    id: str
    tool_id: UUID
    tool_slug: str
    tool_name: str
    period: str
    total_mentions: int
    positive_count: int
    negative_count: int
    neutral_count: int
    positive_percentage: float
    negative_percentage: float
    neutral_percentage: float
    average_sentiment: float
    story_count: int | None
    publisher_family_count: int | None
    period_start_ts: int
    period_end_ts: int
    last_updated_ts: int
    is_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheReport:
    """How the sentiment cache does, over all servers."""

    status: CacheHealth
    last_refresh_ts: int
    last_refresh_duration_ms: int
    total_entries: int
    cache_hits_24h: int
    cache_misses_24h: int
    cache_hit_rate: float
    error_count_24h: int
    tools_refreshed: Sequence[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """A re-analysis; `progress` is from 0 to 1, `eta` an estimate."""

    job_id: int
    tool_id: UUID | None
    tool_slug: str | None
    reason: str
    rescores: bool
    status: JobStatus
    total_documents: int | None
    processed_documents: int
    mentions: int
    checkpoint: int
    progress: float
    eta: datetime | None
    error: str | None
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendReport:
    """A tool with its mentions in a window and in the one before; `velocity` is the growth: 1 is twice as many."""

    tool_id: UUID
    slug: str
    name: str
    mentions: int
    previous_mentions: int
    velocity: float
    average_sentiment: float
    sentiment_change: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTool:
    """A tool in a comparison; differences are to the first tool, and marked from 10 %."""

    sentiment: SentimentReport
    share_of_voice: float
    sentiment_delta: float
    mentions_delta: float
    is_marked: bool
    is_mentions_marked: bool


def tool_report(tool: Tool, tools: Sequence[Tool]) -> ToolReport:
    target = next((each for each in tools if each.tool_number == tool.merged_into), None)
    return ToolReport(
        tool_id=tool.tool_id,
        slug=tool.slug,
        name=tool.name,
        vendor=tool.vendor,
        categories=tool.categories,
        aliases=tool.aliases,
        context_words=tool.context_words,
        status=tool.status,
        merged_into=None if target is None else target.tool_id,
        origin=tool.origin,
    )


def sentiment_report(tool: Tool, entry: SentimentCacheEntry, *, now: datetime) -> SentimentReport:
    values = {name: getattr(entry, name) for name in SentimentCacheEntry.__slots__}
    return SentimentReport(**values, tool_slug=tool.slug, tool_name=tool.name, is_stale=entry.is_stale(now))


def cache_report(metadata: CacheMetadata) -> CacheReport:
    values = {name: getattr(metadata, name) for name in CacheMetadata.__slots__ if name != "id"}
    return CacheReport(**values, status=core.health(metadata), cache_hit_rate=round(metadata.cache_hit_rate, 4))


def job_report(job: SentimentJob, *, now: datetime) -> JobReport:
    return JobReport(
        job_id=job.job_id,
        tool_id=job.tool_id,
        tool_slug=job.tool,
        reason=job.reason,
        rescores=job.rescores,
        status=job.status,
        total_documents=job.total,
        processed_documents=job.done,
        mentions=job.mentions,
        checkpoint=job.checkpoint,
        progress=round(job.progress, 4),
        eta=job.eta(now),
        error=job.error,
        requested_by=job.requested_by,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def trend_reports(trends: Sequence[ToolTrend], *, limit: int) -> list[TrendReport]:
    """The tools that grow fastest, of those with enough mentions."""
    reports = [
        TrendReport(
            tool_id=each.tool_id,
            slug=each.slug,
            name=each.name,
            mentions=each.mentions,
            previous_mentions=each.previous_mentions,
            velocity=round(sentiment_trends.velocity(each.mentions, each.previous_mentions), 3),
            average_sentiment=round(each.average_sentiment, 4),
            sentiment_change=_sentiment_change(each),
        )
        for each in trends
        if each.mentions >= sentiment_trends.MIN_MENTIONS
    ]
    return sorted(reports, key=lambda each: (-each.velocity, -each.mentions, each.slug))[:limit]


def _sentiment_change(trend: ToolTrend) -> float:
    """By how much the average moved; 0 if there is nothing to compare it with."""
    return round(trend.average_sentiment - trend.previous_average, 4) if trend.previous_mentions else 0.0


def compare(found: Sequence[tuple[Tool, SentimentCacheEntry]], *, now: datetime) -> list[ComparedTool]:
    """Tools beside each other; one that is given twice, as by its id and by a tool merged into it, is counted once."""
    found = list({tool.tool_number: (tool, entry) for tool, entry in found}.values())
    total = sum(entry.total_mentions for _, entry in found)
    first = found[0][1]
    compared = []
    for tool, entry in found:
        delta = entry.average_sentiment - first.average_sentiment
        growth = sentiment_trends.change(entry.total_mentions, first.total_mentions)
        compared.append(
            ComparedTool(
                sentiment=sentiment_report(tool, entry, now=now),
                share_of_voice=round(entry.total_mentions / total, 4) if total else 0.0,
                sentiment_delta=round(delta, 4),
                mentions_delta=round(growth, 4),
                is_marked=sentiment_trends.is_marked(delta),
                is_mentions_marked=sentiment_trends.is_marked(growth),
            )
        )
    return compared
