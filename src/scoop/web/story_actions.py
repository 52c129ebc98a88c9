"""The actions of a story's page: merge, keep apart, undo, suppress in a topic."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Form, Response

from scoop.core import text
from scoop.errors import UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk, WriteConn
from scoop.http.routes import needs
from scoop.model import Decision
from scoop.store import review, topics
from scoop.store.reads import stories as story_reads
from scoop.store.reads import story_page as story_page_reads
from scoop.web import pages, story
from scoop.web.context import PageContext

router = routes.for_pages()

MAX_REASON = 300
StoryNumber = Annotated[int, Form(ge=1, le=2**63 - 1)]
NoteText = Annotated[str, Form()]


@router.post("/stories/{story_uuid}/merge")
@needs("edit")
async def merge(desk: CurrentDesk, context: PageContext, story_uuid: UUID, other: Annotated[UUID, Form()]) -> Response:
    try:
        async with desk.writing() as conn:
            decision = await review.merge(conn, str(story_uuid), str(other), by=context.visitor.name)
            survivor = await story_reads.get_surviving(conn, str(decision.story_id))
    except UsageError as error:
        return await _refuse(desk, context, story_uuid, error)
    return _show_decision(survivor.story_uuid, decision)


@router.post("/stories/{story_uuid}/apart")
@needs("edit")
async def keep_apart(
    desk: CurrentDesk, context: PageContext, story_uuid: UUID, other: Annotated[UUID, Form()]
) -> Response:
    try:
        async with desk.writing() as conn:
            decision = await review.keep_apart(conn, str(story_uuid), str(other), by=context.visitor.name)
    except UsageError as error:
        return await _refuse(desk, context, story_uuid, error)
    return _show_decision(story_uuid, decision)


@router.post("/stories/{story_uuid}/undo")
@needs("edit")
async def undo(desk: CurrentDesk, context: PageContext, story_uuid: UUID, decision_id: StoryNumber) -> Response:
    try:
        async with desk.writing() as conn:
            await review.undo(conn, decision_id, by=context.visitor.name)
    except UsageError as error:
        return await _refuse(desk, context, story_uuid, error)
    return pages.redirect_with_notice(
        f"/stories/{story_uuid}", notice="Decision undone. The rules judge the documents again in a moment."
    )


@router.post("/stories/{story_uuid}/suppress")
@needs("edit")
async def suppress(
    desk: CurrentDesk, context: PageContext, story_uuid: UUID, topic: NoteText = "", reason: NoteText = ""
) -> Response:
    reason = text.one_line(reason)
    try:
        async with desk.writing() as conn:
            suppressing = await topics.by_slug(conn, text.one_line(topic))
            _check_reason(reason)
            subject = await story_reads.get_surviving(conn, str(story_uuid))
            await topics.suppress(conn, suppressing, subject.story_id, reason)
    except UsageError as error:
        return await _refuse(desk, context, story_uuid, error, reason=reason)
    return pages.redirect_with_notice(
        f"/stories/{story_uuid}#topics", notice=f"Suppressed in {suppressing.topic_name}: {reason}"
    )


@router.post("/stories/{story_uuid}/unsuppress")
@needs("edit")
async def unsuppress(conn: WriteConn, story_uuid: UUID, topic: NoteText = "") -> Response:
    suppressing = await topics.by_slug(conn, text.one_line(topic))
    subject = await story_reads.get_surviving(conn, str(story_uuid))
    await topics.unsuppress(conn, suppressing, subject.story_id)
    return pages.redirect_with_notice(
        f"/stories/{story_uuid}#topics", notice=f"No longer suppressed in {suppressing.topic_name}."
    )


def _check_reason(reason: str) -> None:
    if not reason or len(reason) > MAX_REASON:
        raise UsageError(f"give a reason of 1 to {MAX_REASON} characters: it is shown on the digest's page")


def _show_decision(story_uuid: UUID, decision: Decision) -> Response:
    return pages.redirect_with_notice(f"/stories/{story_uuid}?decided={decision.decision_id}")


async def _refuse(
    desk: Desk, context: PageContext, story_uuid: UUID, error: UsageError, *, reason: str | None = None
) -> Response:
    """The unchanged page with the reason of the refusal."""
    async with desk.reading() as conn:
        page = await story_page_reads.get_story_page(conn, str(story_uuid), limit=story.SHOWN_DOCUMENTS)
    return story.render(context, page, error=str(error), reason=reason, status=HTTPStatus.BAD_REQUEST)
