"""Documents as every interface shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from scoop.errors import NotFound
from scoop.model import Arrival
from scoop.store import arrivals, db
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.slices import ListSlice

SQL = db.blocks(__name__)

MAX_ARRIVALS = 12  # the latest of a document


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFacts:
    """Whether a document has a text, its length, and the number of its versions (`texts`)."""

    document_id: int
    has_text: bool
    token_count: int
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderArticle:
    """A document for the reader view, with the ids of its neighbours in the story."""

    document_id: int
    article_id: str
    source: str
    source_name: str | None
    title: str
    body_text: str
    authors: list[str]
    url: str | None
    language: str
    seen_at: datetime
    token_count: int
    content_problem: str | None
    earlier_id: int | None
    later_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document without its text, and the story it is in."""

    document_id: int
    article_id: str
    collection: str
    source: str
    source_item_id: str
    title: str
    url: str | None
    language: str
    authors: list[str]
    tags: list[str]
    image_url: str | None
    source_domain: str | None
    publisher_family: str
    published_at: datetime | None
    fetched_at: datetime
    seen_at: datetime
    token_count: int
    content_problem: str | None
    story_id: int | None
    story_uuid: UUID | None
    story_title: str | None
    match_type: str | None
    match_score: float | None
    source_name: str | None
    publisher_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeDocument(DocumentRow):
    body_text: str
    native_ids: list[str]
    raw_arrival_id: int


async def get_text_facts(conn: Connection, document_ids: Sequence[int]) -> dict[int, TextFacts]:
    rows = await conn.fetch(SQL["text_facts"], document_ids)
    return {row["document_id"]: TextFacts(**row) for row in rows}


async def get_reader_article(conn: Connection, story_id: int, document_id: int) -> ReaderArticle:
    row = await conn.fetchrow(SQL["reader_article"], story_id, document_id)
    if row is None:
        raise NotFound(f"document {document_id} is not in this story; `scoop why {document_id}` names its story")
    return ReaderArticle(**row)


async def list_arrivals(conn: Connection, document_id: int) -> list[Arrival]:
    """The arrivals of a document, the oldest first."""
    ids = [row["raw_arrival_id"] for row in await conn.fetch(SQL["arrivals"], document_id, MAX_ARRIVALS)]
    arrival_by_id = await arrivals.by_ids(conn, ids)
    return [arrival_by_id[arrival_id] for arrival_id in ids]


async def list_documents(
    conn: Connection,
    part: ListSlice,
    *,
    source: str | None = None,
    collection: str | None = None,
    story_id: int | None = None,
) -> list[DocumentRow]:
    await slices.plan_for_values(conn)
    rows = await conn.fetch(SQL["documents"], part.since, *part.before, source, collection, story_id, part.limit)
    return [DocumentRow(**row) for row in rows]


async def get_document(conn: Connection, document_id: int) -> WholeDocument:
    row = await conn.fetchrow(SQL["document"], document_id)
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return WholeDocument(**row)
