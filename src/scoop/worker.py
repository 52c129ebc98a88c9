"""The worker: the loop over the stages, and the processes that run it."""

import asyncio
import json
import sys
import time
from collections.abc import Coroutine, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import structlog

from scoop.actions import handover
from scoop.app import App
from scoop.archive import retention
from scoop.errors import ConfigError, DatabaseUnavailable, ScoopError, UsageError
from scoop.stage_names import StageName
from scoop.stages import digest, reconcile_posts
from scoop.stages import stage as stage_loop
from scoop.stages.stage import Stage, Worker
from scoop.store import db, periodic, posts, runs, sources, webhooks, work
from scoop.store.db import Connection

log = structlog.get_logger()

IDLE_SECONDS = 0.25
HOUSE_SECONDS = 1.0  # between looks at dead workers and due sources
LINES_AWAY = 2  # of visits and pages that are out at the same time, in each process
RECOVERY_SECONDS = 1.0
# A member that ends with one of these codes would end so again.
HOPELESS = {error.exit_code: error for error in (UsageError, ConfigError, DatabaseUnavailable)}
TIDY_ARCHIVE_EVERY = timedelta(days=1)
FORGET_DELIVERIES_EVERY = timedelta(days=1)
LOOK_AFTER_POSTS_EVERY = timedelta(minutes=1)
SWEEP_EVERY = timedelta(days=1)
FALL_BACK_EVERY = timedelta(minutes=1)


class Report(Protocol):
    """Whoever watches: told after each batch the stage and how many subjects were settled, and single lines between."""

    def __call__(self, stage: str, done: int, /) -> None: ...
    def tell(self, line: str) -> None: ...


async def run(app: App, *, stop: asyncio.Event, until_idle: bool, report: Report) -> None:
    """Work until told to stop, or until nothing is due; a database that goes away is waited for."""
    while not stop.is_set():
        try:
            await _work(app, stop=stop, until_idle=until_idle, report=report)
        except (*db.GONE, *db.TROUBLE) as error:
            log.warning("database in trouble, trying again", error=str(error) or type(error).__name__)
            await _pause(stop, RECOVERY_SECONDS)
        else:
            return


async def _work(app: App, *, stop: asyncio.Event, until_idle: bool, report: Report) -> None:
    """Several lines side by side: who waits for a slow server holds up neither the other stages nor all visits."""
    done = asyncio.Event()
    away = [stage for stage in app.stages if stage.waits]
    lines = [_line(app, away, stop=stop, done=done, report=report) for _ in range(LINES_AWAY)]
    at_hand = _line_at_hand(app, stop=stop, until_idle=until_idle, done=done, report=report)
    await run_loops([at_hand, *lines, *([_line_of_fall_backs(app, stop=stop, done=done)] if _tells(app) else [])])


def _tells(app: App) -> bool:
    return any(stage.name == StageName.DIGEST for stage in app.stages)


async def _line_of_fall_backs(app: App, *, stop: asyncio.Event, done: asyncio.Event) -> None:
    """Now and then, let the older system post what is too late: its program may take minutes, and holds up nobody."""
    async with app.database.connection() as conn:
        while True:
            if await periodic.claim(conn, "fall back", every=FALL_BACK_EVERY):
                await handover.fall_back(conn, app.modes, now=datetime.now(UTC), run=handover.run_program)
            if stop.is_set() or done.is_set():
                return
            await _pause(done, IDLE_SECONDS)


async def _line_at_hand(
    app: App, *, stop: asyncio.Event, until_idle: bool, done: asyncio.Event, report: Report
) -> None:
    """The stages that need no network, and the house: this line sees when all is done."""
    stages = [stage for stage in app.stages if not stage.waits]
    async with app.database.connection() as conn:
        worker = Worker(await work.register_worker(conn), conn, report.tell)
        await runs.close_abandoned(conn)
        kept_at = 0.0
        while not stop.is_set():
            if time.monotonic() - kept_at > HOUSE_SECONDS:
                await _keep_house(app, conn)
                kept_at = time.monotonic()
            if await _turn(stages, worker, report):
                continue
            if until_idle and not await work.is_busy(conn, [stage.name for stage in app.stages]):
                break
            await _pause(stop, IDLE_SECONDS)
    done.set()


async def _line(
    app: App, stages: list[Stage[Any, Any]], *, stop: asyncio.Event, done: asyncio.Event, report: Report
) -> None:
    async with app.database.connection() as conn:
        worker = Worker(await work.register_worker(conn), conn, report.tell)
        while not stop.is_set() and not done.is_set():
            if not await _turn(stages, worker, report):
                await _pause(done, IDLE_SECONDS)


async def _turn(stages: list[Stage[Any, Any]], worker: Worker, report: Report) -> int:
    """Some of each stage: what one stage hands on need not wait until that stage has done all."""
    settled = 0
    for stage in stages:
        for _ in range(stage.turns):
            done = await stage_loop.run_batch(stage, worker)
            if not done:
                break
            report(stage.name, done)
            settled += done
    return settled


async def run_loops(lines: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """Run all until each is done; what one raises ends the others."""
    tasks = [asyncio.create_task(line) for line in lines]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_house(app: App, conn: Connection) -> None:
    """Free the work of the dead, put before the first stage what is due, and do the chores."""
    await work.release_orphans(conn)
    await sources.schedule(conn, gathers=app.modes.write_raw_ledger)
    if _tells(app):
        await digest.schedule(conn, app.modes, now=datetime.now(UTC))
    await _do_chores(app, conn)


async def _do_chores(app: App, conn: Connection) -> None:
    if await periodic.claim(conn, "look after posts", every=LOOK_AFTER_POSTS_EVERY):
        await posts.hold_stranded(conn)
        await digest.alert_late_digests(conn, app.modes, now=datetime.now(UTC))
    if await periodic.claim(conn, "sweep channels", every=SWEEP_EVERY):
        await reconcile_posts.schedule(conn)
    if await periodic.claim(conn, "forget deliveries", every=FORGET_DELIVERIES_EVERY):
        await webhooks.forget(conn)
    if await periodic.claim(conn, "tidy the archive", every=TIDY_ARCHIVE_EVERY):
        await _tidy_archive(app)


async def _tidy_archive(app: App) -> None:
    try:
        tidied = await retention.tidy(app.archive, now=datetime.now(UTC))
    except ScoopError as error:
        log.warning("archive not tidied", error=str(error))
    else:
        log.debug("archive tidied", pages_expired=tidied.pages_expired, logs_exported=tidied.logs_exported)


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
    """Work with several processes, at these stages or all, until told to stop or until nothing is due."""
    crew = Supervisor(size, until_idle=until_idle, report=report, stages=stages)
    working, stopping = asyncio.create_task(crew.run()), asyncio.create_task(stop.wait())
    await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    crew.stop()
    await working


class Supervisor:
    """Worker processes: started together, restarted when one dies, stopped together."""

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
        self._members: set[asyncio.subprocess.Process] = set()
        self._is_stopping = False

    async def run(self) -> None:
        """Until all are done, or `stop`."""
        await asyncio.gather(*(self._keep_one() for _ in range(self._size)))

    def stop(self) -> None:
        """Let every member finish what it has in hand."""
        self._is_stopping = True
        for member in self._members:
            member.terminate()

    async def _keep_one(self) -> None:
        while not self._is_stopping:
            code = await self._run_one()
            if code == 0 and (self._until_idle or self._is_stopping):
                return
            if code in HOPELESS:
                raise HOPELESS[code]("a worker process could not start: the line above says why")
            if not self._is_stopping:
                log.warning("worker process died, starting another", code=code)
                await asyncio.sleep(RECOVERY_SECONDS)

    async def _run_one(self) -> int:
        # The pipe to its standard input tells a member that we live.
        member = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._members.add(member)
        try:
            if self._is_stopping:
                member.terminate()
            if member.stdout is not None:
                async for line in member.stdout:
                    told = json.loads(line)
                    if "line" in told:
                        self._report.tell(told["line"])
                    else:
                        self._report(told["stage"], told["done"])
            return await member.wait()
        finally:
            self._members.discard(member)
