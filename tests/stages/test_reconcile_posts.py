"""The nightly look at what bots posted."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime

from scoop import channels, plugins
from scoop.fetch.client import open_client
from scoop.model import ChannelSettings
from scoop.newsstand import server, world
from scoop.newsstand.discord.state import CHANNELS
from scoop.serve import serving
from scoop.stages import digest, publish, reconcile_posts
from scoop.stages.stage import Worker, run_batch
from scoop.store import alerts, posts, topics, work

DAY = datetime(2026, 11, 14, tzinfo=UTC).date()
CHANNEL = CHANNELS["ai_news"]


def now():
    return datetime.now(UTC)


@asynccontextmanager
async def posted(database):
    """A digest of one part that was posted by a bot; gives Discord, and what runs a stage."""
    app = server.create_app(world.load(world.SHIPPED), now(), now)
    async with serving(app) as url, open_client() as client, database.connection() as conn:
        connect_to = url.removeprefix("http://")
        topic = await topics.by_slug(conn, "ai_news")
        options = {"connect_to": connect_to, "channel_id": CHANNEL}
        await topics.put_channel(conn, topic.topic_id, ChannelSettings(name="bot", kind="discord_bot", options=options))
        topic = await topics.by_slug(conn, "ai_news")
        kinds = plugins.makers(channels)
        async with conn.transaction():
            await digest.make(conn, digest.DigestOrder(topic=topic, day=DAY, publish=True), kinds)
        worker = Worker(await work.register_worker(conn), conn)
        await run_batch(publish.stage(client, kinds, secrets={}, clock=now), worker)

        async def swept():
            await reconcile_posts.schedule(conn)
            await run_batch(reconcile_posts.stage(client, kinds, secrets={}, clock=now), worker)
            return [alert.kind for alert in await alerts.latest(conn, with_resolved=False, limit=10)]

        yield app.state.discord, swept, conn


async def test_what_stands_in_the_channel_once_is_left_alone(database):
    async with posted(database) as (discord, swept, _):
        assert await swept() == []
        assert len(discord.messages(CHANNEL)) == 1


async def test_of_a_post_that_stands_there_twice_the_later_goes_and_is_told(database):
    async with posted(database) as (discord, swept, conn):
        (post,) = await posts.list_posts(conn)
        (first,) = discord.messages(CHANNEL)
        again = discord._new(_form(first), first.author, CHANNEL, default_pings={})
        discord._keep(again)
        assert await swept() == ["post_doubled"]
        assert [message.message_id for message in discord.messages(CHANNEL)] == [post.message_id]


async def test_what_somebody_deleted_is_told_and_not_sent_again(database):
    async with posted(database) as (discord, swept, _):
        (message,) = discord.messages(CHANNEL)
        discord.delete(message)
        assert await swept() == ["post_gone"]
        assert discord.messages(CHANNEL) == []


def _form(message):
    from scoop.newsstand.discord.forms import MessageForm

    return MessageForm(
        content=message.content,
        embeds=message.embeds,
        nonce=None,
        enforce_nonce=False,
        allowed_mentions=None,
        username="",
        keys=frozenset(),
    )
