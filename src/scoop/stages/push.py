"""Pushed items enter the ledger: a stream of canonical v1 items, the bad ones kept apart."""

import asyncio
import gzip
import io
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Literal, cast

from scoop.core import documents, items, urls
from scoop.core.item_stream import GZIP_MAGIC, RawItem, split_items
from scoop.errors import DatabaseUnavailable, InputError
from scoop.faults import fault
from scoop.model import Item
from scoop.stage_names import StageName
from scoop.stages import arrivals as item_arrivals
from scoop.store import arrivals, db, runs, work
from scoop.store.arrivals import ItemRefusal, NewArrival
from scoop.store.db import Connection, Database
from scoop.store.runs import RunTally
from scoop.store.work import Subject

SOURCE = "items"  # what the run of a pushed file is called; its arrivals carry their own sources
MAX_NAME = 500  # characters of a file's path that are kept: its end
BATCH = 2000
BATCH_BYTES = 8 << 20
TURN = 16  # items read before the thread that feeds the database gets its turn


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """What became of a stream of items."""

    run_id: int
    items: int
    new: int
    refused: int
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """What became of one item, the first of which has index 0; a refused one has problems, the others a public id."""

    index: int
    line: int
    status: Literal["accepted", "duplicate", "refused"]
    article_id: str | None = None
    problems: Sequence[items.ItemProblem] = ()


@dataclass(slots=True)
class _Batch:
    """The items of one transaction, in order: arrivals with the line they stood at, and refusals."""

    first: int = 0
    items: list[tuple[int, NewArrival] | ItemRefusal] = field(default_factory=list)
    bytes: int = 0

    def add(self, piece: RawItem, *, now: datetime) -> None:
        self.bytes += len(piece.raw)
        item, problems = _item(piece)
        if problems:
            self.items.append(ItemRefusal(line=piece.line, problems=problems, raw_item=piece.raw))
        else:
            self.items.append((piece.line, item_arrivals.arrival(item, raw=piece.raw, now=now)))

    @property
    def is_full(self) -> bool:
        return len(self.items) >= BATCH or self.bytes >= BATCH_BYTES

    @property
    def arrivals(self) -> list[tuple[int, NewArrival]]:
        return [item for item in self.items if not isinstance(item, ItemRefusal)]

    @property
    def refusals(self) -> list[ItemRefusal]:
        return [item for item in self.items if isinstance(item, ItemRefusal)]


@dataclass(slots=True)
class _Entered:
    """What a batch came to: the numbers and keys of what is new, and by key what the database cannot hold."""

    ids: list[int] = field(default_factory=list)
    keys: set[tuple[str, str, bytes]] = field(default_factory=set)
    unstorable: dict[tuple[str, str, bytes], ItemRefusal] = field(default_factory=dict)


async def push(
    database: Database,
    stream: IO[bytes],
    *,
    name: str,
    now: datetime,
    progress: Callable[[int], None] = lambda _count: None,
    tell: Callable[[Iterator[ItemOutcome]], None] = lambda _handed: None,
    max_bytes: int | None = None,
) -> PushResult:
    """Enter the items of a stream into the ledger and have them normalized.

    After each batch `progress` is told how many there were, and `tell` what became of each. A stream that has more than
    `max_bytes`, unzipped, is read no further.
    """
    read = new = refused = 0
    problem = None
    async with database.connection() as conn:
        await runs.close_abandoned(conn)
        run_id = await runs.start(conn, SOURCE, "manual")
        await runs.hold(conn, run_id)
        try:
            async for batch in _read_ahead(_batches(stream, now=now, max_bytes=max_bytes)):
                entered = await _enter(conn, run_id, name, batch)
                new += len(entered.ids)
                read += len(batch.items)
                refused += len(batch.refusals) + len(entered.unstorable)
                progress(len(batch.items))
                tell(_handed(batch, entered))
        except InputError as error:
            problem = str(error)
        except db.TROUBLE as error:
            raise DatabaseUnavailable(
                f"the database went away ({db.sentence(error)}); see that its disk has space, then ingest the file "
                "again: what was read before is kept, nothing is doubled"
            ) from error
        await runs.finish(conn, run_id, RunTally(fetched=read, inserted=new, failed=refused, error=problem))
    return PushResult(run_id=run_id, items=read, new=new, refused=refused, problem=problem)


async def _read_ahead(batches: Iterator[_Batch]) -> AsyncIterator[_Batch]:
    """The batches, the next one read and checked in a thread while the database has the one before."""
    upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
    try:
        while (batch := await upcoming) is not None:
            upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
            yield batch
    finally:
        await asyncio.wait((upcoming,))


class _UntilDamage(io.RawIOBase):
    """Reads a stream as far as it can be read, and remembers what ended it."""

    def __init__(self, stream: IO[bytes], *, max_bytes: int | None = None) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._read = 0
        self.damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        except (OSError, EOFError, zlib.error) as error:
            self.damage = error
            return 0
        self._read += len(found)
        if self._max_bytes is not None and self._read > self._max_bytes:
            raise InputError(f"is larger than {self._max_bytes:,} bytes; hand it in in parts (nothing is doubled)")
        buffer[: len(found)] = found
        return len(found)

    def raise_damage(self) -> None:
        if isinstance(self.damage, OSError) and not isinstance(self.damage, gzip.BadGzipFile):
            reason = (self.damage.strerror or str(self.damage)).lower()
            raise InputError(f"cannot be read to its end: {reason}; what stood before went in") from self.damage
        if self.damage is not None:
            raise InputError(
                f"the gzip stream is damaged ({self.damage}); what stood before the damage went in"
            ) from self.damage


def _batches(stream: IO[bytes], *, now: datetime, max_bytes: int | None) -> Iterator[_Batch]:
    plain = _UntilDamage(stream, max_bytes=max_bytes)
    buffered = io.BufferedReader(plain)
    is_zipped = buffered.peek(1)[:1] == GZIP_MAGIC[:1]  # a pipe may hold one byte as yet; no JSON begins with it
    unzipped = plain
    if is_zipped:
        unzipped = _UntilDamage(cast(IO[bytes], gzip.GzipFile(fileobj=buffered)), max_bytes=max_bytes)
    batch = _Batch()
    for piece in split_items(io.BufferedReader(unzipped) if is_zipped else buffered):
        batch.add(piece, now=now)
        if len(batch.items) % TURN == 0:
            time.sleep(0)
        if batch.is_full:
            yield batch
            batch = _Batch(batch.first + len(batch.items))
    if batch.items:
        yield batch
    plain.raise_damage()
    unzipped.raise_damage()


def _item(piece: RawItem) -> tuple[Item, list[items.ItemProblem]]:
    if piece.problem is not None:
        return {}, [items.ItemProblem(piece.path, piece.problem)]
    item, problems = items.parse_item(piece.raw)
    return item, [
        items.ItemProblem(piece.path + problem.path.removeprefix("$"), problem.reason) for problem in problems
    ]


async def _enter(conn: Connection, run_id: int, name: str, batch: _Batch) -> _Entered:
    """Commit one batch: ledger, next stage and refusals together."""
    entered = _Entered()
    async with conn.transaction():
        await _append(conn, run_id, batch.arrivals, entered)
        await work.enqueue(conn, StageName.NORMALIZE, [Subject(arrival_id, is_new=True) for arrival_id in entered.ids])
        await arrivals.add_refusals(conn, run_id, name[-MAX_NAME:], [*batch.refusals, *entered.unstorable.values()])
        fault("push.saved")
    fault("push.committed")
    return entered


async def _append(conn: Connection, run_id: int, lines: list[tuple[int, NewArrival]], entered: _Entered) -> None:
    """Append a batch; what the database cannot hold is found by halving, so that only it is refused."""
    try:
        async with conn.transaction():
            found = await arrivals.append(conn, {run_id: [arrival for _, arrival in lines]})
    except db.Unstorable as error:
        if len(lines) > 1:
            half = len(lines) // 2
            await _append(conn, run_id, lines[:half], entered)
            await _append(conn, run_id, lines[half:], entered)
            return
        line, arrival = lines[0]
        problem = items.ItemProblem("$", f"the database cannot hold it: {db.sentence(error)}")
        refusal = ItemRefusal(line=line, problems=[problem], raw_item=bytes(arrival.raw_payload))
        entered.unstorable[arrival.key] = refusal
    else:
        entered.ids += [each.raw_arrival_id for each in found]
        entered.keys |= {each.key for each in found}


def _handed(batch: _Batch, entered: _Entered) -> Iterator[ItemOutcome]:
    """What became of each item of a batch; of those that are equal the first is the new one."""
    told: set[tuple[str, str, bytes]] = set()
    for index, item in enumerate(batch.items, start=batch.first):
        refusal = item if isinstance(item, ItemRefusal) else entered.unstorable.get(item[1].key)
        if refusal is not None:
            yield ItemOutcome(index=index, line=refusal.line, status="refused", problems=refusal.problems)
            continue
        line, arrival = cast(tuple[int, NewArrival], item)
        is_new = arrival.key in entered.keys and arrival.key not in told
        told.add(arrival.key)
        yield ItemOutcome(
            index=index, line=line, status="accepted" if is_new else "duplicate", article_id=_article_id(arrival)
        )


def _article_id(arrival: NewArrival) -> str:
    """The public id that the item's document will have."""
    url = arrival.source_item_url
    return documents.article_id(urls.canonical_url(url) if url else f"{arrival.source}:{arrival.source_item_id}")
