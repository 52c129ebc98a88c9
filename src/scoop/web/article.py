"""The reader view: the text of one document."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Path, Response
from starlette.responses import RedirectResponse

from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.reads import documents as document_reads
from scoop.store.reads import stories as story_reads
from scoop.web import pages
from scoop.web.context import PageContext

router = routes.for_pages()

DocumentId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("/stories/{story_uuid}/read/{document_id}")
@needs("read")
async def article_page(conn: ReadConn, context: PageContext, story_uuid: UUID, document_id: DocumentId) -> Response:
    """The text of a document; a merged story redirects to the story that it became part of."""
    story = await story_reads.get_surviving(conn, str(story_uuid))
    if story.story_uuid != story_uuid:
        return RedirectResponse(f"/stories/{story.story_uuid}/read/{document_id}", status_code=HTTPStatus.FOUND)
    article = await document_reads.get_reader_article(conn, story.story_id, document_id)
    paragraphs = [paragraph for paragraph in article.body_text.split("\n\n") if paragraph.strip()]
    return pages.page("article.html", context, story=story, article=article, paragraphs=paragraphs)
