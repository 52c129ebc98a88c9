"""What leaves the house: stories and digests for feeds, everything for exports, a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from scoop.model import Digest, Telling
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reading import Outlet, Story

SQL = db.blocks(__name__)
LOOKED_AT = 5  # stories for each group that is wanted: a group may hold several
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
class ToldDigest(Digest):
    """A digest that was posted."""

    digest_run_id: int
    published_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFilter:
    """What of stories or documents is wanted: a collection, what was seen since one moment and before another."""

    collection: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    with_merged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Some lines of JSON, and the place after which the next begin."""

    lines: list[str]
    place: int


async def latest(conn: Connection, *, collection: str | None = None, limit: int) -> list[list[OutgoingStory]]:
    """The groups of coverage that were seen last, each with its stories."""
    rows = await conn.fetch(SQL["latest"], collection, limit * LOOKED_AT, limit)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def latest_of_topic(conn: Connection, topic_id: int, *, limit: int) -> list[list[OutgoingStory]]:
    """The same of a topic, without what it holds back."""
    rows = await conn.fetch(SQL["latest_of_topic"], topic_id, limit * LOOKED_AT, limit)
    return await _groups(conn, [row["group_id"] for row in rows], topic_id)


async def groups_of(conn: Connection, story_ids: Sequence[int]) -> list[list[OutgoingStory]]:
    """The groups of coverage of these stories, each with all its stories, the one that was seen last first."""
    rows = await conn.fetch(SQL["groups_of"], story_ids)
    return await _groups(conn, [row["group_id"] for row in rows], None)


async def outgoing_stories(conn: Connection, story_ids: Sequence[int]) -> list[OutgoingStory]:
    """These of the stories that are active."""
    return [_told(row) for row in await conn.fetch(SQL["told"], story_ids, False, None)]


async def has_collection(conn: Connection, collection: str) -> bool:
    return bool(await conn.fetchval(SQL["has_collection"], collection))


async def published_digests(conn: Connection, topic_id: int, *, limit: int) -> list[ToldDigest]:
    """The latest digests of a topic that were posted."""
    return [_told_digest(row) for row in await conn.fetch(SQL["told_digests"], topic_id, None, limit)]


async def find_published_digest(conn: Connection, digest_run_id: int) -> ToldDigest | None:
    row = await conn.fetchrow(SQL["told_digests"], None, digest_run_id, 1)
    return _told_digest(row) if row else None


async def story_lines(conn: Connection, choice: StoryFilter, *, after: int, limit: int) -> Lines:
    """Stories as lines of JSON, after a place."""
    wanted = (after, choice.collection, choice.since, choice.until, choice.with_merged, limit)
    return _lines(await conn.fetch(SQL["stories"], *wanted), after)


async def document_lines(conn: Connection, choice: StoryFilter, *, after: int, limit: int) -> Lines:
    """Documents as lines of JSON, after a place."""
    wanted = (after, choice.collection, choice.since, choice.until, limit)
    return _lines(await conn.fetch(SQL["documents"], *wanted), after)


async def _groups(conn: Connection, group_ids: Sequence[int], topic_id: int | None) -> list[list[OutgoingStory]]:
    place = {group_id: number for number, group_id in enumerate(group_ids)}
    found = [_told(row) for row in await conn.fetch(SQL["told"], group_ids, True, topic_id)]
    found.sort(key=lambda each: place[each.group_id])
    return [list(group) for _, group in groupby(found, key=attrgetter("group_id"))]


def _told(row: Mapping[str, Any]) -> OutgoingStory:
    about = {name: row[name] for name in ABOUT}
    outlets = [Outlet(**outlet) for outlet in about.pop("outlets")]
    story = Story(**{name: value for name, value in row.items() if name not in ABOUT})
    return OutgoingStory(**about, outlets=outlets, story=story)


def _told_digest(row: Mapping[str, Any]) -> ToldDigest:
    """A twin stands beside its story, or for itself where that is not told."""
    rows = row["tellings"]
    leading = {each["story_id"] for each in rows if each["twin_of"] is None}
    twins: dict[int, list[Telling]] = {}
    for each in rows:
        if each["twin_of"] in leading:
            twins.setdefault(each["twin_of"], []).append(_telling(each))
    tellings = [_telling(each, twins.get(each["story_id"], ())) for each in rows if each["twin_of"] not in leading]
    return ToldDigest(**{**row, "tellings": tuple(tellings)})


def _telling(row: Mapping[str, Any], twins: Sequence[Telling] = ()) -> Telling:
    about = {name: value for name, value in row.items() if name != "twin_of"}
    return Telling(**{**about, "publishers": tuple(row["publishers"])}, twins=tuple(twins))


def _lines(rows: Sequence[Mapping[str, Any]], after: int) -> Lines:
    return Lines(lines=[row["line"] for row in rows], place=rows[-1]["place"] if rows else after)
