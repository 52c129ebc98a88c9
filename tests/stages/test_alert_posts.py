"""Alerts reach the operators: through the channels of a topic, each once, and not too often."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from scoop import channels, plugins
from scoop.core.alerts import AlertKind
from scoop.errors import NotFound
from scoop.fetch.client import Client, open_client
from scoop.model import AlertLevel, ChannelSettings, TopicSettings
from scoop.newsstand import server, world
from scoop.newsstand.discord.state import CHANNELS, Discord
from scoop.serve import serving
from scoop.stages import alert_posts, digest, publish, reconcile_posts
from scoop.stages.alert_posts import Announcing
from scoop.stages.stage import Worker, run_batch
from scoop.store import alerts, posts, topics, work
from scoop.store.db import Connection, Database

CHANNEL = CHANNELS["ai_news"]
KINDS = plugins.makers(channels)
LATE: tuple[AlertKind, str] = ("digest_late", "ai_news")
DEAD: tuple[AlertKind, str] = ("source_died", "tribune")
QUIET: tuple[AlertKind, str] = ("source_quiet", "herald")


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Desk:
    conn: Connection
    client: Client
    discord: Discord
    worker: Worker

    async def have(self, *open_alerts: tuple[AlertKind, str]) -> None:
        """Let exactly these alerts be open."""
        kinds: list[AlertKind] = ["digest_late", "source_died", "source_quiet"]
        messages = {each: f"{each[1]} has a problem: @everyone **look**" for each in open_alerts}
        await alerts.settle(self.conn, messages, subjects=["ai_news", "tribune", "herald"], kinds=kinds)

    async def announce(self, *, level: AlertLevel = "warning", after: timedelta = timedelta()) -> None:
        """Announce what there is, some time later, and post it."""
        announcing = Announcing(topic_slug="operations", level=level, channels=KINDS)
        await alert_posts.announce(self.conn, announcing, now=now() + after)
        while await run_batch(publish.stage(self.client, KINDS, secrets={}, clock=now), self.worker):
            pass

    async def pass_time(self, hours: int) -> None:
        await self.conn.execute(
            "UPDATE alerts SET announced_at = announced_at - $1::interval, end_announced_at = end_announced_at - $1",
            timedelta(hours=hours),
        )

    @property
    def posted(self) -> list[list[str]]:
        """The titles of each message, the oldest first."""
        messages = sorted(self.discord.messages(CHANNEL), key=lambda each: int(each.message_id))
        return [[embed["title"] for embed in message.embeds] for message in messages]


@asynccontextmanager
async def open_desk(database: Database) -> AsyncIterator[Desk]:
    app = server.create_app(world.load(world.SHIPPED), now(), now)
    async with serving(app) as url, open_client() as client, database.connection() as conn:
        await topics.put(conn, TopicSettings(topic_slug="operations", topic_name="Operations", enabled=False))
        topic = await topics.by_slug(conn, "operations")
        options = {"connect_to": url.removeprefix("http://"), "channel_id": CHANNEL}
        await topics.put_channel(conn, topic.topic_id, ChannelSettings(name="bot", kind="discord_bot", options=options))
        worker = Worker(await work.register_worker(conn), conn)
        yield Desk(conn=conn, client=client, discord=app.state.discord, worker=worker)


@pytest.fixture
async def desk(database: Database) -> AsyncIterator[Desk]:
    async with open_desk(database) as made:
        yield made


async def test_an_alert_is_announced_once_and_so_is_its_end(desk):
    await desk.have(LATE, QUIET)
    await desk.announce()
    await desk.announce(after=timedelta(hours=1))
    assert desk.posted == [["Critical: digest late, ai\\_news"]]

    await desk.have(QUIET)
    await desk.announce(after=timedelta(hours=2))
    await desk.announce(after=timedelta(hours=3))
    assert desk.posted[1:] == [["Resolved: digest late, ai\\_news"]]


async def test_a_message_pings_nobody_and_shows_its_urgency(desk):
    await desk.have(LATE, DEAD)
    await desk.announce()
    (message,) = desk.discord.messages(CHANNEL)
    assert "1 critical alert, 1 warning alert" in message.content
    assert [embed["color"] for embed in message.embeds] == [0xF47067, 0xE3B341]
    assert "@everyone" not in str(message.embeds)
    assert "**look**" not in str(message.embeds)


async def test_the_setting_decides_which_levels_are_announced(desk):
    await desk.have(LATE, DEAD, QUIET)
    await desk.announce(level="critical")
    assert desk.posted == [["Critical: digest late, ai\\_news"]]
    await desk.announce(level="info", after=timedelta(hours=1))
    assert desk.posted[1:] == [["Warning: source died, tribune", "Info: source quiet, herald"]]


async def test_what_is_not_critical_waits_for_ten_minutes_and_comes_together(desk):
    await desk.have(DEAD)
    await desk.announce()
    await desk.have(QUIET)
    await desk.announce(level="info", after=timedelta(minutes=5))
    assert len(desk.posted) == 1
    await desk.have(QUIET, LATE)
    await desk.announce(level="info", after=timedelta(minutes=6))
    assert desk.posted[1:] == [
        ["Critical: digest late, ai\\_news", "Info: source quiet, herald", "Resolved: source died, tribune"]
    ]


async def test_an_alert_that_comes_and_goes_is_announced_once_an_hour(desk):
    await desk.have(LATE)
    await desk.announce()
    for _ in range(5):
        await desk.have()
        await desk.have(LATE)
        await desk.announce(after=timedelta(minutes=20))
    assert desk.posted == [["Critical: digest late, ai\\_news"], ["Resolved: digest late, ai\\_news"]]
    await desk.pass_time(hours=2)
    await desk.announce()
    assert desk.posted[2:] == [["Critical: digest late, ai\\_news"]]


async def test_an_alert_that_ended_before_it_was_announced_is_not(desk):
    await desk.have(DEAD)
    await desk.have()
    await desk.announce()
    assert desk.posted == []


async def test_a_flood_of_alerts_is_one_message(desk):
    messages = {("source_died", f"source{number}"): "gone" for number in range(200)}
    await alerts.settle(desk.conn, messages, subjects=[], kinds=["source_died"])
    await desk.announce()
    ((*titles,),) = desk.posted
    (message,) = desk.discord.messages(CHANNEL)
    assert len(titles) == 9
    assert "200 warning alerts; 191 not shown, see scoop alerts" in message.content


async def test_alerts_wait_for_a_channel(desk):
    topic = await topics.by_slug(desk.conn, "operations")
    await topics.set_channel_enabled(desk.conn, topic, "bot", enabled=False)
    await desk.have(LATE)
    await desk.announce()
    await topics.set_channel_enabled(desk.conn, topic, "bot", enabled=True)
    await desk.announce()
    assert len(desk.posted) == 1


async def test_a_topic_that_does_not_exist_is_named_with_the_setting(desk):
    announcing = Announcing(topic_slug="nobody", level="info", channels=KINDS)
    with pytest.raises(NotFound, match="SCOOP_ALERT_TOPIC"):
        await alert_posts.announce(desk.conn, announcing, now=now())


async def test_messages_about_alerts_do_not_stand_in_for_digests(desk):
    topic = await topics.by_slug(desk.conn, "operations")
    await desk.have(LATE)
    await desk.announce()
    (post,) = await posts.list_posts(desk.conn)
    assert (post.digest_run_id, post.state) == (None, "sent")

    order = digest.DigestOrder(topic=topic, day=post.run_date, publish=True)
    async with desk.conn.transaction():
        await digest.make(desk.conn, order, KINDS)
    assert len(await posts.list_posts(desk.conn)) == 2

    desk.discord.delete(desk.discord.messages(CHANNEL)[0])
    await reconcile_posts.schedule(desk.conn)
    await run_batch(reconcile_posts.stage(desk.client, KINDS, secrets={}, clock=now), desk.worker)
    open_kinds = [alert.kind for alert in await alerts.latest(desk.conn, with_resolved=False, limit=10)]
    assert open_kinds == ["digest_late"]


async def test_the_file_channel_writes_a_file_for_each_message(desk, tmp_path):
    topic = await topics.by_slug(desk.conn, "operations")
    options = {"folder": str(tmp_path)}
    await topics.put_channel(desk.conn, topic.topic_id, ChannelSettings(name="paper", kind="file", options=options))
    await desk.have(LATE)
    await desk.announce()
    await desk.have()
    await desk.announce(after=timedelta(hours=1))
    texts = [path.read_text() for path in tmp_path.glob("operations-*-alerts-*.md")]
    told = [[what for what in ("1 critical alert", "1 resolved") if what in text] for text in texts]
    assert sorted(told) == [["1 critical alert"], ["1 resolved"]]
