"""Curators in the API: settings, interests with their versions, and trials."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from pydantic import AfterValidator, Field

from scoop.actions import curator_reports, curators
from scoop.actions.curator_reports import CuratorReport, CuratorStatus, TrialReport
from scoop.actions.curator_settings import SETTINGS
from scoop.actions.topic_settings import MAX_RULES
from scoop.api import document
from scoop.core import interests
from scoop.core.access import Visitor
from scoop.core.interests import Interests, InvalidInterests, Priority
from scoop.errors import Conflict, NotFound, UsageError
from scoop.http import deps, pagination, permissions, responses, routes, setting_models
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import HttpProblem
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, RequestModel, ShortText, storable
from scoop.http.routes import needs
from scoop.store import curators as store
from scoop.store import topics as topic_store
from scoop.store.curators import InterestVersion
from scoop.store.db import Connection

router = routes.for_programs("Curators")

NULLABLE = {"discord_channel_id", "interests_from", "language"}  # null removes it; another null keeps its value
TopicName = Annotated[str, Field(min_length=1, max_length=interests.MAX_TOPIC_CHARACTERS), AfterValidator(storable)]
Alias = Annotated[str, Field(min_length=1, max_length=interests.MAX_ALIAS_CHARACTERS), AfterValidator(storable)]
Description = Annotated[str, Field(max_length=interests.MAX_DESCRIPTION_CHARACTERS), AfterValidator(storable)]
SourceList = Annotated[list[ShortText], Field(max_length=MAX_RULES, description="Slugs of sources that it reads.")]
VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


class GivenInterest(RequestModel):
    """A topic; the aliases are other words for it, and names that belong to it."""

    topic: TopicName
    aliases: list[Alias] = Field(default_factory=list, max_length=interests.MAX_ALIASES)
    priority: Annotated[Priority, Field(description="Its weight is 2, 1 or 0.5.")] = "medium"
    description: Description = ""


class GivenInterests(RequestModel):
    """The topics of a curator, and how many articles of at least which score it posts."""

    topics: Annotated[list[GivenInterest], Field(min_length=1, max_length=interests.MAX_TOPICS)]
    max_articles: Annotated[int, Field(ge=1, le=interests.MAX_ARTICLES)] = 5
    min_articles: Annotated[
        int | None, Field(ge=1, le=interests.MAX_ARTICLES, description="At most max_articles; by default 3, or fewer.")
    ] = None
    min_relevance_score: Annotated[int, Field(ge=0, le=interests.MAX_SCORE)] = 70


class CuratorChanges(setting_models.patch_model("CuratorChanges", SETTINGS)):  # type: ignore[misc]  # made at run time
    """Fields to change; omitted fields keep their value, a list replaces the current one."""

    sources: SourceList | None = None


class NewCurator(setting_models.new_model("NewCurator", SETTINGS)):  # type: ignore[misc]
    """A new curator; it needs interests, or interests_from. Omitted fields have their default."""

    sources: SourceList | None = None
    interests: GivenInterests | None = None


class TrialRequest(RequestModel):
    """The interests to test; without any, those in use."""

    interests: GivenInterests | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestsReport:
    """Interests: the version and where it came from."""

    version: int
    interests: Interests
    origin: str
    created_by: str
    created_at: datetime


@router.get("/curators", response_model=list[CuratorReport])
@needs("read")
async def list_curators(request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn) -> Response:
    """All curators with their interests, schedule and channels."""
    found = await curator_reports.list_reports(conn, now=desk.clock(), with_options="edit" in by.rights)
    return responses.json(request, found)


@router.post(
    "/curators", response_model=CuratorReport, status_code=201, responses=document.problems(HTTPStatus.CONFLICT)
)
@needs("edit")
async def add_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, body: NewCurator
) -> Response:
    """Add a curator; channels are those of its topic, `PUT /api/v1/topics/{slug}/channels/{name}`.

    Only admins may let it read its interests from a file of the server.
    """
    given = _table(body)
    permissions.check_interests_from(by, given.get("interests_from"))
    wanted = None if body.interests is None else _interests(body.interests, "body.interests")
    curator = await curators.add(conn, given, wanted, sources=body.sources or (), origin="api", by=by.name)
    headers = {"Location": f"/api/v1/curators/{curator.topic_slug}"}
    report = await _read(conn, curator.topic_slug, desk, by)
    return responses.json(request, report, status=HTTPStatus.CREATED, headers=headers)


@router.get("/curators/{slug}", response_model=CuratorReport)
@needs("read")
async def get_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn, slug: AnySlug
) -> Response:
    """One curator."""
    return responses.json(request, await _read(conn, slug, desk, by))


@router.patch(
    "/curators/{slug}",
    response_model=CuratorReport,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def change_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, body: CuratorChanges
) -> Response:
    """Change the settings of a curator; 409 for a setting that is read from the file of its interests."""
    await topic_store.lock(conn, slug)
    known = await _read(conn, slug, desk, by)
    responses.check_unchanged(request, known)
    given = _table(body)
    permissions.check_interests_from(by, given.get("interests_from"), known.interests_from)
    await curators.change(conn, slug, given, sources=body.sources)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.delete(
    "/curators/{slug}",
    status_code=204,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def remove_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Delete a curator that has posted nothing yet, with its interests and memory; disable it otherwise."""
    await topic_store.lock(conn, slug)
    responses.check_unchanged(request, await _read(conn, slug, desk, by))
    try:
        await curators.remove(conn, slug)
    except UsageError as error:
        raise Conflict(str(error)) from error
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/curators/{slug}/enable", response_model=CuratorReport)
@needs("edit")
async def enable_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Enable a curator."""
    await curators.change(conn, slug, {"enabled": True})
    return responses.json(request, await _read(conn, slug, desk, by))


@router.post("/curators/{slug}/disable", response_model=CuratorReport)
@needs("edit")
async def disable_curator(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Disable a curator: it looks for no articles and posts nothing. Nothing is deleted."""
    await curators.change(conn, slug, {"enabled": False})
    return responses.json(request, await _read(conn, slug, desk, by))


@router.get("/curators/{slug}/status", response_model=CuratorStatus)
@needs("read")
async def get_status(request: Request, conn: ReadConn, slug: AnySlug) -> Response:
    """When a curator looked for articles and read its interests, and how many articles it has in each state."""
    return responses.json(request, await curator_reports.get_status(conn, slug))


@router.get("/curators/{slug}/interests", response_model=InterestsReport)
@needs("read")
async def get_interests(request: Request, conn: ReadConn, slug: AnySlug) -> Response:
    """The interests in use; 404 if there are no valid ones yet."""
    return responses.json(request, await _interests_in_use(conn, slug))


@router.put(
    "/curators/{slug}/interests",
    response_model=InterestsReport,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def put_interests(
    request: Request, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, body: GivenInterests
) -> Response:
    """Use other interests from now on: a new version, unless they are the same.

    Evaluated articles are judged by them without another evaluation. 409 if they are read from a file or URL.
    """
    wanted = _interests(body, "body")
    await topic_store.lock(conn, slug)
    if "if-match" in request.headers:
        responses.check_unchanged(request, await _interests_in_use(conn, slug))
    await curators.put_interests(conn, slug, wanted, origin="api", by=by.name)
    return responses.json(request, await _interests_in_use(conn, slug))


@router.get("/curators/{slug}/interests/versions", response_model=Listed[InterestVersion])
@needs("read")
async def list_versions(
    request: Request, conn: ReadConn, slug: AnySlug, wanted: Annotated[PageParams, Query()]
) -> Response:
    """All versions of the interests of a curator, the newest first."""
    (before,) = pagination.decode_cursor(wanted.cursor, int) or (None,)
    topic_id = (await store.by_slug(conn, slug)).topic_id
    found = await store.list_versions(conn, topic_id, before=before, limit=wanted.limit + 1)
    return responses.json(request, pagination.paginate(found, wanted.limit, lambda each: (each.version,)))


@router.get("/curators/{slug}/interests/versions/{version}", response_model=InterestsReport)
@needs("read")
async def get_version(request: Request, conn: ReadConn, slug: AnySlug, version: VersionNumber) -> Response:
    """One version of the interests of a curator."""
    found = await store.get_version(conn, await store.by_slug(conn, slug), version)
    return responses.json(request, _report(found))


@router.post(
    "/curators/{slug}/interests/versions/{version}/restore",
    response_model=InterestsReport,
    responses=document.problems(HTTPStatus.CONFLICT),
)
@needs("edit")
async def restore_version(
    request: Request, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, version: VersionNumber
) -> Response:
    """Use an earlier version of the interests again: it becomes the newest. 409 if they are read from a file or URL."""
    await curators.restore_interests(conn, slug, version, origin="api", by=by.name)
    return responses.json(request, await _interests_in_use(conn, slug))


@router.post("/curators/{slug}/test", response_model=TrialReport, responses=document.problems(HTTPStatus.CONFLICT))
@needs("edit")
async def try_interests(
    request: Request,
    desk: CurrentDesk,
    slug: AnySlug,
    days: Annotated[int, Query(ge=1, le=30)] = 7,
    body: TrialRequest | None = None,
) -> Response:
    """What interests would have caught in the last days, by the local scorer, against those in use; takes seconds.

    At most the latest 2,000 articles are scored. Nothing is stored and no model is asked.
    """
    async with desk.reading() as conn:
        curator, topic = await store.by_slug(conn, slug), await topic_store.by_slug(conn, slug)
    given = body.interests if body else None
    wanted = curator.interests if given is None else _interests(given, "body.interests")
    if wanted is None:
        raise Conflict(f"{slug} has no interests yet: send some")
    used = None if given is None else curator.interests
    trial = await deps.try_interests(desk, topic, wanted, used=used, span=timedelta(days=days))
    return responses.json(request, curator_reports.report_trial(trial))


async def _read(conn: Connection, slug: str, desk: Desk, by: Visitor) -> CuratorReport:
    return await curator_reports.get_report(conn, slug, now=desk.clock(), with_options="edit" in by.rights)


async def _interests_in_use(conn: Connection, slug: str) -> InterestsReport:
    curator = await store.by_slug(conn, slug)
    if curator.interests_version is None:
        raise NotFound(f"{slug} has no valid interests yet{f': {curator.problem}' if curator.problem else ''}")
    return _report(await store.get_version(conn, curator, curator.interests_version))


def _report(version: InterestVersion) -> InterestsReport:
    return InterestsReport(
        version=version.version,
        interests=version.interests,
        origin=version.origin,
        created_by=version.created_by,
        created_at=version.created_at,
    )


def _table(body: RequestModel) -> Mapping[str, Any]:
    """The settings of a request by their names."""
    values = setting_models.read(SETTINGS, body)
    return {name: value for name, value in values.items() if value is not None or name in NULLABLE}


def _interests(body: GivenInterests, place: str) -> Interests:
    """The interests of a request; 400 with every problem and its field."""
    try:
        return interests.parse(body.model_dump(exclude_none=True))
    except InvalidInterests as error:
        details = [{"field": f"{place}.{each.field}", "problem": each.message} for each in error.problems]
        raise HttpProblem(HTTPStatus.BAD_REQUEST, str(error), details=details) from error
