"""Replays: copy a part of the ledger into another database, and compare where its documents are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from scoop.stage_names import StageName
from scoop.store import db, runs, work
from scoop.store.db import Connection
from scoop.store.stories import DocumentName, Placement
from scoop.store.work import Subject

SQL = db.blocks(__name__)
SOURCE = "replay"  # the source of the run that the copied arrivals belong to


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDocument:
    """The title of a document, and its story and coverage."""

    title: str
    place: Placement


async def list_newest(conn: Connection, *, collection: str | None, since: datetime | None, limit: int) -> list[int]:
    """The newest arrivals since a moment, the oldest first."""
    return [row["raw_arrival_id"] for row in await conn.fetch(SQL["newest"], collection, since, limit)]


async def get_placements(conn: Connection, arrival_ids: Sequence[int]) -> dict[DocumentName, PlacedDocument]:
    """The documents of arrivals that are in a story, by name."""
    return {
        (row["collection"], row["source"], row["source_item_id"]): PlacedDocument(
            title=row["title"], place=Placement(merge=row["merge"], coverage=row["coverage"])
        )
        for row in await conn.fetch(SQL["places"], arrival_ids)
    }


async def copy_arrivals(ours: Connection, theirs: Connection, arrival_ids: Sequence[int]) -> None:
    """Copy arrivals with their pages and ids into another ledger, and enqueue them for normalize there."""
    arrivals = [dict(row) for row in await ours.fetch(SQL["arrivals"], arrival_ids)]
    pages = [dict(row) for row in await ours.fetch(SQL["pages"], arrival_ids)]
    async with theirs.transaction():
        run_id = await runs.start(theirs, SOURCE, "manual")
        for row in arrivals:
            row |= {"run_id": run_id, "raw_payload": msgspec.Raw(row["raw_payload"].encode())}
        for table, rows in (("raw_arrivals", arrivals), ("pages", pages)):
            if rows:
                await db.copy(theirs, table, columns=tuple(rows[0]), records=[tuple(row.values()) for row in rows])
        await work.enqueue(
            theirs, StageName.NORMALIZE, [Subject(arrival_id, is_new=True) for arrival_id in arrival_ids]
        )
