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
ITEM = attrgetter("source", "source_item_id", "collection")  # by which a document is known
_values = attrgetter(*COLUMNS)


async def put(conn: Connection, documents: Sequence[Document]) -> list[Subject]:
    """Store readings, inside the caller's transaction; give the documents that are new or changed, by collection."""
    newest = {ITEM(document): document for document in sorted(documents, key=attrgetter("raw_arrival_id"))}
    if not newest:
        return []
    known = {row["position"] for row in await conn.fetch(SQL["known"], *map(list, zip(*newest, strict=True)))}
    new = [document for position, document in enumerate(newest.values(), start=1) if position not in known]
    changed = [document for position, document in enumerate(newest.values(), start=1) if position in known]
    try:
        async with conn.transaction():
            entered = await _enter(conn, new)
    except (db.Doubled, db.Deadlock):  # somebody else has just read another arrival of one of these items
        return await _replace(conn, list(newest.values()))
    return entered + await _replace(conn, changed)


async def _enter(conn: Connection, new: Sequence[Document]) -> list[Subject]:
    """Write documents of items that had none."""
    if not new:
        return []
    ids = [row["document_id"] for row in await conn.fetch(SQL["new_ids"], len(new))]
    records = ((document_id, *_values(document)) for document_id, document in zip(ids, new, strict=True))
    await db.copy(conn, "documents", columns=("document_id", *COLUMNS), records=records)
    return [
        Subject(document_id, document.collection, is_new=True) for document_id, document in zip(ids, new, strict=True)
    ]


async def _replace(conn: Connection, changed: Sequence[Document]) -> list[Subject]:
    """Make these the current readings of their items, whether those have one or not."""
    if not changed:
        return []
    await conn.execute(SQL["stage"])
    await db.copy(conn, "staged_documents", schema="pg_temp", columns=COLUMNS, records=map(_values, changed))
    return [Subject(row["document_id"], row["collection"]) for row in await conn.fetch(SQL["replace"])]
