"""`scoop projections` and its settings, as processes against a DynamoDB server on the loopback address."""

import asyncio
import json

import pytest

from builders import an_item, scoop
from projections.tables import REGION
from projections.test_access_patterns import publish

pytest_plugins = ["projections.conftest"]


@pytest.fixture
def settings(desk, database_url):
    return {
        "database_url": database_url,
        "project_to": "dynamodb",
        "projections_dynamodb_table": desk.projection.target.split()[1],
        "projections_dynamodb_base_url": desk.endpoint,
        "projections_dynamodb_region": REGION,
        "projections_dynamodb_create_table": "yes",
        "projections_dynamodb_access_key_id": "a-key",
        "projections_dynamodb_secret_access_key": "a-secret",
    }


async def run(*arguments, **settings):
    return await asyncio.to_thread(scoop, *arguments, **settings)


async def test_a_rebuild_from_nothing_writes_all_records_and_the_list_shows_them(desk, settings):
    await publish(desk, *(an_item(number) for number in range(3)))
    await asyncio.sleep(1.1)
    assert (await run("projections", "rebuild", "dynamodb", **settings)).returncode == 0
    before = desk.items()
    assert sum(key[1].startswith("ARTICLE#") for key in before) == 3
    lost = next(iter(before))
    desk.table.delete_item(Key=dict(zip(("PK", "SK"), lost, strict=True)))
    desk.table.put_item(Item={"PK": "SITE#nobody", "SK": "METADATA"})
    done = await run("projections", "rebuild", "dynamodb", "--json", **settings)
    assert json.loads(done.stdout) == {"projection": "dynamodb", "deleted_unknown": 1}
    assert desk.items() == before
    states = json.loads((await run("projections", "--json", **settings)).stdout)
    assert {state["subject_kind"]: state["items"] for state in states} == {
        "article": 3,
        "crawl_run": 1,
        "retry": 0,
        "site": 0,
        "summary": 0,
    }
    assert "not complete yet" not in (await run("projections", **settings)).stdout


async def test_an_unknown_projection_or_one_that_is_not_configured_is_refused(settings):
    done = await run("projections", "rebuild", "firestore", **settings)
    assert (done.returncode, "is not configured" in done.stderr) == (2, True)
    done = await run("run-once", **(settings | {"project_to": "dynamo"}))
    assert (done.returncode, "SCOOP_PROJECT_TO" in done.stderr) == (3, True)


async def test_a_desk_without_projections_says_which_setting_names_them(database_url):
    done = await run("projections", database_url=database_url)
    assert "SCOOP_PROJECT_TO" in done.stdout + done.stderr
