"""Kill the process that curates, at every named point: nothing is paid for twice, and no article is posted twice."""

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from builders import as_lines, scoop
from curating import INTERESTS, SLUG, a_post_about
from scoop.actions import curators as actions
from scoop.model import ChannelSettings
from scoop.newsstand import server as newsstand
from scoop.newsstand.discord.state import CHANNELS, DEMO_TOKEN, WEBHOOKS, Discord
from scoop.newsstand.sites import models
from scoop.newsstand.world import World
from scoop.serve import serving
from scoop.store import topics
from scoop.store.db import Database

CURATE_POINTS = [f"curate.{moment}" for moment in ("claimed", "worked", "saved", "committed")]
BETWEEN_POST_AND_RECORD = ["publish.worked", "publish.saved"]
HOOK = "morning_picks"
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
DAYS = [f"{TODAY - timedelta(days=ago):%Y-%m-%d}" for ago in (1, 0)]


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The command line with a curator, a model server and a Discord."""

    database: Database
    settings: dict[str, Any]
    app: Any
    address: str

    @property
    def calls(self) -> int:
        return len(self.app.state.models.calls)

    @property
    def messages(self) -> list[Any]:
        discord: Discord = self.app.state.discord
        return discord.messages(CHANNELS[HOOK])

    async def scoop(self, *arguments: str, **options: Any) -> int:
        return (await asyncio.to_thread(scoop, *arguments, **self.settings | options)).returncode

    async def gather(self, *items: Any) -> None:
        assert await self.scoop("ingest", "--items", "-", stdin=as_lines(items)) == 0

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        async with self.database.connection() as conn:
            return [tuple(row) for row in await conn.fetch(query)]

    async def put_channel(self, kind: str, **options: str) -> None:
        async with self.database.connection() as conn:
            topic = await topics.by_slug(conn, SLUG)
            settings = ChannelSettings(name="main", kind=kind, options={"connect_to": self.address, **options})
            await topics.put_channel(conn, topic.topic_id, settings)


@pytest.fixture
async def desk(database, database_url, home) -> AsyncIterator[Desk]:
    now = partial(datetime.now, UTC)
    app = newsstand.create_app(World(outlets=(), articles=()), now(), now)
    given = {"slug": SLUG, "collections": ["world_news"], "timezone": "UTC", "cron": "0 0 * * *"}
    async with database.transaction() as conn:
        await actions.add(conn, given, INTERESTS)
    async with serving(app) as url:
        settings = {
            "database_url": database_url,
            "home": home,
            "tasks_summary_writer": "none",
            "tasks_evaluation_writer": "openai",
            "writers_openai_base_url": f"{url}/{models.HOST}/v1",
            "writers_openai_model": models.MODEL,
            "discord_bot_token": DEMO_TOKEN,
            "secret_hook": WEBHOOKS[HOOK].url,
        }
        yield Desk(database=database, settings=settings, app=app, address=url.removeprefix("http://"))


MET = "SELECT split_part(article_title, ' ', 1), state::text, reason FROM evaluations ORDER BY 1"


@pytest.mark.parametrize("point", CURATE_POINTS)
async def test_a_killed_worker_evaluates_every_article_and_pays_once(point, desk):
    items = [a_post_about(n, topic, before=TODAY) for n, topic in enumerate(("Cheese", "Go", "PostgreSQL"), start=1)]
    await desk.gather(*items, a_post_about(4, "Walled", before=TODAY) | {"body_text": ""})
    assert await desk.scoop("run-once", fault=f"{point}:kill:1") == -signal.SIGKILL
    for _ in range(2):
        assert await desk.scoop("run-once") == 0
    assert await desk.rows(MET) == [
        ("Cheese", "rejected", "no_topic_match"),
        ("Go", "relevant", None),
        ("PostgreSQL", "relevant", None),
        ("Walled", "rejected", "content_extraction_failed"),
    ]
    assert desk.calls == 3
    assert await desk.rows("SELECT count(*) FROM work WHERE stage IN ('curate', 'write')") == [(0,)]


async def _curate(desk: Desk, day: str, **options: str) -> int:
    return await desk.scoop("curate", "--curator", SLUG, "--date", day, "--publish", **options)


def titles(messages: list[Any]) -> list[str]:
    return [embed["title"] for message in messages for embed in message.embeds]


@pytest.mark.parametrize("point", BETWEEN_POST_AND_RECORD)
@pytest.mark.parametrize("kind", ["discord_bot", "discord_webhook"])
async def test_an_article_whose_post_was_sent_and_not_recorded_is_never_posted_again(kind, point, desk):
    own = {"channel_id": CHANNELS[HOOK]} if kind == "discord_bot" else {"url": "hook"}
    await desk.put_channel(kind, **own)
    items = [a_post_about(number, "PostgreSQL", hours_ago=40 + number, before=TODAY) for number in range(1, 6)]
    await desk.gather(*items)
    assert await desk.scoop("run-once") == 0
    assert await _curate(desk, DAYS[0], fault=f"{point}:kill:1") == -signal.SIGKILL
    assert len(titles(desk.messages)) == 3
    async with desk.database.connection() as conn:  # a minute passes, until what was accepted surely shows
        await conn.execute("UPDATE posts SET tried_at = tried_at - interval '1 minute' WHERE state = 'sending'")
    assert await desk.scoop("run-once", "--publish") == 0
    assert await _curate(desk, DAYS[1]) == 0
    assert len(titles(desk.messages)) == len(set(titles(desk.messages))) == 5
    assert desk.calls == 5
    if kind == "discord_bot":
        notified = await desk.rows("SELECT discord_message_id FROM evaluations WHERE state = 'notified'")
        assert sorted(notified) == sorted((each.message_id,) for each in desk.messages for _ in each.embeds)
