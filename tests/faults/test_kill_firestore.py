"""Kill a worker between the batches of the firestore projection: the next run leaves what an unharmed run leaves."""

import asyncio
import signal

import pytest

from builders import scoop
from projections import memories
from projections.memories import RememberingDesk
from scoop.stage_names import StageName

pytest_plugins = ["projections.conftest"]

POINTS = [
    *((f"{StageName.PROJECT}.{moment}", hit) for moment, hit in (("worked", 1), ("saved", 2), ("committed", 1))),
    (f"{StageName.PROJECT}.written", 2),
]
POSTED, REJECTED = 50, 600  # those that move have two pages, the first of them two batches


async def run_once(url: str, desk: RememberingDesk, **settings: str) -> int:
    done = await asyncio.to_thread(
        scoop,
        "run-once",
        database_url=url,
        project_to="firestore",
        projections_firestore_project=desk.project_id,
        projections_firestore_base_url=desk.endpoint,
        **settings,
    )
    return done.returncode


@pytest.mark.parametrize(("point", "hit"), POINTS)
async def test_a_worker_killed_between_batches_costs_nothing(point, hit, memory, database, database_url):
    await memory.notify(*(f"https://dev.to/posted/{number}" for number in range(POSTED)))
    await memory.reject(*(f"https://dev.to/rejected/{number}" for number in range(REJECTED)))
    await memory.sync()
    await memory.execute(
        "UPDATE evaluations SET state = 'notified', reason = NULL, notified_at = now() WHERE state = 'rejected'"
    )
    await asyncio.sleep(1.1)  # a feed reads what was committed a second ago
    assert await run_once(database_url, memory, fault=f"{point}:kill:{hit}") == -signal.SIGKILL
    await memory.execute("DELETE FROM chores WHERE name = 'schedule projections'")
    assert await run_once(database_url, memory) == 0
    unharmed = RememberingDesk(database, memory.endpoint, memories.a_projection(memory.endpoint))
    await memory.execute("TRUNCATE projection_feeds, projected_items")
    await unharmed.sync()
    assert len(memory.documents()) == POSTED + REJECTED
    assert memory.documents() == unharmed.documents()
