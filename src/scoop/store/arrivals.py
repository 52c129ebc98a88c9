"""The ledger: every item as it arrived, and the items that were refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from scoop.core.items import ItemProblem
from scoop.model import Arrival, ArticlePage
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
COLUMNS = (
    "raw_arrival_id",
    "run_id",
    "collection",
    "source",
    "source_item_id",
    "source_item_url",
    "source_published_at",
    "fetched_at",
    "raw_payload",
    "payload_hash",
    "response_headers",
    "keeps_fragment",
)
MAX_REFUSED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NewArrival:
    """An item to append; the payload is encoded JSON, `page_url` is the article's page to fetch.

    With `keeps_fragment` the fragment of its URL distinguishes it from others of its feed.
    With `needs_page` it is no document before its page was read: it has no title or teaser of its own.
    """

    collection: str
    source: str
    source_item_id: str
    source_item_url: str | None
    source_published_at: datetime | None
    fetched_at: datetime
    raw_payload: msgspec.Raw
    payload_hash: bytes
    response_headers: dict[str, str] | None = None
    page_url: str | None = None
    keeps_fragment: bool = False
    needs_page: bool = False

    @property
    def key(self) -> tuple[str, str, bytes]:
        """Identifies the item and its content: the ledger has each key once."""
        return self.source, self.source_item_id, self.payload_hash


@dataclass(frozen=True, slots=True)
class AppendedArrival:
    """A new row of the ledger."""

    raw_arrival_id: int
    run_id: int
    page_url: str | None
    needs_page: bool
    key: tuple[str, str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRefusal:
    """A refused item: its line, its problems and its bytes."""

    line: int
    problems: Sequence[ItemProblem]
    raw_item: bytes

    @property
    def kept_item(self) -> bytes:
        return self.raw_item[:MAX_REFUSED_BYTES]

    @property
    def size(self) -> int:
        """Bytes that its row takes, roughly."""
        return len(self.kept_item) + sum(len(problem.path) + len(problem.reason) for problem in self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRefusal:
    refused_item_id: int
    run_id: int
    input: str
    line: int
    problems: list[dict[str, str]]
    raw_item: bytes
    refused_at: datetime


async def append(conn: Connection, arrivals_by_run: Mapping[int, Sequence[NewArrival]]) -> list[AppendedArrival]:
    """Append items inside the caller's transaction and return the new ones; known items are skipped."""
    while True:
        fresh = await _unknown(conn, arrivals_by_run)
        try:
            async with conn.transaction():
                return await _copy(conn, fresh)
        except (db.UniqueViolation, db.Deadlock):
            continue  # another transaction appended some of them meanwhile: compare again


async def _unknown(
    conn: Connection, arrivals_by_run: Mapping[int, Sequence[NewArrival]]
) -> list[tuple[int, NewArrival]]:
    """The items that the ledger does not have, each once, with its run."""
    by_key = {arrival.key: (run_id, arrival) for run_id, arrivals in arrivals_by_run.items() for arrival in arrivals}
    if not by_key:
        return []
    known_positions = {row["position"] for row in await conn.fetch(SQL["known"], *map(list, zip(*by_key, strict=True)))}
    return [entry for position, entry in enumerate(by_key.values(), start=1) if position not in known_positions]


async def _copy(conn: Connection, fresh: Sequence[tuple[int, NewArrival]]) -> list[AppendedArrival]:
    if not fresh:
        return []
    ids = [row["raw_arrival_id"] for row in await conn.fetch(SQL["new_ids"], len(fresh))]
    await db.copy(
        conn,
        "raw_arrivals",
        columns=COLUMNS,
        records=[
            (
                arrival_id,
                run_id,
                a.collection,
                a.source,
                a.source_item_id,
                a.source_item_url,
                a.source_published_at,
                a.fetched_at,
                a.raw_payload,
                a.payload_hash,
                a.response_headers,
                a.keeps_fragment,
            )
            for arrival_id, (run_id, a) in zip(ids, fresh, strict=True)
        ],
    )
    return [
        AppendedArrival(arrival_id, run_id, arrival.page_url, arrival.needs_page, arrival.key)
        for arrival_id, (run_id, arrival) in zip(ids, fresh, strict=True)
    ]


async def by_ids(conn: Connection, ids: Sequence[int]) -> dict[int, Arrival]:
    rows = await conn.fetch(SQL["by_ids"], ids, StageName.PAGES)
    return {row["raw_arrival_id"]: _arrival(dict(row)) for row in rows}


def _arrival(row: dict[str, Any]) -> Arrival:
    page = row.pop("page")
    return Arrival(**row, page=msgspec.convert(page, ArticlePage) if page else None)


async def add_refusals(conn: Connection, run_id: int, source: str, refusals: Sequence[ItemRefusal]) -> None:
    """Store refused items with their line."""
    if refusals:
        kept = [refusal.kept_item for refusal in refusals]
        await conn.execute(
            SQL["refuse"],
            run_id,
            source,
            [refusal.line for refusal in refusals],
            [msgspec.json.encode(refusal.problems).decode() for refusal in refusals],
            kept,
            [sha256(raw).digest() for raw in kept],
        )


async def list_refusals(
    conn: Connection,
    *,
    run_id: int | None = None,
    before: int = db.LAST_ID,
    limit: int = 100,
    most_bytes: int = MAX_REFUSED_BYTES,
) -> list[StoredRefusal]:
    """Refused items, newest first; `before` is the cursor, `most_bytes` cuts each item."""
    return [StoredRefusal(**row) for row in await conn.fetch(SQL["refused"], run_id, limit, most_bytes, before)]
