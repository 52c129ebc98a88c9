"""The only queue of the system: which subjects wait for which stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from scoop.errors import LostLease
from scoop.stage_names import FAILURE_TYPES, SUBJECTS, StageName, SubjectKind
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_CRASHES = 3
WORKER_LOCK = 0x5C01  # first key of the advisory lock that a live worker holds on its number
LANE_LOCK = 0x5C02  # first key of the lock on a lane of a stage that runs one at a time


WorkCursor = tuple[datetime, str, int]
"""The last row of a page of work: when it was due, its stage and its subject."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a stage works on: an id, and the lane for stages that run one at a time per lane.

    With `is_new` it was made in this transaction, so it cannot be in the queue yet.
    """

    id: int
    lane: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A batch of work that this worker holds until the lease ends or another takes it over."""

    stage: str
    ticket: int
    version_by_subject: Mapping[int, int]
    attempts_by_subject: Mapping[int, int]

    @property
    def subjects(self) -> list[int]:
        return sorted(self.version_by_subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How much work a stage has in one state; `subject_kind` is null for a stage of another version."""

    stage: str
    subject_kind: SubjectKind | None
    state: str
    count: int
    due: int
    failed: int
    next_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Work that failed: it waits for another try, or is quarantined.

    `subject` is an id, `subject_kind` what it is the id of; null for a stage of another version. `failure_type` is
    what failed: fetch, embed, publish, summary or another kind of text, else the stage.
    """

    stage: str
    failure_type: str
    subject: int
    subject_kind: SubjectKind | None
    state: str
    due_at: datetime
    attempts: int
    crashes: int
    error: str | None
    enqueued_at: datetime


async def register_worker(conn: Connection) -> int:
    """Give a worker its number and the lock that shows it is alive; the lock ends with the connection."""
    number: int = await conn.fetchval("SELECT nextval('workers')::integer")
    await conn.execute("SELECT pg_advisory_lock($1, $2)", WORKER_LOCK, number)
    # The queue grows faster than its statistics: a plan made for a short queue would scan a long one.
    await conn.execute("SET enable_seqscan = off")
    return number


async def forget_plans(conn: Connection) -> None:
    """Discard cached plans: tables outgrow their statistics, and a plan made for few rows is slow for many."""
    await conn.execute("DISCARD PLANS")


async def enqueue(conn: Connection, stage: str, subjects: Sequence[Subject]) -> None:
    """Enqueue subjects; one that waits already is due at once, one that is being worked on is done again."""
    new = [(stage, subject.id, subject.lane) for subject in subjects if subject.is_new]
    others = [subject for subject in subjects if not subject.is_new]
    if new:
        await db.copy(conn, "work", columns=("stage", "subject", "lane"), records=new)
    if others:
        await conn.execute(
            SQL["enqueue"], stage, [subject.id for subject in others], [subject.lane for subject in others]
        )


async def enqueue_missing(conn: Connection, stage: str, ids: Sequence[int]) -> None:
    """Enqueue subjects that are not in the queue; the others keep their state and due time."""
    await conn.execute(SQL["enqueue_missing"], stage, ids)


async def lanes(conn: Connection, stage: str) -> list[str]:
    return [row["lane"] for row in await conn.fetch(SQL["lanes"], stage)]


async def crashed_lanes(conn: Connection, stage: str) -> list[str]:
    """The lanes with due work during which a worker died."""
    return [row["lane"] for row in await conn.fetch(SQL["crashed_lanes"], stage)]


async def lock_lane(conn: Connection, lock: str, lane: str) -> bool:
    """Try to lock a lane for this connection; the lock ends with it."""
    return bool(await conn.fetchval("SELECT pg_try_advisory_lock($1, hashtext($2))", LANE_LOCK, f"{lock} {lane}"))


async def unlock_lane(conn: Connection, lock: str, lane: str) -> None:
    await conn.execute("SELECT pg_advisory_unlock($1, hashtext($2))", LANE_LOCK, f"{lock} {lane}")


async def claim(
    conn: Connection, stage: str, *, worker: int, limit: int, lease: timedelta, lane: str = ""
) -> Claim | None:
    return _claim(stage, await conn.fetch(SQL["claim"], stage, lane, limit, worker, lease))


async def claim_subject(conn: Connection, stage: str, subject: int, *, worker: int, lease: timedelta) -> Claim | None:
    """Claim the work on one subject; None if it is not due or another worker has it."""
    return _claim(stage, await conn.fetch(SQL["claim_subject"], stage, subject, worker, lease))


def _claim(stage: str, rows: Sequence[Any]) -> Claim | None:
    if not rows:
        return None
    return Claim(
        stage=stage,
        ticket=rows[0]["ticket"],
        version_by_subject={row["subject"]: row["version"] for row in rows},
        attempts_by_subject={row["subject"]: row["attempts"] for row in rows},
    )


async def finish(conn: Connection, claim: Claim, subjects: Sequence[int]) -> None:
    """Remove finished work in the transaction that saves its result; LostLease if the ticket is stale."""
    versions = [claim.version_by_subject[subject] for subject in subjects]
    held = await conn.fetchval(SQL["finish"], claim.stage, subjects, versions, claim.ticket)
    _check_held(claim, held, len(subjects))


async def postpone(conn: Connection, claim: Claim, delays: Mapping[int, tuple[timedelta, str]]) -> None:
    if delays:
        afters, errors = [after for after, _ in delays.values()], [error for _, error in delays.values()]
        held = _affected(await conn.execute(SQL["postpone"], claim.stage, list(delays), afters, errors, claim.ticket))
        _check_held(claim, held, len(delays))


async def quarantine(conn: Connection, claim: Claim, reasons: Mapping[int, str]) -> None:
    if reasons:
        held = _affected(
            await conn.execute(SQL["quarantine"], claim.stage, list(reasons), list(reasons.values()), claim.ticket)
        )
        _check_held(claim, held, len(reasons))


async def give_back(conn: Connection, claim: Claim, subjects: Sequence[int]) -> None:
    await conn.execute(SQL["give_back"], claim.stage, subjects, claim.ticket)


async def release_orphans(conn: Connection) -> int:
    """Release the work of dead workers; give how much there was."""
    return len(await conn.fetch(SQL["release_orphans"], MAX_CRASHES, WORKER_LOCK))


async def counts(conn: Connection) -> list[Count]:
    return [Count(**row, subject_kind=SUBJECTS.get(row["stage"])) for row in await conn.fetch(SQL["counts"])]


async def is_busy(conn: Connection, stages: Sequence[str]) -> bool:
    return bool(await conn.fetchval(SQL["is_busy"], stages))


async def failed(
    conn: Connection, *, stage: str | None = None, after: WorkCursor | None = None, limit: int = 100
) -> list[Waiting]:
    """Work that failed and waits for another try, the next due first, from a cursor on."""
    return await _list(conn, "waiting", stage=stage, after=after, limit=limit)


async def quarantined(
    conn: Connection, *, stage: str | None = None, after: WorkCursor | None = None, limit: int = 100
) -> list[Waiting]:
    """Work that is not retried until a person releases it, from a cursor on."""
    return await _list(conn, "quarantined", stage=stage, after=after, limit=limit)


async def _list(
    conn: Connection,
    state: Literal["waiting", "quarantined"],
    *,
    stage: str | None,
    after: WorkCursor | None,
    limit: int,
) -> list[Waiting]:
    rows = await conn.fetch(SQL["list"], state, stage, limit, *(after or (None, None, None)), StageName.WRITE)
    return [_waiting(row) for row in rows]


def _waiting(row: Mapping[str, Any]) -> Waiting:
    stage, values = row["stage"], dict(row)
    failure_type = values.pop("text_kind") or FAILURE_TYPES.get(stage, stage)
    return Waiting(**values, failure_type=failure_type, subject_kind=SUBJECTS.get(stage))


async def retry_now(conn: Connection, *, stage: str | None = None, subjects: Sequence[int] | None = None) -> int:
    return _affected(await conn.execute(SQL["retry_now"], stage, subjects))


async def release(conn: Connection, *, stage: str | None = None, subjects: Sequence[int] | None = None) -> int:
    return _affected(await conn.execute(SQL["release"], stage, subjects))


def _check_held(claim: Claim, held: int, of: int) -> None:
    """LostLease if another worker holds some of the subjects now."""
    if held != of:
        raise LostLease(f"{of - held} of {of} subjects of {claim.stage} were taken over by another worker")


def _affected(status: str) -> int:
    return int(status.rpartition(" ")[2])
