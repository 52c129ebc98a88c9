"""Documents: the current version of each source item."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

from scoop.model import PAGE_PENDING, Document
from scoop.store import db, publishers
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)
COLUMNS = tuple(field.name for field in fields(Document))
ITEM = attrgetter("source", "source_item_id", "collection")  # the key of a document
_values = attrgetter(*COLUMNS)


async def put(conn: Connection, documents: Sequence[Document]) -> list[Subject]:
    """Store documents, inside the caller's transaction; gives those that are new or changed."""
    newest = {ITEM(document): document for document in sorted(documents, key=_precedence)}
    if not newest:
        return []
    existing = {row["position"] for row in await conn.fetch(SQL["existing"], *map(list, zip(*newest, strict=True)))}
    new = [document for position, document in enumerate(newest.values(), start=1) if position not in existing]
    changed = [document for position, document in enumerate(newest.values(), start=1) if position in existing]
    try:
        async with conn.transaction():
            inserted = await _insert(conn, new)
    except (db.UniqueViolation, db.Deadlock):  # another worker stored a document of one of these items
        inserted, changed = [], list(newest.values())
    stored = inserted + await _replace(conn, changed)
    # Last: a worker that waits here for another's publisher holds no document that the other waits for.
    await publishers.add_missing(conn, (document.publisher_family for document in newest.values()))
    return stored


def _precedence(document: Document) -> tuple[bool, int]:
    """The order in which documents of one item replace each other: a teaser whose page is to come replaces none."""
    return document.content_problem != PAGE_PENDING, document.raw_arrival_id


async def _insert(conn: Connection, new: Sequence[Document]) -> list[Subject]:
    """Insert documents of items that have none, by COPY."""
    if not new:
        return []
    ids = [row["document_id"] for row in await conn.fetch(SQL["new_ids"], len(new))]
    records = ((document_id, *_values(document)) for document_id, document in zip(ids, new, strict=True))
    await db.copy(conn, "documents", columns=("document_id", *COLUMNS), records=records)
    return [
        Subject(document_id, document.collection, is_new=True) for document_id, document in zip(ids, new, strict=True)
    ]


async def _replace(conn: Connection, changed: Sequence[Document]) -> list[Subject]:
    """Upsert documents, whether their items have one or not; gives those that were stored."""
    if not changed:
        return []
    await conn.execute(SQL["stage"])
    await db.copy(conn, "staged_documents", schema="pg_temp", columns=COLUMNS, records=map(_values, changed))
    return [Subject(row["document_id"], row["collection"]) for row in await conn.fetch(SQL["replace"], PAGE_PENDING)]
