"""A story as a page: who told it when, why each document is in it, and which stories stand beside it."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from starlette.responses import RedirectResponse

from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.db import Connection
from scoop.store.reads import decisions as decision_reads
from scoop.store.reads import documents as document_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads.stories import StoryDetail
from scoop.web import explain, pages, timeline
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN_DOCUMENTS = 100  # on a page; each brings its evidence with it
MemberOffset = Annotated[int, Query(ge=0, lt=story_reads.MAX_MEMBERS)]
DecisionNumber = Annotated[int, Query(ge=1, le=2**63 - 1)]


@router.get("/stories/{story_uuid}")
@needs("read")
async def story_page(
    conn: ReadConn,
    context: PageContext,
    story_uuid: UUID,
    skip: MemberOffset = 0,
    decided: DecisionNumber | None = None,
) -> Response:
    """The page of a story; a merged story redirects to the story that it became part of."""
    detail = await story_reads.get_story(conn, str(story_uuid))
    if detail.story.story_uuid != story_uuid:
        return RedirectResponse(f"/stories/{detail.story.story_uuid}", status_code=HTTPStatus.FOUND)
    return await page(conn, context, detail, skip=skip, decided=decided)


async def page(
    conn: Connection,
    context: PageContext,
    detail: StoryDetail,
    *,
    skip: int = 0,
    decided: int | None = None,
    error: str = "",
    reason: str | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page of a story; `decided` is what a person has just decided about it, `error` why something was refused."""
    shown = detail.members[skip : skip + SHOWN_DOCUMENTS]
    ids = [member.document_id for member in shown]
    decisions = await story_reads.list_decisions(conn, detail.story.story_id)
    related = await story_reads.list_related(conn, detail.story.story_id)
    topics = await story_reads.list_topics(conn, detail.story.story_id)
    apart = {
        number: each.decision_id
        for each in decisions
        if each.action == "apart"
        for number in (each.story_id, each.other_story_id)
    }
    return pages.page(
        "story.html",
        context,
        status=status,
        story=detail.story,
        members=detail.members,
        shown=shown,
        skip=skip,
        more_from=skip + len(shown) if skip + len(shown) < len(detail.members) else None,
        member_by_id={member.document_id: member for member in detail.members},
        lanes=timeline.lanes(detail.members),
        lane_by_family=timeline.lane_by_family(detail.members),
        facts=await document_reads.get_text_facts(conn, ids),
        judged=await decision_reads.list_decisions(conn, ids),
        rejected=await decision_reads.list_rejected(conn, ids),
        company=[each for each in related if each.is_company and each.story.story_id not in apart],
        near=[each for each in related if not each.is_company and each.story.story_id not in apart],
        decisions=decisions,
        just_decided=next((each for each in decisions if each.decision_id == decided), None),
        topics=topics,
        topic_options=[(each.topic_slug, each.topic_name) for each in topics if not each.suppressed],
        evidence=explain,
        error=error,
        reason=reason,
        SHOWN_DOCUMENTS=SHOWN_DOCUMENTS,
    )
