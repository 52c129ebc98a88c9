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
from scoop.core import opml
from scoop.errors import UsageError
from scoop.http import permissions, routes
from scoop.http.deps import At, By, Desk, Reads, Writes
from scoop.http.links import INVENTED
from scoop.http.routes import needs
from scoop.model import Source, SourceSettings
from scoop.store import source_pages, sources
from scoop.store.db import Connection
from scoop.web import forms, option_fields, pages, source_preview
from scoop.web import sources as shown
from scoop.web.context import For, Reader
from scoop.web.forms import Asked, Fields, Typed, WithFile
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
        return source_actions.settings({**base, **told, "options": self.options | own})


@router.get("/sources/add")
@needs("edit")
async def add_page(desk: At, by: By, reader: For, asked: Asked) -> Response:
    """One box; with something in it, what it would bring and what is still to be chosen."""
    async with desk.reading() as conn:
        collections = await source_pages.collections(conn)
        if not asked["target"]:
            return _page(reader, collections, asked)
        try:
            pasted = _pasted(desk, asked)
            options = option_fields.told(shown.fields_of(pasted.kind, reader), asked, {})
            settings = pasted.settings({"options": options})
            permissions.check_source(by, replace(settings, options=options))
        except UsageError as error:
            return _page(reader, collections, asked, problems=Fields(target=str(error)))
        known = await _known(conn, settings)
    only = collections[0] if len(collections) == 1 else ""
    values = Fields({**shown.values_of(settings, reader), "collection": only})
    look = None if known else await source_preview.look(desk, settings)
    return _page(reader, collections, asked, settings=settings, known=known, look=look, values=values)


def _pasted(desk: Desk, given: Fields) -> Pasted:
    """UsageError for what is no address and no short form of one."""
    target, options = _on_newsstand(given["target"][:MAX_TARGET], desk.newsstand)
    kind, own = source_actions.understood(target, kind=given["kind"] or None)
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
    alike = await sources.listed(conn, kind=settings.kind)
    return next((each for each in alike if _subject(each) == _subject(settings)), None)


def _subject(settings: SourceSettings) -> tuple[str, dict[str, Any]]:
    """What tells two sources of a kind apart: their address, and the options that are not about how it is asked."""
    shared = kinds.Options.__struct_fields__
    return settings.base_url, {name: value for name, value in settings.options.items() if name not in shared}


def _page(
    reader: Reader, collections: list[str], asked: Fields, *, settings: SourceSettings | None = None,
    known: Source | None = None, look: Look | None = None, values: Fields | None = None,
    problems: Fields | None = None,
) -> Response:  # fmt: skip
    return pages.page(
        "source_add.html", reader, status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        asked=asked, settings=settings, known=known, look=look,
        values=values or Fields(),
        problems=problems or Fields(),
        fields=shown.fields_of(settings.kind, reader) if settings else [],
        kinds=sorted(source_actions.kinds()),
        collections=collections, schedules=shown.SCHEDULES, seconds=source_preview.LONGEST_SECONDS,
    )  # fmt: skip


@router.post("/sources/add")
@needs("edit")
async def add_source(desk: At, by: By, conn: Writes, reader: For, form: Typed) -> Response:
    collections = await source_pages.collections(conn)
    try:
        pasted = _pasted(desk, form)
    except UsageError as error:
        return _page(reader, collections, form, problems=Fields(target=str(error)))
    given = shown.settings_told(form)
    options = option_fields.told(shown.fields_of(pasted.kind, reader), form, {})
    if problems := shown.wrong_settings(given, options, pasted.settings):
        settings = SourceSettings(slug="", name="", kind=pasted.kind, collection="", base_url=pasted.target)
        return _page(reader, collections, form, settings=settings, values=form, problems=problems)
    settings = pasted.settings({**given, "options": options})
    permissions.check_source(
        by, replace(settings, options=options)
    )  # what was pasted leads nowhere but to the newsstand
    if known := await _known(conn, settings):
        return _page(
            reader,
            collections,
            form,
            settings=settings,
            known=known,
            values=form,
            problems=Fields({forms.WHOLE: THERE}),
        )
    slugs = {source.slug for source in await sources.listed(conn)}
    added = await source_actions.add(conn, source_actions.apart(settings, slugs))
    return pages.onward(f"/sources/{added.slug}", notice=f"{added.name} is added; its first visit is due now.")


@router.get("/sources/import")
@needs("edit")
async def import_page(conn: Reads, reader: For) -> Response:
    return _import_page(reader, await source_pages.collections(conn))


@router.post("/sources/import")
@needs("edit")
async def import_sources(desk: At, reader: For, sent: WithFile) -> Response:
    form = sent.fields
    collection, schedule = form["collection"], form["schedule"]
    base = {"target": "https://example.org/", "collection": "news"}
    problems = forms.wrong(
        {"collection": collection, "schedule": schedule}, lambda told: source_actions.settings({**base, **told})
    )
    if not sent.file:
        problems["file"] = "choose the file that your feed reader exported"
    async with desk.reading() as conn:
        collections = await source_pages.collections(conn)
    if problems:
        return _import_page(reader, collections, values=form, problems=problems)
    outlines = opml.read(sent.file)
    async with desk.database.transaction() as conn:  # thousands of feeds take longer than a reader is kept waiting
        imported = await source_actions.take_in(conn, outlines, collection=collection, schedule=schedule)
    return _import_page(
        reader, collections, values=form, outlines_problems=outlines.problems,
        imported=[replace(feed, url=opml.without_secrets(feed.url)) for feed in imported],
    )  # fmt: skip


def _import_page(
    reader: Reader, collections: list[str], *, values: Fields | None = None,
    problems: Fields | None = None, imported: list[source_actions.Imported] | None = None,
    outlines_problems: tuple[str, ...] = (),
) -> Response:  # fmt: skip
    return pages.page(
        "source_import.html", reader, status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        collections=collections, schedules=shown.SCHEDULES, values=values or Fields(collection="news", schedule="1h"),
        problems=problems or Fields(), imported=imported, outlines_problems=outlines_problems,
    )  # fmt: skip


@router.get("/sources/export.opml")
@needs("read")
async def export_sources(conn: Reads, reader: For, asked: Asked) -> Response:
    """The feeds as feed readers take them, without what is secret in their addresses."""
    content = await source_actions.exported(conn, collection=asked["collection"] or None, now=reader.now)
    headers = {"Content-Disposition": 'attachment; filename="scoop.opml"'}
    return Response(content, media_type="text/x-opml", headers=headers)
