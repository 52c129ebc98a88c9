"""Pages that add a curator and change its settings; its interests can be tried before it is added."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from fastapi import Response

from scoop.actions import curators as actions
from scoop.actions import topics as topic_actions
from scoop.actions.curator_settings import OWN_SETTINGS, SETTINGS, TIMEZONE
from scoop.actions.curators import InterestTrial
from scoop.errors import Conflict, UsageError
from scoop.http import deps, permissions, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn
from scoop.http.routes import needs
from scoop.model import Topic
from scoop.store import curators as store
from scoop.store import topics
from scoop.store.curators import Curator, CuratorSettings
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.web import explain, forms, interest_fields, pages, setting_fields
from scoop.web.context import Context, PageContext
from scoop.web.curators import CuratorSlug
from scoop.web.forms import FormFields, FormValues
from scoop.web.interest_fields import TypedInterests

router = routes.for_pages()
OWN = frozenset(setting.name for setting in OWN_SETTINGS)
RESERVED = "new"  # the address of the page that adds curators


@router.get("/curators/new")
@needs("edit")
async def add_page(conn: ReadConn, context: PageContext) -> Response:
    values = FormValues({**_values(_new()), **interest_fields.show(None)})
    return await _page(conn, context, None, _typed(values))


@router.post("/curators/new")
@needs("edit")
async def add_curator(desk: CurrentDesk, by: CurrentVisitor, context: PageContext, form: FormFields) -> Response:
    """Try the interests or add the curator; invalid fields are marked, and no input is lost."""
    has_interests = not interest_fields.is_blank(form)
    typed = interest_fields.edit(form) if has_interests or not form["interests_from"] else _typed(form)
    if form["do"] not in {"save", "try"}:
        async with desk.reading() as conn:
            return await _page(conn, context, None, typed)
    problems = FormValues({**typed.problems, **_problems(form, None)})
    if problems:
        async with desk.reading() as conn:
            return await _page(conn, context, None, typed, problems=problems)
    if form["do"] == "try":
        return await _trial_page(desk, context, typed)
    given = {"slug": form["slug"], **setting_fields.read(SETTINGS, form)}
    permissions.check_interests_from(by, given["interests_from"])
    try:
        async with desk.writing() as conn:
            sources = forms.split_lines(form["sources"])
            curator = await actions.add(conn, given, typed.interests, sources=sources, origin="page", by=by.name)
    except Conflict as error:
        async with desk.reading() as conn:
            return await _page(conn, context, None, typed, problems=FormValues(slug=str(error)))
    notice = f"{curator.topic_name} added. Add a channel next: without one it posts nowhere."
    return pages.redirect_with_notice(f"/curators/{curator.topic_slug}", notice=notice)


async def _trial_page(desk: Desk, context: Context, typed: TypedInterests) -> Response:
    """The form with what its interests would have caught."""
    form, trial = typed.values, None
    if typed.interests is not None:
        shared = {name: value for name, value in setting_fields.read(SETTINGS, form).items() if name not in OWN}
        settings = topic_actions.settings({"slug": "any", **shared}, timezone=TIMEZONE)
        rules = [topic_actions.source_rule(source, "include") for source in forms.split_lines(form["sources"])]
        topic = replace(_new(), collections=settings.collections, source_rules=tuple(rules))
        trial = await deps.try_interests(desk, topic, typed.interests, used=None)
    async with desk.reading() as conn:
        return await _page(conn, context, None, typed, trial=trial)


@router.get("/curators/{slug}/settings")
@needs("edit")
async def settings_page(conn: ReadConn, context: PageContext, slug: CuratorSlug) -> Response:
    curator, topic = await store.by_slug(conn, slug), await topics.by_slug(conn, slug)
    return await _page(conn, context, curator, _typed(_values(topic, curator)))


@router.post("/curators/{slug}/settings")
@needs("edit")
async def change_settings(
    desk: CurrentDesk, by: CurrentVisitor, context: PageContext, slug: CuratorSlug, form: FormFields
) -> Response:
    async with desk.reading() as conn:
        curator, topic = await store.by_slug(conn, slug), await topics.by_slug(conn, slug)
        if problems := _problems(form, topic):
            return await _page(conn, context, curator, _typed(form), problems=problems)
    given = setting_fields.read(SETTINGS, form)
    permissions.check_interests_from(by, given["interests_from"], curator.interests_from)
    try:
        async with desk.writing() as conn:
            changed = await actions.change(conn, slug, given, sources=forms.split_lines(form["sources"]))
    except Conflict as error:
        async with desk.reading() as conn:
            return await _page(conn, context, curator, _typed(form), problems=FormValues({forms.WHOLE: str(error)}))
    return pages.redirect_with_notice(f"/curators/{slug}", notice=f"{changed.topic_name} saved.")


def _new() -> Topic:
    """A curator's topic that is not added yet."""
    return Topic(topic_slug="", topic_name="", topic_id=0, timezone=TIMEZONE)


def _typed(values: FormValues) -> TypedInterests:
    return TypedInterests(values=values, interests=None, problems=FormValues())


def _values(topic: Topic, curator: CuratorSettings | None = None) -> FormValues:
    """The settings of a curator as form values."""
    own = setting_fields.show(OWN_SETTINGS, curator or CuratorSettings())
    sources = "\n".join(rule.source for rule in topic.source_rules if rule.rule_type == "include")
    return FormValues({**setting_fields.show(SETTINGS, topic), **own, "sources": sources})


def _problems(form: FormValues, known: Topic | None) -> FormValues:
    """Errors of the settings by field."""
    if known is None and (problems := forms.find_problems({"slug": form["slug"]}, _check_slug)):
        return FormValues(slug=problems["slug"] or problems[forms.WHOLE])
    slug = {} if known else {"slug": form["slug"]}

    def build(values: Mapping[str, Any]) -> None:
        actions.settings({name: value for name, value in values.items() if name in OWN})
        shared = {name: value for name, value in values.items() if name not in OWN}
        topic_actions.settings({**slug, **shared}, known, timezone=TIMEZONE)

    return forms.find_problems(setting_fields.read(SETTINGS, form), build)


def _check_slug(values: Mapping[str, Any]) -> None:
    """UsageError if a new curator cannot have this slug; a missing slug is not an error yet."""
    if values.get("slug") == RESERVED:
        raise UsageError("a curator cannot have the slug new: that is the address of the page that adds curators")
    topic_actions.settings({"slug": "any", **values})


async def _page(
    conn: Connection,
    context: Context,
    curator: Curator | None,
    typed: TypedInterests,
    *,
    problems: FormValues | None = None,
    trial: InterestTrial | None = None,
) -> Response:
    found = problems if problems is not None else typed.problems
    return pages.page(
        "curator_settings.html",
        context,
        status=HTTPStatus.BAD_REQUEST if found else HTTPStatus.OK,
        curator=curator,
        typed=typed,
        values=typed.values,
        rows=interest_fields.shown_rows(typed.values),
        problems=found,
        trial=trial,
        score_bars=explain.score_bars,
        fields=setting_fields.list_fields(SETTINGS),
        suggestions={"collections": await collection_reads.list_names(conn)},
    )
