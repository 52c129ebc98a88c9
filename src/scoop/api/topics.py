"""Topics in the API: settings, rules, channels, tests and suppressed stories."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from scoop.actions import topics
from scoop.actions.topic_settings import COLLECTIONS, MAX_RULES, SETTINGS
from scoop.api import document
from scoop.core import digest_windows
from scoop.core import topics as core
from scoop.core.access import Visitor
from scoop.core.topics import Trial
from scoop.errors import Conflict, UsageError
from scoop.http import permissions, responses, routes, setting_models
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import invalid
from scoop.http.params import AnySlug, LongText, OptionValues, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.model import KeywordRule, RuleType, SourceRule, Topic
from scoop.store import topics as store
from scoop.store.db import Connection
from scoop.store.topics import TopicChannel

router = routes.for_programs("Topics")

MOST_TRIED = 2000  # latest stories that rules are tested on
NULLABLE = {"discord_channel_id"}  # null removes it; another setting that is null keeps its value


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicReport:
    """A topic with its rules and channels, and its next due time; options are visible to editors only."""

    topic_id: int
    topic_slug: str
    topic_name: str
    timezone: str
    digest_cron: str
    collections: list[str]
    max_entries: int
    max_per_family: int
    discord_channel_id: str | None
    enabled: bool
    source_rules: list[SourceRule]
    keyword_rules: list[KeywordRule]
    channels: list[TopicChannel]
    next_digest_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionState:
    """Whether a story is suppressed in a topic's digests, and why."""

    topic_slug: str
    story_id: int
    suppressed: bool
    suppression_reason: str | None


class GivenSourceRule(RequestModel):
    source: ShortText
    rule_type: RuleType = "include"


class GivenKeywordRule(RequestModel):
    pattern: Annotated[str, Field(min_length=1, max_length=core.MAX_PATTERN)]
    rule_type: RuleType = "include"
    is_regex: bool = False
    weight: Annotated[int, Field(ge=1, le=core.MAX_RULE_WEIGHT)] = 1
    enabled: bool = True


class Rules(setting_models.patch_model("Rules", [COLLECTIONS])):  # type: ignore[misc]  # made at run time
    """The rules of a topic; a list replaces the whole list."""

    source_rules: Annotated[list[GivenSourceRule], Field(max_length=MAX_RULES)] | None = None
    keyword_rules: Annotated[list[GivenKeywordRule], Field(max_length=MAX_RULES)] | None = None


class TopicChanges(Rules, setting_models.patch_model("TopicChanges", SETTINGS)):  # type: ignore[misc]
    """Fields to change; omitted fields keep their value."""


class NewTopic(Rules, setting_models.new_model("NewTopic", SETTINGS)):  # type: ignore[misc]
    """A new topic; omitted fields have their default."""


class OneRule(RequestModel):
    """A source rule or a keyword rule."""

    source_rule: GivenSourceRule | None = None
    keyword_rule: GivenKeywordRule | None = None


class NamedRule(RequestModel):
    """The rule of a source, or of a keyword's pattern."""

    source: ShortText | None = None
    pattern: Annotated[str, Field(min_length=1, max_length=core.MAX_PATTERN)] | None = None
    rule_type: RuleType = "include"


class ChannelParams(RequestModel):
    """A channel of a topic; options name secrets, never contain them."""

    kind: ShortText
    options: OptionValues = Field(default_factory=dict)
    enabled: bool = True


class Kept(RequestModel):
    """A story, by its number or its UUID."""

    story: ShortText
    reason: LongText = ""


class Released(RequestModel):
    story: ShortText


@router.get("/topics", response_model=list[TopicReport])
@needs("read")
async def list_topics(request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn) -> Response:
    """All topics with their rules, schedule and channels."""
    channels = await store.channels_by_topic(conn)
    found = [_report(topic, channels.get(topic.topic_id, []), desk, by) for topic in await store.list_topics(conn)]
    return responses.json(request, found)


@router.post("/topics", response_model=TopicReport, status_code=201, responses=document.problems(HTTPStatus.CONFLICT))
@needs("edit")
async def add_topic(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, body: NewTopic
) -> Response:
    """Add a topic; without collections and source rules it takes stories from everywhere."""
    await topics.add(conn, topics.settings(_table(body), timezone=desk.config.timezone))
    await topics.edit(conn, body.topic_slug, _table(body), timezone=desk.config.timezone)
    headers = {"Location": f"/api/v1/topics/{body.topic_slug}"}
    report = await _read(conn, body.topic_slug, desk, by)
    return responses.json(request, report, status=HTTPStatus.CREATED, headers=headers)


@router.get("/topics/{slug}", response_model=TopicReport)
@needs("read")
async def get_topic(request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: ReadConn, slug: AnySlug) -> Response:
    """One topic."""
    return responses.json(request, await _read(conn, slug, desk, by))


@router.patch(
    "/topics/{slug}",
    response_model=TopicReport,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def change_topic(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, body: TopicChanges
) -> Response:
    """Change a topic; omitted fields keep their value, a list of rules replaces the current one."""
    await store.lock(conn, slug)
    responses.check_unchanged(request, await _read(conn, slug, desk, by))
    await topics.edit(conn, slug, _table(body), timezone=desk.config.timezone)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.delete(
    "/topics/{slug}",
    status_code=204,
    openapi_extra=document.IF_MATCH,
    responses=document.problems(HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED),
)
@needs("edit")
async def remove_topic(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Delete a topic that has posted no digest yet, with the digests that were only made; disable it otherwise."""
    await store.lock(conn, slug)
    responses.check_unchanged(request, await _read(conn, slug, desk, by))
    try:
        await store.remove(conn, slug)
    except UsageError as error:
        raise Conflict(str(error)) from error
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/topics/{slug}/enable", response_model=TopicReport)
@needs("edit")
async def enable_topic(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Enable a topic."""
    await store.set_enabled(conn, slug, enabled=True)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.post("/topics/{slug}/disable", response_model=TopicReport)
@needs("edit")
async def disable_topic(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug
) -> Response:
    """Disable a topic: it takes no stories and has no digests. Nothing is deleted."""
    await store.set_enabled(conn, slug, enabled=False)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.post("/topics/{slug}/test", response_model=Trial)
@needs("edit")
async def try_topic(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    slug: AnySlug,
    days: Annotated[int, Query(ge=1, le=365)] = 7,
    body: Rules | None = None,
) -> Response:
    """Test a topic's rules, or the given ones, on the latest 2,000 stories within its bounds."""
    topic = await store.by_slug(conn, slug)
    table = _table(body or Rules())
    sources, keywords = topics.rules(table, topic)
    wanted = replace(
        topic,
        collections=topics.settings(table, topic).collections,
        source_rules=tuple(sources),
        keyword_rules=tuple(keywords),
    )
    since = desk.clock() - timedelta(days=days)
    return responses.json(request, await topics.try_rules(conn, wanted, since=since, limit=MOST_TRIED))


@router.post("/topics/{slug}/rules", response_model=TopicReport)
@needs("edit")
async def put_rule(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, body: OneRule
) -> Response:
    """Add or replace a rule of a topic; stories of the last 30 days are assigned again."""
    source, keyword = body.source_rule, body.keyword_rule
    if source is not None and keyword is None:
        rule: SourceRule | KeywordRule = topics.source_rule(source.source, source.rule_type)
    elif keyword is not None and source is None:
        rule = topics.keyword_rule(keyword.model_dump(exclude={"rule_type"}), keyword.rule_type)
    else:
        raise invalid("body", "give one of source_rule and keyword_rule")
    await topics.put_rule(conn, slug, rule)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.delete("/topics/{slug}/rules", status_code=204)
@needs("edit")
async def remove_rule(conn: WriteConn, slug: AnySlug, named: Annotated[NamedRule, Query()]) -> Response:
    """Remove a rule of a topic."""
    if named.source is not None and named.pattern is None:
        rule: SourceRule | KeywordRule = SourceRule(source=named.source, rule_type=named.rule_type)
    elif named.pattern is not None and named.source is None:
        rule = KeywordRule(pattern=named.pattern, rule_type=named.rule_type)
    else:
        raise invalid("query", "give one of source and pattern")
    await topics.remove_rule(conn, slug, rule)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.put("/topics/{slug}/channels/{name}", response_model=TopicReport)
@needs("edit")
async def put_channel(
    request: Request,
    desk: CurrentDesk,
    by: CurrentVisitor,
    conn: WriteConn,
    slug: AnySlug,
    name: AnySlug,
    body: ChannelParams,
) -> Response:
    """Add a channel to a topic, or change the one with this name."""
    topic = await store.lock(conn, slug)
    wanted = topics.channel({"name": name, **body.model_dump()}, desk.config.plugins)
    permissions.check_channel(by, wanted, next((each for each in topic.channels if each.name == name), None))
    await store.put_channel(conn, topic.topic_id, wanted)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.delete("/topics/{slug}/channels/{name}", status_code=204)
@needs("edit")
async def remove_channel(conn: WriteConn, slug: AnySlug, name: AnySlug) -> Response:
    """Remove a channel of a topic; posted messages stay."""
    await store.remove_channel(conn, await store.by_slug(conn, slug), name)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/topics/{slug}/channels/{name}/enable", response_model=TopicReport)
@needs("edit")
async def enable_channel(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, name: AnySlug
) -> Response:
    """Enable a channel; this also clears its problem."""
    await store.set_channel_enabled(conn, await store.by_slug(conn, slug), name, enabled=True)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.post("/topics/{slug}/channels/{name}/disable", response_model=TopicReport)
@needs("edit")
async def disable_channel(
    request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, slug: AnySlug, name: AnySlug
) -> Response:
    """Disable a channel."""
    await store.set_channel_enabled(conn, await store.by_slug(conn, slug), name, enabled=False)
    return responses.json(request, await _read(conn, slug, desk, by))


@router.post("/topics/{slug}/suppress", response_model=SuppressionState)
@needs("edit")
async def suppress_story(request: Request, conn: WriteConn, slug: AnySlug, body: Kept) -> Response:
    """Suppress a story in a topic's digests."""
    story_id = await topics.suppress(conn, slug, body.story, body.reason)
    kept = SuppressionState(topic_slug=slug, story_id=story_id, suppressed=True, suppression_reason=body.reason)
    return responses.json(request, kept)


@router.post("/topics/{slug}/unsuppress", response_model=SuppressionState)
@needs("edit")
async def unsuppress_story(request: Request, conn: WriteConn, slug: AnySlug, body: Released) -> Response:
    """Allow a suppressed story again."""
    story_id = await topics.unsuppress(conn, slug, body.story)
    kept = SuppressionState(topic_slug=slug, story_id=story_id, suppressed=False, suppression_reason=None)
    return responses.json(request, kept)


async def _read(conn: Connection, slug: str, desk: Desk, by: Visitor) -> TopicReport:
    topic = await store.by_slug(conn, slug)
    return _report(topic, await store.list_channels(conn, topic.topic_id), desk, by)


def _report(topic: Topic, channels: Iterable[TopicChannel], desk: Desk, by: Visitor) -> TopicReport:
    may_edit = "edit" in by.rights
    return TopicReport(
        topic_id=topic.topic_id,
        topic_slug=topic.topic_slug,
        topic_name=topic.topic_name,
        timezone=topic.timezone,
        digest_cron=topic.digest_cron,
        collections=topic.collections,
        max_entries=topic.max_entries,
        max_per_family=topic.max_per_family,
        discord_channel_id=topic.discord_channel_id,
        enabled=topic.enabled,
        source_rules=list(topic.source_rules),
        keyword_rules=list(topic.keyword_rules),
        channels=[channel if may_edit else replace(channel, options={}) for channel in channels],
        next_digest_at=digest_windows.upcoming(topic.digest_cron, topic.timezone, desk.clock())
        if topic.enabled
        else None,
    )


def _table(body: Rules) -> Mapping[str, Any]:
    """The request as a table of scoop.toml."""
    values = setting_models.read(SETTINGS, body)
    settings = {name: value for name, value in values.items() if value is not None or name in NULLABLE}
    return settings | _lists(body)


def _lists(body: Rules) -> dict[str, list[Any]]:
    """The rules of the request, as lists of such a table."""
    lists: dict[str, list[Any]] = {}
    if body.source_rules is not None:
        for name, rule_type in topics.SOURCE_LISTS.items():
            lists[name] = [rule.source for rule in body.source_rules if rule.rule_type == rule_type]
    if body.keyword_rules is not None:
        for name, rule_type in topics.KEYWORD_LISTS.items():
            wanted = [rule for rule in body.keyword_rules if rule.rule_type == rule_type]
            lists[name] = [rule.model_dump(exclude={"rule_type"}) for rule in wanted]
    return lists
