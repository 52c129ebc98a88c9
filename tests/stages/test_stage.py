"""The one loop: only the culprit pays, nothing is saved twice, everything is told."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from scoop.errors import Reject, Retry
from scoop.stages import stage as loop
from scoop.stages.parallel import ParallelRun
from scoop.stages.stage import Outcome, Stage, Worker
from scoop.store import work
from scoop.store.work import Subject


def a_stage(do=None, saved=None, **changes) -> Stage:
    """A stage that saves its subjects into a list; `do` is called with each and may raise."""
    saved = saved if saved is not None else []

    async def load(conn, ids):
        return list(ids)

    async def carry_out(batch):
        for subject in batch:
            if do:
                do(subject)
        return Outcome(output=batch)

    async def save(conn, output):
        saved.extend(output)
        return [Subject(subject + 100) for subject in output]

    return Stage(name="test", load=load, work=carry_out, save=save, **changes)


async def run(database, stage, *subjects) -> None:
    async with database.connection() as conn:
        await work.enqueue(conn, "test", [Subject(subject) for subject in subjects])
        worker = Worker(await work.register_worker(conn), conn)
        while await loop.run_batch(stage, worker):
            pass


async def waiting(database, stage="test") -> dict[int, str]:
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT subject, state::text FROM work WHERE stage = $1", stage)
    return {row["subject"]: row["state"] for row in rows}


async def test_what_a_stage_hands_on_waits_for_the_next_one(database):
    await run(database, a_stage(then=("next",)), 1, 2)
    assert await waiting(database, "next") == {101: "waiting", 102: "waiting"}


async def test_one_bad_subject_does_not_hold_up_its_batch(database):
    def do(subject):
        if subject == 2:
            raise ZeroDivisionError("poison")

    saved = []
    await run(database, a_stage(do, saved), 1, 2, 3)
    assert sorted(saved) == [1, 3]
    async with database.connection() as conn:
        (failed,) = await work.failed(conn)
    assert (failed.subject, failed.error) == (2, "ZeroDivisionError: poison")


async def test_a_rejected_subject_is_quarantined_at_once(database):
    def do(subject):
        raise Reject("empty body")

    await run(database, a_stage(do), 1)
    assert await waiting(database) == {1: "quarantined"}


async def test_too_many_attempts_quarantine(database):
    def do(subject):
        raise Retry("429", after=timedelta(0))

    await run(database, a_stage(do, max_attempts=3), 1)
    assert await waiting(database) == {1: "quarantined"}


async def test_failures_given_as_values_are_settled_beside_the_successes(database):
    async def carry_out(batch):
        return Outcome(output=[1], failures={2: Retry("slow", after=timedelta(hours=1)), 3: Reject("never")})

    saved = []
    stage = a_stage(saved=saved)
    stage = Stage(name="test", load=stage.load, work=carry_out, save=stage.save)
    await run(database, stage, 1, 2, 3)
    assert saved == [1]
    assert await waiting(database) == {2: "waiting", 3: "quarantined"}


async def test_a_failing_save_leaves_nothing_behind(database):
    async def save(conn, output):
        await conn.execute(
            "INSERT INTO topics (topic_slug, topic_name, timezone, digest_cron)"
            " VALUES ('half', 'Half', 'UTC', '0 9 * * *')"
        )
        raise ZeroDivisionError("broken")

    stage = a_stage()
    await run(database, Stage(name="test", load=stage.load, work=stage.work, save=save, then=("next",)), 1)
    async with database.connection() as conn:
        assert not await conn.fetchval("SELECT count(*) FROM topics WHERE topic_slug = 'half'")
    assert await waiting(database, "next") == {}


async def test_a_worker_that_lost_its_lease_saves_nothing(database):
    rows = []

    async def steal_then_work(batch):
        async with database.connection() as thief:
            await thief.execute("UPDATE work SET ticket = -1")
        return Outcome(output=batch)

    async def save(conn, output):
        rows.extend(output)
        return []

    stage = a_stage()
    async with database.connection() as conn:
        await work.enqueue(conn, "test", [Subject(1)])
        worker = Worker(await work.register_worker(conn), conn)
        await loop.run_batch(Stage(name="test", load=stage.load, work=steal_then_work, save=save), worker)
    assert rows == []


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 5), (1, 15), (2, 45), (3, 135), (20, 24 * 3600)])
def test_waits_grow_with_every_failure(attempts, seconds):
    delay = loop.delay_after(attempts, ValueError())
    assert seconds <= delay.total_seconds() <= seconds * 1.2


def test_a_host_that_names_its_own_wait_is_obeyed():
    assert loop.delay_after(0, Retry("busy", after=timedelta(hours=3))) == timedelta(hours=3)


async def test_a_stage_that_runs_one_at_a_time_per_lane_never_overlaps_within_a_lane(database):
    busy: set[str] = set()

    async def load(conn, ids):
        return list(ids)

    async def carry_out(batch):
        lane = "odd" if batch[0] % 2 else "even"
        assert lane not in busy
        busy.add(lane)
        await asyncio.sleep(0.01)
        busy.discard(lane)
        return Outcome(output=batch)

    async def save(conn, output):
        return []

    stage = Stage(name="test", load=load, work=carry_out, save=save, batch=3, lock="test")
    async with database.connection() as conn:
        await work.enqueue(conn, "test", [Subject(n, "odd" if n % 2 else "even") for n in range(30)])

    async def one_worker():
        async with database.connection() as conn:
            worker = Worker(await work.register_worker(conn), conn)
            while await loop.run_batch(stage, worker) or await work.is_busy(conn, [stage.name]):
                await asyncio.sleep(0)

    await asyncio.gather(*(one_worker() for _ in range(3)))
    assert await waiting(database) == {}


async def test_a_batch_that_would_outlive_its_lease_is_halved_until_it_does_not(database):
    sizes, saved = [], []

    async def carry_out(batch):
        sizes.append(len(batch))
        await asyncio.sleep(0.02 * len(batch) ** 2)
        return Outcome(output=batch)

    stage = replace(a_stage(saved=saved, lease=timedelta(seconds=1)), work=carry_out)
    await run(database, stage, *range(16))
    assert sorted(saved) == list(range(16))
    assert sizes[:3] == [16, 8, 4]
    assert await waiting(database) == {}


async def test_a_single_subject_that_outlives_its_lease_fails_with_the_reason(database):
    async def carry_out(batch):
        await asyncio.sleep(10)

    await run(database, replace(a_stage(lease=timedelta(seconds=0.2)), work=carry_out), 1)
    async with database.connection() as conn:
        (failed,) = await work.failed(conn)
    assert "longer than" in failed.error


async def test_a_stage_that_waits_for_the_network_is_not_cut_short(database):
    saved = []

    async def carry_out(batch):
        await asyncio.sleep(0.2)
        return Outcome(output=batch)

    stage = replace(a_stage(saved=saved, lease=timedelta(seconds=0.25), waits=True), work=carry_out)
    await run(database, stage, 1)
    assert saved == [1]


def test_batches_shrink_while_they_are_slow_and_grow_again():
    stage = a_stage(lease=timedelta(seconds=100), batch=1000)
    assert loop.next_size(stage, 1000, took=60) == 500
    assert loop.next_size(stage, 1, took=60) == 1
    assert loop.next_size(stage, 500, took=30) == 500
    assert loop.next_size(stage, 400, took=1) == 800
    assert loop.next_size(stage, 800, took=1) == 1000


async def test_work_during_which_a_worker_died_is_done_one_by_one_beside_the_work_of_other_lanes(database):
    at_once: list[set[int]] = []
    running: set[int] = set()

    async def load(conn, ids):
        return list(ids)

    async def carry_out(batch):
        running.update(batch)
        at_once.append(set(running))
        await asyncio.sleep(0.05)
        running.difference_update(batch)
        return Outcome(output=batch)

    async def save(conn, output):
        return []

    stage = Stage(name="test", load=load, work=carry_out, save=save, batch=1, parallel=8)
    async with database.connection() as conn:
        await work.enqueue(conn, "test", [Subject(n, f"host{n}") for n in range(8)])
        await conn.execute("UPDATE work SET crashes = 1 WHERE subject < 4")
        batches = ParallelRun(stage=stage, worker=Worker(await work.register_worker(conn), conn))
        await batches.start_due()
        while batches.running:
            await batches.settle_ended(within=timedelta(seconds=5))
            await batches.start_due()
    assert await waiting(database) == {}
    assert max(len(together & {0, 1, 2, 3}) for together in at_once) == 1
    assert max(len(together & {4, 5, 6, 7}) for together in at_once) == 4
