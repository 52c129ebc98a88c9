"""Pushed items enter the ledger: a stream of canonical v1 items, the bad ones kept apart."""

import asyncio
import gzip
import io
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, cast

from scoop.core import items
from scoop.core.item_stream import GZIP_MAGIC, Piece, pieces
from scoop.errors import DatabaseUnavailable, InputError
from scoop.faults import fault
from scoop.model import Item
from scoop.stages import door
from scoop.store import arrivals, db, runs, work
from scoop.store.arrivals import NewArrival, Refusal
from scoop.store.db import Connection, Database
from scoop.store.runs import Tally

SOURCE = "items"  # what the run of a pushed file is called; its arrivals carry their own sources
MAX_NAME = 500  # characters of a file's path that are kept: its end
BATCH = 2000
BATCH_BYTES = 8 << 20
TURN = 16  # items read before the thread that feeds the database gets its turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What became of a stream of items."""

    run_id: int
    items: int
    new: int
    refused: int
    problem: str | None


@dataclass(slots=True)
class _Batch:
    arrivals: list[tuple[int, NewArrival]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    items: int = 0
    bytes: int = 0

    def add(self, piece: Piece, *, now: datetime) -> None:
        self.items += 1
        self.bytes += len(piece.raw)
        item, problems = _item(piece)
        if problems:
            self.refusals.append(Refusal(line=piece.line, problems=problems, raw_item=piece.raw))
        else:
            self.arrivals.append((piece.line, door.arrival(item, raw=piece.raw, now=now)))

    @property
    def is_full(self) -> bool:
        return self.items >= BATCH or self.bytes >= BATCH_BYTES


async def push(
    database: Database, stream: IO[bytes], *, name: str, now: datetime, follow: str, progress: Callable[[int], None]
) -> Pushed:
    """Enter the items of a stream into the ledger and hand them to the stage `follow`; `progress` is told each."""
    read = new = refused = 0
    problem = None
    async with database.connection() as conn:
        await runs.close_abandoned(conn)
        run_id = await runs.start(conn, SOURCE, "manual")
        await runs.hold(conn, run_id)
        try:
            async for batch in _read_ahead(_batches(stream, now=now)):
                new += await _enter(conn, run_id, name, batch, follow)
                read += batch.items
                refused += len(batch.refusals)
                progress(batch.items)
        except InputError as error:
            problem = str(error)
        except db.TROUBLE as error:
            raise DatabaseUnavailable(
                f"the database went away ({error}); see that its disk has space, then ingest the file again: "
                "what was read before is kept, nothing is doubled"
            ) from error
        await runs.finish(conn, run_id, Tally(fetched=read, inserted=new, failed=refused, error=problem))
    return Pushed(run_id=run_id, items=read, new=new, refused=refused, problem=problem)


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

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        except (OSError, EOFError, zlib.error) as error:
            self.damage = error
            return 0
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


def _batches(stream: IO[bytes], *, now: datetime) -> Iterator[_Batch]:
    plain = _UntilDamage(stream)
    buffered = io.BufferedReader(plain)
    is_zipped = buffered.peek(1)[:1] == GZIP_MAGIC[:1]  # a pipe may hold one byte as yet; no JSON begins with it
    unzipped = _UntilDamage(cast(IO[bytes], gzip.GzipFile(fileobj=buffered))) if is_zipped else plain
    batch = _Batch()
    for piece in pieces(io.BufferedReader(unzipped) if is_zipped else buffered):
        batch.add(piece, now=now)
        if batch.items % TURN == 0:
            time.sleep(0)
        if batch.is_full:
            yield batch
            batch = _Batch()
    if batch.items:
        yield batch
    plain.raise_damage()
    unzipped.raise_damage()


def _item(piece: Piece) -> tuple[Item, list[items.Problem]]:
    if piece.problem is not None:
        return {}, [items.Problem(piece.path, piece.problem)]
    item, problems = items.read(piece.raw)
    return item, [items.Problem(piece.path + problem.path.removeprefix("$"), problem.reason) for problem in problems]


async def _enter(conn: Connection, run_id: int, name: str, batch: _Batch, follow: str) -> int:
    """Commit one batch: ledger, next stage and refusals together."""
    async with conn.transaction():
        new_ids, unstorable = await _append(conn, run_id, batch.arrivals)
        await work.enqueue_new(conn, follow, new_ids)
        await arrivals.refuse(conn, run_id, name[-MAX_NAME:], batch.refusals + unstorable)
        batch.refusals.extend(unstorable)
        fault("push.saved")
    fault("push.committed")
    return len(new_ids)


async def _append(
    conn: Connection, run_id: int, lines: list[tuple[int, NewArrival]]
) -> tuple[list[int], list[Refusal]]:
    """Append a batch; what the database cannot hold is found by halving, so that only it is refused."""
    try:
        async with conn.transaction():
            entered = await arrivals.append(conn, {run_id: [arrival for _, arrival in lines]})
            return [found.raw_arrival_id for found in entered], []
    except db.Unstorable as error:
        if len(lines) == 1:
            line, arrival = lines[0]
            raw = bytes(arrival.raw_payload)
            problem = items.Problem("$", f"the database cannot hold it: {error}")
            return [], [Refusal(line=line, problems=[problem], raw_item=raw)]
    half = len(lines) // 2
    ids, refusals = await _append(conn, run_id, lines[:half])
    more_ids, more_refusals = await _append(conn, run_id, lines[half:])
    return ids + more_ids, refusals + more_refusals
