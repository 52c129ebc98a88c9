"""Why documents are in their stories: the decisions about them and the candidates that were not merged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from uuid import UUID

from scoop.core import ids, links
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

MAX_EVENTS = 8  # the latest of a document
MAX_REJECTED = 3  # the nearest of a document
MAX_CANDIDATES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDecision:
    """A decision about a document, and the story that it was compared with."""

    decision: str
    created_at: datetime
    story_uuid: UUID | None
    story_title: str | None
    probability: float | None
    best_cosine: float | None
    title_overlap: float | None
    entity_date_consistency: float | None
    composite_score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedCandidate:
    """A near document of another story, and the signals of the pair by name."""

    document_id: int
    title: str
    source: str
    source_name: str | None
    language: str
    story_uuid: UUID
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupEvent:
    dedup_event_id: int
    decision: str
    chosen_story_id: int | None
    best_candidate_story_id: int | None
    exact_signal: str | None
    best_cosine: float | None
    title_overlap: float | None
    entity_date_consistency: float | None
    composite_score: float | None
    details: dict[str, Any] | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageCandidate:
    """A document that may report the same event: the probability, and the signals of the pair by name."""

    document_id: int
    title: str
    source: str
    story_id: int
    probability: float
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A document with its story, all decisions about it, and other documents that may report the same."""

    document: dict[str, Any]
    events: list[DedupEvent]
    candidates: list[CoverageCandidate]


async def list_decisions(conn: Connection, document_ids: Sequence[int]) -> dict[int, list[DocumentDecision]]:
    """The latest decisions about each document, the oldest first."""
    rows = await conn.fetch(SQL["decisions"], document_ids, MAX_EVENTS)
    return {
        document_id: [DocumentDecision(**_without(event, "document_id")) for event in events]
        for document_id, events in groupby(rows, key=itemgetter("document_id"))
    }


async def list_rejected(conn: Connection, document_ids: Sequence[int]) -> dict[int, list[RejectedCandidate]]:
    """The nearest documents of other stories for each document, the nearest first."""
    rows = await conn.fetch(SQL["rejected"], document_ids)
    return {
        document_id: [
            RejectedCandidate(**{**_without(row, "asked_id"), "signs": links.features_by_name(row["signs"])})
            for row in islice(near, MAX_REJECTED)
        ]
        for document_id, near in groupby(rows, key=itemgetter("asked_id"))
    }


async def explain_documents(conn: Connection, name: str, url_hash: bytes | None) -> list[Explanation]:
    """Explanations of the documents that a number, public id or URL names."""
    rows = await conn.fetch(SQL["documents_like"], ids.parse_number(name), name, url_hash)
    if not rows:
        raise NotFound(f"there is no document {name!r}; give its number, its art_ id or its URL")
    return [
        Explanation(
            document=dict(row),
            events=[DedupEvent(**event) for event in await conn.fetch(SQL["events"], row["document_id"])],
            candidates=await _candidates(conn, row["document_id"]),
        )
        for row in rows
    ]


def _without(row: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


async def _candidates(conn: Connection, document_id: int) -> list[CoverageCandidate]:
    rows = await conn.fetch(SQL["candidates"], document_id, MAX_CANDIDATES)
    return [CoverageCandidate(**{**row, "signs": links.features_by_name(row["signs"])}) for row in rows]
