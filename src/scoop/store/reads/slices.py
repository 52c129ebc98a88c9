"""One page of a list: from where and how many rows."""

from dataclasses import dataclass
from datetime import datetime

from scoop.core import items
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

START = items.FIRST_MOMENT
Cursor = tuple[datetime, int]
"""A row of a list: its moment and its number. A list goes on with what is before it."""
END: Cursor = (items.LAST_MOMENT, db.LAST_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSlice:
    """Which part of a list: what was seen since a moment, before a place, so many rows at most."""

    since: datetime = START
    before: Cursor = END
    limit: int = 50


async def plan_for_values(conn: Connection) -> None:
    """Plan the statements of this transaction for their values; a generic plan would miss the index that fits."""
    await conn.execute(SQL["plan_for_values"])
