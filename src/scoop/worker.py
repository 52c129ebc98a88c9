"""The worker: the loops over stages and periodic jobs, and the processes that run them."""

import asyncio
import json
import sys
import time
from collections.abc import Coroutine, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import structlog

from scoop.app import App
from scoop.errors import ConfigError, DatabaseUnavailable, UsageError
from scoop.stages import periodic
from scoop.stages import stage as stage_loop
from scoop.stages.parallel import ParallelRun
from scoop.stages.periodic import PeriodicJob
from scoop.stages.stage import Stage, Worker
from scoop.store import db, runs, work
from scoop.store.db import Connection

log = structlog.get_logger()

IDLE_SECONDS = 0.25
HOUSEKEEPING_SECONDS = 1.0
NETWORK_LOOPS = 2  # per process: batches of visits that are made at the same time
RECOVERY_SECONDS = 1.0
# A process that exits with one of these codes would do so again.
FATAL_EXITS = {error.exit_code: error for error in (UsageError, ConfigError, DatabaseUnavailable)}


class Report(Protocol):
    """Receives the stage and the number of settled subjects after each batch, and progress messages in between."""

    def __call__(self, stage: str, done: int, /) -> None: ...
    def message(self, line: str) -> None: ...


async def run(app: App, *, stop: asyncio.Event, until_idle: bool, report: Report) -> None:
    """Work until `stop` is set, or until nothing is due; wait for a database that goes away."""
    while not stop.is_set():
        try:
            await _work(app, stop=stop, until_idle=until_idle, report=report)
        except (*db.GONE, *db.TROUBLE) as error:
            log.warning("database in trouble, trying again", error=str(error) or type(error).__name__)
            await _pause(stop, RECOVERY_SECONDS)
        else:
            return


async def _work(app: App, *, stop: asyncio.Event, until_idle: bool, report: Report) -> None:
    """Run network stages, local stages and slow jobs in separate loops, so that a slow server blocks no other."""
    done = asyncio.Event()
    network_stages = [stage for stage in app.stages if stage.waits and stage.parallel == 1]
    parallel_stages = [stage for stage in app.stages if stage.parallel > 1]
    slow_jobs = [job for job in app.jobs if job.waits]
    local_loop = _local_loop(app, stop=stop, until_idle=until_idle, done=done, report=report)
    network_loops = [
        _worker_loop(app, network_stages, stop=stop, done=done, report=report) for _ in range(NETWORK_LOOPS)
    ]
    parallel_loops = [_parallel_loop(app, stage, stop=stop, done=done, report=report) for stage in parallel_stages]
    job_loops = [_slow_jobs_loop(app, slow_jobs, stop=stop, done=done)] if slow_jobs else []
    await run_loops([local_loop, *network_loops, *parallel_loops, *job_loops])


async def _slow_jobs_loop(app: App, jobs: list[PeriodicJob], *, stop: asyncio.Event, done: asyncio.Event) -> None:
    async with app.database.connection() as conn:
        while True:
            await periodic.run_due(conn, jobs, now=datetime.now(UTC))
            if stop.is_set() or done.is_set():
                return
            await _pause(done, IDLE_SECONDS)


async def _local_loop(app: App, *, stop: asyncio.Event, until_idle: bool, done: asyncio.Event, report: Report) -> None:
    """Run local stages and housekeeping; decide when the worker is idle."""
    stages = [stage for stage in app.stages if not stage.waits]
    async with app.database.connection() as conn:
        worker = Worker(await work.register_worker(conn), conn, report.message)
        await runs.close_abandoned(conn)
        kept_at = 0.0
        while not stop.is_set():
            if time.monotonic() - kept_at > HOUSEKEEPING_SECONDS:
                await _housekeeping(app, conn)
                kept_at = time.monotonic()
            if await _run_each(stages, worker, report):
                continue
            if until_idle and not await work.is_busy(conn, [stage.name for stage in app.stages]):
                break
            await _pause(stop, IDLE_SECONDS)
    done.set()


async def _worker_loop(
    app: App, stages: list[Stage[Any, Any]], *, stop: asyncio.Event, done: asyncio.Event, report: Report
) -> None:
    async with app.database.connection() as conn:
        worker = Worker(await work.register_worker(conn), conn, report.message)
        while not stop.is_set() and not done.is_set():
            if not await _run_each(stages, worker, report):
                await _pause(done, IDLE_SECONDS)


async def _parallel_loop(
    app: App, stage: Stage[Any, Any], *, stop: asyncio.Event, done: asyncio.Event, report: Report
) -> None:
    async with app.database.connection() as conn:
        batches = ParallelRun(stage=stage, worker=Worker(await work.register_worker(conn), conn, report.message))
        try:
            while batches.running or not (stop.is_set() or done.is_set()):
                if not stop.is_set():
                    await batches.start_due()
                if not batches.running:
                    await _pause(done, IDLE_SECONDS)
                elif settled := await batches.settle_ended(within=timedelta(seconds=IDLE_SECONDS)):
                    report(stage.name, settled)
        finally:
            await batches.cancel()


async def _run_each(stages: list[Stage[Any, Any]], worker: Worker, report: Report) -> int:
    """Run a few batches of each stage: a stage can start before the one before it has emptied its queue."""
    settled = 0
    for stage in stages:
        for _ in range(stage.turns):
            done = await stage_loop.run_batch(stage, worker)
            if not done:
                break
            report(stage.name, done)
            settled += done
    return settled


async def run_loops(loops: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """Run all loops until each has ended; an exception in one cancels the others."""
    tasks = [asyncio.create_task(loop) for loop in loops]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _housekeeping(app: App, conn: Connection) -> None:
    await periodic.run_due(conn, [job for job in app.jobs if not job.waits], now=datetime.now(UTC))


async def drain(
    stage: Stage[Any, Any], worker: Worker, *, stop: asyncio.Event, report: Report, limit: int | None = None
) -> int:
    """Run a stage until nothing is due for it, or `limit` subjects are settled."""
    settled = 0
    while not stop.is_set() and (limit is None or settled < limit):
        done = await stage_loop.run_batch(stage, worker)
        if not done:
            break
        report(stage.name, done)
        settled += done
    return settled


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def run_supervised(
    size: int, *, stop: asyncio.Event, until_idle: bool, report: Report, stages: Sequence[str] = ()
) -> None:
    """Run worker processes, for these stages or all, until `stop` is set or nothing is due."""
    supervisor = Supervisor(size, until_idle=until_idle, report=report, stages=stages)
    working, stopping = asyncio.create_task(supervisor.run()), asyncio.create_task(stop.wait())
    await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    supervisor.stop()
    await working


class Supervisor:
    """Starts worker processes, restarts one that dies, and stops all of them together."""

    def __init__(self, size: int, *, until_idle: bool, report: Report, stages: Sequence[str] = ()) -> None:
        self._size = size
        self._arguments = [
            sys.executable,
            "-m",
            "scoop",
            "worker",
            "--member",
            *(["--until-idle"] if until_idle else []),
            *(f"--stage={stage}" for stage in stages),
        ]
        self._until_idle = until_idle
        self._report = report
        self._processes: set[asyncio.subprocess.Process] = set()
        self._is_stopping = False

    async def run(self) -> None:
        """Run until every process has ended."""
        await asyncio.gather(*(self._keep_one() for _ in range(self._size)))

    def stop(self) -> None:
        """Have every process finish its current batches and exit."""
        self._is_stopping = True
        for process in self._processes:
            process.terminate()

    async def _keep_one(self) -> None:
        while not self._is_stopping:
            code = await self._run_one()
            if code == 0 and (self._until_idle or self._is_stopping):
                return
            if code in FATAL_EXITS:
                raise FATAL_EXITS[code]("a worker process could not start; the line above says why")
            if not self._is_stopping:
                log.warning("worker process died, starting another", code=code)
                await asyncio.sleep(RECOVERY_SECONDS)

    async def _run_one(self) -> int:
        # A process exits when the pipe to its standard input closes: that is how it notices that we died.
        process = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._processes.add(process)
        try:
            if self._is_stopping:
                process.terminate()
            if process.stdout is not None:
                async for line in process.stdout:
                    self._pass_on(json.loads(line))
            return await process.wait()
        finally:
            self._processes.discard(process)

    def _pass_on(self, reported: dict[str, Any]) -> None:
        if "line" in reported:
            self._report.message(reported["line"])
        else:
            self._report(reported["stage"], reported["done"])
