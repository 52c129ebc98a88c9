"""Kill a worker between the batches of the cosmos projection: the next run leaves what an unharmed run leaves."""

import asyncio
import signal

import pytest

from builders import scoop
from projections import learners
from projections.learners import KEY, ListeningDesk
from scoop.stage_names import StageName

pytest_plugins = ["projections.conftest"]

POINTS = [(f"{StageName.PROJECT}.written", 2), (f"{StageName.PROJECT}.worked", 1)]
ARTICLES = 150  # two batches


async def run_once(url: str, desk: ListeningDesk, **settings: str) -> int:
    done = await asyncio.to_thread(
        scoop,
        "run-once",
        database_url=url,
        project_to="cosmos",
        projections_cosmos_base_url=desk.endpoint,
        projections_cosmos_database=desk.database_name,
        projections_cosmos_key=KEY,
        **settings,
    )
    return done.returncode


@pytest.mark.parametrize(("point", "hit"), POINTS)
async def test_a_worker_killed_while_articles_move_leaves_no_twin(point, hit, listening, database, database_url):
    await listening.add_articles(*["2026-11-15T03:00:00Z"] * ARTICLES)
    await listening.sync()
    await listening.execute("UPDATE documents SET published_at = '2026-11-12T03:00:00Z', updated_at = now()")
    await asyncio.sleep(1.1)  # a feed reads what was committed a second ago
    assert await run_once(database_url, listening, fault=f"{point}:kill:{hit}") == -signal.SIGKILL
    await listening.execute("DELETE FROM chores WHERE name = 'schedule projections'")
    assert await run_once(database_url, listening) == 0
    unharmed = ListeningDesk(database, listening.endpoint, learners.a_projection(listening.endpoint))
    await listening.execute("TRUNCATE projection_feeds, projected_items")
    await unharmed.sync()
    assert sum(key.startswith("articles/") for key in listening.documents()) == ARTICLES
    assert listening.documents() == unharmed.documents()
