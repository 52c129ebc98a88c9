"""Topic pages: settings, rules, channels and suppressed stories; rules can be tested before they are saved."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import Path, Response

from scoop.actions import topics
from scoop.actions.topic_settings import MAX_RULES, MAX_SLUG, SETTINGS
from scoop.core import digest_windows
from scoop.core import topics as core
from scoop.core.topics import Trial
from scoop.errors import Conflict, NotFound, UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import KeywordRule, Topic
from scoop.store import curators, sources
from scoop.store import topics as store
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.web import forms, pages, setting_fields
from scoop.web.context import PageContext
from scoop.web.forms import FormFields, FormValues

router = routes.for_pages()
TopicSlug = Annotated[str, Path(pattern=rf"^[a-z0-9_]{{1,{MAX_SLUG}}}$")]

BLANK_RULES = 5  # rows for new rules
MOST_TRIED = 2000  # latest stories that rules are tested on
SPANS = (1, 3, 7, 14, 30)
SHOWN_SUPPRESSIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTest:
    """The result of testing rules, saved or not, over some days."""

    days: int
    trial: Trial


@router.get("/topics")
@needs("read")
async def topics_page(conn: ReadConn, context: PageContext) -> Response:
    found = await store.list_topics(conn)
    channels = await store.channels_by_topic(conn)
    return pages.page("topics.html", context, topics=found, channels=channels, next_digest=next_digest, local=local)


def _new(context: PageContext) -> Topic:
    """A topic that is not added yet, in the desk's timezone."""
    return Topic(topic_slug="", topic_name="", topic_id=0, timezone=str(context.timezone))


def next_digest(topic: Topic, now: datetime) -> datetime:
    return digest_windows.upcoming(topic.digest_cron, topic.timezone, now)


def local(topic: Topic, moment: datetime) -> str:
    """A moment in a topic's timezone, with its name."""
    there = moment.astimezone(ZoneInfo(topic.timezone))
    return f"{there:%a} {there.day} {there:%b, %H:%M} {topic.timezone}"


@router.get("/topics/add")
@needs("edit")
async def add_page(conn: ReadConn, context: PageContext) -> Response:
    topic = _new(context)
    return await _page(conn, context, topic, values_of(topic))


@router.post("/topics/add")
@needs("edit")
async def add_topic(desk: CurrentDesk, context: PageContext, form: FormFields) -> Response:
    problems = _wrong(form, None)
    if problems or form["do"] == "try":
        async with desk.reading() as conn:
            return await _page_as_typed(desk, conn, context, _new(context), form, problems)
    given = {"slug": form["slug"], **_form_table(form)}
    async with desk.writing() as conn:
        try:
            added = await topics.add(conn, topics.settings(given, timezone=str(context.timezone)))
        except Conflict as error:
            return await _page(conn, context, _new(context), form, problems=FormValues(slug=str(error)))
        await topics.edit(conn, added.topic_slug, given, timezone=str(context.timezone))
    return pages.redirect_with_notice(
        f"/topics/{added.topic_slug}", notice=f"{added.topic_name} added. Add a channel next."
    )


@router.get("/topics/{slug}")
@needs("read")
async def topic_page(conn: ReadConn, context: PageContext, slug: TopicSlug) -> Response:
    topic = await store.by_slug(conn, slug)
    return await _page(conn, context, topic, values_of(topic))


@router.post("/topics/{slug}")
@needs("edit")
async def change_topic(desk: CurrentDesk, context: PageContext, slug: TopicSlug, form: FormFields) -> Response:
    """Test or save the form; invalid fields are marked, and no input is lost."""
    async with desk.reading() as conn:
        topic = await store.by_slug(conn, slug)
        problems = _wrong(form, topic)
        if problems or form["do"] == "try":
            return await _page_as_typed(desk, conn, context, topic, form, problems)
    async with desk.writing() as conn:
        changed = await topics.edit(conn, slug, _form_table(form), timezone=str(context.timezone))
    return pages.redirect_with_notice(f"/topics/{slug}", notice=f"{changed.topic_name} saved.")


async def _page_as_typed(
    desk: Desk, conn: Connection, context: PageContext, topic: Topic, form: FormValues, problems: FormValues
) -> Response:
    """The form again, with its errors, or else with the result of the test."""
    if problems:
        return await _page(conn, context, topic, form, problems=problems)
    days = int(form["days"]) if form["days"] in map(str, SPANS) else SPANS[2]
    wanted = _as_typed(topic, _form_table(form))
    trial = await topics.try_rules(conn, wanted, since=desk.clock() - timedelta(days=days), limit=MOST_TRIED)
    return await _page(conn, context, topic, form, tried=RuleTest(days=days, trial=trial))


async def _page(
    conn: Connection,
    context: PageContext,
    topic: Topic,
    values: FormValues,
    *,
    problems: FormValues | None = None,
    tried: RuleTest | None = None,
) -> Response:
    rules = list(rows(values))
    return pages.page(
        "topic.html",
        context,
        status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK,
        topic=topic,
        is_curator=await curators.find(conn, topic.topic_id) is not None,
        channels=await store.list_channels(conn, topic.topic_id),
        suppressions=await store.list_suppressions(conn, topic.topic_id, limit=SHOWN_SUPPRESSIONS),
        values=values,
        rows=rules + [FormValues(weight="1", enabled="true")] * BLANK_RULES,
        problems=problems or FormValues(),
        tried=tried,
        unknown=await _unknown_sources(conn, values) if tried else [],
        spans=SPANS,
        fields=setting_fields.list_fields(SETTINGS),
        suggestions={"collections": await collection_reads.list_names(conn)},
        next_digest=next_digest,
        local=local,
        problem_of=core.problem,
    )


async def _unknown_sources(conn: Connection, values: FormValues) -> list[str]:
    """Sources that rules name but that are not configured; pushed items may still use these names."""
    known = {source.slug for source in await sources.list_sources(conn)}
    return [name for field in topics.SOURCE_LISTS for name in forms.split_lines(values[field]) if name not in known]


def values_of(topic: Topic) -> FormValues:
    """A topic as form values."""
    by_type = {
        name: "\n".join(rule.source for rule in topic.source_rules if rule.rule_type == rule_type)
        for name, rule_type in topics.SOURCE_LISTS.items()
    }
    settings = {**setting_fields.show(SETTINGS, topic), "slug": topic.topic_slug, "rows": str(len(topic.keyword_rules))}
    rules = {
        f"{field}-{place}": value
        for place, rule in enumerate(topic.keyword_rules)
        for field, value in _row(rule).items()
    }
    return FormValues({**settings, **by_type, **rules})


def _row(rule: KeywordRule) -> dict[str, str]:
    return {
        "pattern": rule.pattern,
        "rule_type": rule.rule_type,
        "is_regex": str(rule.is_regex).lower(),
        "weight": str(rule.weight),
        "enabled": str(rule.enabled).lower(),
    }


def rows(form: FormValues) -> Iterator[FormValues]:
    """The form rows that hold a rule."""
    for place in range(forms.count_rows(form["rows"], most=MAX_RULES)):
        if form[f"pattern-{place}"]:
            yield FormValues({field: form[f"{field}-{place}"] for field in _row(KeywordRule(pattern=""))})


def _form_table(form: FormValues) -> dict[str, Any]:
    """The form as a table of scoop.toml."""
    keywords: dict[str, list[dict[str, Any]]] = {name: [] for name in topics.KEYWORD_LISTS}
    for row in rows(form):
        keywords[_list_of(row)].append(_keyword(row))
    return {
        **setting_fields.read(SETTINGS, form),
        **{name: forms.split_lines(form[name]) for name in topics.SOURCE_LISTS},
        **keywords,
    }


def _list_of(row: FormValues) -> str:
    return "exclude_keywords" if row["rule_type"] == "exclude" else "keywords"


def _keyword(row: FormValues) -> dict[str, Any]:
    return {
        "pattern": row["pattern"],
        "is_regex": row["is_regex"] == "true",
        "weight": row["weight"] or "1",
        "enabled": row["enabled"] == "true",
    }


def _wrong(form: FormValues, known: Topic | None) -> FormValues:
    """Errors of the form by field; errors of rules by row number."""
    if known is None and (problems := forms.find_problems({"slug": form["slug"]}, _check_slug)):
        return FormValues(slug=problems["slug"] or problems[forms.WHOLE])
    slug = {} if known else {"slug": form["slug"]}
    settings = setting_fields.read(SETTINGS, form)
    problems = forms.find_problems(settings, lambda values: topics.settings({**slug, **values}, known))
    for place, row in enumerate(rows(form)):
        try:
            topics.keyword_rule(_keyword(row), topics.KEYWORD_LISTS[_list_of(row)])
        except UsageError as error:
            problems[f"rule-{place}"] = str(error)
    return problems


def _check_slug(values: Mapping[str, Any]) -> None:
    """UsageError if a new topic cannot have this slug; an empty slug is not an error yet."""
    if values.get("slug") == "add":
        raise UsageError("a topic cannot have the slug add: that is the address of the page that adds topics")
    topics.settings({"slug": "any", **values})


def _as_typed(topic: Topic, given: Mapping[str, Any]) -> Topic:
    """The topic as the form describes it."""
    source_rules, keyword_rules = topics.rules(given)
    collections = given["collections"]
    return replace(topic, collections=collections, source_rules=tuple(source_rules), keyword_rules=tuple(keyword_rules))


@router.post("/topics/{slug}/enable")
@needs("edit")
async def enable_topic(conn: WriteConn, slug: TopicSlug) -> Response:
    await store.set_enabled(conn, slug, enabled=True)
    return pages.redirect_with_notice(f"/topics/{slug}", notice="Topic enabled.")


@router.post("/topics/{slug}/disable")
@router.post("/topics/{slug}/rest")  # the address of earlier versions
@needs("edit")
async def disable_topic(conn: WriteConn, slug: TopicSlug) -> Response:
    await store.set_enabled(conn, slug, enabled=False)
    return pages.redirect_with_notice(f"/topics/{slug}", notice="Topic disabled. Its digests stop; nothing is deleted.")


@router.post("/topics/{slug}/remove")
@needs("edit")
async def remove_topic(conn: WriteConn, slug: TopicSlug) -> Response:
    topic = await store.by_slug(conn, slug)
    try:
        await store.remove(conn, slug)
    except UsageError as error:
        raise Conflict(f"{topic.topic_name} has posted digests, which are kept: disable it instead") from error
    return pages.redirect_with_notice("/topics", notice=f"{topic.topic_name} removed. Its stories stay.")


@router.post("/topics/{slug}/suppress")
@needs("edit")
async def suppress_story(conn: WriteConn, context: PageContext, slug: TopicSlug, form: FormFields) -> Response:
    topic = await store.by_slug(conn, slug)
    name = form["story"].rstrip("/").rpartition("/")[2]
    try:
        await topics.suppress(conn, slug, name, form["reason"])
    except (NotFound, UsageError) as error:
        problems = FormValues(story=str(error))
        values = FormValues({**values_of(topic), "story": form["story"], "reason": form["reason"]})
        return await _page(conn, context, topic, values, problems=problems)
    return pages.redirect_with_notice(f"/topics/{slug}#suppressed", notice="Story suppressed in this topic's digests.")


@router.post("/topics/{slug}/unsuppress")
@needs("edit")
async def unsuppress_story(conn: WriteConn, slug: TopicSlug, form: FormFields) -> Response:
    await topics.unsuppress(conn, slug, form["story"])
    return pages.redirect_with_notice(f"/topics/{slug}#suppressed", notice="Story allowed again.")
