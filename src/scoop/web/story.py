"""The page of a story: its documents in order, why each belongs to it, and related stories."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from starlette.responses import RedirectResponse

from scoop.http import routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.reads import stories as story_reads
from scoop.store.reads import story_page as story_page_reads
from scoop.store.reads.story_page import StoryPage
from scoop.web import explain, pages, timeline
from scoop.web.context import PageContext

router = routes.for_pages()

SHOWN_DOCUMENTS = 100  # of one page; each comes with its evidence
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
    page = await story_page_reads.get_story_page(conn, str(story_uuid), skip=skip, limit=SHOWN_DOCUMENTS)
    if page.story.story_uuid != story_uuid:
        return RedirectResponse(f"/stories/{page.story.story_uuid}", status_code=HTTPStatus.FOUND)
    return render(context, page, decided=decided)


def render(
    context: PageContext,
    page: StoryPage,
    *,
    decided: int | None = None,
    error: str = "",
    reason: str | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """`decided` is the decision that was just made about the story, `error` why an action was refused."""
    kept_apart = {
        story_id
        for decision in page.decisions
        if decision.action == "apart"
        for story_id in (decision.story_id, decision.other_story_id)
    }
    related = [each for each in page.related if each.story.story_id not in kept_apart]
    end = page.skip + len(page.shown)
    return pages.page(
        "story.html",
        context,
        status=status,
        page=page,
        story=page.story,
        members=page.members,
        more_from=end if end < len(page.members) else None,
        member_by_id={member.document_id: member for member in page.members},
        lanes=timeline.lanes(page.members),
        lane_by_family=timeline.lane_by_family(page.members),
        company=[each for each in related if each.is_company],
        near=[each for each in related if not each.is_company],
        just_decided=next((decision for decision in page.decisions if decision.decision_id == decided), None),
        topic_options=[(topic.topic_slug, topic.topic_name) for topic in page.topics if not topic.suppressed],
        evidence=explain,
        error=error,
        reason=reason,
        SHOWN_DOCUMENTS=SHOWN_DOCUMENTS,
    )
