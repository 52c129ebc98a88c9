"""Digests in the API: list, read, make and publish."""

from dataclasses import dataclass
from datetime import date as Day  # noqa: N812 - as a field is called date
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from pydantic import Field

from scoop import app
from scoop.api import document
from scoop.api.posts import PostReport, report
from scoop.core.rendering import mail, markdown, plain
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, ReadConn, WriteConn
from scoop.http.errors import invalid
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, RecordId, RequestModel
from scoop.http.routes import needs
from scoop.stages import digest
from scoop.store import db, digests, posts, topics
from scoop.store.db import Connection
from scoop.store.digests import DigestRun, RunEntry, RunMode

router = routes.for_programs("Digests")

FIRST_DAY, LAST_DAY = Day(2000, 1, 1), Day(2099, 12, 31)  # the range that cron calendars cover
DigestFormat = Literal["text", "markdown", "html"]
RENDERED = {
    "text": (plain.render, "text/plain"),
    "markdown": (markdown.render, "text/markdown"),
    "html": (mail.html, "text/html"),
}
IS_RENDERED: dict[int | str, dict[str, Any]] = {
    200: {"content": {media: {"schema": {"type": "string"}} for _, media in RENDERED.values()}}
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestReport:
    """A digest with every candidate, its status and reason, and its posts."""

    run: DigestRun
    entries: list[RunEntry]
    posts: list[PostReport]


class DigestQuery(PageParams):
    topic: AnySlug | None = None
    date: Day | None = None
    mode: RunMode | None = None


class NewDigest(RequestModel):
    """A digest of a topic and a local date, by default the last one due; a shadow is never posted."""

    topic: AnySlug
    date: Annotated[Day, Field(ge=FIRST_DAY, le=LAST_DAY)] | None = None
    shadow: bool = False
    publish: bool = False


@router.get("/digests", response_model=Listed[DigestRun])
@needs("read")
async def list_digests(request: Request, conn: ReadConn, wanted: Annotated[DigestQuery, Query()]) -> Response:
    """The latest digests, live and shadow."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await digests.list_runs(
        conn, topic_slug=wanted.topic, day=wanted.date, mode=wanted.mode, before=before, limit=wanted.limit + 1
    )
    return responses.json(request, pagination.paginate(found, wanted.limit, lambda run: (run.digest_run_id,)))


@router.post(
    "/digests",
    response_model=DigestReport,
    status_code=201,
    responses=document.problems(HTTPStatus.NOT_FOUND)
    | {
        200: {"model": DigestReport, "description": "Already posted, or being posted"},
        202: {"model": DigestReport, "description": "Made, and being posted"},
    },
)
@needs("edit")
async def make_digest(request: Request, desk: CurrentDesk, conn: WriteConn, body: NewDigest) -> Response:
    """Make the digest of a topic and a local date, as `scoop digest` does; a posted digest is never made again."""
    if body.shadow and body.publish:
        raise invalid("publish", "a shadow is never posted")
    order = await digest.prepare_order(
        conn,
        body.topic,
        body.date,
        mode="shadow" if body.shadow else "live",
        publish=body.publish,
        modes=app.modes(desk.config),
        now=desk.clock(),
    )
    posted = None if body.shadow else await digests.published_run_id(conn, order.topic.topic_id, order.day)
    run_id = await digest.make(conn, order, app.channel_makers(desk.config))
    made = HTTPStatus.ACCEPTED if body.publish else HTTPStatus.CREATED
    return responses.json(
        request,
        await _report(conn, run_id),
        status=HTTPStatus.OK if run_id == posted else made,
        headers={"Location": f"/api/v1/digests/{run_id}"},
    )


@router.get("/digests/{digest_run_id}", response_model=DigestReport)
@needs("read")
async def get_digest(request: Request, conn: ReadConn, digest_run_id: RecordId) -> Response:
    """One digest: every candidate with status, reason and the parts of its score, and the posts."""
    return responses.json(request, await _report(conn, digest_run_id))


@router.get("/digests/{digest_run_id}/rendered", response_class=Response, responses=IS_RENDERED)
@needs("read")
async def get_rendered_digest(
    request: Request,
    conn: ReadConn,
    digest_run_id: RecordId,
    form: Annotated[DigestFormat, Query(alias="as")] = "markdown",
) -> Response:
    """A digest as its readers see it."""
    run = await digests.get_run(conn, digest_run_id)
    topic = await topics.by_slug(conn, run.topic_slug)
    digest = digests.make_digest(
        topic,
        run.run_date,
        await digests.list_entries(conn, digest_run_id),
        introduction=run.introduction,
        language=run.language,
    )
    render, media = RENDERED[form]
    return responses.with_etag(request, render(digest).encode(), f"{media}; charset=utf-8")


async def _report(conn: Connection, digest_run_id: int) -> DigestReport:
    return DigestReport(
        run=await digests.get_run(conn, digest_run_id),
        entries=await digests.list_entries(conn, digest_run_id),
        posts=[report(post) for post in await posts.list_run_posts(conn, digest_run_id)],
    )
