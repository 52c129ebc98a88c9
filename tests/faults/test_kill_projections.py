"""Kill a worker at every point of the projection: the next runs leave the table that an unharmed run leaves."""

import asyncio
import signal

import pytest

from builders import an_item, as_lines, scoop
from projections.tables import REGION, ProjectedDesk, a_projection
from scoop.stage_names import StageName
from summarised import FIRE_SENTENCES, document_ids, summarise

pytest_plugins = ["projections.conftest"]

POINTS = [
    (f"{StageName.PROJECT}.{moment}", hit)
    for moment, hit in (("claimed", 1), ("worked", 2), ("saved", 3), ("committed", 1))
]
COUNT = 30


async def run_once(url: str, desk: ProjectedDesk, **settings: str) -> int:
    done = await asyncio.to_thread(
        scoop,
        "run-once",
        database_url=url,
        project_to="dynamodb",
        projections_dynamodb_table=desk.projection.target.split()[1],
        projections_dynamodb_base_url=desk.endpoint,
        projections_dynamodb_region=REGION,
        projections_dynamodb_create_table="yes",
        projections_dynamodb_access_key_id="a-key",
        projections_dynamodb_secret_access_key="a-secret",
        **settings,
    )
    return done.returncode


@pytest.mark.parametrize(("point", "hit"), POINTS)
async def test_a_worker_killed_while_it_projects_costs_nothing(point, hit, desk, database, database_url, tmp_path):
    path = tmp_path / "items.ndjson"
    path.write_bytes(as_lines([an_item(number) for number in range(COUNT)]))
    assert (await asyncio.to_thread(scoop, "ingest", "--items", str(path), database_url=database_url)).returncode == 0
    assert (await asyncio.to_thread(scoop, "run-once", database_url=database_url)).returncode == 0
    for document_id in await document_ids(database):
        await summarise(database, document_id, *FIRE_SENTENCES, subject_kind="document", citations=())
    await desk.sync()
    await desk.execute("TRUNCATE projection_feeds, projected_items")
    await desk.execute("DELETE FROM work WHERE stage = $1", StageName.PROJECT)
    killed = ProjectedDesk(database, desk.endpoint, a_projection(desk.endpoint))
    await killed.projection.prepare()
    assert await run_once(database_url, killed, fault=f"{point}:kill:{hit}") == -signal.SIGKILL
    await desk.execute("DELETE FROM chores WHERE name = 'schedule projections'")
    assert await run_once(database_url, killed) == 0
    assert sum(key[1] == "SUMMARY#v1" for key in killed.items()) == COUNT
    assert killed.items() == desk.items()
