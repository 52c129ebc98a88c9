"""Documents: one for each source item, whoever reads which of its arrivals when."""

import asyncio

from builders import an_item, ingest
from scoop.core import documents as reading
from scoop.store import arrivals, documents


async def read(database, *items):
    """The documents of items that have just arrived."""
    await ingest(database, items)
    async with database.connection() as conn:
        ids = await conn.fetch("SELECT raw_arrival_id FROM raw_arrivals ORDER BY 1 DESC LIMIT $1", len(items))
        found = await arrivals.by_ids(conn, [row["raw_arrival_id"] for row in ids])
    return [reading.document(found[arrival_id]) for arrival_id in sorted(found)]


async def put(database, given):
    async with database.transaction() as conn:
        return await documents.put(conn, given)


async def titles(database):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT source_item_id, title FROM documents ORDER BY document_id")
    return [tuple(row) for row in rows]


async def test_new_and_changed_items_of_one_batch_become_one_document_each(database):
    await put(database, await read(database, an_item(1, title="One"), an_item(2, title="Two")))
    batch = await read(database, an_item(2, title="Two, corrected"), an_item(3, title="Three"))
    handed_on = await put(database, batch)
    assert [title for _, title in await titles(database)] == ["One", "Two, corrected", "Three"]
    assert [subject.is_new for subject in handed_on] == [True, False]


async def test_of_two_arrivals_of_an_item_in_one_batch_the_newer_is_the_reading(database):
    batch = await read(database, an_item(1, title="At first"), an_item(1, title="Later"))
    await put(database, list(reversed(batch)))
    assert [title for _, title in await titles(database)] == ["Later"]


async def test_an_older_arrival_that_is_read_late_changes_nothing(database):
    older, newer = await read(database, an_item(1, title="At first"), an_item(1, title="Later"))
    await put(database, [newer])
    assert await put(database, [older]) == []
    assert [title for _, title in await titles(database)] == ["Later"]


async def test_two_workers_that_read_arrivals_of_one_item_at_once_make_one_document(database):
    older, newer, other = await read(
        database, an_item(1, title="At first"), an_item(1, title="Later"), an_item(2, title="Another")
    )
    async with database.connection() as first, first.transaction():
        await documents.put(first, [older])
        second = asyncio.create_task(put(database, [newer, other]))
        await asyncio.wait((second,), timeout=0.3)
        assert not second.done()  # it waits for who came first
    await second
    assert [title for _, title in await titles(database)] == ["Later", "Another"]
