"""Topics: settings, rules and channels as operators write them, checked and stored."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from scoop import channels, options, plugins
from scoop.actions import settings as definition
from scoop.actions.topic_settings import HANDOVER_SETTINGS, SETTINGS, TABLE
from scoop.core import display_names, schedules
from scoop.core import topics as core
from scoop.core.topics import Ruling, StoryText, Trial
from scoop.errors import ConfigError, Conflict, NotFound, Reject, UsageError
from scoop.model import ChannelSettings, KeywordRule, RuleType, SourceRule, Topic, TopicSettings
from scoop.plugin_settings import NO_SETTINGS, PluginSettings
from scoop.store import topics as store
from scoop.store.db import Connection
from scoop.store.reads import stories as story_reads

SOURCE_LISTS: dict[str, RuleType] = {"sources": "include", "exclude_sources": "exclude"}
KEYWORD_LISTS: dict[str, RuleType] = {"keywords": "include", "exclude_keywords": "exclude"}
READ_AT_ONCE = 500  # stories with their texts


def _described(description: str) -> Meta:
    return Meta(extra_json_schema={"description": description})


class _Keyword(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    pattern: str
    is_regex: bool = False
    weight: Annotated[int, Meta(ge=1, le=core.MAX_RULE_WEIGHT)] = 1
    enabled: bool = True


class _Channel(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    name: Annotated[str, Meta(pattern="^[a-z0-9_]+$"), _described("of a-z, 0-9 and _ only")]
    kind: str
    options: Annotated[dict[str, Any], _described("a table of options")] = {}
    enabled: bool = True


def settings(given: Mapping[str, Any], known: Topic | None = None, *, timezone: str = "UTC") -> TopicSettings:
    """The settings of a topic from an operator's values; a missing value keeps its current value or the default.

    The names are those of `topic_settings.TABLE`. UsageError names the setting and the fix. `timezone` is the desk's,
    the default of new topics.
    """
    definition.check_names("topic", TABLE, given)
    definition.check(TABLE, given)
    slug = known.topic_slug if known else given.get("slug")
    if slug is None:
        raise UsageError("slug: a topic needs a slug, of a-z, 0-9 and _, as energy")
    base = known or TopicSettings(topic_slug=slug, topic_name="", timezone=timezone)
    kept = {field.name: getattr(base, field.name) for field in fields(TopicSettings)}
    values = definition.apply_patch(TopicSettings, kept, _patch(given, timezone=timezone))
    name = values["topic_name"] or display_names.collection_name(slug)
    return TopicSettings(**{**values, "topic_slug": slug, "topic_name": name})


def _patch(given: Mapping[str, Any], *, timezone: str) -> dict[str, Any]:
    """The given settings by the fields of the dataclass; a timezone that is reset becomes the desk's."""
    patch = {each.attribute: given[each.name] for each in (*SETTINGS, *HANDOVER_SETTINGS) if each.name in given}
    if isinstance(deadline := patch.get("legacy_deadline"), str):
        patch["legacy_deadline"] = schedules.interval(deadline)
    if "timezone" in patch and patch["timezone"] is None:
        patch["timezone"] = timezone
    return patch


def rules(given: Mapping[str, Any], known: Topic | None = None) -> tuple[list[SourceRule], list[KeywordRule]]:
    """The rules of a topic from its lists; a missing list keeps its current rules."""
    sources: list[SourceRule] = []
    for name, rule_type in SOURCE_LISTS.items():
        stay = [rule for rule in known.source_rules if rule.rule_type == rule_type] if known else []
        sources += [source_rule(source, rule_type) for source in given[name]] if name in given else stay
    keywords: list[KeywordRule] = []
    for name, rule_type in KEYWORD_LISTS.items():
        kept = [rule for rule in known.keyword_rules if rule.rule_type == rule_type] if known else []
        keywords += [keyword_rule(keyword, rule_type) for keyword in given[name]] if name in given else kept
    return sources, list({(rule.pattern, rule.rule_type): rule for rule in keywords}.values())


def source_rule(source: Any, rule_type: RuleType) -> SourceRule:
    if not isinstance(source, str) or not source.strip():
        raise UsageError(f"{source!r} is not a source; name it as `scoop sources list` does")
    return SourceRule(source=source.strip(), rule_type=rule_type)


def keyword_rule(given: Any, rule_type: RuleType) -> KeywordRule:
    """A keyword rule from plain words, or from a table with `pattern`, `is_regex`, `weight` and `enabled`."""
    if not isinstance(given, str | Mapping):
        raise UsageError(
            f'{given!r} is not a keyword; write "solar", or {{pattern = "wind (farm|park)", is_regex = true}}'
        )
    found = _checked(_Keyword, {"pattern": given} if isinstance(given, str) else given)
    rule = KeywordRule(**msgspec.structs.asdict(found), rule_type=rule_type)
    try:
        core.check(rule)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return rule


def channel(given: Any, plugin_settings: PluginSettings = NO_SETTINGS) -> ChannelSettings:
    """A channel from a table with `name`, `kind`, `options` and `enabled`; its kind says which options it has.

    An option that the operator set for the kind, in `plugin_settings`, need not be given.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f'{given!r} is not a channel; write {{name = "main", kind = "file", options = {{...}}}}')
    found = _checked(_Channel, given)
    try:
        plugins.makers(channels, plugin_settings)[found.kind](found.options)
    except Reject as error:
        raise UsageError(str(error)) from error
    own = options.plain_values(plugins.discover(channels)[found.kind].Options, found.options)
    return ChannelSettings(name=found.name, kind=found.kind, options=own, enabled=found.enabled)


async def try_rules(conn: Connection, topic: Topic, *, since: datetime, limit: int | None = None) -> Trial:
    """Apply a topic's rules, saved or not, to the latest stories within its bounds."""
    rulings: list[tuple[str, Ruling]] = []
    ids = await store.list_candidates(conn, topic, since=since, limit=limit)
    for start in range(0, len(ids), READ_AT_ONCE):
        batch = ids[start : start + READ_AT_ONCE]
        stories = await store.load_stories(conn, batch, with_text=core.needs_text([topic]))
        rulings += await asyncio.to_thread(_rulings, topic, stories)  # patterns may be slow
    return core.trial(topic, rulings)


def _rulings(topic: Topic, stories: Sequence[StoryText]) -> list[tuple[str, Ruling]]:
    return [(story.title, core.ruling(story, topic)) for story in stories]


async def add(conn: Connection, added: TopicSettings) -> Topic:
    """Add a topic, in the caller's transaction; Conflict if its slug is taken."""
    if any(topic.topic_slug == added.topic_slug for topic in await store.list_topics(conn)):
        raise Conflict(f"topic {added.topic_slug!r} already exists: change it instead")
    await store.put(conn, added)
    return await store.by_slug(conn, added.topic_slug)


async def edit(conn: Connection, slug: str, given: Mapping[str, Any], *, timezone: str = "UTC") -> Topic:
    """Change the settings and rules of a topic, in the caller's transaction; missing values stay."""
    known = await store.lock(conn, slug)
    await store.put(conn, settings(given, known, timezone=timezone))
    await store.put_rules(conn, known, *rules(given, known))
    return await store.by_slug(conn, slug)


async def put_rule(conn: Connection, slug: str, rule: SourceRule | KeywordRule) -> None:
    """Add a rule, in the caller's transaction; it replaces a rule with the same subject."""
    topic = await store.lock(conn, slug)
    sources, keywords = _without(topic, rule)
    more = ([rule], []) if isinstance(rule, SourceRule) else ([], [rule])
    await store.put_rules(conn, topic, [*sources, *more[0]], [*keywords, *more[1]])


async def remove_rule(conn: Connection, slug: str, rule: SourceRule | KeywordRule) -> None:
    """Remove a rule, in the caller's transaction, whatever its weight."""
    topic = await store.lock(conn, slug)
    sources, keywords = _without(topic, rule)
    if len(sources) + len(keywords) == len(topic.source_rules) + len(topic.keyword_rules):
        raise NotFound(f"{slug} has no such rule; `scoop topics rules list {slug}` shows what it has")
    await store.put_rules(conn, topic, sources, keywords)


def _without(topic: Topic, rule: SourceRule | KeywordRule) -> tuple[list[SourceRule], list[KeywordRule]]:
    """The rules of a topic without this one."""
    if isinstance(rule, SourceRule):
        return [each for each in topic.source_rules if each != rule], list(topic.keyword_rules)
    like = (rule.pattern, rule.rule_type)
    return list(topic.source_rules), [each for each in topic.keyword_rules if (each.pattern, each.rule_type) != like]


async def suppress(conn: Connection, slug: str, story: str, reason: str) -> int:
    """Suppress a story, by number or public id, in a topic's digests; return its number."""
    topic, found = await store.by_slug(conn, slug), await story_reads.get_surviving(conn, story)
    await store.suppress(conn, topic, found.story_id, reason)
    return found.story_id


async def unsuppress(conn: Connection, slug: str, story: str) -> int:
    """Allow a suppressed story again, in the caller's transaction; return its number."""
    topic, found = await store.by_slug(conn, slug), await story_reads.get_surviving(conn, story)
    await store.unsuppress(conn, topic, found.story_id)
    return found.story_id


async def put_topics(
    tables: Sequence[Mapping[str, Any]],
    conn: Connection,
    plugin_settings: PluginSettings = NO_SETTINGS,
    *,
    timezone: str = "UTC",
) -> None:
    """Store the topics of the configuration file; ConfigError names the invalid table.

    Values of a table override stored ones; missing values stay.
    """
    async with conn.transaction():
        for number, table in enumerate(tables, start=1):
            try:
                await _put_topic(conn, table, plugin_settings, timezone=timezone)
            except UsageError as error:
                raise ConfigError(f"scoop.toml, [[topics]] number {number}: {error}") from error


async def _put_topic(
    conn: Connection, table: Mapping[str, Any], plugin_settings: PluginSettings, *, timezone: str
) -> None:
    known = next((topic for topic in await store.list_topics(conn) if topic.topic_slug == table.get("slug")), None)
    wanted = settings(table, known, timezone=timezone)
    if known is None or any(getattr(known, each.name) != getattr(wanted, each.name) for each in fields(TopicSettings)):
        await store.put(conn, wanted)
    topic = await store.by_slug(conn, wanted.topic_slug)
    await store.put_rules(conn, topic, *rules(table, topic))
    if "channels" in table:
        await _put_channels(conn, topic, [channel(each, plugin_settings) for each in table["channels"]])


async def _put_channels(conn: Connection, topic: Topic, wanted: Sequence[ChannelSettings]) -> None:
    for found in wanted:
        await store.put_channel(conn, topic.topic_id, found)
    for gone in {each.name for each in topic.channels} - {each.name for each in wanted}:
        await store.remove_channel(conn, topic, gone)


def _checked(kind: type[Any], given: Mapping[str, Any]) -> Any:
    try:
        return options.read(kind, given)
    except Reject as error:
        raise UsageError(str(error)) from error
