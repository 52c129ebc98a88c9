"""The difference between the items that a projection should hold and those that it was sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec
import xxhash

from scoop.core.listening import UpdateState
from scoop.core.sentiment_cache import CacheMetadata, SentimentCacheEntry
from scoop.core.shapes.curator_memory import EvaluationFacts
from scoop.core.shapes.listening import GeneratedTextFacts, LearnerFacts, ListeningArticleFacts
from scoop.core.shapes.summanow import ArticleFacts, CrawlRunFacts, RetryFacts, SiteFacts, SummaryFacts

ProjectedKind = Literal[
    "site", "article", "summary", "crawl_run", "retry", "evaluation", "learner", "listening_article", "lesson",
    "news_update", "sentiment_entry", "sentiment_metadata",
]  # fmt: skip
Facts = (
    SiteFacts | ArticleFacts | SummaryFacts | CrawlRunFacts | RetryFacts | EvaluationFacts
    | LearnerFacts | ListeningArticleFacts | GeneratedTextFacts | UpdateState | SentimentCacheEntry | CacheMetadata
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedRow:
    """The facts of a subject, and the row that they were read from."""

    subject: str
    row_id: int
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A subject in the form of a store: its key there, its content, and when the store may delete it."""

    key: str
    content: Mapping[str, Any]
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentItem:
    """What a store was sent about a subject; several keys, and no fingerprint, if a write did not end."""

    subject: str
    row_id: int
    keys: list[str]
    fingerprint: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upsert:
    """A record to write; `stale_keys` are those of earlier versions of the same subject.

    `is_repeated`: the store may have it already, since a write did not end, or the projection is rebuilt.
    """

    subject: str
    row_id: int
    record: Record
    fingerprint: bytes
    stale_keys: tuple[str, ...]
    is_repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionPlan:
    """The records to write and the items to delete."""

    upserts: tuple[Upsert, ...] = ()
    deletions: tuple[SentItem, ...] = ()


def plan(
    rows: Mapping[str, ProjectedRow],
    records: Mapping[str, Record],
    sent: Mapping[str, SentItem],
    *,
    target: str,
    now: datetime,
) -> ProjectionPlan:
    """Write records that the target was not sent in this form; delete items whose subject is gone or has expired."""
    current = {
        subject: record for subject, record in records.items() if record.expires_at is None or record.expires_at > now
    }
    upserts = [_upsert(rows[subject], record, sent.get(subject), target=target) for subject, record in current.items()]
    return ProjectionPlan(
        upserts=tuple(upsert for upsert in upserts if upsert is not None),
        deletions=tuple(item for subject, item in sent.items() if subject not in current),
    )


def _upsert(row: ProjectedRow, record: Record, sent: SentItem | None, *, target: str) -> Upsert | None:
    fingerprint = _fingerprint(record, target)
    if sent and (sent.row_id, sent.keys, sent.fingerprint) == (row.row_id, [record.key], fingerprint):
        return None
    stale = tuple(key for key in sent.keys if key != record.key) if sent else ()
    return Upsert(
        subject=row.subject,
        row_id=row.row_id,
        record=record,
        fingerprint=fingerprint,
        stale_keys=stale,
        is_repeated=sent is not None and sent.fingerprint is None and record.key in sent.keys,
    )


def _fingerprint(record: Record, target: str) -> bytes:
    """A hash of the record and of the place it is written to: another table has none of the records."""
    return xxhash.xxh3_128_digest(msgspec.json.encode([target, record.key, record.content]))
