"""Stories as reading apps list them to a person: streams of ids, items with their text, counts of unread stories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.model import Outlet, Story
from scoop.store import db
from scoop.store.db import LAST_ID, Connection
from scoop.store.reads.stories import story_from

SQL = db.blocks(__name__)
TEXT_CHARACTERS = 20_000
MAX_COUNTED = 50_000  # of the newest stories; older unread ones are not counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A filter on stories: a collection or topic, read or unread, starred, ids between two bounds."""

    collection: str | None = None
    topic_id: int | None = None
    is_read: bool | None = None
    is_starred: bool = False
    after: int = 0
    before: int = LAST_ID
    is_oldest_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamItem:
    """A story with its text and outlets, and whether the person has read or starred it."""

    story: Story
    created_at: datetime
    is_read: bool
    is_starred: bool
    body: str
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    name: str
    count: int
    newest_at: datetime


async def list_ids(conn: Connection, user_id: int, stream: Stream, *, limit: int) -> list[tuple[int, datetime]]:
    """The ids of a stream's stories, with the time each was created."""
    rows = await conn.fetch(
        SQL["oldest" if stream.is_oldest_first else "newest"],
        user_id,
        stream.collection,
        stream.topic_id,
        stream.is_read,
        stream.is_starred,
        stream.after,
        stream.before,
        limit,
    )
    return [(row["story_id"], row["created_at"]) for row in rows]


async def list_items(conn: Connection, user_id: int, story_ids: Sequence[int]) -> list[StreamItem]:
    """These stories, in this order; those that are not active are left out."""
    rows = await conn.fetch(SQL["items"], user_id, list(story_ids), TEXT_CHARACTERS)
    item_by_id = {row["story_id"]: _item(row) for row in rows}
    return [item_by_id[story_id] for story_id in story_ids if story_id in item_by_id]


def _item(row: Mapping[str, Any]) -> StreamItem:
    return StreamItem(
        story=story_from(row),
        created_at=row["created_at"],
        is_read=row["is_read"],
        is_starred=row["is_starred"],
        body=row["body"],
        outlets=[Outlet(**outlet) for outlet in row["outlets"] or ()],
    )


async def last_id_before(conn: Connection, moment: datetime) -> int:
    """The id of the last story that was created before a moment, 0 if there is none."""
    return int(await conn.fetchval(SQL["made_before"], moment))


async def count_unread(conn: Connection, user_id: int) -> tuple[list[Unread], list[Unread]]:
    """The unread stories of each collection, and of each topic."""
    newest = await conn.fetchval("SELECT coalesce(max(story_id), 0) FROM stories")
    collections = await conn.fetch(SQL["unread"], user_id, newest - MAX_COUNTED)
    topics = await conn.fetch(SQL["unread_of_topics"], user_id, newest - MAX_COUNTED)
    return [_unread(row) for row in collections], [_unread(row) for row in topics]


def _unread(row: Any) -> Unread:
    return Unread(name=row[0], count=row["count"], newest_at=row["newest_at"])
