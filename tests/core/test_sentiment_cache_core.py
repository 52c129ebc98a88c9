"""The rules of cache entries: what validates, what is fresh, how healthy the cache is."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import sentiment_cache as core
from scoop.core.sentiment_cache import Aggregate, CacheMetadata, InvalidEntry, SentimentCacheEntry
from scoop.core.shapes import sentiment as shapes

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
TOOL = UUID("877eb2d8-661b-4643-ae62-cfc49e74c31e")
NO_MENTIONS = Aggregate(positive_count=0, negative_count=0, neutral_count=0, compound_sum=0.0)
COUNTS = st.integers(0, 10**9)
AGGREGATES = st.builds(
    lambda positive, negative, neutral, share: Aggregate(
        positive_count=positive,
        negative_count=negative,
        neutral_count=neutral,
        compound_sum=share * (positive + negative + neutral),
    ),
    COUNTS,
    COUNTS,
    COUNTS,
    st.floats(-1, 1),
)
EXAMPLE = SentimentCacheEntry(
    id=f"{TOOL}:HOUR_24",
    tool_id=TOOL,
    period="HOUR_24",
    total_mentions=1789,
    positive_count=892,
    negative_count=534,
    neutral_count=363,
    positive_percentage=49.9,
    negative_percentage=29.9,
    neutral_percentage=20.3,
    average_sentiment=0.15,
    period_start_ts=1730000000,
    period_end_ts=1730086400,
    last_updated_ts=1730086400,
)
METADATA = CacheMetadata(
    last_refresh_ts=1730086400,
    last_refresh_duration_ms=12500,
    total_entries=60,
    cache_hits_24h=1250,
    cache_misses_24h=45,
    error_count_24h=2,
    tools_refreshed=(TOOL, UUID("a5c3e9f1-2b4d-4e1c-9a8b-3c5d7f9e1a2b")),
)


def test_the_example_entry_is_valid_and_has_the_shape_of_the_document_store():
    core.check_entry(EXAMPLE, now=NOW)
    document = shapes.cache_entry(EXAMPLE)
    assert document["id"] == "877eb2d8-661b-4643-ae62-cfc49e74c31e:HOUR_24"
    assert list(document) == [
        "id", "tool_id", "period", "total_mentions", "positive_count", "negative_count", "neutral_count",
        "positive_percentage", "negative_percentage", "neutral_percentage", "average_sentiment", "period_start_ts",
        "period_end_ts", "last_updated_ts",
    ]  # fmt: skip


def test_the_example_metadata_is_valid_and_has_the_shape_of_the_document_store():
    core.check_metadata(METADATA)
    document = shapes.cache_metadata(METADATA)
    assert (document["id"], document["tool_id"], document["cache_hit_rate"]) == ("metadata", "metadata", 0.965)
    assert document["tools_refreshed"][0] == str(TOOL)


@given(AGGREGATES, st.sampled_from([*core.HOURS.values(), 2, 48, 719]))
def test_every_aggregate_makes_a_valid_entry(aggregate, hours):
    made = core.entry(TOOL, hours, aggregate, now=NOW)
    assert made.total_mentions == made.positive_count + made.negative_count + made.neutral_count
    whole = made.positive_percentage + made.negative_percentage + made.neutral_percentage
    assert whole == pytest.approx(100, abs=0.1001) if made.total_mentions else whole == 0
    assert -1 <= made.average_sentiment <= 1
    assert made.period_end_ts - made.period_start_ts == hours * 3600


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"total_mentions": 1788}, "total_mentions"),
        ({"positive_percentage": 50.2}, "percentages"),
        ({"average_sentiment": 1.01}, "average_sentiment"),
        ({"average_sentiment": float("nan")}, "average_sentiment"),
        ({"period_start_ts": 1730086400}, "period_start_ts"),
        ({"last_updated_ts": int(NOW.timestamp()) + 1}, "last_updated_ts"),
        ({"positive_count": -1, "total_mentions": 896}, "counts"),
        ({"id": "metadata"}, "id"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_refused_with_its_field(changes, field):
    with pytest.raises(InvalidEntry, match=field):
        core.check_entry(replace(EXAMPLE, **changes), now=NOW)


@given(
    st.integers(-5, 5), st.integers(-5, 10**6), st.integers(-5, 10**6), st.integers(-5, 10**6), st.integers(-5, 10**6)
)
def test_metadata_is_valid_exactly_if_nothing_is_negative(duration, entries, hits, misses, errors):
    made = replace(
        METADATA,
        last_refresh_duration_ms=duration,
        total_entries=entries,
        cache_hits_24h=hits,
        cache_misses_24h=misses,
        error_count_24h=errors,
    )
    if min(duration, entries, hits, misses, errors) >= 0:
        core.check_metadata(made)
        assert 0 <= made.cache_hit_rate <= 1
    else:
        with pytest.raises(InvalidEntry):
            core.check_metadata(made)


def test_a_tool_without_mentions_has_zeros():
    made = core.entry(TOOL, 24, NO_MENTIONS, now=NOW)
    assert (made.total_mentions, made.positive_percentage, made.neutral_percentage) == (0, 0.0, 0.0)
    assert made.average_sentiment == 0.0


def test_an_entry_is_fresh_for_thirty_minutes_and_the_boundary_counts_as_fresh():
    made = core.entry(TOOL, 24, NO_MENTIONS, now=NOW)
    assert not made.is_stale(NOW + timedelta(minutes=30))
    assert made.is_stale(NOW + timedelta(minutes=30, seconds=1))


def test_an_entry_of_the_future_is_stale_after_the_clock_jumped_back():
    made = core.entry(TOOL, 24, NO_MENTIONS, now=NOW)
    earlier = NOW - timedelta(hours=2)
    assert made.is_stale(earlier)
    assert made.age(earlier) == 0


@pytest.mark.parametrize(
    ("hits", "misses", "errors", "expected"),
    [
        (91, 9, 4, "healthy"),
        (90, 10, 0, "degraded"),
        (95, 5, 5, "degraded"),
        (70, 30, 20, "degraded"),
        (69, 31, 0, "unhealthy"),
        (100, 0, 21, "unhealthy"),
        (0, 0, 0, "healthy"),
    ],
)
def test_health_follows_the_rate_of_hits_and_the_errors(hits, misses, errors, expected):
    made = replace(METADATA, cache_hits_24h=hits, cache_misses_24h=misses, error_count_24h=errors)
    assert core.health(made) == expected
