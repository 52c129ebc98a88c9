"""Review in the API: pairs of stories that may be one, and decisions about stories and events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import Field

from scoop.actions import review
from scoop.api import document
from scoop.errors import Conflict, UsageError
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import LongText, PageParams, RecordId, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.model import Decision
from scoop.store import db
from scoop.store import review as store
from scoop.store.review_queue import GrayPair

router = routes.for_programs("Review")

AGAINST = document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
MAX_SKIPPED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(Listed[GrayPair]):
    """Pairs of stories that await a decision, most important first, and their total."""

    waiting: int


class DecisionQuery(PageParams):
    collection: ShortText | None = None


class StoryPair(RequestModel):
    """Two stories, each by its number or its UUID."""

    stories: Annotated[list[ShortText], Field(min_length=2, max_length=2)]
    note: LongText = ""


class SplitRequest(RequestModel):
    """Documents of one story, by their numbers."""

    documents: Annotated[list[RecordId], Field(min_length=1, max_length=1000)]
    note: LongText = ""


class MoveRequest(RequestModel):
    """Stories of one event, and the event that they belong to, by number or UUID; null: an event of their own."""

    stories: Annotated[list[ShortText], Field(min_length=1, max_length=100)]
    event: ShortText | None
    note: LongText = ""


class LeadRequest(RequestModel):
    """The story that leads its event, by its number or its UUID."""

    story: ShortText
    note: LongText = ""


class EventRequest(RequestModel):
    """An event, by its number or its UUID."""

    event: ShortText
    note: LongText = ""


@router.get("/review", response_model=Queue)
@needs("read")
async def list_pairs(
    request: Request, desk: CurrentDesk, conn: ReadConn, wanted: Annotated[DecisionQuery, Query()]
) -> Response:
    """Undecided pairs of stories that probably cover one event."""
    (skip,) = pagination.decode_cursor(wanted.cursor, int) or (0,)
    skip = max(0, min(skip, MAX_SKIPPED))
    pairs, waiting = await review.queue(
        conn, collection=wanted.collection, skip=skip, limit=wanted.limit + 1, now=desk.clock()
    )
    part = pagination.paginate(pairs, wanted.limit, lambda _pair: (skip + wanted.limit,))
    return responses.json(request, Queue(items=part.items, next_cursor=part.next_cursor, waiting=waiting))


@router.post("/review/merge", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def merge_stories(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: StoryPair) -> Response:
    """Merge two stories; the younger becomes part of the older."""
    with _against():
        decision = await store.merge(conn, *body.stories, note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.post("/review/together", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def put_together(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: StoryPair) -> Response:
    """Show two stories as one event; both stay stories."""
    with _against():
        decision = await store.put_together(conn, *body.stories, note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.post("/review/apart", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def keep_apart(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: StoryPair) -> Response:
    """Keep two stories apart: no run merges them or shows them together."""
    with _against():
        decision = await store.keep_apart(conn, *body.stories, note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.post("/review/split", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def split_story(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: SplitRequest) -> Response:
    """Split documents off their story into a story of their own."""
    with _against():
        decision = await store.split(conn, set(body.documents), note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.post("/review/split-each", response_model=Listed[Decision], status_code=201, responses=AGAINST)
@needs("edit")
async def split_story_each(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: SplitRequest) -> Response:
    """Split documents off their story, each into a story of its own: one decision for each, at most 100."""
    with _against():
        decisions = await store.split_each(conn, set(body.documents), note=body.note, by=visitor.name)
    return responses.json(request, Listed(items=decisions, next_cursor=None), status=HTTPStatus.CREATED)


@router.post("/review/move", response_model=list[Decision], status_code=201, responses=AGAINST)
@needs("edit")
async def move_stories(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: MoveRequest) -> Response:
    """Move stories to another event or to one of their own; no run brings them back to those that they leave."""
    with _against():
        decisions = await store.move(conn, body.stories, body.event, note=body.note, by=visitor.name)
    return responses.json(request, decisions, status=HTTPStatus.CREATED)


@router.post("/review/lead", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def choose_lead(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: LeadRequest) -> Response:
    """Let a story lead its event; undo the decision to let the rule choose again."""
    with _against():
        decision = await store.choose_lead(conn, body.story, note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.post("/review/suppress", response_model=Decision, status_code=201, responses=AGAINST)
@needs("edit")
async def suppress_event(request: Request, conn: WriteConn, visitor: CurrentVisitor, body: EventRequest) -> Response:
    """Hide an event with all its stories from readers; undo the decision to show it again."""
    with _against():
        decision = await store.suppress(conn, body.event, note=body.note, by=visitor.name)
    return responses.json(request, decision, status=HTTPStatus.CREATED)


@router.get("/review/decisions", response_model=Listed[Decision])
@needs("read")
async def list_decisions(request: Request, conn: ReadConn, wanted: Annotated[DecisionQuery, Query()]) -> Response:
    """Decisions, the latest first."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await store.list_decisions(conn, collection=wanted.collection, before=before, limit=wanted.limit + 1)
    return responses.json(request, pagination.paginate(found, wanted.limit, lambda decision: (decision.decision_id,)))


@router.post("/review/decisions/{decision_id}/undo", response_model=Decision, responses=AGAINST)
@needs("edit")
async def undo_decision(request: Request, conn: WriteConn, visitor: CurrentVisitor, decision_id: RecordId) -> Response:
    """Undo a decision; documents and stories that it moved go back, then the rules decide again."""
    with _against():
        decision = await store.undo(conn, decision_id, by=visitor.name)
    return responses.json(request, decision)


@contextmanager
def _against() -> Iterator[None]:
    """A decision that contradicts other decisions, or the current stories, is a conflict."""
    try:
        yield
    except UsageError as error:
        raise Conflict(str(error)) from error
