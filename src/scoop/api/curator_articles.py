"""The articles of curators in the API: candidates, dry runs, labels, and what became of an article."""

from datetime import date as Day  # noqa: N812 - as a field is called date
from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import AfterValidator, AwareDatetime, Field

from scoop.actions import curator_explanations, curator_previews, curators
from scoop.actions.curator_previews import CuratorPreview
from scoop.api import document
from scoop.api.digests import FIRST_DAY, LAST_DAY
from scoop.core.curation import EvaluationState, RejectReason
from scoop.errors import Conflict
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, RecordId, RequestModel, storable
from scoop.http.routes import needs
from scoop.stages import digest
from scoop.store import curators as store
from scoop.store import db, evaluations
from scoop.store import topics as topic_store
from scoop.store.curators import ArticleLabel
from scoop.store.evaluations import Evaluation, MetArticle

router = routes.for_programs("Curators")

MAX_URL = 4096


class EvaluationQuery(PageParams):
    """Articles of a curator: in a state, rejected for a reason, since a moment; or all."""

    state: EvaluationState | None = None
    reason: RejectReason | None = None
    since: Annotated[AwareDatetime | None, Field(description="When it was found, evaluated or posted last.")] = None


class GivenLabel(RequestModel):
    is_wanted: bool


@router.get("/curators/{slug}/articles", response_model=Listed[Evaluation])
@needs("read")
async def list_articles(
    request: Request, conn: ReadConn, slug: AnySlug, wanted: Annotated[EvaluationQuery, Query()]
) -> Response:
    """The articles that a curator met, the latest first, with score, parts, topics, summary and reasoning."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (db.LAST_ID,)
    found = await evaluations.list_evaluations(
        conn,
        (await store.by_slug(conn, slug)).topic_id,
        states=None if wanted.state is None else [wanted.state],
        reason=wanted.reason,
        since=wanted.since,
        before=before,
        limit=wanted.limit + 1,
    )
    return responses.json(request, pagination.paginate(found, wanted.limit, lambda each: (each.evaluation_id,)))


@router.get("/curators/{slug}/preview", response_model=CuratorPreview, responses=document.problems(HTTPStatus.CONFLICT))
@needs("edit")
async def preview_curator(
    request: Request,
    desk: CurrentDesk,
    slug: AnySlug,
    date: Annotated[
        Day | None, Query(ge=FIRST_DAY, le=LAST_DAY, description="The curator's local date; default: now.")
    ] = None,
) -> Response:
    """What a curator would post now, or at a date, with every score; nothing is stored and no model is asked.

    Articles that are not evaluated yet are scored by the local scorer.
    """
    now = desk.clock()
    async with desk.trying, desk.database.connection() as conn:
        curator, topic = await store.by_slug(conn, slug), await topic_store.by_slug(conn, slug)
        if curator.interests is None:
            raise Conflict(f"{slug} has no valid interests yet{f': {curator.problem}' if curator.problem else ''}")
        until = now if date is None else min(now, digest.window_of(topic, date).end)
        return responses.json(request, await curator_previews.preview(conn, curator, curator.interests, until=until))


@router.get("/curators/{slug}/labels", response_model=list[ArticleLabel])
@needs("read")
async def list_labels(request: Request, conn: ReadConn, slug: AnySlug) -> Response:
    """The labels that tune the local scorer of a curator, the newest first; at most 500."""
    return responses.json(request, await store.list_labels(conn, (await store.by_slug(conn, slug)).topic_id))


@router.put(
    "/curators/{slug}/labels/{document_id}",
    response_model=ArticleLabel,
    responses=document.problems(HTTPStatus.CONFLICT),
)
@needs("edit")
async def put_label(
    request: Request, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, document_id: RecordId, body: GivenLabel
) -> Response:
    """Label an article as wanted or not; it replaces the label before."""
    kept = await curators.label(conn, slug, document_id, is_wanted=body.is_wanted, by=by.name)
    return responses.json(request, kept)


@router.delete("/curators/{slug}/labels/{document_id}", status_code=204)
@needs("edit")
async def remove_label(conn: WriteConn, slug: AnySlug, document_id: RecordId) -> Response:
    """Take back the label of an article."""
    await curators.unlabel(conn, slug, document_id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.get("/evaluations", response_model=list[MetArticle], responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def explain_article(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    url: Annotated[str, Query(min_length=1, max_length=MAX_URL), AfterValidator(storable)],
    curator: AnySlug | None = None,
) -> Response:
    """What curators, or one, know of an article by its URL: notified, rejected or waiting, with parts and reasoning.

    It counts as known if it was met under another address, or if its event was posted. 404 says why none has met it.
    """
    return responses.json(request, await curator_explanations.explain(conn, url, curator, now=desk.clock()))
