"""The stories that each person has read and starred."""

from collections.abc import Sequence
from datetime import datetime

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def mark(
    conn: Connection,
    user_id: int,
    story_ids: Sequence[int],
    *,
    is_read: bool | None,
    is_starred: bool | None,
    now: datetime,
) -> None:
    """Mark stories as read or not, starred or not; None leaves that part as it is."""
    await conn.execute(SQL["mark"], user_id, list(story_ids), is_read, is_starred, now)


async def read_all(conn: Connection, user_id: int, *, through: int, collection: str = "") -> None:
    """Mark everything up to a story as read, in one collection or in all."""
    await conn.execute(SQL["draw_line"], user_id, collection, through)


async def read_topic(conn: Connection, user_id: int, topic_id: int, *, through: int, now: datetime) -> None:
    await conn.execute(SQL["read_topic"], user_id, topic_id, through, now)


async def inherit(conn: Connection, merged_ids: Sequence[int], surviving_ids: Sequence[int]) -> None:
    """Copy the marks of merged stories to the stories that each became part of; their own marks stay for an undo."""
    await conn.execute(SQL["inherit"], merged_ids, surviving_ids)


async def give_back(conn: Connection, *, survivor: int, revived: int) -> None:
    """Take the stars that a story inherited from another off it, because the other is a story of its own again."""
    await conn.execute(SQL["give_back"], survivor, revived)
