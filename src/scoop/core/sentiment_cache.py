"""Entries of the sentiment cache: periods, rules, freshness, and the health of the cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

Period = Literal["HOUR_1", "HOUR_24", "DAY_7", "DAY_30"]
HOURS: Mapping[Period, int] = {"HOUR_1": 1, "HOUR_24": 24, "DAY_7": 7 * 24, "DAY_30": 30 * 24}
PERIOD_BY_HOURS: Mapping[int, Period] = {hours: period for period, hours in HOURS.items()}
MAX_HOURS = 720
FRESH_FOR = timedelta(minutes=30)
REFRESH_EVERY = timedelta(minutes=15)
REFRESHED_EARLY_FROM = 0.1  # the share of mentions that the cache does not have
KEPT_FOR = timedelta(days=7)
PERCENTAGE_TOLERANCE = 0.1
ROUNDING = 1e-6  # of the sum of three percentages with one decimal: 49.9 + 29.9 + 20.3 is 100.1 and a little more

CacheHealth = Literal["healthy", "degraded", "unhealthy"]
HEALTHY_RATE, DEGRADED_RATE = 0.9, 0.7
HEALTHY_ERRORS, DEGRADED_ERRORS = 5, 20


class InvalidEntry(ValueError):
    """An entry breaks a rule; the message names the fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentCacheEntry:
    """The aggregates of a tool for a period; `period` is also HOURS_n for a number of hours that is not cached.

    Stories and publishers are None if the entry was read from a store that has only the mentions.
    """

    id: str
    tool_id: UUID
    period: str
    total_mentions: int
    positive_count: int
    negative_count: int
    neutral_count: int
    positive_percentage: float
    negative_percentage: float
    neutral_percentage: float
    average_sentiment: float
    period_start_ts: int
    period_end_ts: int
    last_updated_ts: int
    story_count: int | None = None
    publisher_family_count: int | None = None

    def age(self, now: datetime) -> int:
        """Seconds since it was computed; 0 if the clock jumped back."""
        return max(0, int(now.timestamp()) - self.last_updated_ts)

    def is_stale(self, now: datetime) -> bool:
        """Whether it is older than 30 minutes; one from the future was computed before the clock jumped back."""
        return is_stale(self.last_updated_ts, now)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMetadata:
    """How the cache did in the last 24 hours, and its last refresh."""

    last_refresh_ts: int
    last_refresh_duration_ms: int
    total_entries: int
    cache_hits_24h: int
    cache_misses_24h: int
    error_count_24h: int
    tools_refreshed: tuple[UUID, ...]
    id: Literal["metadata"] = "metadata"

    @property
    def cache_hit_rate(self) -> float:
        """The share of hits; 1 if nobody has asked."""
        return hit_rate(self.cache_hits_24h, self.cache_misses_24h)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """Counted mentions of a tool in a window."""

    positive_count: int
    negative_count: int
    neutral_count: int
    compound_sum: float
    story_count: int = 0
    publisher_family_count: int = 0

    @property
    def total(self) -> int:
        return self.positive_count + self.negative_count + self.neutral_count


def entry(tool_id: UUID, hours: int, aggregate: Aggregate, *, now: datetime) -> SentimentCacheEntry:
    """The entry of an aggregate of the hours before now; InvalidEntry if it breaks a rule."""
    period = period_name(hours)
    total, end = aggregate.total, int(now.timestamp())
    positive, negative, neutral = percentages(
        aggregate.positive_count, aggregate.negative_count, aggregate.neutral_count
    )
    made = SentimentCacheEntry(
        id=f"{tool_id}:{period}",
        tool_id=tool_id,
        period=period,
        total_mentions=total,
        positive_count=aggregate.positive_count,
        negative_count=aggregate.negative_count,
        neutral_count=aggregate.neutral_count,
        positive_percentage=positive,
        negative_percentage=negative,
        neutral_percentage=neutral,
        average_sentiment=round(aggregate.compound_sum / total, 4) if total else 0.0,
        period_start_ts=end - hours * 3600,
        period_end_ts=end,
        last_updated_ts=end,
        story_count=aggregate.story_count,
        publisher_family_count=aggregate.publisher_family_count,
    )
    check_entry(made, now=now)
    return made


def period_name(hours: int) -> str:
    """HOUR_24 or another cached period, else HOURS_n."""
    return PERIOD_BY_HOURS.get(hours, f"HOURS_{hours}")


def percentages(positive: int, negative: int, neutral: int) -> tuple[float, float, float]:
    """The shares in percent, with one decimal; three zeros if there is nothing."""
    total = positive + negative + neutral
    if not total:
        return 0.0, 0.0, 0.0
    return round(100 * positive / total, 1), round(100 * negative / total, 1), round(100 * neutral / total, 1)


def check_entry(made: SentimentCacheEntry, *, now: datetime) -> None:
    """InvalidEntry if the entry breaks one of the rules."""
    counts = (made.positive_count, made.negative_count, made.neutral_count)
    shares = (made.positive_percentage, made.negative_percentage, made.neutral_percentage)
    whole = sum(shares)
    rules = (
        (made.id == f"{made.tool_id}:{made.period}", "id must be tool_id:period"),
        (min(counts) >= 0, "counts must not be negative"),
        (made.total_mentions == sum(counts), "total_mentions must be the sum of the three counts"),
        (all(0.0 <= share <= 100.0 for share in shares), "percentages must be between 0 and 100"),
        (
            abs(whole - 100.0) <= PERCENTAGE_TOLERANCE + ROUNDING if made.total_mentions else whole == 0.0,
            "percentages must sum to 100, or be 0 without mentions",
        ),
        (-1.0 <= made.average_sentiment <= 1.0, "average_sentiment must be between -1 and 1"),
        (made.period_start_ts < made.period_end_ts, "period_start_ts must be before period_end_ts"),
        (made.last_updated_ts <= now.timestamp(), "last_updated_ts must not be in the future"),
    )
    _check(rules)


def check_metadata(made: CacheMetadata) -> None:
    """InvalidEntry if the metadata breaks one of the rules."""
    _check(
        (
            (made.id == "metadata", "id must be metadata"),
            (made.last_refresh_duration_ms >= 0, "last_refresh_duration_ms must not be negative"),
            (made.total_entries >= 0, "total_entries must not be negative"),
            (min(made.cache_hits_24h, made.cache_misses_24h) >= 0, "hits and misses must not be negative"),
            (made.error_count_24h >= 0, "error_count_24h must not be negative"),
            (0.0 <= made.cache_hit_rate <= 1.0, "cache_hit_rate must be between 0 and 1"),
        )
    )


def _check(rules: tuple[tuple[bool, str], ...]) -> None:
    broken = [rule for holds, rule in rules if not holds]
    if broken:
        raise InvalidEntry("; ".join(broken))


def is_stale(last_updated_ts: int, now: datetime) -> bool:
    """Whether an entry of that time is not fresh: older than 30 minutes, or of the future."""
    age = int(now.timestamp()) - last_updated_ts
    return age > FRESH_FOR.total_seconds() or age < 0


def is_behind(counted: int, cached: int) -> bool:
    """Whether the mentions that the cache has of 30 days are so far from their number now that it cannot wait."""
    return abs(counted - cached) > REFRESHED_EARLY_FROM * max(counted, cached)


def hit_rate(hits: int, misses: int) -> float:
    return hits / (hits + misses) if hits + misses > 0 else 1.0


def health(made: CacheMetadata) -> CacheHealth:
    """Healthy above 90 % of hits and below 5 errors; degraded from 70 % and up to 20 errors; else unhealthy."""
    rate, errors = made.cache_hit_rate, made.error_count_24h
    if rate > HEALTHY_RATE and errors < HEALTHY_ERRORS:
        return "healthy"
    return "degraded" if rate >= DEGRADED_RATE and errors <= DEGRADED_ERRORS else "unhealthy"
