"""Adding sources: one box to paste into and a look at what comes of it; lists of feeds in and out.

Its routes must come before those of `sources`, in which any name after /sources/ is a source's: so it is named.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from fastapi import Response

from scoop import sources as kinds
from scoop.actions import sources as source_actions
from scoop.core import opml, redaction
from scoop.errors import UsageError
from scoop.http import disclosure, permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.links import INVENTED
from scoop.http.routes import needs
from scoop.model import Source, SourceSettings
from scoop.store import sources
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.web import forms, option_fields, pages, source_preview
from scoop.web import sources as shown
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues, QueryFields, UploadForm
from scoop.web.source_preview import Look

router = routes.for_pages()
MAX_TARGET = 4096  # characters
THERE = "this is a source already; nothing was added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """What somebody pasted, as it is understood: what to ask, and how."""

    target: str
    kind: str
    options: dict[str, Any]

    def settings(self, told: Mapping[str, Any]) -> SourceSettings:
        """The source that it makes with what a form tells; UsageError for what no source can have."""
        own = {name: value for name, value in told.get("options", {}).items() if value is not None}
        base = {"target": self.target, "kind": self.kind, "collection": "news"}
        return source_actions.read_settings({**base, **told, "options": self.options | own})


@router.get("/sources/add")
@needs("edit")
async def add_page(desk: CurrentDesk, by: CurrentVisitor, context: PageContext, asked: QueryFields) -> Response:
    """One box; with something in it, what it would bring and what is still to be chosen."""
    async with desk.reading() as conn:
        collections = await collection_reads.list_names(conn)
        if not asked["target"]:
            return _page(context, collections, asked)
        try:
            pasted = _pasted(desk, asked)
            options = option_fields.read_values(shown.fields_of(pasted.kind, context), asked, {})
            settings = pasted.settings({"options": options})
            permissions.check_source(by, replace(settings, options=options))
        except UsageError as error:
            return _page(context, collections, asked, problems=FormValues(target=str(error)))
        known = await _known(conn, settings)
    only = collections[0] if len(collections) == 1 else ""
    values = FormValues({**shown.values_of(settings, context), "collection": only})
    look = None if known else await source_preview.look(desk, settings)
    return _page(context, collections, asked, settings=settings, known=known, look=look, values=values)


def _pasted(desk: Desk, given: FormValues) -> Pasted:
    """UsageError for what is no address and no short form of one."""
    target, options = _on_newsstand(given["target"][:MAX_TARGET], desk.newsstand)
    kind, own = source_actions.resolve_target(target, kind=given["kind"] or None)
    return Pasted(target=target, kind=kind, options=options | own)


def _on_newsstand(target: str, newsstand: str | None) -> tuple[str, dict[str, Any]]:
    """What is pasted from the demo's newsstand is asked there, under the name that its site goes by."""
    if not newsstand:
        return target, {}
    here = {"connect_to": urlsplit(newsstand).netloc}
    site = target.removeprefix(f"{newsstand}/")
    if site and site != target:
        return f"http://{site}", here
    host = target.partition("://")[2].partition("/")[0]
    return target, here if host.endswith(INVENTED) else {}


async def _known(conn: Connection, settings: SourceSettings) -> Source | None:
    """The source that reads the same already."""
    alike = await sources.list_sources(conn, kind=settings.kind)
    return next((each for each in alike if _subject(each) == _subject(settings)), None)


def _subject(settings: SourceSettings) -> tuple[str, dict[str, Any]]:
    """What tells two sources of a kind apart: their address, and the options that are not about how it is asked."""
    shared = kinds.ServiceOptions.__struct_fields__
    return settings.base_url, {name: value for name, value in settings.options.items() if name not in shared}


def _page(
    context: PageContext,
    collections: list[str],
    asked: FormValues,
    *,
    settings: SourceSettings | None = None,
    known: Source | None = None,
    look: Look | None = None,
    values: FormValues | None = None,
    problems: FormValues | None = None,
) -> Response:
    return pages.page(
        "source_add.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        asked=asked,
        settings=settings,
        known=known,
        look=look,
        values=values or FormValues(),
        problems=problems or FormValues(),
        fields=shown.fields_of(settings.kind, context) if settings else [],
        kinds=sorted(source_actions.kinds()),
        collections=collections,
        schedules=shown.SCHEDULES,
        seconds=source_preview.LONGEST_SECONDS,
    )


@router.post("/sources/add")
@needs("edit")
async def add_source(
    desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, context: PageContext, form: FormFields
) -> Response:
    collections = await collection_reads.list_names(conn)
    try:
        pasted = _pasted(desk, form)
    except UsageError as error:
        return _page(context, collections, form, problems=FormValues(target=str(error)))
    given = shown.settings_told(form)
    options = option_fields.read_values(shown.fields_of(pasted.kind, context), form, {})
    if problems := shown.wrong_settings(given, options, pasted.settings):
        settings = SourceSettings(slug="", name="", kind=pasted.kind, collection="", base_url=pasted.target)
        return _page(context, collections, form, settings=settings, values=form, problems=problems)
    settings = pasted.settings({**given, "options": options})
    permissions.check_source(
        by, replace(settings, options=options)
    )  # what was pasted leads nowhere but to the newsstand
    if known := await _known(conn, settings):
        return _page(
            context,
            collections,
            form,
            settings=settings,
            known=known,
            values=form,
            problems=FormValues({forms.WHOLE: THERE}),
        )
    slugs = {source.slug for source in await sources.list_sources(conn)}
    added = await source_actions.add(conn, source_actions.with_free_slug(settings, slugs))
    return pages.redirect_with_notice(
        f"/sources/{added.slug}", notice=f"{added.name} is added; its first visit is due now."
    )


@router.get("/sources/import")
@needs("edit")
async def import_page(conn: ReadConn, context: PageContext) -> Response:
    return _import_page(context, await collection_reads.list_names(conn))


@router.post("/sources/import")
@needs("edit")
async def import_sources(desk: CurrentDesk, context: PageContext, sent: UploadForm) -> Response:
    form = sent.fields
    collection, schedule = form["collection"], form["schedule"]
    base = {"target": "https://example.org/", "collection": "news"}
    problems = forms.find_problems(
        {"collection": collection, "schedule": schedule}, lambda told: source_actions.read_settings({**base, **told})
    )
    if not sent.file:
        problems["file"] = "choose the file that your feed reader exported"
    async with desk.reading() as conn:
        collections = await collection_reads.list_names(conn)
    if problems:
        return _import_page(context, collections, values=form, problems=problems)
    outlines = opml.read(sent.file)
    async with desk.database.transaction() as conn:  # thousands of feeds take longer than a reader is kept waiting
        imported = await source_actions.import_opml(conn, outlines, collection=collection, schedule=schedule)
    return _import_page(
        context,
        collections,
        values=form,
        outlines_problems=outlines.problems,
        imported=[replace(feed, url=redaction.redact_url(feed.url)) for feed in imported],
    )


def _import_page(
    context: PageContext,
    collections: list[str],
    *,
    values: FormValues | None = None,
    problems: FormValues | None = None,
    imported: list[source_actions.FeedImport] | None = None,
    outlines_problems: tuple[str, ...] = (),
) -> Response:
    return pages.page(
        "source_import.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        collections=collections,
        schedules=shown.SCHEDULES,
        values=values or FormValues(collection="news", schedule="1h"),
        problems=problems or FormValues(),
        imported=imported,
        outlines_problems=outlines_problems,
    )


@router.get("/sources/export.opml")
@needs("read")
async def export_sources(conn: ReadConn, by: CurrentVisitor, context: PageContext, asked: QueryFields) -> Response:
    """The feeds as OPML; `secrets=show` gives whole addresses, to admins."""
    secrets = disclosure.check_secrets(by, asked["secrets"])
    content = await source_actions.export_opml(
        conn, collection=asked["collection"] or None, now=context.now, secrets=secrets
    )
    headers = {"Content-Disposition": 'attachment; filename="scoop.opml"'}
    return Response(content, media_type="text/x-opml", headers=headers)
