"""The page of a document's versions: what changed from one text to the next."""

import asyncio
from http import HTTPStatus
from uuid import UUID

from fastapi import Response
from starlette.responses import RedirectResponse

from scoop.core import text_changes
from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.reads import documents as document_reads
from scoop.store.reads import events as event_reads
from scoop.store.reads import stories as story_reads
from scoop.web import pages
from scoop.web.article import DocumentId
from scoop.web.context import PageContext

router = routes.for_pages()


@router.get("/stories/{story_uuid}/versions/{document_id}")
@needs("read")
async def versions_page(conn: ReadConn, context: PageContext, story_uuid: UUID, document_id: DocumentId) -> Response:
    """The versions of a document; a merged story redirects to the story that it became part of."""
    story = await story_reads.get_surviving(conn, str(story_uuid))
    if story.story_uuid != story_uuid:
        return RedirectResponse(f"/stories/{story.story_uuid}/versions/{document_id}", status_code=HTTPStatus.FOUND)
    event = await event_reads.get_event_of_story(conn, story.story_id)
    article = await document_reads.get_reader_article(conn, story.story_id, document_id)
    arrivals = await document_reads.list_arrivals(conn, document_id)
    # In threads: comparing long texts takes a second, in which the server would answer nobody.
    versions = await asyncio.to_thread(text_changes.versions_of, arrivals)
    changes = await asyncio.to_thread(text_changes.list_changes, versions)
    return pages.page(
        "versions.html", context, event=event, story=story, article=article, versions=versions, changes=changes
    )
