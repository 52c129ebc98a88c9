"""Pages to add sources: a preview of one address, the import of an OPML file; and the export.

Their routes must come before those of `sources`, where any name after /sources/ is the slug of a source.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from fastapi import Response

from scoop.actions import settings as definition
from scoop.actions import source_lists
from scoop.actions import sources as source_actions
from scoop.actions.source_settings import MAX_URL, SETTINGS
from scoop.core import opml, redaction, urls
from scoop.errors import UsageError
from scoop.http import disclosure, permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.links import INVENTED
from scoop.http.routes import needs
from scoop.model import Source, SourceSettings
from scoop.store.reads import collections as collection_reads
from scoop.web import forms, option_fields, pages, setting_fields, source_preview
from scoop.web import sources as source_pages
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues, QueryFields, UploadForm
from scoop.web.setting_fields import SettingField
from scoop.web.source_preview import Look

router = routes.for_pages()
EXISTS = "this source exists; nothing was added"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """An address or short form that somebody typed, with the kind and the options that it stands for."""

    target: str
    kind: str
    options: dict[str, Any]

    def read_settings(self, patch: Mapping[str, Any]) -> SourceSettings:
        """The source that it makes with the patch of a form; UsageError names what is wrong."""
        own = {name: value for name, value in patch.get("options", {}).items() if value is not None}
        base = {"target": self.target, "kind": self.kind, "collection": "news"}
        return source_actions.read_settings({**base, **patch, "options": self.options | own})


@router.get("/sources/add")
@needs("edit")
async def add_page(desk: CurrentDesk, by: CurrentVisitor, context: PageContext, query: QueryFields) -> Response:
    """The form for an address; with an address, what a fetch would bring, and the settings of the new source."""
    async with desk.reading() as conn:
        collections = await collection_reads.list_names(conn)
        if not query["target"]:
            return _page(context, collections, query)
        try:
            candidates = [_preview_settings(by, context, target, query) for target in _resolve(desk, query)]
        except UsageError as error:
            return _page(context, collections, query, problems=FormValues(target=_problem(error)))
        known = await source_actions.find_alike(conn, candidates)
    settings, look = (candidates[0], None) if known else await source_preview.look_first(desk, candidates)
    only = collections[0] if len(collections) == 1 else ""
    shown = replace(settings, name=look.name or settings.name) if look else settings
    values = FormValues({**source_pages.show_values(shown, context), "collection": only})
    typed = _resolve(desk, query)[candidates.index(settings)]
    return _page(
        context, collections, query, target=typed.target, settings=settings, known=known, look=look, values=values
    )


def _preview_settings(
    by: CurrentVisitor, context: PageContext, target: ResolvedTarget, form: FormValues
) -> SourceSettings:
    """The source to preview; Forbidden where its options may reach an internal address."""
    options = option_fields.read_values(source_pages.list_option_fields(target.kind, context), form, {})
    settings = target.read_settings({"options": options})
    permissions.check_source(by, replace(settings, options=options))
    return settings


def _resolve(desk: Desk, form: FormValues) -> list[ResolvedTarget]:
    """What a typed address may mean, https before http; UsageError where it is neither address nor short form."""
    typed, options = _on_newsstand(form["target"][:MAX_URL], desk.newsstand)
    resolved = []
    for target in urls.candidate_urls(typed):
        kind, own = source_actions.resolve_target(target, kind=form["kind"] or None)
        resolved.append(ResolvedTarget(target=target, kind=kind, options=options | own))
    return resolved


def _problem(error: UsageError) -> str:
    return str(error).removeprefix("target: ")


def _on_newsstand(target: str, newsstand: str | None) -> tuple[str, dict[str, Any]]:
    """An address of the demo's newsstand is fetched there, under the name of the fictional site."""
    if not newsstand:
        return target, {}
    here = {"connect_to": urlsplit(newsstand).netloc}
    site = target.removeprefix(f"{newsstand}/")
    if site and site != target:
        return f"http://{site}", here
    host = target.partition("://")[2].partition("/")[0]
    return target, here if host.endswith(INVENTED) else {}


def _page(
    context: PageContext,
    collections: list[str],
    query: FormValues,
    *,
    target: str = "",
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
        query=query,
        target=target or query["target"],
        address=redaction.redact_text(settings.base_url) if settings else "",
        settings=settings,
        known=known,
        look=look,
        values=values or FormValues(),
        problems=problems or FormValues(),
        target_field=next(field for field in setting_fields.list_fields(SETTINGS) if field.key == source_pages.TARGET),
        fields=source_pages.list_setting_fields(),
        options=source_pages.list_option_fields(settings.kind, context) if settings else [],
        suggestions=source_pages.suggestions(collections),
        kinds=sorted(source_actions.kinds()),
        seconds=source_preview.LONGEST_SECONDS,
    )


@router.post("/sources/add")
@needs("edit")
async def add_source(
    desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, context: PageContext, form: FormFields
) -> Response:
    collections = await collection_reads.list_names(conn)
    try:
        target = _resolve(desk, form)[0]
    except UsageError as error:
        return _page(context, collections, form, problems=FormValues(target=_problem(error)))
    patch = source_pages.read_patch(form)
    options = option_fields.read_values(source_pages.list_option_fields(target.kind, context), form, {})
    if problems := source_pages.list_problems(patch, options, target.read_settings):
        typed = SourceSettings(slug="", name="", kind=target.kind, collection="", base_url=target.target)
        return _page(context, collections, form, settings=typed, values=form, problems=problems)
    settings = target.read_settings({**patch, "options": options})
    permissions.check_source(by, replace(settings, options=options))  # those of the target reach only the newsstand
    if known := await source_actions.find_alike(conn, [settings]):
        exists = FormValues({forms.WHOLE: EXISTS})
        return _page(context, collections, form, settings=settings, known=known, values=form, problems=exists)
    added = await source_actions.add(conn, settings, has_slug=False)
    notice = "Source added. Its first fetch is due now."
    if context.is_demo and "connect_to" not in settings.options:
        notice += " The demo is still shown: remove it at the top of the page."
    return pages.redirect_with_notice(f"/sources/{added.slug}", notice=notice)


@router.get("/sources/import")
@needs("edit")
async def import_page(conn: ReadConn, context: PageContext) -> Response:
    return _import_page(context, await collection_reads.list_names(conn))


@router.post("/sources/import")
@needs("edit")
async def import_sources(desk: CurrentDesk, context: PageContext, sent: UploadForm) -> Response:
    collection, schedule = sent.fields["collection"], sent.fields["schedule"]
    given = {"collection": collection, "schedule": schedule}
    problems = forms.find_problems(given, lambda values: definition.check(SETTINGS, values))
    if not sent.file:
        problems["file"] = "choose the file that your feed reader exported"
    async with desk.reading() as conn:
        collections = await collection_reads.list_names(conn)
    if problems:
        return _import_page(context, collections, values=sent.fields, problems=problems)
    outlines = opml.read(sent.file)
    async with desk.database.transaction() as conn:  # thousands of feeds take longer than the time limit of a request
        imported = await source_lists.import_opml(conn, outlines, collection=collection, schedule=schedule)
    return _import_page(
        context,
        collections,
        values=sent.fields,
        outlines_problems=outlines.problems,
        imported=[replace(feed, url=redaction.redact_url(feed.url)) for feed in imported],
    )


def _import_page(
    context: PageContext,
    collections: list[str],
    *,
    values: FormValues | None = None,
    problems: FormValues | None = None,
    imported: list[source_lists.FeedImport] | None = None,
    outlines_problems: tuple[str, ...] = (),
) -> Response:
    chosen = FormValues(collection="news", schedule=definition.default(SourceSettings, "schedule"))
    return pages.page(
        "source_import.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        fields=[_import_field(field) for field in source_pages.list_setting_fields() if field.key in chosen],
        suggestions=source_pages.suggestions(collections),
        values=values or chosen,
        problems=problems or FormValues(),
        imported=imported,
        outlines_problems=outlines_problems,
    )


def _import_field(field: SettingField) -> SettingField:
    return replace(field, about="For feeds that are in no folder.") if field.key == "collection" else field


@router.get("/sources/export.opml")
@needs("read")
async def export_sources(conn: ReadConn, by: CurrentVisitor, context: PageContext, query: QueryFields) -> Response:
    """The feeds as OPML; `secrets=show` gives whole addresses, to admins."""
    secrets = disclosure.check_secrets(by, query["secrets"])
    content = await source_lists.export_opml(
        conn, collection=query["collection"] or None, now=context.now, secrets=secrets
    )
    headers = {"Content-Disposition": 'attachment; filename="scoop.opml"'}
    return Response(content, media_type="text/x-opml", headers=headers)
