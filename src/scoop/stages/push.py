"""Push: validate a stream of canonical v1 items, append the valid ones to the ledger, keep the refused ones apart."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Literal, cast

from scoop.core import documents, items, urls
from scoop.core.display_names import counted
from scoop.errors import DatabaseUnavailable, InputError
from scoop.faults import fault
from scoop.stage_names import StageName
from scoop.stages import push_batches
from scoop.stages.push_batches import UNLIMITED, Batch, Interruption, PushInterrupted, PushLimits
from scoop.store import arrivals, db, runs, work
from scoop.store.arrivals import ItemRefusal, NewArrival
from scoop.store.db import Connection, Database
from scoop.store.runs import RunTally
from scoop.store.work import Subject

SOURCE = "items"  # the source of a push's run; its arrivals carry their own sources
MAX_NAME = 500  # characters kept of a file's path: its end
# One gzip push of 1.7 MB made 2.5 million rows of 3.2 GB before there was a quota.
KEPT_REFUSALS = 10_000
KEPT_REFUSED_BYTES = 64 << 20

ItemKey = tuple[str, str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """The counts of a push; `problem` says why its stream was not read to the end, or what is not kept."""

    run_id: int
    items: int
    new: int
    refused: int
    problem: str | None
    is_interrupted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """The result for one item, counted from 0: a refused one has problems, the others a public id."""

    index: int
    line: int
    status: Literal["accepted", "duplicate", "refused"]
    article_id: str | None = None
    problems: Sequence[items.ItemProblem] = ()


@dataclass(slots=True)
class _Appended:
    """The result of one batch: ids and keys of the new arrivals, and by key those the database cannot store."""

    ids: list[int] = field(default_factory=list)
    keys: set[ItemKey] = field(default_factory=set)
    unstorable: dict[ItemKey, ItemRefusal] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Tally:
    """The counts of a push so far, and the reason to end it."""

    limits: PushLimits
    interruption: Interruption
    items: int = 0
    new: int = 0
    refused: int = 0
    kept: int = 0
    kept_bytes: int = 0
    problem: str | None = None
    is_interrupted: bool = False

    def within_quota(self, refusals: Sequence[ItemRefusal]) -> list[ItemRefusal]:
        """Count refusals and return those that still fit into the quota of rows and bytes."""
        self.refused += len(refusals)
        chosen: list[ItemRefusal] = []
        for refusal in refusals:
            if self.kept >= KEPT_REFUSALS or self.kept_bytes + refusal.size > KEPT_REFUSED_BYTES:
                break
            chosen.append(refusal)
            self.kept += 1
            self.kept_bytes += refusal.size
        return chosen

    def check(self) -> None:
        """Raise InputError if the next batch should not be entered."""
        if reason := self.interruption():
            raise PushInterrupted(reason)
        if self.limits.refused is not None and self.refused >= self.limits.refused:
            raise InputError(
                f"{self.refused:,} of the first {self.items:,} items were refused, so the rest was not read; "
                "correct them and push again (nothing is duplicated)"
            )

    def stop(self, error: InputError) -> None:
        self.is_interrupted = isinstance(error, PushInterrupted)
        done = counted(self.items, "item")
        self.problem = f"interrupted after {done}: {error}" if self.is_interrupted else str(error)

    def result(self, run_id: int) -> PushResult:
        return PushResult(
            run_id=run_id,
            items=self.items,
            new=self.new,
            refused=self.refused,
            problem=self.problem or self._quota_problem(),
            is_interrupted=self.is_interrupted,
        )

    def _quota_problem(self) -> str | None:
        if self.kept == self.refused:
            return None
        return f"only {self.kept:,} of {self.refused:,} refused items are kept; correct these and push again"


async def push(
    database: Database,
    stream: IO[bytes],
    *,
    name: str,
    now: datetime,
    limits: PushLimits = UNLIMITED,
    progress: Callable[[int], None] = lambda _count: None,
    report: Callable[[Iterator[ItemOutcome]], None] = lambda _outcomes: None,
    interruption: Interruption = lambda: None,
) -> PushResult:
    """Append the items of a stream to the ledger and enqueue them for normalize.

    Each batch is one transaction. After it, `progress` gets its number of items and `report` their outcomes. Between
    batches the push ends if a limit is reached or `interruption` gives a reason; committed batches are kept.
    """
    batches = push_batches.read_batches(stream, now=now, limits=limits, interruption=interruption)
    tally = _Tally(limits=limits, interruption=interruption)
    try:
        async with database.connection() as conn:
            await runs.close_abandoned(conn)
            run_id = await runs.start(conn, SOURCE, "manual")
            await runs.hold(conn, run_id)
            try:
                async for batch, appended in _enter_all(conn, run_id, name, batches, tally):
                    progress(len(batch.items))
                    report(_outcomes(batch, appended))
            except InputError as error:
                tally.stop(error)
            result = tally.result(run_id)
            await runs.finish(
                conn,
                run_id,
                RunTally(fetched=result.items, inserted=result.new, failed=result.refused, error=result.problem),
            )
    except (*db.GONE, *db.TROUBLE) as error:
        raise DatabaseUnavailable(
            f"the database went away ({db.describe_error(error)}); see that its disk has space, "
            "then push the items again: those already accepted are kept, nothing is duplicated"
        ) from error
    return result


async def _enter_all(
    conn: Connection, run_id: int, name: str, batches: Iterator[Batch], tally: _Tally
) -> AsyncIterator[tuple[Batch, _Appended]]:
    async with aclosing(_read_ahead(batches)) as upcoming:
        async for batch in upcoming:
            tally.check()
            yield batch, await _enter(conn, run_id, name, batch, tally)


async def _read_ahead(batches: Iterator[Batch]) -> AsyncGenerator[Batch]:
    """Yield the batches; a thread reads and validates the next one while the database stores the current one."""
    upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
    try:
        while (batch := await upcoming) is not None:
            upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
            yield batch
    finally:
        await asyncio.wait((upcoming,))
        upcoming.cancelled() or upcoming.exception()  # retrieved: the push may end before it is awaited


async def _enter(conn: Connection, run_id: int, name: str, batch: Batch, tally: _Tally) -> _Appended:
    """Commit one batch: arrivals, work for the next stage and refusals together."""
    appended = _Appended()
    async with conn.transaction():
        await _append(conn, run_id, batch.arrivals, appended)
        await work.enqueue(conn, StageName.NORMALIZE, [Subject(arrival_id, is_new=True) for arrival_id in appended.ids])
        kept = tally.within_quota([*batch.refusals, *appended.unstorable.values()])
        await arrivals.add_refusals(conn, run_id, name[-MAX_NAME:], kept)
        fault("push.saved")
    fault("push.committed")
    tally.items += len(batch.items)
    tally.new += len(appended.ids)
    return appended


async def _append(conn: Connection, run_id: int, lines: list[tuple[int, NewArrival]], appended: _Appended) -> None:
    """Append arrivals; halve a batch that the database cannot store until only the culprits are refused."""
    try:
        async with conn.transaction():
            rows = await arrivals.append(conn, {run_id: [arrival for _, arrival in lines]})
    except db.Unstorable as error:
        if len(lines) > 1:
            half = len(lines) // 2
            await _append(conn, run_id, lines[:half], appended)
            await _append(conn, run_id, lines[half:], appended)
            return
        line, arrival = lines[0]
        problem = items.ItemProblem("$", f"the database cannot store it: {db.describe_error(error)}")
        refusal = ItemRefusal(line=line, problems=[problem], raw_item=bytes(arrival.raw_payload))
        appended.unstorable[arrival.key] = refusal
    else:
        appended.ids += [row.raw_arrival_id for row in rows]
        appended.keys |= {row.key for row in rows}


def _outcomes(batch: Batch, appended: _Appended) -> Iterator[ItemOutcome]:
    """The outcome of each item; of equal items the first is accepted, the others are duplicates."""
    seen: set[ItemKey] = set()
    for index, item in enumerate(batch.items, start=batch.first):
        refusal = item if isinstance(item, ItemRefusal) else appended.unstorable.get(item[1].key)
        if refusal is not None:
            yield ItemOutcome(index=index, line=refusal.line, status="refused", problems=refusal.problems)
            continue
        line, arrival = cast(tuple[int, NewArrival], item)
        is_new = arrival.key in appended.keys and arrival.key not in seen
        seen.add(arrival.key)
        yield ItemOutcome(
            index=index, line=line, status="accepted" if is_new else "duplicate", article_id=_article_id(arrival)
        )


def _article_id(arrival: NewArrival) -> str:
    """The public id that the item's document will have."""
    url = arrival.source_item_url
    return documents.article_id(urls.canonical_url(url) if url else f"{arrival.source}:{arrival.source_item_id}")
