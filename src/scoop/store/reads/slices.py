"""Slices of a list: rows between two times, before a cursor, up to a limit."""

from dataclasses import dataclass
from datetime import datetime

from scoop.core import items
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

START = items.FIRST_MOMENT
Cursor = tuple[datetime, int]
"""The position of a row: its time and its id. The next page starts before it."""
END: Cursor = (items.LAST_MOMENT, db.LAST_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSlice:
    """Rows of a list that is sorted from the latest to the oldest."""

    since: datetime = START
    before: Cursor = END
    limit: int = 50


def between(since: datetime | None, until: datetime | None, *, limit: int) -> ListSlice:
    """The latest rows since one time and before another; None means no bound."""
    return ListSlice(since=since or START, before=(until, 0) if until else END, limit=limit)


async def plan_for_values(conn: Connection) -> None:
    """Plan the statements of this transaction for their values; a generic plan would miss the index that fits."""
    await conn.execute(SQL["plan_for_values"])
