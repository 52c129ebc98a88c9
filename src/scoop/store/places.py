"""Where documents stand: in which story, and in which group of coverage."""

from dataclasses import dataclass

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

Name = tuple[str, str, str]
"""What a document is known by: its collection, its source, its id there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The story that a document was merged into, and the oldest story of its coverage."""

    merge: int
    coverage: int


async def by_name(conn: Connection) -> dict[Name, Place]:
    """The place of every document that has one."""
    return {
        (row["collection"], row["source"], row["source_item_id"]): Place(merge=row["merge"], coverage=row["coverage"])
        for row in await conn.fetch(SQL["places"])
    }
