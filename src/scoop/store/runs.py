"""Runs: one execution of a source's fetch, or of an ingest of pushed items."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from scoop.core import ids
from scoop.core.shapes.summanow import CrawlRunFacts
from scoop.errors import NotFound
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
Trigger = Literal["schedule", "manual"]
Status = Literal["completed", "partial", "failed"]
STATUSES = ("running", "completed", "partial", "failed")
RUN_LOCK = 0x5C03  # first key of the advisory lock that a run in progress holds on its id


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(CrawlRunFacts):
    """A run, with the name of its source."""

    source_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """The counts of a run."""

    fetched: int = 0
    inserted: int = 0
    failed: int = 0
    error: str | None = None

    @property
    def status(self) -> str:
        if self.error is not None:
            return "partial" if self.inserted else "failed"
        return "partial" if self.failed else "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A run of a source that has ended."""

    run_uuid: UUID
    source: str
    started_at: datetime
    status: Status
    fetched: int
    failed: int
    error: str | None
    checkpoint: dict[str, Any]
    log_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedRun:
    """A run that was asked for and has not ended."""

    source: str
    run_id: int
    run_uuid: UUID


async def start(conn: Connection, source: str, trigger: Trigger) -> int:
    run_id: int = await conn.fetchval(SQL["start"], source, trigger)
    return run_id


async def record(conn: Connection, visits: Sequence[FinishedRun], trigger: Trigger) -> list[int]:
    """Insert runs that have ended, or close those that were asked for; give their ids in order."""
    if not visits:  # the sources of a batch can all have been removed since it was claimed
        return []
    requested = {row["source"]: row["run_id"] for row in await conn.fetch(SQL["close_requested"], *_columns(visits))}
    others = [visit for visit in visits if visit.source not in requested]
    uuids = [visit.run_uuid for visit in others]
    rows = await conn.fetch(SQL["record"], trigger, uuids, *_columns(others)) if others else []
    inserted = iter([row["run_id"] for row in rows])
    return [requested[visit.source] if visit.source in requested else next(inserted) for visit in visits]


def _columns(visits: Sequence[FinishedRun]) -> list[list[Any]]:
    rows = [(v.source, v.started_at, v.status, v.fetched, v.failed, v.error, v.checkpoint, v.log_key) for v in visits]
    return [list(column) for column in zip(*rows, strict=True)]


def new_uuid(now: datetime) -> UUID:
    """The id of a run that starts now; ids of runs sort by time."""
    return ids.timed_uuid(now, os.urandom(ids.RANDOM_BYTES))


async def request(conn: Connection, source_ids: Sequence[int], *, now: datetime) -> dict[str, RequestedRun]:
    """Open the next run of each source, before it is visited, by its slug; the visit closes it."""
    uuids = [new_uuid(now) for _ in source_ids]
    return {row["source"]: RequestedRun(**row) for row in await conn.fetch(SQL["request"], source_ids, uuids)}


async def list_requested(conn: Connection, slugs: Sequence[str]) -> dict[str, UUID]:
    """The ids of runs that were asked for and have not ended, by source."""
    return {row["source"]: row["run_uuid"] for row in await conn.fetch(SQL["list_requested"], slugs)}


async def count_inserted(conn: Connection, inserted_by_run: Mapping[int, int]) -> None:
    """Set the number of new items of recorded runs."""
    if inserted_by_run:
        await conn.execute(SQL["count_inserted"], list(inserted_by_run), list(inserted_by_run.values()))


async def hold(conn: Connection, run_id: int) -> None:
    """Hold the lock that shows the run's process is alive; it ends with the connection."""
    await conn.execute("SELECT pg_advisory_lock($1, $2)", RUN_LOCK, run_id)


async def finish(conn: Connection, run_id: int, tally: RunTally, checkpoint: dict[str, Any] | None = None) -> None:
    await conn.execute(
        SQL["finish"], run_id, tally.status, tally.fetched, tally.inserted, tally.failed, tally.error, checkpoint
    )


async def close_abandoned(conn: Connection) -> None:
    await conn.execute(SQL["close_abandoned"], RUN_LOCK, StageName.INGEST)


async def log_key(conn: Connection, run_id: int) -> str:
    """The archive key of a run's log; NotFound if there is no such run or it has no log."""
    key: str | None = await conn.fetchval(SQL["log_key"], run_id)
    if key is None:
        raise NotFound(f"run {run_id} has no log; a visit that finds nothing changed writes none")
    return key


async def newest_id(conn: Connection) -> int:
    return int(await conn.fetchval(SQL["newest_id"]))


async def latest(
    conn: Connection,
    *,
    source: str | None = None,
    status: str | None = None,
    after: int = 0,
    before: int = db.LAST_ID,
    limit: int = 20,
) -> list[Run]:
    """The newest runs, of one source, in one state, or all, between two ids."""
    if source is not None:
        rows = await conn.fetch(SQL["latest_of_source"], after, before, limit, source, status)
    elif status is not None:
        rows = await conn.fetch(SQL["latest_in_state"], after, before, limit, status)
    else:
        rows = await conn.fetch(SQL["latest"], after, before, limit)
    return [Run(**row) for row in rows]


async def by_id(conn: Connection, run_id: int) -> Run:
    row = await conn.fetchrow(SQL["by_id"], run_id)
    if row is None:
        raise NotFound(f"there is no run {run_id}; `scoop runs` lists the latest")
    return Run(**row)
