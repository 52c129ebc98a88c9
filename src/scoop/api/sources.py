"""Sources for programs: list, get, add, change, remove, enable, disable, preview and fetch them; OPML in and out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from scoop import app
from scoop.actions import source_lists
from scoop.actions import sources as source_actions
from scoop.actions.source_lists import FeedImport
from scoop.actions.source_settings import SETTINGS
from scoop.actions.sources import SourcePreview
from scoop.api import document
from scoop.core import opml, redaction
from scoop.core.access import Visitor
from scoop.errors import Conflict
from scoop.http import deps, disclosure, pagination, permissions, responses, routes, setting_models
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.disclosure import Secrets, ShowsSecrets
from scoop.http.errors import UnsupportedMedia, invalid
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, PageParams, ShortText
from scoop.http.routes import needs
from scoop.model import Health, Item, Source, SourceSettings
from scoop.store import sources
from scoop.store.db import Connection
from scoop.store.sources import RecentRuns

router = routes.for_programs("Sources")

LATELY = timedelta(days=7)
SHOWN_ITEMS = 50
SHOWN_CHARACTERS = 1000  # of an item's text in a preview
OPML = ("text/x-opml", "application/xml", "text/xml")
OPML_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {media: {"schema": {"type": "string", "description": "An OPML document."}} for media in OPML},
    }
}
IS_OPML: dict[int | str, dict[str, Any]] = {200: {"content": {OPML[0]: {"schema": {"type": "string"}}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport(Source):
    """A source, its health, and the result of its runs in the last seven days.

    Addresses are without query, user and password; `secrets=show` gives them whole, to admins. Internal addresses
    (the options connect_to, allow_private and base_url, and the address of a source with allow_private) are shown to
    admins only.
    """

    lately: RecentRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The items that a fetch would bring, with their texts cut, and the problems of others."""

    slug: str
    name: str
    kind: str
    base_url: str
    health: Health
    item_count: int
    items: list[Item]
    problems: list[str]
    refused: list[list[dict[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """The result for each feed of an OPML document, and the problems of the document."""

    feeds: list[FeedImport]
    problems: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRequested:
    """A worker fetches the source as soon as its host has a turn; GET /runs?source= lists the run."""

    slug: str


class SourceChanges(setting_models.patch_model("SourceChanges", SETTINGS)):  # type: ignore[misc]  # made at run time
    """Settings to change: one that is left out stays, null is the default again. An option that is null is removed."""


class Target(setting_models.new_model("Target", SETTINGS, collection="preview")):  # type: ignore[misc]
    """A source to preview: what POST /sources takes."""


class NewSource(setting_models.new_model("NewSource", SETTINGS)):  # type: ignore[misc]
    """A new source."""

    check: Annotated[bool, Field(description="Fetch it first, and add it only if that succeeds.")] = True


class SourceQuery(PageParams):
    collection: ShortText | None = None
    kind: ShortText | None = None
    health: Health | None = None
    secrets: Secrets = "hide"


@router.get("/sources", response_model=Listed[SourceReport])
@needs("read")
async def list_sources(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn, query: Annotated[SourceQuery, Query()]
) -> Response:
    """Sources by slug, with their health, the time of the next fetch and the result of the latest runs."""
    secrets = disclosure.check_secrets(by, query.secrets)
    (after,) = pagination.decode_cursor(query.cursor, str) or ("",)
    found = await source_actions.list_sources(
        conn, collection=query.collection, kind=query.kind, health=query.health, after=after, limit=query.limit + 1
    )
    reports = await _reports(conn, desk, by, found, secrets=secrets)
    return responses.json(request, pagination.paginate(reports, query.limit, lambda source: (source.slug,)))


@router.post(
    "/sources",
    response_model=SourceReport,
    status_code=201,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY),
)
@needs("edit")
async def add_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, body: NewSource) -> Response:
    """Add a source. A target without a scheme is tried with https, then with http."""
    settings, *others = _candidates(by, body.model_dump(exclude={"check"}))
    if body.check:
        settings, preview = await _preview_first(desk, [settings, *others])
        settings = source_actions.with_title(settings, preview.harvest)
    async with desk.writing() as conn:
        added = await source_actions.add(conn, settings, has_slug=body.slug is not None)
        report = await _report(conn, desk, by, added)
    headers = {"Location": f"/api/v1/sources/{added.slug}"}
    return responses.json(request, report, status=HTTPStatus.CREATED, headers=headers)


@router.post("/sources/preview", response_model=Preview, responses=document.problems(HTTPStatus.BAD_GATEWAY))
@needs("edit")
async def preview_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, body: Target) -> Response:
    """Fetch a source that is not added yet and show its items; nothing is stored."""
    settings, preview = await _preview_first(desk, _candidates(by, body.model_dump()))
    return responses.json(request, _preview(settings, preview))


@router.post("/sources/import", response_model=Import, openapi_extra=OPML_BODY)
@needs("edit")
async def import_sources(
    request: Request, conn: WriteConn, collection: ShortText = "news", schedule: ShortText = "1h"
) -> Response:
    """Add the feeds of an OPML document. Its folders become collections; feeds that exist stay as they are."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in OPML:
        raise UnsupportedMedia(" or ".join(OPML))
    outlines = opml.read(await request.body())
    if not outlines.feeds:
        raise invalid("body", outlines.problems[-1])
    feeds = await source_lists.import_opml(conn, outlines, collection=collection, schedule=schedule)
    shown = [replace(feed, url=redaction.redact_url(feed.url)) for feed in feeds]
    return responses.json(request, Import(feeds=shown, problems=list(outlines.problems)))


@router.get("/sources/export.opml", response_class=Response, responses=IS_OPML)
@needs("read")
async def export_sources(
    request: Request, desk: CurrentDesk, conn: ReadConn, secrets: ShowsSecrets, collection: ShortText | None = None
) -> Response:
    """The feeds as OPML, one folder per collection; `secrets=show` gives whole addresses, to admins.

    Without it an address has no query, user or password, and feeds with an internal address are left out.
    """
    body = await source_lists.export_opml(conn, collection=collection, now=desk.clock(), secrets=secrets)
    return responses.with_etag(request, body, OPML[0])


@router.get("/sources/{slug}", response_model=SourceReport)
@needs("read")
async def get_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn, slug: AnySlug, secrets: ShowsSecrets
) -> Response:
    """One source."""
    source = await sources.by_slug(conn, slug)
    return responses.json(request, await _report(conn, desk, by, source, secrets=secrets))


@router.patch(
    "/sources/{slug}",
    response_model=SourceReport,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def change_source(
    request: Request,
    desk: CurrentDesk,
    by: CurrentVisitor,
    conn: WriteConn,
    slug: AnySlug,
    body: SourceChanges,
    secrets: ShowsSecrets,
) -> Response:
    """Change a source; options are added to those it has. A source with an internal address is for admins."""
    known = await sources.lock(conn, slug)
    responses.check_unchanged(request, await _report(conn, desk, by, known, secrets=secrets))
    patch = body.model_dump(exclude_unset=True)
    permissions.check_source(by, source_actions.patch_settings(known, patch), known)
    await source_actions.change(conn, slug, patch)
    changed = await sources.by_slug(conn, slug)
    return responses.json(request, await _report(conn, desk, by, changed, secrets=secrets))


@router.delete(
    "/sources/{slug}",
    status_code=204,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def remove_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, secrets: ShowsSecrets
) -> Response:
    """Remove a source. Its documents and stories stay."""
    source = await sources.lock(conn, slug)
    responses.check_unchanged(request, await _report(conn, desk, by, source, secrets=secrets))
    await sources.remove(conn, slug)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/sources/{slug}/test", response_model=Preview, responses=document.problems(HTTPStatus.BAD_GATEWAY))
@needs("edit")
async def try_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, slug: AnySlug) -> Response:
    """Fetch a source and show its items; nothing is stored."""
    async with desk.reading() as conn:
        source = await sources.by_slug(conn, slug)
    preview = await deps.preview_source(desk, source)
    return responses.json(request, _preview(disclosure.shown_source(by, source), preview))


@router.post(
    "/sources/{slug}/run",
    response_model=VisitRequested,
    status_code=202,
    responses=document.problems(HTTPStatus.CONFLICT),
)
@needs("edit")
async def run_source(request: Request, desk: CurrentDesk, conn: WriteConn, slug: AnySlug) -> Response:
    """Fetch a source now, due or not, but not before the time that its server asked for."""
    ids = await sources.list_ids(conn, [slug])
    if await sources.find_not_gathered(conn, ids, gathers=app.modes(desk.config).write_raw_ledger):
        raise Conflict(f"{slug} is not fetched: NP_WRITE_RAW_LEDGER is false for its topics")
    await sources.enqueue_now(conn, ids, force=False)
    return responses.json(request, VisitRequested(slug=slug), status=HTTPStatus.ACCEPTED)


@router.post("/sources/{slug}/enable", response_model=SourceReport)
@needs("edit")
async def enable_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Fetch a source by its schedule again."""
    return await _set_enabled(request, desk, by, conn, slug, enabled=True)


@router.post("/sources/{slug}/disable", response_model=SourceReport)
@needs("edit")
async def disable_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Stop fetching a source. Its items stay."""
    return await _set_enabled(request, desk, by, conn, slug, enabled=False)


async def _set_enabled(
    request: Request, desk: Desk, by: Visitor, conn: Connection, slug: str, *, enabled: bool
) -> Response:
    await sources.set_enabled(conn, slug, enabled=enabled)
    return responses.json(request, await _report(conn, desk, by, await sources.by_slug(conn, slug)))


async def _report(conn: Connection, desk: Desk, by: Visitor, source: Source, *, secrets: bool = False) -> SourceReport:
    (report,) = await _reports(conn, desk, by, [source], secrets=secrets)
    return report


async def _reports(
    conn: Connection, desk: Desk, by: Visitor, found: Sequence[Source], *, secrets: bool
) -> list[SourceReport]:
    lately = await sources.count_recent_runs(conn, [source.slug for source in found], since=desk.clock() - LATELY)
    shown = [disclosure.shown_source(by, source, secrets=secrets) for source in found]
    return [SourceReport(**asdict(source), lately=lately.get(source.slug, RecentRuns())) for source in shown]


def _candidates(by: Visitor, values: dict[str, Any]) -> list[SourceSettings]:
    """The sources that a body may mean; Forbidden where one may reach an internal address."""
    candidates = source_actions.read_candidates(values)
    for settings in candidates:
        permissions.check_source(by, settings)
    return candidates


async def _preview_first(desk: Desk, candidates: Sequence[SourceSettings]) -> tuple[SourceSettings, SourcePreview]:
    return await source_actions.preview_first(candidates, lambda settings: deps.preview_source(desk, settings))


def _preview(settings: SourceSettings, preview: SourcePreview) -> Preview:
    return Preview(
        slug=settings.slug,
        name=settings.name,
        kind=settings.kind,
        base_url=redaction.redact_text(settings.base_url),
        health=preview.harvest.health,
        item_count=len(preview.items),
        items=[_cut(item) for item in preview.items[:SHOWN_ITEMS]],
        problems=[redaction.redact_text(problem) for problem in preview.harvest.problems],
        refused=[[asdict(problem) for problem in problems] for problems in preview.refused[:SHOWN_ITEMS]],
    )


def _cut(item: Item) -> Item:
    return {**item, "body_text": item["body_text"][:SHOWN_CHARACTERS]} if "body_text" in item else item
