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

SQL = db.blocks(__name__)

STORIES_PER_GROUP = 5  # stories for each group that is wanted: a group may hold several
ABOUT = ("group_id", "group_uuid", "changed_at", "outlets", "topics")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingStory:
    """A story as it leaves the house: with its outlets, its topics, and the group of coverage that it is in."""

    story: Story
    outlets: list[Outlet]
    topics: list[str]
    group_id: int
    group_uuid: UUID
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A story as a page lists it: in its group of coverage, with its outlets in order of appearance."""

    coverage_id: int
    story: Story
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Stories that probably tell of one event, or one alone: the first stands for all."""

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
    """Stories that probably tell of one event, the one with most documents first."""

    coverage_id: int
    collection: str
    last_seen_at: datetime
    item_count: int
    publisher_family_count: int
    story_ids: list[int]
    titles: list[str]


async def latest_groups(conn: Connection, *, collection: str | None = None, limit: int) -> list[list[OutgoingStory]]:
    """The groups of coverage that were seen last, each with its stories."""
    rows = await conn.fetch(SQL["latest"], collection, limit * STORIES_PER_GROUP, limit)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def latest_groups_of_topic(conn: Connection, topic_id: int, *, limit: int) -> list[list[OutgoingStory]]:
    """The same of a topic, without what it holds back."""
    rows = await conn.fetch(SQL["latest_of_topic"], topic_id, limit * STORIES_PER_GROUP, limit)
    return await _groups(conn, [row["group_id"] for row in rows], topic_id)


async def groups_of_stories(conn: Connection, story_ids: Sequence[int]) -> list[list[OutgoingStory]]:
    """The groups of coverage of these stories, each with all its stories, the one that was seen last first."""
    rows = await conn.fetch(SQL["groups_of_stories"], story_ids)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def outgoing_stories(conn: Connection, story_ids: Sequence[int]) -> list[OutgoingStory]:
    """These of the stories that are active."""
    return [_outgoing_story(row) for row in await conn.fetch(SQL["outgoing"], story_ids, False, None)]


async def list_coverage(
    conn: Connection, *, collection: str | None = None, since: datetime | None = None, limit: int = 50
) -> list[Coverage]:
    return [Coverage(**row) for row in await conn.fetch(SQL["coverage"], collection, since, limit)]


async def list_groups(
    conn: Connection, *, since: datetime, until: datetime, limit: int, offset: int = 0, collection: str | None = None
) -> list[Group]:
    """The groups that have a story in a window, collection by collection; `limit` and `offset` count within each."""
    rows = await conn.fetch(SQL["headlines"], since, until, collection, limit, offset)
    headlines = [_headline(dict(row)) for row in rows]
    return [Group(headlines=list(group)) for _, group in groupby(headlines, key=attrgetter("coverage_id"))]


async def _groups(conn: Connection, group_ids: Sequence[int], topic_id: int | None) -> list[list[OutgoingStory]]:
    place = {group_id: number for number, group_id in enumerate(group_ids)}
    found = [_outgoing_story(row) for row in await conn.fetch(SQL["outgoing"], group_ids, True, topic_id)]
    found.sort(key=lambda each: place[each.group_id])
    return [list(group) for _, group in groupby(found, key=attrgetter("group_id"))]


def _outgoing_story(row: Mapping[str, Any]) -> OutgoingStory:
    about = {name: row[name] for name in ABOUT}
    outlets = [Outlet(**outlet) for outlet in about.pop("outlets")]
    story = Story(**{name: value for name, value in row.items() if name not in ABOUT})
    return OutgoingStory(**about, outlets=outlets, story=story)


def _headline(row: dict[str, Any]) -> Headline:
    outlets = [Outlet(**outlet) for outlet in row.pop("outlets")]
    return Headline(coverage_id=row.pop("coverage_id"), outlets=outlets, story=Story(**row))
