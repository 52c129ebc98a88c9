"""Groups of coverage: stories that probably tell of one event, with their outlets and topics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from scoop.model import Outlet, Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads.stories import story_from

SQL = db.blocks(__name__)

STORIES_PER_GROUP = 5  # read for each group that is listed: a group may hold several


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A story in its group of coverage, with its outlets in order of appearance."""

    group_id: int
    story: Story
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingStory(Headline):
    """A headline for feeds and webhooks: with its topics, and the public id of the group's oldest story."""

    group_uuid: UUID
    topics: list[str]
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Stories of one coverage, or one story alone; the first represents the others."""

    headlines: list[Headline]

    @property
    def collection(self) -> str:
        return self.headlines[0].story.collection

    @property
    def source_count(self) -> int:
        return len({source for headline in self.headlines for source in headline.story.sources})

    @property
    def publisher_family_count(self) -> int:
        return len({family for headline in self.headlines for family in headline.story.publisher_families})


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Stories of one coverage as ids and titles, the one with most documents first."""

    coverage_id: int
    collection: str
    last_seen_at: datetime
    item_count: int
    publisher_family_count: int
    story_ids: list[int]
    titles: list[str]


async def latest_groups(conn: Connection, *, collection: str | None = None, limit: int) -> list[list[OutgoingStory]]:
    """The latest groups of coverage, each with its stories."""
    rows = await conn.fetch(SQL["latest"], collection, limit * STORIES_PER_GROUP, limit)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def latest_groups_of_topic(conn: Connection, topic_id: int, *, limit: int) -> list[list[OutgoingStory]]:
    """The latest groups of a topic, without the stories that it suppresses."""
    rows = await conn.fetch(SQL["latest_of_topic"], topic_id, limit * STORIES_PER_GROUP, limit)
    return await _groups(conn, [row["group_id"] for row in rows], topic_id)


async def groups_of_stories(conn: Connection, story_ids: Sequence[int]) -> list[list[OutgoingStory]]:
    """The groups of coverage of these stories, each with all its stories, the latest group first."""
    rows = await conn.fetch(SQL["groups_of_stories"], story_ids)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def outgoing_stories(conn: Connection, story_ids: Sequence[int]) -> list[OutgoingStory]:
    """The active ones of these stories."""
    return [_outgoing_story(row) for row in await conn.fetch(SQL["outgoing"], story_ids, False, None)]


async def list_coverage(
    conn: Connection, *, collection: str | None = None, since: datetime | None = None, limit: int = 50
) -> list[Coverage]:
    return [Coverage(**row) for row in await conn.fetch(SQL["coverage"], collection, since, limit)]


async def list_groups(
    conn: Connection, *, since: datetime, until: datetime, limit: int, offset: int = 0, collection: str | None = None
) -> list[Group]:
    """The groups that have a story in a window, by collection; `limit` and `offset` count within each collection."""
    rows = await conn.fetch(SQL["headlines"], since, until, collection, limit, offset)
    headlines = [Headline(**_headline(row)) for row in rows]
    return [Group(headlines=list(group)) for _, group in groupby(headlines, key=attrgetter("group_id"))]


async def _groups(conn: Connection, group_ids: Sequence[int], topic_id: int | None) -> list[list[OutgoingStory]]:
    place = {group_id: number for number, group_id in enumerate(group_ids)}
    stories = [_outgoing_story(row) for row in await conn.fetch(SQL["outgoing"], group_ids, True, topic_id)]
    stories.sort(key=lambda story: place[story.group_id])
    return [list(group) for _, group in groupby(stories, key=attrgetter("group_id"))]


def _outgoing_story(row: Mapping[str, Any]) -> OutgoingStory:
    return OutgoingStory(
        **_headline(row), group_uuid=row["group_uuid"], topics=row["topics"], changed_at=row["updated_at"]
    )


def _headline(row: Mapping[str, Any]) -> dict[str, Any]:
    outlets = [Outlet(**outlet) for outlet in row["outlets"] or ()]
    return {"group_id": row["group_id"], "story": story_from(row), "outlets": outlets}
