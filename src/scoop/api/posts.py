"""The outbox in the API: list posts, and decide about held ones."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import date, datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response

from scoop.api import document
from scoop.http import pagination, responses, routes
from scoop.http.deps import ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, RecordId
from scoop.http.routes import needs
from scoop.model import Post, PostState
from scoop.store import db, posts
from scoop.store.db import Connection

router = routes.for_programs("Posts")

AGAINST = document.problems(HTTPStatus.CONFLICT)
INTERNAL = frozenset({"options", "key", "marker", "correction", "looks"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PostReport:
    """A part of a digest for a channel: its payload and its state; a message about alerts has no `digest_run_id`."""

    post_id: int
    digest_run_id: int | None
    topic_slug: str
    run_date: date
    channel: str
    kind: str
    part_no: int
    parts: int
    state: PostState
    sending_at: datetime | None
    tried_at: datetime | None
    sent_at: datetime | None
    message_id: str | None
    error: str | None
    payload: str


class PostQuery(PageParams):
    topic: AnySlug | None = None
    state: PostState | None = None


@router.get("/posts", response_model=Listed[PostReport])
@needs("read")
async def list_posts(request: Request, conn: ReadConn, wanted: Annotated[PostQuery, Query()]) -> Response:
    """The latest posts; held and failed ones await a decision."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    states = [wanted.state] if wanted.state else None
    found = await posts.list_posts(conn, topic_slug=wanted.topic, states=states, before=before, limit=wanted.limit + 1)
    shown = [report(post) for post in found]
    return responses.json(request, pagination.paginate(shown, wanted.limit, lambda post: (post.post_id,)))


@router.get("/posts/{post_id}", response_model=PostReport)
@needs("read")
async def get_post(request: Request, conn: ReadConn, post_id: RecordId) -> Response:
    """One post."""
    return responses.json(request, report(await posts.by_id(conn, post_id)))


@router.post("/posts/{post_id}/resend", response_model=PostReport, responses=AGAINST)
@needs("edit")
async def resend_post(request: Request, conn: WriteConn, post_id: RecordId) -> Response:
    """Send a held or failed post again. First check that it is not in the channel."""
    return await _decided(request, conn, post_id, posts.resend)


@router.post("/posts/{post_id}/arrived", response_model=PostReport, responses=AGAINST)
@needs("edit")
async def confirm_post(request: Request, conn: WriteConn, post_id: RecordId) -> Response:
    """Mark a held or failed post as sent. First check that it is in the channel."""
    return await _decided(request, conn, post_id, posts.confirm)


@router.post("/posts/{post_id}/drop", response_model=PostReport, responses=AGAINST)
@needs("edit")
async def drop_post(request: Request, conn: WriteConn, post_id: RecordId) -> Response:
    """Drop a held or failed post; the parts that follow it are sent."""
    return await _decided(request, conn, post_id, posts.drop)


async def _decided(
    request: Request, conn: Connection, post_id: int, decide: Callable[[Connection, int], Awaitable[None]]
) -> Response:
    await decide(conn, post_id)
    return responses.json(request, report(await posts.by_id(conn, post_id)))


def report(post: Post) -> PostReport:
    return PostReport(**{name: value for name, value in asdict(post).items() if name not in INTERNAL})
