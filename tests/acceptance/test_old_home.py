"""A home that an earlier version made opens, with everything that was in it."""

import asyncio
import gzip
import json
from http import HTTPStatus
from pathlib import Path

import asyncpg
import pytest

from builders import scoop
from scoop.core import links
from scoop.store import db
from scoop.store.db import ExternalServer
from web.visitor import visiting

FOLDER = Path(__file__).with_name("old_home")
EXPECTED = json.loads((FOLDER / "expected.json").read_text("utf-8"))
KEY = "scoop_Z13UkS4k-6pJWwA7yeGYSbVGbxX7_9C2jmu94oVBuDw"
PASSWORD = "correct horse battery 1"


@pytest.fixture(scope="module")
def old_url(postgres, worker_id):
    """A database as the earlier version left it."""
    from conftest import administer, url_of

    name = f"old_home_{worker_id}"
    asyncio.run(administer(postgres, f"CREATE DATABASE {name}"))
    asyncio.run(_restore(url_of(postgres, name)))
    yield url_of(postgres, name)
    asyncio.run(administer(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


async def _restore(url: str) -> None:
    conn = await asyncpg.connect(url)
    await conn.execute(gzip.decompress((FOLDER / "dump.sql.gz").read_bytes()).decode())
    await conn.close()


@pytest.fixture
async def old_database(old_url, home):
    scoop("db", "migrate", database_url=old_url, home=home)
    opened = await db.connect(ExternalServer(old_url), size=4)
    yield opened
    await opened.close()


@pytest.mark.parametrize("command", EXPECTED)
def test_an_old_home_shows_what_the_earlier_version_showed(command, old_url, home):
    done = scoop(*command.split(), "--json", database_url=old_url, home=home)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    expected = EXPECTED[command]
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected


async def test_the_key_and_the_password_of_an_old_home_still_authenticate(old_database):
    async with visiting(old_database, role=None) as visitor:
        response = await visitor.get("/api/user/me", Authorization=f"Bearer {KEY}")
        assert response.status == HTTPStatus.OK, response.text
        assert response.json["name"] == "ada"
        await visitor.post("/sign-in", {"name": "ada", "password": PASSWORD})
        assert (await visitor.get("/settings/people")).status == HTTPStatus.OK


def test_a_digest_of_an_old_home_is_not_posted_twice(old_url, home):
    scoop("digest", "--topic", "world_news", "--date", "2026-11-17", "--publish", database_url=old_url, home=home)
    posts = json.loads(scoop("posts", "list", "--json", database_url=old_url, home=home).stdout)
    assert [post["post_id"] for post in posts] == [post["post_id"] for post in EXPECTED["posts list"]]


async def test_a_star_of_an_old_home_is_kept(old_database):
    async with old_database.connection() as conn:
        starred = await conn.fetch(
            "SELECT DISTINCT users.name FROM event_marks JOIN users USING (user_id) JOIN events USING (event_id)"
            " WHERE is_starred AND events.status = 'active'"
        )
    assert [row["name"] for row in starred] == ["ada"]


async def test_the_links_of_an_old_home_are_scored_again_by_the_present_model(old_database, old_url, home):
    scoop("worker", "--stage", "link", "--stage", "group", "--until-idle", database_url=old_url, home=home)
    async with old_database.connection() as conn:
        lengths = await conn.fetch("SELECT DISTINCT cardinality(signals) AS length FROM document_links")
        undone = await conn.fetchval("SELECT count(*) FROM work WHERE stage IN ('link', 'group')")
    assert [row["length"] for row in lengths] == [len(links.FEATURES)]
    assert undone == 0
