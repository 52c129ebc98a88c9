"""Machine translations of documents."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Request, Response
from pydantic import Field

from scoop.actions import translations
from scoop.actions.translations import DocumentTranslations
from scoop.api import document
from scoop.http import auth, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.params import RecordId, RequestModel
from scoop.http.routes import needs

router = routes.for_programs("Documents")


class TranslationRequest(RequestModel):
    """The language to translate a document into."""

    language: Annotated[str, Field(min_length=2, max_length=20, description="As de or ja.")]


@router.get("/documents/{document_id}/translations", response_model=DocumentTranslations)
@needs("read")
async def list_translations(request: Request, conn: ReadConn, document_id: RecordId) -> Response:
    """The current translations of a document, and how far those are that were asked for."""
    return responses.json(request, await translations.list_translations(conn, document_id))


@router.post(
    "/documents/{document_id}/translations",
    response_model=DocumentTranslations,
    status_code=202,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_translation(
    request: Request,
    conn: WriteConn,
    desk: CurrentDesk,
    visitor: CurrentVisitor,
    document_id: RecordId,
    body: TranslationRequest,
) -> Response:
    """Ask for a translation; it is made once, by the writer of the task `translation`, within its budget."""
    if not visitor.is_known:
        raise auth.unauthenticated(request)
    await translations.ask(conn, document_id, body.language, tasks=desk.config.tasks)
    asked = await translations.list_translations(conn, document_id)
    return responses.json(request, asked, status=HTTPStatus.ACCEPTED)
