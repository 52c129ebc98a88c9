"""The older listening API, served from Cosmos DB: the same answers as from PostgreSQL."""

import pytest

from projections.learners import KEY, ListeningDesk
from scoop.app import open_listening_documents
from scoop.config import Config
from scoop.errors import ConfigError
from scoop.plugin_settings import PluginSettings
from web.visitor import visiting

DATES = ("2024-05-16T03:00:00Z", "2024-05-15T16:30:00Z", "2024-05-10T03:00:00Z", "2024-05-10T03:00:00Z")
OLD = "2024-05-09T03:00:00Z"


def settings(desk: ListeningDesk) -> dict:
    options = {"base_url": desk.endpoint, "database": desk.database_name, "key": KEY}
    return {
        "project_to": "cosmos",
        "listening_from": "cosmos",
        "plugins": PluginSettings(tables={"projections": {"cosmos": options}}),
    }


@pytest.fixture
async def paths(listening: ListeningDesk) -> list[str]:
    """What an app reads of articles with a lesson, one of them older than the list."""
    ids = await listening.add_articles(*DATES, OLD)
    await listening.add_lesson(ids[0], "B1", "A text at B1.")
    await listening.sync()
    return [
        "/api/news?range=7d",
        "/api/news?range=1d",
        *(f"/api/news/{article_id}" for article_id in ids),
        f"/api/news/{ids[0]}/text?level=B1",
        f"/api/news/{ids[0]}/text",
        f"/api/news/art_{'0' * 32}",
        f"/api/news/art_{'0' * 32}/text?level=B1",
    ]


async def test_the_api_gives_the_same_answers_from_the_store(listening, paths):
    async with visiting(listening.database) as visitor:
        expected = [await visitor.get(path) for path in paths]
    async with visiting(listening.database, **settings(listening)) as visitor:
        answers = [await visitor.get(path) for path in paths]
        await listening.execute("DELETE FROM listening_articles")
        await listening.execute("DELETE FROM lessons")
        stored = [await visitor.get(path) for path in paths[:-2]]
    assert [len(answer.json["articles"]) for answer in expected[:2]] == [4, 2]
    assert [answer.status for answer in answers] == [200] * 9 + [404] * 2
    for path, one, other in zip(paths[:-2], expected, answers, strict=False):
        assert one.json == other.json, path
    assert [answer.json for answer in stored] == [answer.json for answer in expected[:-2]]


async def test_settings_are_read_from_the_store_and_count_at_once(listening, paths):
    async with visiting(listening.database, role="reader", **settings(listening)) as visitor:
        default = (await visitor.get("/api/user/settings")).json
        changed = (await visitor.ask("PUT", "/api/user/settings", {"level": "C1"})).json
        await listening.execute("UPDATE learners SET level = 'A1'")  # without the store
        read = (await visitor.get("/api/user/settings")).json
    assert (default["level"], changed["level"]) == ("B1", "C1")
    assert read == changed
    await listening.sync()
    user = listening.container("users").read_item(read["id"], partition_key=read["id"])
    assert (user["level"], user["createdAt"]) == ("A1", default["createdAt"])


async def test_an_article_that_is_just_moving_is_listed_once(listening, paths):
    articles = listening.container("articles")
    [moving, *_] = articles.read_all_items()
    articles.upsert_item({**moving, "dayKey": "2024-05-11", "updatedAt": "2000-01-01T00:00:00.000Z", "title": "Old"})
    async with visiting(listening.database, **settings(listening)) as visitor:
        listed = (await visitor.get("/api/news")).json["articles"]
        one = (await visitor.get(f"/api/news/{moving['id']}")).json
    assert len(listed) == len({article["id"] for article in listed})
    assert one["title"] == moving["title"]


async def test_the_database_answers_while_the_store_is_down(listening, paths):
    listening.endpoint = "http://127.0.0.1:9"
    async with visiting(listening.database, **settings(listening)) as visitor:
        answers = [await visitor.get(path) for path in (paths[0], paths[2], paths[-4])]
        changed = await visitor.ask("PUT", "/api/user/settings", {"level": "C1"})
    assert [answer.status for answer in (*answers, changed)] == [200] * 4


def test_a_projection_that_has_no_lessons_is_refused_with_the_setting():
    with pytest.raises(ConfigError, match="SCOOP_LISTENING_FROM"):
        open_listening_documents(Config(listening_from="dynamodb"))
