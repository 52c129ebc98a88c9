"""Mentions of tools in documents, with their sentiment."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from scoop.core.engagement import EngagementCounts
from scoop.core.mention_scores import UNSURE_BELOW
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MODEL_METHOD = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionSource:
    """A document as mentions are looked for in it, with its source; `metadata` is that of its item."""

    document_id: int
    title: str
    body_text: str
    language: str
    event_at: datetime
    fetched_at: datetime
    publisher_family: str
    source_kind: str
    source_url: str
    source_options: Mapping[str, Any]
    collection: str
    metadata: Mapping[str, Any]

    @property
    def is_comment(self) -> bool:
        return bool(self.metadata.get("parent"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMention:
    """A mention that is stored, by what identifies it."""

    mention_id: int
    document_id: int
    tool_number: int
    start_offset: int
    end_offset: int
    text_hash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMention:
    """A mention with its score."""

    document_id: int
    text_hash: int
    tool_number: int
    start_offset: int
    end_offset: int
    passage_start: int
    passage_end: int
    compound: float
    confidence: float
    label: int
    alias: str
    method: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSentiment:
    """The score of a document as a whole."""

    document_id: int
    text_hash: int
    compound: float
    confidence: float
    label: int
    method: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionJudgement:
    """What a model says about a mention; `version` names the model and its prompt."""

    mention_id: int
    compound: float
    confidence: float
    label: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement:
    """Comments and points of a post, as they were at a moment."""

    document_id: int
    is_comment: bool
    comment_count: int
    upvote_count: int
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEngagement:
    """Comments and points of an item that a source listed again."""

    collection: str
    source: str
    source_item_id: str
    counts: EngagementCounts
    read_at: datetime


async def load_documents(conn: Connection, ids: Sequence[int]) -> list[MentionSource]:
    return [MentionSource(**row) for row in await conn.fetch(SQL["documents"], ids)]


async def list_stored(conn: Connection, document_ids: Sequence[int]) -> list[StoredMention]:
    return [StoredMention(**row) for row in await conn.fetch(SQL["scored"], document_ids)]


async def list_scored_texts(conn: Connection, document_ids: Sequence[int]) -> dict[int, int]:
    """The hashes of the texts that have a score as a whole, by document."""
    return {row["document_id"]: row["text_hash"] for row in await conn.fetch(SQL["scored_texts"], document_ids)}


async def replace_texts(
    conn: Connection, document_ids: Sequence[int], *, kept: Sequence[int], new: Sequence[DocumentSentiment]
) -> None:
    """Let only the kept ones of these documents have a score as a whole, and store the new scores."""
    await conn.execute(SQL["drop_texts"], document_ids, kept)
    if new:
        await conn.execute(
            SQL["put_texts"], *([getattr(each, column) for each in new] for column in DocumentSentiment.__slots__)
        )


async def replace(
    conn: Connection, document_ids: Sequence[int], *, kept: Sequence[int], new: Sequence[NewMention]
) -> list[int]:
    """Let these documents have the kept mentions and the new ones; gives the ids of the new ones that are unsure."""
    await conn.execute(SQL["drop"], document_ids, kept)
    await conn.execute(SQL["redate"], document_ids)
    columns = NewMention.__slots__
    put = await conn.fetch(SQL["put"], *([getattr(each, column) for each in new] for column in columns)) if new else ()
    return [row["mention_id"] for row in put if row["confidence"] < UNSURE_BELOW]


async def list_judged(conn: Connection, brief_ids: Sequence[int]) -> set[int]:
    """The briefs about mentions that a model has judged already."""
    return {row["brief_id"] for row in await conn.fetch(SQL["judged"], brief_ids, MODEL_METHOD)}


async def judge(conn: Connection, judgements: Sequence[MentionJudgement]) -> None:
    """Give mentions the score of a model."""
    columns = MentionJudgement.__slots__
    values = ([getattr(each, column) for each in judgements] for column in columns)
    await conn.execute(SQL["judge"], *values, MODEL_METHOD)


async def put_engagement(conn: Connection, found: Sequence[Engagement]) -> None:
    columns = Engagement.__slots__
    if found:
        await conn.execute(SQL["put_engagement"], *([getattr(each, column) for each in found] for column in columns))


async def put_engagement_of_items(conn: Connection, read: Sequence[ItemEngagement]) -> None:
    """Keep the comments and points of items that are documents already."""
    if not read:
        return
    places = ([getattr(each, column) for each in read] for column in ("collection", "source", "source_item_id"))
    rows = await conn.fetch(SQL["documents_of_items"], *places)
    by_document = {row["document_id"]: read[row["position"] - 1] for row in rows}
    found = [
        Engagement(document_id=document_id, read_at=each.read_at, **asdict(each.counts))
        for document_id, each in by_document.items()
    ]
    await put_engagement(conn, found)
