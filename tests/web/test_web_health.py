import json
import time
from pathlib import Path

import pytest

from scoop.store import migrations
from web.visitor import disconnect, visiting


async def test_it_lives_whatever_the_database_does(database):
    await disconnect(database)
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get("/healthz")
    assert (answer.status, answer.text) == (200, "ok")


async def test_it_is_ready_when_the_database_is(database):
    async with visiting(database) as visitor:
        answer = await visitor.get("/readyz")
    assert (answer.status, json.loads(answer.text)) == (200, {"ready": True})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            "DELETE FROM news.schema_migrations WHERE version = (SELECT max(version) FROM news.schema_migrations)",
            "not current",
        ),
        ("INSERT INTO news.schema_migrations (version, name, checksum) VALUES (9999, 'later', '')", "another version"),
    ],
)
async def test_it_is_not_ready_with_a_schema_that_is_not_its_own(database, change, reason):
    async with database.connection() as conn:
        assert await migrations.is_current(conn)
        await conn.execute(change)
    async with visiting(database) as visitor:
        answer = await visitor.get("/readyz")
    assert answer.status == 503
    assert json.loads(answer.text)["ready"] is False
    assert reason in json.loads(answer.text)["reason"]


async def test_it_is_not_ready_with_a_full_disk(database):
    async with visiting(database, role=None, home=Path("/proc/scoop")) as visitor:  # on a disk without any space
        answer = await visitor.get("/readyz")
    assert answer.status == 503
    assert json.loads(answer.text) == {"ready": False, "reason": "the disk of SCOOP_HOME is full: 0 MB free"}


async def test_it_says_within_two_seconds_that_the_database_is_away(database):
    await disconnect(database)
    async with visiting(database, role=None) as visitor:
        begun = time.monotonic()
        answer = await visitor.get("/readyz")
    assert time.monotonic() - begun < 2.5
    assert answer.status == 503
    assert json.loads(answer.text) == {"ready": False, "reason": "the database does not answer"}
