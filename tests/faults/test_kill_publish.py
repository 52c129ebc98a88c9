"""Kill the process that posts, at every named point: the next one ends with each post sent once, or held."""

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from builders import an_item, scoop, told
from scoop.model import ChannelSettings
from scoop.newsstand import server as newsstand
from scoop.newsstand.discord.state import CHANNELS, DEMO_TOKEN, WEBHOOKS, Discord
from scoop.newsstand.world import World
from scoop.serve import serving
from scoop.store import topics
from scoop.store.db import Database

POINTS = [f"publish.{moment}" for moment in ("claimed", "sending", "worked", "saved", "committed")]
TOPIC = "world_news"
DAY = "2026-11-15"
SECRETS = {"discord_bot_token": DEMO_TOKEN, "secret_hook": WEBHOOKS[TOPIC].url}


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A desk with a story to tell, and a Discord in this process."""

    database: Database
    database_url: str
    discord: Discord
    address: str

    async def scoop(self, *arguments: str, **settings: str) -> int:
        done = await asyncio.to_thread(scoop, *arguments, database_url=self.database_url, **SECRETS, **settings)
        return done.returncode

    async def killed_at(self, point: str, kind: str, **options: str) -> None:
        """Make the digest and be killed while it is posted to a channel of this kind."""
        async with self.database.connection() as conn:
            topic = await topics.by_slug(conn, TOPIC)
            await topics.put_channel(conn, topic.topic_id, ChannelSettings(name="main", kind=kind, options=options))
        asked = ("digest", "--topic", TOPIC, "--date", DAY, "--publish")
        assert await self.scoop(*asked, fault=f"{point}:kill:1") == -signal.SIGKILL

    async def go_on(self) -> None:
        assert await self.scoop("run-once", "--publish") == 0

    async def value(self, query: str) -> Any:
        async with self.database.connection() as conn:
            return await conn.fetchval(query)

    async def state(self) -> str:
        return await self.value("SELECT state::text FROM posts")

    async def times_told(self) -> int:
        return await self.value("SELECT sum(publish_count) FROM story_topic_state")

    def messages(self) -> list[str]:
        return [message.message_id for message in self.discord.messages(CHANNELS[TOPIC])]


@pytest.fixture
async def desk(database, database_url) -> AsyncIterator[Desk]:
    await told(database, [an_item()])
    now = partial(datetime.now, UTC)
    app = newsstand.create_app(World(outlets=(), articles=()), now(), now)
    async with serving(app) as url:
        address = url.removeprefix("http://")
        yield Desk(database=database, database_url=database_url, discord=app.state.discord, address=address)


@pytest.mark.parametrize("point", ["publish.sending", "publish.saved"])
async def test_a_digest_whose_writer_was_killed_is_in_its_file(point, desk, tmp_path):
    await desk.killed_at(point, "file", folder=str(tmp_path / "digests"))
    await desk.go_on()
    assert [path.name for path in (tmp_path / "digests").iterdir()] == [f"{TOPIC}-{DAY}.md"]
    assert (await desk.state(), await desk.times_told()) == ("sent", 1)


@pytest.mark.parametrize(
    ("point", "state", "messages"),
    [
        ("publish.claimed", "sent", 1),
        ("publish.sending", "held", 0),
        ("publish.worked", "held", 1),
        ("publish.saved", "held", 1),
        ("publish.committed", "sent", 1),
    ],
)
async def test_a_webhooks_post_whose_sender_was_killed_is_sent_once_or_held(point, state, messages, desk):
    await desk.killed_at(point, "discord_webhook", url="hook", connect_to=desk.address)
    await desk.go_on()
    assert (await desk.state(), len(desk.messages())) == (state, messages)


@pytest.mark.parametrize("point", POINTS)
async def test_a_bots_post_whose_sender_was_killed_is_in_the_channel_once(point, desk):
    await desk.killed_at(point, "discord_bot", channel_id=CHANNELS[TOPIC], connect_to=desk.address)
    async with desk.database.connection() as conn:  # a minute passes, until what was accepted surely shows
        await conn.execute("UPDATE posts SET tried_at = tried_at - interval '1 minute' WHERE state = 'sending'")
    await desk.go_on()
    assert [await desk.value("SELECT message_id FROM posts")] == desk.messages()
    assert (await desk.state(), await desk.times_told()) == ("sent", 1)
