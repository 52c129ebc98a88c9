"""Addresses of stories: each leads to the event that the story is part of."""

from http import HTTPStatus
from uuid import UUID

from fastapi import Response
from starlette.responses import RedirectResponse

from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.reads import events as event_reads
from scoop.store.reads import stories as story_reads

router = routes.for_pages()


@router.get("/stories/{story_uuid}")
@needs("read")
async def story_page(conn: ReadConn, story_uuid: UUID) -> Response:
    """The event with the story marked; temporary, because a story can move to another event."""
    story = await story_reads.get_surviving(conn, str(story_uuid))
    event = await event_reads.get_event_of_story(conn, story.story_id)
    target = f"/events/{event.event_uuid}?story={story.story_id}#story-{story.story_id}"
    return RedirectResponse(target, status_code=HTTPStatus.FOUND)
