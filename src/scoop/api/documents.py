"""Documents: the list, one document with its text, and why it is in its story."""

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.actions import filters
from scoop.api import document, moments, summaries
from scoop.api.moments import Since, Until
from scoop.api.summaries import SummaryLanguage
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.pagination import Listed
from scoop.http.params import PageParams, RecordId, ShortText
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import decisions as decision_reads
from scoop.store.reads import documents as document_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads import summaries as summary_reads
from scoop.store.reads.decisions import DedupEvent, Explanation
from scoop.store.reads.documents import DocumentRow, WholeDocument
from scoop.store.reads.summaries import SummaryReport

router = routes.for_programs("Documents")


class DocumentListParams(PageParams):
    story: Annotated[UUID | None, Field(description="Only documents of this story.")] = None
    source: Annotated[ShortText | None, Field(description="Only documents of this source.")] = None
    collection: Annotated[ShortText | None, Field(description="Only this collection, as ai_news.")] = None
    since: Since = None
    until: Until = None


@router.get("/documents", response_model=Listed[DocumentRow], responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def list_documents(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[DocumentListParams, fastapi.Query()]
) -> Response:
    """The latest documents without their texts, by the time they appeared."""
    await filters.check_source(conn, query.source)
    await filters.check_collection(conn, query.collection)
    documents = await document_reads.list_documents(
        conn,
        moments.slice_of(query.since, query.until, query.cursor, limit=query.limit, zone=desk.timezone),
        source=query.source,
        collection=query.collection,
        story_id=(await story_reads.get_surviving(conn, str(query.story))).story_id if query.story else None,
    )
    return responses.json(request, pagination.paginate(documents, query.limit, _position))


def _position(document: DocumentRow) -> tuple[Any, ...]:
    return document.seen_at, document.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDetail(WholeDocument):
    """A document with its text, and its summary."""

    summary: SummaryReport


@router.get("/documents/{document_id}", response_model=DocumentDetail)
@needs("read")
async def get_document(
    request: Request, conn: ReadConn, desk: CurrentDesk, document_id: RecordId, language: SummaryLanguage = None
) -> Response:
    """One document with its text, its summary, and the story it is in."""
    found = await document_reads.get_document(conn, document_id)
    languages = summaries.languages(desk, found.collection, language)
    summary = await summary_reads.get_report(conn, "document", document_id, languages=languages)
    return responses.json(request, DocumentDetail(**asdict(found), summary=summary))


@router.get("/documents/{document_id}/events", response_model=Listed[DedupEvent])
@needs("read")
async def list_events(request: Request, conn: ReadConn, document_id: RecordId) -> Response:
    """All decisions about a document, the oldest first."""
    explanation = await _explanation(conn, document_id)
    return responses.json(request, Listed(items=explanation.events, next_cursor=None))


@router.get("/documents/{document_id}/why", response_model=Explanation)
@needs("read")
async def explain_document(request: Request, conn: ReadConn, document_id: RecordId) -> Response:
    """Why a document is in its story: all decisions, and other documents that may report the same event."""
    return responses.json(request, await _explanation(conn, document_id))


async def _explanation(conn: Connection, document_id: int) -> Explanation:
    explanations = await decision_reads.explain_documents(conn, str(document_id), None)
    return explanations[0]
