"""Summaries of events and documents: all versions, and asking for one."""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import Field

from scoop.actions import summaries as actions
from scoop.api import document
from scoop.core.access import Visitor
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn
from scoop.http.errors import Unauthenticated
from scoop.http.pagination import Listed
from scoop.http.params import RecordId, RequestModel
from scoop.http.routes import needs
from scoop.store.reads import documents as document_reads
from scoop.store.reads import events as event_reads
from scoop.store.reads import summaries as reads
from scoop.store.reads.summaries import SummaryReport
from scoop.store.summaries import SummarySubject

router = routes.for_programs("Summaries")

ABOUT_LANGUAGE = "The language of the summary, as ja; default: that of the desk."
SummaryLanguage = Annotated[str | None, Query(max_length=35, pattern=r"^[A-Za-z0-9-]+$", description=ABOUT_LANGUAGE)]


class SummaryRequest(RequestModel):
    """What to write."""

    language: Annotated[str | None, Field(max_length=35, pattern=r"^[A-Za-z0-9-]+$", description=ABOUT_LANGUAGE)] = None


def languages(desk: Desk, collection: str, language: str | None) -> Sequence[str]:
    """The languages to give a summary in, the best first."""
    return actions.preferred_languages(language or "", "", desk.summary_policy.language_of(collection))


@router.get("/events/{event_uuid}/summaries", response_model=Listed[SummaryReport])
@needs("read")
async def list_event_summaries(request: Request, conn: ReadConn, by: CurrentVisitor, event_uuid: UUID) -> Response:
    """All versions of an event's summaries in all languages, the newest first; at most 100.

    Editors also get the sentences that were left out.
    """
    event = await event_reads.get_event(conn, str(event_uuid))
    reports = await reads.list_reports(conn, "event", event.event_id)
    return _listed(request, by, reports)


@router.get("/documents/{document_id}/summaries", response_model=Listed[SummaryReport])
@needs("read")
async def list_document_summaries(
    request: Request, conn: ReadConn, by: CurrentVisitor, document_id: RecordId
) -> Response:
    """All versions of a document's summaries in all languages, as those of an event."""
    await document_reads.get_document(conn, document_id)
    reports = await reads.list_reports(conn, "document", document_id)
    return _listed(request, by, reports)


def _listed(request: Request, by: Visitor, reports: Sequence[SummaryReport]) -> Response:
    shown = reports if "edit" in by.rights else [replace(report, left_out=[]) for report in reports]
    return responses.json(request, Listed(items=list(shown), next_cursor=None))


@router.post(
    "/events/{event_uuid}/summary",
    response_model=SummaryReport,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_event_summary(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, event_uuid: UUID, wanted: SummaryRequest
) -> Response:
    """Ask for the summary of an event; it is written once, however many people ask.

    Poll the event until `state` is summarized or summary_failed. A failed one is tried again at `next_try_at`, or at
    once if an editor asks. 409 if the desk has no writer, or none that can write in the language.
    """
    async with desk.reading() as conn:
        event = await event_reads.get_event(conn, str(event_uuid))
    report = await _ask(desk, by, "event", event.event_id, event.collection, wanted)
    return responses.json(request, report, status=HTTPStatus.ACCEPTED)


@router.post(
    "/documents/{document_id}/summary",
    response_model=SummaryReport,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_document_summary(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, document_id: RecordId, wanted: SummaryRequest
) -> Response:
    """Ask for the summary of a document, as for that of an event."""
    async with desk.reading() as conn:
        found = await document_reads.get_document(conn, document_id)
    report = await _ask(desk, by, "document", document_id, found.collection, wanted)
    return responses.json(request, report, status=HTTPStatus.ACCEPTED)


async def _ask(
    desk: Desk, by: Visitor, subject_kind: SummarySubject, subject_id: int, collection: str, wanted: SummaryRequest
) -> SummaryReport:
    """Ask for a summary, and give what there is of it; 401 for an anonymous request, even where reading is public."""
    if not by.is_known:
        raise Unauthenticated
    async with desk.writing() as conn:
        language = await actions.ask(
            conn,
            subject_kind,
            subject_id,
            language=wanted.language or "",
            desk_language=desk.summary_policy.language_of(collection),
            writer=desk.summary_writer,
            may_retry="edit" in by.rights,
        )
        return await reads.get_report(conn, subject_kind, subject_id, languages=(language,))
