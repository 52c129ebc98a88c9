"""Sentiment in the shape of the documents of a document store: cache entries and the metadata of the cache."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from scoop.core import sentiment_cache
from scoop.core.sentiment_cache import CacheMetadata, InvalidEntry, SentimentCacheEntry

METADATA_PARTITION = "metadata"


def cache_entry(entry: SentimentCacheEntry) -> dict[str, Any]:
    """An entry as a document; `_ts` is given by the store."""
    return {
        "id": entry.id,
        "tool_id": str(entry.tool_id),
        "period": entry.period,
        "total_mentions": entry.total_mentions,
        "positive_count": entry.positive_count,
        "negative_count": entry.negative_count,
        "neutral_count": entry.neutral_count,
        "positive_percentage": entry.positive_percentage,
        "negative_percentage": entry.negative_percentage,
        "neutral_percentage": entry.neutral_percentage,
        "average_sentiment": entry.average_sentiment,
        "period_start_ts": entry.period_start_ts,
        "period_end_ts": entry.period_end_ts,
        "last_updated_ts": entry.last_updated_ts,
    }


def read_cache_entry(document: Mapping[str, Any]) -> SentimentCacheEntry:
    """The entry of a document; InvalidEntry if it has another form or breaks a rule."""
    try:
        made = msgspec.convert(document, SentimentCacheEntry)
    except msgspec.ValidationError as error:
        raise InvalidEntry(str(error)) from error
    sentiment_cache.check_entry(made, now=datetime.fromtimestamp(made.last_updated_ts, UTC))
    return made


def cache_metadata(metadata: CacheMetadata) -> dict[str, Any]:
    """The metadata as a document."""
    return {
        "id": metadata.id,
        "tool_id": METADATA_PARTITION,
        "last_refresh_ts": metadata.last_refresh_ts,
        "last_refresh_duration_ms": metadata.last_refresh_duration_ms,
        "total_entries": metadata.total_entries,
        "cache_hits_24h": metadata.cache_hits_24h,
        "cache_misses_24h": metadata.cache_misses_24h,
        "cache_hit_rate": round(metadata.cache_hit_rate, 3),
        "error_count_24h": metadata.error_count_24h,
        "tools_refreshed": [str(tool_id) for tool_id in metadata.tools_refreshed],
    }
