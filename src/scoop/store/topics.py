"""Topics: settings, rules, channels, and the stories assigned to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

from scoop.core.topics import Assignment, DefaultTopic, StoryText
from scoop.errors import NotFound, UsageError
from scoop.model import ChannelSettings, KeywordRule, SourceRule, Topic, TopicSettings
from scoop.stage_names import StageName
from scoop.store import db, work
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)
REASSIGNED = timedelta(days=30)  # stories older than that are not reassigned when a topic changes
READ_DOCUMENTS = 20  # the newest of a story
READ_CHARACTERS = 20_000  # of each


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicChannel(ChannelSettings):
    """A channel of a topic; `problem` is why it was disabled by an error."""

    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A story that is suppressed in a topic, and why."""

    story_id: int
    story_uuid: str
    title: str
    reason: str
    suppressed_at: datetime


async def list_topics(conn: Connection) -> list[Topic]:
    return [_topic(row) for row in await conn.fetch(SQL["topics"], None)]


async def by_slug(conn: Connection, slug: str) -> Topic:
    row = await conn.fetchrow(SQL["topics"], slug)
    if row is None:
        raise NotFound(f"there is no topic {slug!r}; `scoop topics list` lists all")
    return _topic(row)


async def lock(conn: Connection, slug: str) -> Topic:
    """The topic, locked until the caller's transaction ends."""
    await conn.execute(SQL["lock"], slug)
    return await by_slug(conn, slug)


async def put(conn: Connection, settings: TopicSettings) -> int:
    """Upsert a topic by its slug, inside the caller's transaction; gives its id."""
    row = await conn.fetchrow(SQL["put"], *(getattr(settings, field.name) for field in fields(TopicSettings)))
    if row["has_new_scope"]:
        await _reassign(conn, row["topic_id"])
    return int(row["topic_id"])


async def put_rules(
    conn: Connection, topic: Topic, source_rules: Sequence[SourceRule], keyword_rules: Sequence[KeywordRule]
) -> None:
    """Replace the rules of a topic, inside the caller's transaction."""
    if {*topic.source_rules, *topic.keyword_rules} == {*source_rules, *keyword_rules}:
        return
    await conn.execute(SQL["put_source_rules"], topic.topic_id, *_columns(SourceRule, source_rules))
    await conn.execute(SQL["put_keyword_rules"], topic.topic_id, *_columns(KeywordRule, keyword_rules))
    await _reassign(conn, topic.topic_id)


async def set_enabled(conn: Connection, slug: str, *, enabled: bool) -> None:
    """Enable or disable a topic, inside the caller's transaction; once enabled, it catches up."""
    await put(conn, replace(await lock(conn, slug), enabled=enabled))


async def remove(conn: Connection, slug: str) -> None:
    """Remove a topic with its rules, channels and unposted digests; UsageError if it has posted one."""
    async with conn.transaction():
        topic = await lock(conn, slug)
        if await conn.fetchval(SQL["has_posted"], topic.topic_id):
            raise UsageError(
                f"{slug} has posted digests, which are kept; disable it instead: `scoop topics disable {slug}`"
            )
        await conn.execute(SQL["remove_digests"], topic.topic_id)
        await conn.execute(SQL["remove"], topic.topic_id)


async def list_channels(conn: Connection, topic_id: int) -> list[TopicChannel]:
    return (await channels_by_topic(conn, topic_id)).get(topic_id, [])


async def channels_by_topic(conn: Connection, topic_id: int | None = None) -> dict[int, list[TopicChannel]]:
    """The channels of all topics, or of one, by topic id."""
    channels: dict[int, list[TopicChannel]] = {}
    for row in await conn.fetch(SQL["channels"], topic_id):
        values = dict(row)
        channels.setdefault(values.pop("topic_id"), []).append(TopicChannel(**values))
    return channels


async def put_channel(conn: Connection, topic_id: int, channel: ChannelSettings) -> None:
    await conn.execute(SQL["put_channel"], topic_id, channel.name, channel.kind, channel.options, channel.enabled)


async def set_channel_enabled(conn: Connection, topic: Topic, name: str, *, enabled: bool) -> None:
    if await conn.fetchval(SQL["set_channel_enabled"], topic.topic_id, name, enabled) is None:
        raise _no_channel(topic, name)


async def remove_channel(conn: Connection, topic: Topic, name: str) -> None:
    if await conn.fetchval(SQL["remove_channel"], topic.topic_id, name) is None:
        raise _no_channel(topic, name)


async def add_default_topics(conn: Connection, defaults: Sequence[DefaultTopic], *, timezone: str) -> None:
    """Add topics without a channel for collections that have no topic."""
    rows = [(default.topic_slug, default.topic_name, default.collection) for default in defaults]
    await conn.execute(SQL["add_default_topics"], *_transposed(rows, 3), timezone)


async def load_stories(conn: Connection, ids: Sequence[int], *, with_text: bool) -> list[StoryText]:
    """The active ones of these stories with the text that rules match, the latest first."""
    rows = await conn.fetch(SQL["stories_of"], ids, with_text, READ_DOCUMENTS, READ_CHARACTERS)
    return [StoryText(**row) for row in rows]


async def list_collections(conn: Connection, story_ids: Sequence[int]) -> list[str]:
    return [row["collection"] for row in await conn.fetch(SQL["collections_of"], story_ids)]


async def list_candidates(conn: Connection, topic: Topic, *, since: datetime, limit: int | None = None) -> list[int]:
    """The active stories of a topic's collections and sources, the latest first."""
    included = [rule.source for rule in topic.source_rules if rule.rule_type == "include"]
    rows = await conn.fetch(SQL["within_reach"], topic.collections, included, since, limit)
    return [row["story_id"] for row in rows]


async def assign(
    conn: Connection,
    story_ids: Sequence[int],
    topic_ids: Sequence[int],
    assignments_by_story: Mapping[int, Sequence[Assignment]],
) -> None:
    """Assign these stories to these topics; a story without an assignment is in none of them."""
    rows = [
        (story_id, assignment.topic_id, assignment.weight, assignment.matched)
        for story_id, assignments in assignments_by_story.items()
        for assignment in assignments
    ]
    await conn.execute(SQL["assign"], story_ids, topic_ids, *_transposed(rows, 4))


async def suppress(conn: Connection, topic: Topic, story_id: int, reason: str) -> None:
    """Suppress a story in the digests of a topic."""
    await _suppress(conn, topic, story_id, True, reason)


async def unsuppress(conn: Connection, topic: Topic, story_id: int) -> None:
    """Stop suppressing a story, inside the caller's transaction, and assign it again."""
    await _suppress(conn, topic, story_id, False, None)
    await work.enqueue(conn, StageName.ASSIGN_TOPICS, [Subject(story_id)])


async def suppress_event(conn: Connection, topic: Topic, event_id: int, reason: str) -> None:
    """Suppress the stories of an event in the digests of a topic."""
    await _suppress_event(conn, topic, event_id, True, reason)


async def unsuppress_event(conn: Connection, topic: Topic, event_id: int) -> None:
    """Stop suppressing the stories of an event, inside the caller's transaction, and assign them again."""
    story_ids = await _suppress_event(conn, topic, event_id, False, None)
    await work.enqueue(conn, StageName.ASSIGN_TOPICS, [Subject(story_id) for story_id in story_ids])


async def _suppress_event(
    conn: Connection, topic: Topic, event_id: int, suppressed: bool, reason: str | None
) -> list[int]:
    rows = await conn.fetch(SQL["suppress_event"], topic.topic_id, event_id, suppressed, reason)
    if not rows:
        raise NotFound(f"no story of event {event_id} is in {topic.topic_slug}")
    return [row["story_id"] for row in rows]


async def list_suppressions(conn: Connection, topic_id: int, *, limit: int) -> list[Suppression]:
    """The stories that are suppressed in a topic, the latest first."""
    return [Suppression(**row) for row in await conn.fetch(SQL["suppressions"], topic_id, limit)]


async def _suppress(conn: Connection, topic: Topic, story_id: int, suppressed: bool, reason: str | None) -> None:
    if await conn.fetchval(SQL["suppress"], topic.topic_id, story_id, suppressed, reason) is None:
        raise NotFound(
            f"story {story_id} is not in {topic.topic_slug}; `scoop topics test {topic.topic_slug}` lists its stories"
        )


async def _reassign(conn: Connection, topic_id: int) -> None:
    await conn.execute(SQL["reassign"], StageName.ASSIGN_TOPICS, topic_id, REASSIGNED)


def _topic(row: Mapping[str, Any]) -> Topic:
    return Topic(
        **{
            **row,
            "source_rules": tuple(SourceRule(**rule) for rule in row["source_rules"]),
            "keyword_rules": tuple(KeywordRule(**rule) for rule in row["keyword_rules"]),
            "channels": tuple(ChannelSettings(**channel) for channel in row["channels"]),
        }
    )


def _columns(kind: type[SourceRule] | type[KeywordRule], rules: Sequence[SourceRule | KeywordRule]) -> list[list[Any]]:
    return [[getattr(rule, field.name) for rule in rules] for field in fields(kind)]


def _transposed(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[row[place] for row in rows] for place in range(width)]


def _no_channel(topic: Topic, name: str) -> NotFound:
    return NotFound(
        f"{topic.topic_slug} has no channel {name!r}; `scoop topics show {topic.topic_slug}` lists its channels"
    )
