"""The events that each person has read and starred, and when each person last visited."""

from collections.abc import Sequence
from datetime import datetime

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


async def mark(
    conn: Connection,
    user_id: int,
    event_ids: Sequence[int],
    *,
    is_read: bool | None,
    is_starred: bool | None,
) -> None:
    """Mark events as read or not, starred or not; None leaves that part as it is."""
    await conn.execute(SQL["mark"], user_id, list(event_ids), is_read, is_starred)


async def read_all(conn: Connection, user_id: int, *, collection: str = "", until: datetime | None = None) -> None:
    """Mark everything that had developed by a moment, or by now, as read, in one collection or in all."""
    await conn.execute(SQL["draw_line"], user_id, collection, until)


async def read_topic(conn: Connection, user_id: int, topic_id: int, *, until: datetime | None = None) -> None:
    """Mark every event of a topic that had developed by a moment, or by now, as read."""
    await conn.execute(SQL["read_topic"], user_id, topic_id, until)


async def set_labels(
    conn: Connection, user_id: int, event_ids: Sequence[int], *, added: Sequence[str], removed: Sequence[str]
) -> None:
    """Add labels to events and remove others."""
    await conn.execute(SQL["add_labels"], user_id, list(event_ids), list(added))
    await conn.execute(SQL["remove_labels"], user_id, list(event_ids), list(removed))


async def inherit(conn: Connection, merged_ids: Sequence[int], surviving_ids: Sequence[int]) -> None:
    """Copy the marks of merged events to the events that each became part of; their own marks stay for a split."""
    await conn.execute(SQL["inherit"], merged_ids, surviving_ids)
    await conn.execute(SQL["inherit_labels"], merged_ids, surviving_ids)


async def give_back(conn: Connection, revived_ids: Sequence[int]) -> None:
    """Take the stars that other events inherited from these off them, because these are events of their own again."""
    await conn.execute(SQL["give_back"], revived_ids)
