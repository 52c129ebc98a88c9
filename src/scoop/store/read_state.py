"""What each person has read and starred."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from scoop.model import Outlet
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
TEXT_CHARACTERS = 20_000
COUNTED = 50_000  # unread stories beyond the newest so many are not news any more
LAST = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Which stories are wanted: of a collection or a topic, read or unread, starred; those between two numbers."""

    collection: str | None = None
    topic_id: int | None = None
    is_read: bool | None = None
    is_starred: bool = False
    after: int = 0
    before: int = LAST
    is_oldest_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStateStory:
    """A story as an app shows it to a person."""

    story_id: int
    story_uuid: UUID
    collection: str
    title: str
    url: str | None
    first_seen_at: datetime
    last_seen_at: datetime
    created_at: datetime
    is_read: bool
    is_starred: bool
    language: str
    body: str
    outlets: list[Outlet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    name: str
    count: int
    newest_at: datetime


async def numbers(conn: Connection, user_id: int, stream: Stream, *, limit: int) -> list[tuple[int, datetime]]:
    """The stories of a stream by number, with the moment each was made."""
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


async def contents(conn: Connection, user_id: int, story_ids: Sequence[int]) -> list[ReadStateStory]:
    """These stories, in this order; those that are gone are left out."""
    rows = await conn.fetch(SQL["contents"], user_id, list(story_ids), TEXT_CHARACTERS)
    found = {row["story_id"]: _marked(dict(row)) for row in rows}
    return [found[story_id] for story_id in story_ids if story_id in found]


def _marked(row: dict[str, Any]) -> ReadStateStory:
    return ReadStateStory(**{**row, "outlets": [Outlet(**outlet) for outlet in row["outlets"]]})


async def made_before(conn: Connection, moment: datetime) -> int:
    """The number of the last story that was made before a moment, 0 where there is none."""
    return int(await conn.fetchval(SQL["made_before"], moment))


async def unread(conn: Connection, user_id: int) -> tuple[list[Unread], list[Unread]]:
    """How much is unread in each collection, and in each topic."""
    newest = await conn.fetchval("SELECT coalesce(max(story_id), 0) FROM stories")
    collections = await conn.fetch(SQL["unread"], user_id, newest - COUNTED)
    topics = await conn.fetch(SQL["unread_of_topics"], user_id, newest - COUNTED)
    return [_unread(row) for row in collections], [_unread(row) for row in topics]


def _unread(row: Any) -> Unread:
    return Unread(name=row[0], count=row["count"], newest_at=row["newest_at"])


async def mark(
    conn: Connection,
    user_id: int,
    story_ids: Sequence[int],
    *,
    is_read: bool | None,
    is_starred: bool | None,
    now: datetime,
) -> None:
    await conn.execute(SQL["mark"], user_id, list(story_ids), is_read, is_starred, now)


async def read_all(conn: Connection, user_id: int, *, through: int, collection: str = "") -> None:
    """Everything up to a story is read: of a collection, or of all."""
    await conn.execute(SQL["draw_line"], user_id, collection, through)


async def read_topic(conn: Connection, user_id: int, topic_id: int, *, through: int, now: datetime) -> None:
    await conn.execute(SQL["read_topic"], user_id, topic_id, through, now)


async def inherit(conn: Connection, user_id: int) -> None:
    """Let stars follow the stories that became part of others."""
    await conn.execute(SQL["inherit"], user_id)
