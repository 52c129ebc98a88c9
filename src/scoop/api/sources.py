"""Sources for programs: how each is; add, change, try and visit them; lists of feeds in and out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from scoop import app
from scoop.actions import sources as source_actions
from scoop.actions.sources import FeedImport, SourcePreview
from scoop.api import document
from scoop.core import opml, redaction
from scoop.core.access import Visitor
from scoop.errors import Conflict
from scoop.http import deps, disclosure, pagination, permissions, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.disclosure import Secrets, ShowsSecrets
from scoop.http.errors import UnsupportedMedia, invalid
from scoop.http.pagination import Listed
from scoop.http.params import AnySlug, OptionValues, PageParams, RequestModel, ShortText, Url
from scoop.http.routes import needs
from scoop.model import Health, Item, Source, SourceSettings
from scoop.store import sources
from scoop.store.db import Connection
from scoop.store.sources import Lately

router = routes.for_programs("Sources")

LATELY = timedelta(days=7)
SHOWN_ITEMS = 50
SHOWN_CHARACTERS = 1000  # of an item's text, where it is only tried
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

    lately: Lately


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a source would bring: some of its items, their texts cut, and what is wrong with others."""

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
    """What became of each feed of a list, and what in the list could not be read."""

    feeds: list[FeedImport]
    problems: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRequested:
    """A visit that a worker makes as soon as the source's host has a turn; GET /runs?source= shows its run."""

    slug: str


class Hours(RequestModel):
    """A part of the day in which a source may be visited."""

    start: Annotated[str, Field(pattern="^[0-9]{2}:[0-9]{2}$")]
    end: Annotated[str, Field(pattern="^[0-9]{2}:[0-9]{2}$")]


class SourceChanges(RequestModel):
    """What a source is told; what is left out stays, null is the default again, an option that is null goes."""

    target: Url | None = None
    kind: ShortText | None = None
    name: ShortText | None = None
    collection: ShortText | None = None
    category: ShortText | None = None
    schedule: ShortText | None = None
    crawl_windows: Annotated[list[Hours], Field(max_length=50)] | None = None
    allowed_paths: Annotated[list[Url], Field(max_length=100)] | None = None
    request_interval_ms: Annotated[int, Field(ge=0, le=source_actions.MAX_INTERVAL_MS)] | None = None
    timezone: ShortText | None = None
    options: OptionValues | None = None
    enabled: bool | None = None


class Target(SourceChanges):
    """A source that is not kept: what `scoop sources add` takes."""

    target: Url
    collection: ShortText = "preview"


class NewSource(SourceChanges):
    """A new source; `check` visits it first, and it is kept only if it gives something."""

    target: Url
    collection: ShortText
    slug: AnySlug | None = None
    check: bool = True


class SourceQuery(PageParams):
    collection: ShortText | None = None
    kind: ShortText | None = None
    health: Health | None = None
    secrets: Secrets = "hide"


@router.get("/sources", response_model=Listed[SourceReport])
@needs("read")
async def list_sources(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn, wanted: Annotated[SourceQuery, Query()]
) -> Response:
    """All sources by slug: how each is, since when, when it is visited next, and what came of it lately."""
    (after,) = pagination.decode_cursor(wanted.cursor, str) or ("",)
    found = await sources.list_sources(
        conn, collection=wanted.collection, kind=wanted.kind, health=wanted.health, after=after, limit=wanted.limit + 1
    )
    secrets = disclosure.check_secrets(by, wanted.secrets)
    reports = await _reports(conn, desk, by, found, secrets=secrets)
    return responses.json(request, pagination.paginate(reports, wanted.limit, lambda source: (source.slug,)))


@router.post(
    "/sources",
    response_model=SourceReport,
    status_code=201,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY),
)
@needs("edit")
async def add_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, given: NewSource) -> Response:
    """Add a source as `scoop sources add` does: the target is an address, hackernews, r/NAME, arxiv:CATEGORY, ..."""
    settings = source_actions.read_settings(given.model_dump(exclude={"check"}))
    permissions.check_source(by, settings)
    if given.check:
        await deps.preview_source(desk, settings)
    async with desk.writing() as conn:
        added = await source_actions.add(conn, settings)
        report = await _report(conn, desk, by, added)
    headers = {"Location": f"/api/v1/sources/{added.slug}"}
    return responses.json(request, report, status=HTTPStatus.CREATED, headers=headers)


@router.post("/sources/preview", response_model=Preview, responses=document.problems(HTTPStatus.BAD_GATEWAY))
@needs("edit")
async def preview_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, given: Target) -> Response:
    """What a source would bring; nothing is kept."""
    settings = source_actions.read_settings(given.model_dump())
    permissions.check_source(by, settings)
    return responses.json(request, _preview(settings, await deps.preview_source(desk, settings)))


@router.post("/sources/import", response_model=Import, openapi_extra=OPML_BODY)
@needs("edit")
async def import_sources(
    request: Request, conn: WriteConn, collection: ShortText = "news", schedule: ShortText = "1h"
) -> Response:
    """Add the feeds of an OPML document; its folders become collections, feeds that are there stay as they are."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in OPML:
        raise UnsupportedMedia(" or ".join(OPML))
    found = opml.read(await request.body())
    if not found.feeds:
        raise invalid("body", found.problems[-1])
    feeds = await source_actions.import_opml(conn, found, collection=collection, schedule=schedule)
    shown = [replace(feed, url=redaction.redact_text(feed.url)) for feed in feeds]
    return responses.json(request, Import(feeds=shown, problems=list(found.problems)))


@router.get("/sources/export.opml", response_class=Response, responses=IS_OPML)
@needs("read")
async def export_sources(
    request: Request, desk: CurrentDesk, conn: ReadConn, secrets: ShowsSecrets, collection: ShortText | None = None
) -> Response:
    """The feeds as OPML, one folder per collection; `secrets=show` gives whole addresses, to admins.

    Without it an address has no query, user or password, and feeds with an internal address are left out.
    """
    body = await source_actions.export_opml(conn, collection=collection, now=desk.clock(), secrets=secrets)
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
    given: SourceChanges,
    secrets: ShowsSecrets,
) -> Response:
    """Change a source; what is not named stays, options are added to those it has."""
    known = await sources.locked(conn, slug)
    responses.check_unchanged(request, await _report(conn, desk, by, known, secrets=secrets))
    told = given.model_dump(exclude_unset=True)
    permissions.check_source(by, source_actions.patch_settings(known, told), known)
    await source_actions.change(conn, slug, told)
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
    """Forget a source; what it brought stays."""
    source = await sources.locked(conn, slug)
    responses.check_unchanged(request, await _report(conn, desk, by, source, secrets=secrets))
    await sources.remove(conn, slug)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/sources/{slug}/test", response_model=Preview, responses=document.problems(HTTPStatus.BAD_GATEWAY))
@needs("edit")
async def try_source(request: Request, desk: CurrentDesk, by: CurrentVisitor, slug: AnySlug) -> Response:
    """Visit a source and show what it would bring; nothing is kept."""
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
    """Have a source visited now, due or not; a server that asked to wait is not asked earlier."""
    ids = await sources.ids(conn, [slug])
    if await sources.resting(conn, ids, gathers=app.modes(desk.config).write_raw_ledger):
        raise Conflict(f"{slug} rests: NP_WRITE_RAW_LEDGER is false for its topics")
    await sources.visit_now(conn, ids, force=False)
    return responses.json(request, VisitRequested(slug=slug), status=HTTPStatus.ACCEPTED)


@router.post("/sources/{slug}/enable", response_model=SourceReport)
@needs("edit")
async def enable_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Let a source be visited again."""
    return await _switched(request, desk, by, conn, slug, enabled=True)


@router.post("/sources/{slug}/disable", response_model=SourceReport)
@needs("edit")
async def disable_source(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Let a source rest."""
    return await _switched(request, desk, by, conn, slug, enabled=False)


async def _switched(
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
    lately = await sources.lately(conn, [source.slug for source in found], since=desk.clock() - LATELY)
    shown = [disclosure.shown_source(by, source, secrets=secrets) for source in found]
    return [SourceReport(**asdict(source), lately=lately.get(source.slug, Lately())) for source in shown]


def _preview(settings: SourceSettings, tried: SourcePreview) -> Preview:
    return Preview(
        slug=settings.slug,
        name=settings.name,
        kind=settings.kind,
        base_url=redaction.redact_text(settings.base_url),
        health=tried.harvest.health,
        item_count=len(tried.items),
        items=[_cut(item) for item in tried.items[:SHOWN_ITEMS]],
        problems=[redaction.redact_text(problem) for problem in tried.harvest.problems],
        refused=[[asdict(problem) for problem in problems] for problems in tried.refused[:SHOWN_ITEMS]],
    )


def _cut(item: Item) -> Item:
    return {**item, "body_text": item["body_text"][:SHOWN_CHARACTERS]} if "body_text" in item else item
