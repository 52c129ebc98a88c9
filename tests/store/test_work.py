"""The queue: who gets what, and what happens to what they held."""

import asyncio
from datetime import timedelta

import pytest

from scoop.errors import LostLease
from scoop.store import work
from scoop.store.work import Subject

MINUTE = timedelta(minutes=1)


async def enqueue(conn, *ids, stage="normalize", lane=""):
    await work.enqueue(conn, stage, [Subject(subject, lane) for subject in ids])


async def claim(conn, worker=1, limit=10, lease=MINUTE, lane="", stage="normalize"):
    return await work.claim(conn, stage, worker=worker, limit=limit, lease=lease, lane=lane)


async def states(conn):
    return {row["subject"]: row["state"] for row in await conn.fetch("SELECT subject, state::text FROM work")}


async def test_what_is_claimed_by_one_worker_is_not_given_to_another(database):
    async with database.connection() as one, database.connection() as other:
        await enqueue(one, 1, 2, 3)
        first = await claim(one, limit=2)
        second = await claim(other, worker=2)
    assert (first.subjects, second.subjects) == ([1, 2], [3])


async def test_work_that_is_done_leaves_the_queue(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        held = await claim(conn)
        await work.finish(conn, held, [1])
        assert await states(conn) == {}


async def test_a_subject_enqueued_twice_waits_once(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        await enqueue(conn, 1)
        assert (await claim(conn)).subjects == [1]
        assert await claim(conn) is None


async def test_a_subject_that_changes_while_in_work_is_done_once_more(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        held = await claim(conn)
        await enqueue(conn, 1)
        await work.finish(conn, held, [1])
        again = await claim(conn)
        assert again.subjects == [1]
        await work.finish(conn, again, [1])
        assert await states(conn) == {}


async def test_a_stale_ticket_cannot_settle_what_somebody_else_took_over(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        paused = await claim(conn, worker=1, lease=timedelta(seconds=-1))
        await work.release_orphans(conn)
        taken_over = await claim(conn, worker=2)
        with pytest.raises(LostLease):
            await work.finish(conn, paused, [1])
        await work.finish(conn, taken_over, [1])


async def test_the_work_of_a_dead_worker_is_free_at_once(database):
    async with database.connection() as living:
        await enqueue(living, 1, 2)
        async with database.connection() as dying:
            number = await work.register_worker(dying)
            await claim(dying, worker=number, limit=1, lease=timedelta(hours=1))
            assert await work.release_orphans(living) == 0
        assert await work.release_orphans(living) == 1
        assert await states(living) == {1: "waiting", 2: "waiting"}


async def test_work_that_killed_its_worker_is_claimed_alone(database):
    async with database.connection() as conn:
        await enqueue(conn, 1, 2, 3)
        await claim(conn, worker=999)
        await work.release_orphans(conn)
        await enqueue(conn, 4, 5)
        sizes = [len((await claim(conn, worker=await work.register_worker(conn))).subjects) for _ in range(4)]
    assert sizes == [1, 1, 1, 2]


async def test_work_that_killed_three_workers_is_quarantined_with_the_reason(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        for _ in range(3):
            await claim(conn, worker=999)
            await work.release_orphans(conn)
        (given_up,) = await work.quarantined(conn)
    assert given_up.subject == 1
    assert "vanished" in given_up.error


async def test_a_postponed_subject_waits_and_can_be_made_due_by_hand(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        held = await claim(conn)
        await work.postpone(conn, held, {1: (timedelta(hours=1), "the host is slow")})
        assert await claim(conn) is None
        (waiting,) = await work.failed(conn)
        assert (waiting.error, waiting.attempts) == ("the host is slow", 1)
        assert await work.retry_now(conn) == 1
        assert (await claim(conn)).subjects == [1]


async def test_quarantined_work_is_left_alone_until_it_is_released(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        await work.quarantine(conn, await claim(conn), {1: "empty body"})
        assert await claim(conn) is None
        assert await work.release(conn, stage="normalize", subjects=[1]) == 1
        assert (await claim(conn)).attempts_by_subject == {1: 0}


async def test_a_changed_subject_leaves_the_quarantine_by_itself(database):
    async with database.connection() as conn:
        await enqueue(conn, 1)
        await work.quarantine(conn, await claim(conn), {1: "empty body"})
        await enqueue(conn, 1)
        assert (await claim(conn)).subjects == [1]


async def test_only_one_worker_at_a_time_is_in_a_lane(database):
    async with database.connection() as one, database.connection() as other:
        assert await work.lock_lane(one, "dedup", "ai_news")
        assert not await work.lock_lane(other, "dedup", "ai_news")
        assert await work.lock_lane(other, "dedup", "world_news")


async def test_lanes_list_only_what_is_due(database):
    async with database.connection() as conn:
        await enqueue(conn, 1, 2, lane="ai_news")
        await enqueue(conn, 3, lane="world_news")
        await enqueue(conn, 4, lane="china_news")
        held = await claim(conn, lane="china_news")
        await work.postpone(conn, held, {4: (MINUTE, "later")})
        assert sorted(await work.lanes(conn, "normalize")) == ["ai_news", "world_news"]


async def test_four_workers_share_a_thousand_subjects_without_doubling_any(database):
    async with database.connection() as conn:
        await enqueue(conn, *range(1000))

    async def take_all() -> list[int]:
        taken = []
        async with database.connection() as conn:
            worker = await work.register_worker(conn)
            while (held := await claim(conn, worker=worker, limit=17)) is not None:
                taken += held.subjects
                async with conn.transaction():
                    await work.finish(conn, held, held.subjects)
        return taken

    shares = await asyncio.gather(*(take_all() for _ in range(4)))
    assert sorted(subject for share in shares for subject in share) == list(range(1000))
