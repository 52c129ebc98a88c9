"""What a periodic job is, and the round of housekeeping that runs the jobs that are due."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from scoop.core import digest_windows
from scoop.errors import ScoopError
from scoop.stage_names import StageName
from scoop.store import periodic
from scoop.store.db import Connection

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class CronSchedule:
    """Once on each date that the expression names, at its hour and minute in a timezone."""

    expression: str
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicJob:
    """Something done by the clock. One worker of the desk runs it when it is due.

    Without `when` every worker runs it in each round of housekeeping.
    """

    name: str  # as the table `chores` stores it
    run: Callable[[Connection, datetime], Awaitable[object]]
    when: timedelta | CronSchedule | None = None
    needs: StageName | None = None  # only workers that run this stage run the job
    waits: bool = False  # it may take minutes, so it runs in a loop of its own


async def run_due(conn: Connection, jobs: Iterable[PeriodicJob], *, now: datetime) -> None:
    """Run the jobs that are due and that no other worker has claimed; one that fails is due again as usual."""
    for job in jobs:
        if job.when is None or await periodic.claim(conn, job.name, done_before=last_due(job.when, now), now=now):
            try:
                await job.run(conn, now)
            except ScoopError as error:
                log.warning("periodic job failed", job=job.name, error=str(error))


def last_due(when: timedelta | CronSchedule, now: datetime) -> datetime:
    """The moment since which a job must have run, or it is due."""
    if isinstance(when, CronSchedule):
        return digest_windows.last_due(when.expression, when.timezone, now)
    return now - when
