"""What a person says of a story on its own page: one with another, or not; kept out of a topic's digests, or not."""

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
        return await _refused(desk, context, story_uuid, error)
    return _decided(survivor.story_uuid, decision)


@router.post("/stories/{story_uuid}/apart")
@needs("edit")
async def keep_apart(
    desk: CurrentDesk, context: PageContext, story_uuid: UUID, other: Annotated[UUID, Form()]
) -> Response:
    try:
        async with desk.writing() as conn:
            decision = await review.keep_apart(conn, str(story_uuid), str(other), by=context.visitor.name)
    except UsageError as error:
        return await _refused(desk, context, story_uuid, error)
    return _decided(story_uuid, decision)


@router.post("/stories/{story_uuid}/undo")
@needs("edit")
async def undo(desk: CurrentDesk, context: PageContext, story_uuid: UUID, decision_id: StoryNumber) -> Response:
    try:
        async with desk.writing() as conn:
            await review.undo(conn, decision_id, by=context.visitor.name)
    except UsageError as error:
        return await _refused(desk, context, story_uuid, error)
    return pages.redirect_with_notice(f"/stories/{story_uuid}", notice="Taken back. The rules decide anew in a moment.")


@router.post("/stories/{story_uuid}/suppress")
@needs("edit")
async def suppress(
    desk: CurrentDesk, context: PageContext, story_uuid: UUID, topic: NoteText = "", reason: NoteText = ""
) -> Response:
    told = text.one_line(reason)
    try:
        async with desk.writing() as conn:
            known = await topics.by_slug(conn, text.one_line(topic))
            _check_reason(told)
            subject = await story_reads.get_surviving(conn, str(story_uuid))
            await topics.suppress(conn, known, subject.story_id, told)
    except UsageError as error:
        return await _refused(desk, context, story_uuid, error, reason=told)
    return pages.redirect_with_notice(f"/stories/{story_uuid}#topics", notice=f"Kept out of {known.topic_name}: {told}")


@router.post("/stories/{story_uuid}/unsuppress")
@needs("edit")
async def unsuppress(conn: WriteConn, story_uuid: UUID, topic: NoteText = "") -> Response:
    known = await topics.by_slug(conn, text.one_line(topic))
    subject = await story_reads.get_surviving(conn, str(story_uuid))
    await topics.unsuppress(conn, known, subject.story_id)
    return pages.redirect_with_notice(
        f"/stories/{story_uuid}#topics", notice=f"It may be told in {known.topic_name} again."
    )


def _check_reason(reason: str) -> None:
    if not reason or len(reason) > MAX_REASON:
        raise UsageError(f"say in 1 to {MAX_REASON} characters why it is kept out: readers of the digest's page see it")


def _decided(story_uuid: UUID, decision: Decision) -> Response:
    return pages.redirect_with_notice(f"/stories/{story_uuid}?decided={decision.decision_id}")


async def _refused(
    desk: Desk, context: PageContext, story_uuid: UUID, error: UsageError, *, reason: str | None = None
) -> Response:
    """The page as it was, and why nothing was changed."""
    async with desk.reading() as conn:
        detail = await story_reads.get_story(conn, str(story_uuid))
        return await story.page(conn, context, detail, error=str(error), reason=reason, status=HTTPStatus.BAD_REQUEST)
