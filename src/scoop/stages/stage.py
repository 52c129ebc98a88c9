"""The definition of a stage, and the loop that runs all of them: claim, work, commit."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

import structlog

from scoop.errors import Deferred, LostLease, Reject, Retry
from scoop.faults import fault
from scoop.stage_names import StageName, SubjectKind
from scoop.store import db, work
from scoop.store.db import Connection
from scoop.store.work import Claim, Subject

log = structlog.get_logger()

FIRST_DELAYS = (timedelta(seconds=5), timedelta(seconds=15), timedelta(seconds=45))
LONGEST_DELAY = timedelta(hours=24)
WORKING_SHARE = 0.6  # of a lease; the rest is for saving
SLOW_SHARE, FAST_SHARE = 0.5, 0.1  # of a lease: a slower batch halves the next one, a faster one doubles it

Failure = Retry | Reject
Batch = TypeVar("Batch")
Output = TypeVar("Output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Output]):
    """A stage's output for a batch, and which of its subjects failed; `messages` are progress lines."""

    output: Output
    failures: Mapping[int, Failure] = field(default_factory=dict)
    messages: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(Generic[Batch, Output]):
    """One step of the pipeline: `load` reads, `work` decides, `save` writes.

    `work` sees no database and may wait for the network. `save` is harmless when repeated; it gives the subjects of the
    stages in `then`.
    """

    name: StageName
    load: Callable[[Connection, Sequence[int]], Awaitable[Batch]]
    work: Callable[[Batch], Awaitable[Outcome[Output]]]
    save: Callable[[Connection, Output], Awaitable[Sequence[Subject]]]
    then: tuple[StageName, ...] = ()  # get the subjects that `save` returns
    also: tuple[StageName, ...] = ()  # `save` itself enqueues other subjects for them
    batch: int = 500
    turns: int = 1  # batches before the next stage gets its turn
    lease: timedelta = timedelta(minutes=5)
    max_attempts: int = 5
    lock: str | None = None  # one worker at a time per lane, among all stages with the same lock
    waits: bool = False  # mostly for the network: it runs in a network loop
    parallel: int = 1  # batches that a worker runs at once, each settled by itself, in a loop of their own
    parallel_per_lane: int = 1

    @property
    def subject(self) -> SubjectKind:
        return self.name.subject


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker's number, the connection that shows it is alive, and where its progress messages go.

    `batch_sizes` has the stages whose batches were too slow for their lease, and how many subjects they take now.
    `turn` is held while the connection is used: batches that run at the same time share it.
    """

    number: int
    conn: Connection
    report: Callable[[str], None] = lambda _line: None
    batch_sizes: dict[StageName, int] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class _OutOfTime(Exception):
    """A batch would outlive its lease: another worker would take it over and begin again."""


async def run_batch(stage: Stage[Any, Any], worker: Worker) -> int:
    """Run one batch of a stage; give the number of settled subjects."""
    if stage.lock is None:
        return await run_lane(stage, worker, lane="")
    for lane in await work.lanes(worker.conn, stage.name):
        if await work.lock_lane(worker.conn, stage.lock, lane):
            try:
                return await run_lane(stage, worker, lane=lane)
            finally:
                await work.unlock_lane(worker.conn, stage.lock, lane)
    return 0


async def run_lane(stage: Stage[Any, Any], worker: Worker, *, lane: str) -> int:
    """Run one batch of a lane; give the number of settled subjects."""
    size, began = worker.batch_sizes.get(stage.name, stage.batch), time.monotonic()
    async with worker.turn:
        claim = await work.claim(
            worker.conn, stage.name, worker=worker.number, limit=size, lease=stage.lease, lane=lane
        )
        if claim is None:
            return 0
        fault(f"{stage.name}.claimed")
        await work.forget_plans(worker.conn)
    error = await _try(worker, stage, claim, claim.subjects)
    if isinstance(error, _OutOfTime) and len(claim.subjects) > 1:
        log.warning("batch too slow, halved", stage=stage.name, size=len(claim.subjects))
        async with worker.turn:
            await work.give_back(worker.conn, claim, claim.subjects)
        worker.batch_sizes[stage.name] = len(claim.subjects) // 2
        return await run_lane(stage, worker, lane=lane)
    if error is not None and len(claim.subjects) > 1:
        log.warning(
            "batch failed, retried one by one", stage=stage.name, size=len(claim.subjects), error=_reason(error)
        )
        for subject in claim.subjects:
            if (single_error := await _try(worker, stage, claim, [subject])) is not None:
                await _fail(worker, stage, claim, subject, single_error)
    elif error is not None:
        await _fail(worker, stage, claim, claim.subjects[0], error)
    worker.batch_sizes[stage.name] = next_size(stage, size, took=time.monotonic() - began)
    return len(claim.subjects)


async def run_subject(stage: Stage[Any, Any], worker: Worker, subject: int) -> bool:
    """Run a stage on one subject, before others; False if it is not due or another worker has it."""
    async with worker.turn:
        claim = await work.claim_subject(worker.conn, stage.name, subject, worker=worker.number, lease=stage.lease)
        if claim is None:
            return False
        fault(f"{stage.name}.claimed")
        await work.forget_plans(worker.conn)
    if (error := await _try(worker, stage, claim, claim.subjects)) is not None:
        await _fail(worker, stage, claim, subject, error)
    return True


def next_size(stage: Stage[Any, Any], size: int, *, took: float) -> int:
    """How many subjects the next batch has, after one of this size took so many seconds."""
    share = took / stage.lease.total_seconds()
    if share > SLOW_SHARE:
        return max(1, size // 2)
    return min(2 * size, stage.batch) if share < FAST_SHARE else size


async def _fail(worker: Worker, stage: Stage[Any, Any], claim: Claim, subject: int, error: Exception) -> None:
    """Postpone or quarantine a subject that failed, unless another worker has taken it over."""
    try:
        async with worker.turn:
            await _settle_failures(worker.conn, stage, claim, {subject: error})
    except LostLease as lost:
        log.warning("lease lost", stage=stage.name, reason=str(lost))


async def _try(worker: Worker, stage: Stage[Any, Any], claim: Claim, subjects: Sequence[int]) -> Exception | None:
    """Attempt the subjects and return what the stage raises, so that it costs only these subjects."""
    try:
        await _attempt(worker, stage, claim, subjects)
    except LostLease as lost:
        log.warning("lease lost", stage=stage.name, reason=str(lost))
        async with worker.turn:
            await work.give_back(worker.conn, claim, subjects)
    except Exception as error:
        if db.is_server_trouble(worker.conn, error):
            raise
        return error
    return None


async def _attempt(worker: Worker, stage: Stage[Any, Any], claim: Claim, subjects: Sequence[int]) -> None:
    """Load, work and commit; an exception leaves nothing saved."""
    conn = worker.conn
    outcome = await _work_within_lease(stage, worker, subjects)
    fault(f"{stage.name}.worked")
    async with worker.turn, conn.transaction():
        await work.finish(conn, claim, [subject for subject in subjects if subject not in outcome.failures])
        handed_on = await stage.save(conn, outcome.output)
        for following in stage.then:
            await work.enqueue(conn, following, handed_on)
        await _settle_failures(conn, stage, claim, outcome.failures)
        fault(f"{stage.name}.saved")
    fault(f"{stage.name}.committed")
    for message in outcome.messages:
        worker.report(message)


async def _work_within_lease(stage: Stage[Any, Any], worker: Worker, subjects: Sequence[int]) -> Outcome[Any]:
    """Load and work; stages that wait for the network have time limits of their own, and must not be cut short."""
    seconds = None if stage.waits else stage.lease.total_seconds() * WORKING_SHARE
    try:
        async with asyncio.timeout(seconds) as limit:
            async with worker.turn:
                batch = await stage.load(worker.conn, subjects)
            return await stage.work(batch)
    except TimeoutError as error:
        if limit.expired():
            raise _OutOfTime(f"it takes longer than {seconds:.0f} seconds, most of its lease") from error
        raise


async def _settle_failures(
    conn: Connection, stage: Stage[Any, Any], claim: Claim, failures: Mapping[int, Exception]
) -> None:
    delays: dict[int, tuple[timedelta, str]] = {}
    reasons: dict[int, str] = {}
    for subject, error in failures.items():
        attempts = claim.attempts_by_subject[subject]
        if isinstance(error, Reject) or attempts + 1 >= stage.max_attempts:
            reasons[subject] = _reason(error)
        else:
            delays[subject] = (delay_after(attempts, error), _reason(error))
        level = logging.DEBUG if isinstance(error, Deferred) else logging.WARNING
        log.log(
            level, "failed", stage=stage.name, subject=subject, quarantined=subject in reasons, error=_reason(error)
        )
    await work.postpone(conn, claim, delays)
    await work.quarantine(conn, claim, reasons)


def delay_after(attempts: int, error: Exception) -> timedelta:
    """The wait before the next attempt: as the error says, else 5, 15, 45 seconds, then longer, plus up to a fifth."""
    if isinstance(error, Retry) and error.after is not None:
        return error.after
    if attempts < len(FIRST_DELAYS):
        delay = FIRST_DELAYS[attempts]
    else:
        delay = min(FIRST_DELAYS[-1] * 3 ** (attempts - len(FIRST_DELAYS) + 1), LONGEST_DELAY)
    return delay * random.uniform(1.0, 1.2)  # noqa: S311


def _reason(error: Exception) -> str:
    if isinstance(error, Failure):
        return str(error)
    return f"{type(error).__name__}: {error}"[:2000]
