"""The collections and what they hold."""

from dataclasses import dataclass

from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    collection: str
    arrivals: int
    documents: int
    stories: int


async def has_collection(conn: Connection, collection: str) -> bool:
    """Whether a story or a source is in this collection."""
    return bool(await conn.fetchval(SQL["has_collection"], collection))


async def list_collections(conn: Connection) -> list[CollectionSummary]:
    return [CollectionSummary(**row) for row in await conn.fetch(SQL["collections"])]


async def list_names(conn: Connection) -> list[str]:
    """The collections that sources and topics name."""
    return [row["collection"] for row in await conn.fetch(SQL["names"])]
