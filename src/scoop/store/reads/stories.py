"""Stories as every interface shows them: lists, one story with its documents, and its neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from scoop.core import ids
from scoop.errors import NotFound
from scoop.model import Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.slices import ListSlice

SQL = db.blocks(__name__)

STORY_FIELDS = tuple(field.name for field in fields(Story))
MAX_MEMBERS = 1000
MAX_COMPANY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryMember:
    document_id: int
    article_id: str
    source: str
    source_item_id: str
    url: str | None
    title: str
    language: str
    publisher_family: str
    published_at: datetime | None
    seen_at: datetime
    match_type: str
    match_score: float | None
    match_details: dict[str, Any] | None
    source_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDetail:
    """A story with its documents, and the other stories of the same coverage (`company`)."""

    story: Story
    members: list[StoryMember]
    company: list[Story]


def story_from(row: Mapping[str, Any]) -> Story:
    """The story in a row that has all columns of `story_rows`, whatever else it has."""
    return Story(**{name: row[name] for name in STORY_FIELDS})


async def list_stories(
    conn: Connection, part: ListSlice, *, collection: str | None = None, words: str | None = None, offset: int = 0
) -> list[Story]:
    """Active stories, the latest first; `words` must be in the title exactly as they are given."""
    await slices.plan_for_values(conn)
    pattern = containing(words) if words else None
    rows = await conn.fetch(SQL["stories"], part.since, *part.before, collection, pattern, part.limit, offset)
    return [story_from(row) for row in rows]


def containing(words: str) -> str:
    """The ILIKE pattern of titles that contain these words."""
    plain = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"


async def stories_by_id(conn: Connection, story_ids: Sequence[int]) -> dict[int, Story]:
    return {row["story_id"]: story_from(row) for row in await conn.fetch(SQL["by_ids"], story_ids)}


async def resolve_merged(conn: Connection, story_ids: Sequence[int]) -> dict[int, int]:
    """The surviving story of each of these stories, itself where it was not merged; unknown ids are left out."""
    return {row["merged_id"]: row["story_id"] for row in await conn.fetch(SQL["resolve_merged"], story_ids)}


async def get_named(conn: Connection, name: str) -> Story:
    """The story of a number or public id, even if it was merged."""
    row = await conn.fetchrow(SQL["story"], ids.parse_number(name), ids.parse_uuid(name))
    if row is None:
        raise NotFound(f"there is no story {name!r}; `scoop stories` lists the latest")
    return story_from(row)


async def get_surviving(conn: Connection, name: str) -> Story:
    """The story of a number or public id, or the story that it was merged into."""
    story = await get_named(conn, name)
    if story.merged_into is None:
        return story
    survivor = (await resolve_merged(conn, [story.story_id]))[story.story_id]
    return (await stories_by_id(conn, [survivor]))[survivor]


async def get_story(conn: Connection, name: str) -> StoryDetail:
    """The surviving story of a number or public id, with its documents and its coverage."""
    story = await get_surviving(conn, name)
    members = [StoryMember(**row) for row in await conn.fetch(SQL["members"], story.story_id, MAX_MEMBERS)]
    company = [story_from(row) for row in await conn.fetch(SQL["company"], story.story_id, MAX_COMPANY)]
    return StoryDetail(story=story, members=members, company=company)


async def get_text(conn: Connection, story_id: int) -> str:
    """The text of the document that represents a story."""
    return await conn.fetchval(SQL["text"], story_id) or ""
