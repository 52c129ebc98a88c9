"""Stories as every interface shows them: lists, one story with its documents, and its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from scoop.core import ids, links
from scoop.errors import NotFound
from scoop.model import Decision, Story
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.slices import ListSlice

SQL = db.blocks(__name__)

MAX_RELATED = 25
MAX_LINKED_DOCUMENTS = 200  # of a story, the newest: whose links are looked at
RELATED_AT = 0.2  # the probability from which a story of another event is worth a look
MAX_DECISIONS = 20
MAX_MEMBERS = 1000
MAX_COMPANY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A story in a line: its headline, and how widely it is told."""

    story_id: int
    story_uuid: UUID
    title: str
    language: str
    item_count: int
    source_count: int
    publisher_family_count: int
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedStory(Brief):
    """A story beside another: of its group of coverage or only near, how probably the same event, and by what signs."""

    is_company: bool
    probability: float | None
    signs: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTopic:
    """What a topic did with a story."""

    topic_slug: str
    topic_name: str
    publish_count: int
    last_published_at: datetime | None
    suppressed: bool
    suppression_reason: str | None


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
    """A story with its documents, and the other stories that probably tell of the same event."""

    story: Story
    members: list[StoryMember]
    company: list[Story]


async def list_related(conn: Connection, story_id: int) -> list[RelatedStory]:
    """Who else may tell of the same event, those of the same group of coverage first."""
    rows = await conn.fetch(SQL["related"], story_id, RELATED_AT, MAX_LINKED_DOCUMENTS, MAX_RELATED)
    return [RelatedStory(**{**row, "signs": _signs(row["signs"])}) for row in rows]


async def list_decisions(conn: Connection, story_id: int) -> list[Decision]:
    return [Decision(**row) for row in await conn.fetch(SQL["decisions"], story_id, MAX_DECISIONS)]


async def list_topics(conn: Connection, story_id: int) -> list[StoryTopic]:
    return [StoryTopic(**row) for row in await conn.fetch(SQL["topics"], story_id)]


async def list_stories(
    conn: Connection, part: ListSlice, *, collection: str | None = None, words: str | None = None, offset: int = 0
) -> list[Story]:
    """Active stories; `words` stand in the title as they are written here."""
    await slices.plan_for_values(conn)
    rows = await conn.fetch(
        SQL["stories"], part.since, *part.before, collection, _anywhere(words) if words else None, part.limit, offset
    )
    return [Story(**row) for row in rows]


async def resolve_merged(conn: Connection, story_uuid: UUID) -> int:
    """The number of a story, or of the one that it became part of."""
    story_id: int | None = await conn.fetchval(SQL["resolve_merged"], story_uuid)
    if story_id is None:
        raise NotFound(f"there is no story {story_uuid}")
    return story_id


async def latest_stories(
    conn: Connection,
    *,
    collection: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Story]:
    return [Story(**row) for row in await conn.fetch(SQL["latest"], collection, since, until, limit, offset)]


async def get_story(conn: Connection, name: str) -> StoryDetail:
    """The story of a number or public id, with its members."""
    row = await conn.fetchrow(SQL["story"], ids.parse_number(name), ids.parse_uuid(name))
    if row is None:
        raise NotFound(f"there is no story {name!r}; `scoop stories` lists what there is")
    found = Story(**row)
    members = [StoryMember(**member) for member in await conn.fetch(SQL["members"], found.story_id, MAX_MEMBERS)]
    company = [Story(**other) for other in await conn.fetch(SQL["company"], found.story_id, MAX_COMPANY)]
    return StoryDetail(story=found, members=members, company=company)


async def get_text(conn: Connection, story_id: int) -> str:
    """The text of the document that stands for a story."""
    return await conn.fetchval(SQL["text"], story_id) or ""


def _signs(row: Sequence[float] | None) -> dict[str, float]:
    return links.named(row) if row else {}


def _anywhere(words: str) -> str:
    """A pattern for titles that hold these words, whatever signs are in them."""
    plain = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"
