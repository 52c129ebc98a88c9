"""The list of stages, arrows and periodic jobs is the program."""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import scoop
from scoop import pipeline
from scoop.archive.objects import Archive
from scoop.core.handover_modes import Modes
from scoop.errors import Retry
from scoop.fetch.client import open_client
from scoop.fetch.sandbox import open_sandbox
from scoop.stage_names import StageName
from scoop.stages import periodic
from scoop.stages.periodic import CronSchedule, PeriodicJob
from scoop.stages.stage import Stage
from scoop.store.db import Connection, Database

SRC = Path(scoop.__file__).parent
QUEUE = ("scoop.store.work", "scoop.stages.stage")  # the queue itself, and the loop that hands subjects on
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


async def the_stages(folder: Path) -> list[Stage[Any, Any]]:
    async with open_client() as client, open_sandbox() as sandbox:
        return pipeline.stages(client, Archive.open(str(folder), credentials={}), sandbox, secrets={})


async def test_the_pipeline_has_every_stage_in_the_order_of_the_names(tmp_path: Path) -> None:
    stages = await the_stages(tmp_path)
    assert [stage.name for stage in stages] == list(StageName)
    assert [stage.subject for stage in stages] == [name.subject for name in StageName]


async def test_every_stage_gets_work_from_a_stage_or_from_outside(tmp_path: Path) -> None:
    followers = {name for stage in await the_stages(tmp_path) for name in (*stage.then, *stage.also)}
    assert followers | {entrance.stage for entrance in pipeline.ENTRANCES} == set(StageName)


def test_every_place_that_enqueues_work_outside_a_stage_is_an_entrance() -> None:
    assert {(found.module, found.stage) for found in pipeline.ENTRANCES} == set(_enqueues())


def test_no_sql_spells_the_name_of_a_stage() -> None:
    spelled = re.compile(rf"'({'|'.join(StageName)})'")
    files = [path for path in SRC.rglob("*.sql") if "migrations" not in path.parts]
    assert [(path.name, spelled.findall(path.read_text())) for path in files if spelled.search(path.read_text())] == []


def _enqueues() -> Iterator[tuple[str, StageName]]:
    """Each module and stage of `work.enqueue(conn, StageName.X, ...)`, and of SQL that inserts into `work` itself."""
    for path in SRC.rglob("*.py"):
        module = ".".join(("scoop", *path.relative_to(SRC).with_suffix("").parts))
        if module in QUEUE:
            continue
        blocks = _inserting_blocks(path.with_suffix(".sql"))
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            stage = _stage_of(call, blocks)
            if isinstance(stage, ast.Attribute):
                yield module, StageName[stage.attr]
            elif stage is not None:  # pipeline.py hands these in, as Stage.then and Stage.also
                assert ast.unparse(stage) in {"following", "stage"}, f"{module}:{call.lineno} spells a stage's name"


def _stage_of(call: ast.Call, blocks: set[str]) -> ast.expr | None:
    called = ast.unparse(call.func)
    if called in {"work.enqueue", "work.enqueue_missing"}:
        return call.args[1]
    if called.startswith("conn.") and call.args and ast.unparse(call.args[0]) in {f"SQL['{name}']" for name in blocks}:
        return call.args[1]
    return None


def _inserting_blocks(sql: Path) -> set[str]:
    if not sql.exists():
        return set()
    blocks = re.split(r"^-- name: (?=\w+$)", sql.read_text(), flags=re.MULTILINE)
    return {block.split("\n", 1)[0] for block in blocks if re.search(r"^INSERT INTO work\b", block, re.MULTILINE)}


async def test_one_worker_runs_a_periodic_job_and_not_again_before_it_is_due(database: Database) -> None:
    ran: list[datetime] = []
    job = _job(ran, when=timedelta(hours=1))
    async with database.connection() as one, database.connection() as other:
        await periodic.run_due(one, [job], now=NOW)
        await periodic.run_due(other, [job], now=NOW + timedelta(minutes=59))
        await periodic.run_due(other, [job], now=NOW + timedelta(minutes=61))
    assert ran == [NOW, NOW + timedelta(minutes=61)]


async def test_a_nightly_job_runs_at_its_local_time_and_is_made_up_after_a_sleep(database: Database) -> None:
    ran: list[datetime] = []
    job = _job(ran, when=CronSchedule(expression="0 3 * * *", timezone="Europe/Berlin"))
    due = datetime(2026, 11, 16, 2, tzinfo=UTC)
    moments = [NOW, due - timedelta(seconds=1), due, due + timedelta(hours=1), due + timedelta(days=1, hours=9)]
    async with database.connection() as conn:
        for now in moments:
            await periodic.run_due(conn, [job], now=now)
    assert ran == [NOW, due, moments[-1]]


async def test_a_periodic_job_that_fails_does_not_keep_the_others_from_running(database: Database) -> None:
    ran: list[datetime] = []

    async def fail(_conn: Connection, _now: datetime) -> None:
        raise Retry("the archive does not answer")

    async with database.connection() as conn:
        await periodic.run_due(conn, [PeriodicJob(name="fails", run=fail), _job(ran, when=None)], now=NOW)
    assert ran == [NOW]


def test_a_worker_of_some_stages_runs_no_job_that_needs_another(tmp_path: Path) -> None:
    archive = Archive.open(str(tmp_path), credentials={})
    jobs = pipeline.periodic_jobs([], archive, modes=Modes(), timezone="UTC")
    assert "release orphans" in {job.name for job in jobs}
    assert not {"schedule digests", "fall back"} & {job.name for job in jobs}


def _job(ran: list[datetime], *, when: timedelta | CronSchedule | None) -> PeriodicJob:
    async def run(_conn: Connection, now: datetime) -> None:
        ran.append(now)

    return PeriodicJob(name="test", when=when, run=run)
