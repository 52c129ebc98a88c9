"""Documents: the current reading of each source item."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

from scoop.model import Document
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)
COLUMNS = tuple(field.name for field in fields(Document))


async def put(conn: Connection, documents: Sequence[Document]) -> list[Subject]:
    """Store readings, inside the caller's transaction; give the documents that are new or changed, by collection."""
    await conn.execute(SQL["stage"])
    await db.copy(
        conn, "staged_documents", schema="pg_temp", columns=COLUMNS, records=map(attrgetter(*COLUMNS), documents)
    )
    return [Subject(row["document_id"], row["collection"]) for row in await conn.fetch(SQL["put"])]
