"""Every part of a digest arrives in its channel exactly once; where nobody can know, it is held and shown."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from posting import (
    CONDITIONS,
    LATE_BEYOND_SETTLING,
    LATE_YET_SETTLED,
    Conditions,
    Delivery,
    Desk,
    Lane,
    Schedule,
    Trouble,
    ids,
    open_desk,
    schedule,
    verdict,
)
from scoop.model import ChannelSettings
from scoop.newsstand.discord.state import ReplyMode
from scoop.stage_names import StageName
from scoop.store import db, posts, topics, work
from scoop.store.db import ExternalServer
from scoop.store.work import Subject

FORGETFUL = Conditions(nonce_window=timedelta())
TOGETHER = 30  # schedules of one seed
LINES = 12
KINDS = ("discord_bot", "discord_webhook")


@pytest.fixture
async def desk(database) -> AsyncIterator[Desk]:
    """A desk whose Discord knows no nonces: what is sent twice is there twice."""
    async with open_desk(database, FORGETFUL) as opened:
        yield opened


async def on_its_way(
    desk: Desk, kind: str, *modes: ReplyMode, troubles: tuple[Trouble, ...] = (), parts: int = 1
) -> Delivery:
    """A digest before the publish stage; the troubles are those of its first part."""
    (delivery,) = await desk.put([Schedule(parts=parts, lanes=(Lane(kind=kind, modes=modes, troubles=(troubles,)),))])
    return delivery


async def states(desk: Desk, delivery: Delivery) -> list[str]:
    return [post.state for post in await desk.posts(delivery)]


async def arrived(desk: Desk, delivery: Delivery) -> list[int]:
    """How often each part is in the channel."""
    return [len(ids(desk, delivery, post)) for post in await desk.posts(delivery)]


@pytest.mark.parametrize("seed", [1, 2, 3, 4, pytest.param(None, id="by chance")])
async def test_whatever_goes_wrong_each_part_arrives_once_or_is_held(seed, database_url):
    seed = seed or random.randrange(1_000_000)
    chance = random.Random(seed)
    database = await db.connect(ExternalServer(database_url), size=LINES + 2)
    try:
        async with open_desk(database, CONDITIONS[seed % len(CONDITIONS)]) as desk:
            deliveries = await desk.put([schedule(chance) for _ in range(TOGETHER)])
            await desk.run(lines=LINES)
            assert (await verdict(desk, deliveries)).violations == (), f"of seed {seed}"
    finally:
        await database.close()


async def test_a_bots_post_whose_sender_died_before_it_was_recorded_is_found(desk):
    delivery = await on_its_way(desk, "discord_bot", troubles=(Trouble(point="worked"),))
    await desk.run(lines=2)
    (post,) = await desk.posts(delivery)
    assert (post.state, [post.message_id]) == ("sent", ids(desk, delivery, post))


async def test_a_webhooks_post_whose_sender_died_before_it_was_recorded_is_held(desk):
    delivery = await on_its_way(desk, "discord_webhook", troubles=(Trouble(point="worked"),))
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["held"], [1])


async def test_a_post_whose_answer_was_lost_is_found_when_it_shows_late(desk):
    desk.discord.lateness = LATE_YET_SETTLED
    delivery = await on_its_way(desk, "discord_bot", ReplyMode.ACCEPT_DROP)
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])


@pytest.mark.parametrize("mode", [ReplyMode.REJECT_DROP, ReplyMode.REJECT_500])
async def test_a_post_that_may_have_arrived_and_did_not_is_sent_again_once(desk, mode):
    delivery = await on_its_way(desk, "discord_bot", mode)
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])


async def test_a_post_that_shows_too_late_is_known_by_its_nonce(database):
    async with open_desk(database, Conditions(lateness=LATE_BEYOND_SETTLING)) as desk:
        delivery = await on_its_way(desk, "discord_bot", ReplyMode.ACCEPT_500)
        await desk.run(lines=2)
        (post,) = await desk.posts(delivery)
        assert (post.state, [post.message_id]) == ("sent", ids(desk, delivery, post))
        assert desk.modes_met([delivery]).total() == 1


@pytest.mark.parametrize("mode", [ReplyMode.REJECT_429, ReplyMode.REJECT_429_GLOBAL])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_post_that_is_one_too_many_waits_as_asked_and_certainly_did_not_arrive(desk, kind, mode):
    desk.discord.busy_seconds = 600
    delivery = await on_its_way(desk, kind, mode)
    await desk.live(batches=1)
    (post,) = await desk.posts(delivery)
    assert (post.state, post.sending_at) == ("waiting", None)
    async with desk.database.connection() as conn:
        (waits,) = await work.failed(conn)
        assert (waits.due_at - await conn.fetchval("SELECT now()")).total_seconds() > 500
        await work.retry_now(conn)
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])


@pytest.mark.parametrize("is_wrong", [lambda discord: discord.bots.clear(), lambda discord: discord.channels.clear()])
async def test_a_channel_that_is_gone_is_switched_off_and_the_other_goes_on(desk, is_wrong):
    lanes = (Lane(kind="discord_bot"), Lane(kind="discord_webhook"))
    by_bot, by_webhook = await desk.put([Schedule(parts=2, lanes=lanes)])
    async with desk.database.connection() as conn:
        topic = await topics.by_slug(conn, "ai_news")
        for kind in KINDS:
            await topics.put_channel(conn, topic.topic_id, ChannelSettings(name=kind, kind=kind))
    is_wrong(desk.discord)
    await desk.run(lines=2)
    assert await states(desk, by_bot) == ["failed", "waiting"]
    assert await states(desk, by_webhook) == ["sent", "sent"]
    async with desk.database.connection() as conn:
        problems = {each.name: each.problem for each in await topics.list_channels(conn, topic.topic_id)}
    assert problems["discord_bot"]
    assert problems["discord_webhook"] is None


async def test_a_part_that_may_have_failed_keeps_the_next_one_back(desk):
    delivery = await on_its_way(desk, "discord_webhook", ReplyMode.REJECT_500, parts=2)
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["held", "waiting"], [0, 0])


async def test_a_held_post_is_sent_when_a_person_says_so_and_the_next_follows(desk):
    delivery = await on_its_way(desk, "discord_webhook", ReplyMode.REJECT_500, parts=2)
    await desk.run(lines=2)
    async with desk.database.transaction() as conn:
        await posts.resend(conn, delivery.post_ids[0])
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent", "sent"], [1, 1])


async def test_a_held_post_is_never_sent_when_a_person_says_so_and_the_next_goes_on(desk):
    delivery = await on_its_way(desk, "discord_webhook", ReplyMode.ACCEPT_500, parts=2)
    await desk.run(lines=2)
    async with desk.database.transaction() as conn:
        await posts.drop(conn, delivery.post_ids[0])
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["dropped", "sent"], [1, 1])


@pytest.mark.parametrize("kind", KINDS)
async def test_a_post_that_came_too_late_is_held_and_sent_when_a_person_still_wants_it(desk, kind):
    delivery = await on_its_way(desk, kind)
    async with desk.database.connection() as conn:
        await conn.execute("UPDATE posts SET created_at = now() - interval '25 hours'")
        await conn.execute("UPDATE work SET enqueued_at = now() - interval '25 hours'")
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["held"], [0])
    async with desk.database.transaction() as conn:
        await posts.resend(conn, delivery.post_ids[0])
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])


async def test_a_database_restored_from_before_a_post_does_not_post_it_again(desk):
    delivery = await on_its_way(desk, "discord_bot")
    await desk.run(lines=2)
    async with desk.database.transaction() as conn:
        await conn.execute(
            "UPDATE posts SET state = 'waiting', sending_at = NULL, tried_at = NULL, sent_at = NULL, message_id = NULL"
        )
        await work.enqueue(conn, StageName.PUBLISH, [Subject(post_id, is_new=True) for post_id in delivery.post_ids])
    await desk.run(lines=2)
    (post,) = await desk.posts(delivery)
    assert (post.state, [post.message_id]) == ("sent", ids(desk, delivery, post))


async def test_a_worker_that_slept_past_its_lease_before_it_began_sends_nothing(desk):
    delivery = await on_its_way(desk, "discord_webhook", troubles=(Trouble(point="loaded", sleeps=True),))
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])


async def test_a_worker_that_slept_past_its_lease_after_it_began_sends_nothing(desk):
    delivery = await on_its_way(desk, "discord_webhook", troubles=(Trouble(point="sending", sleeps=True),))
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["held"], [0])


async def test_a_worker_that_slept_past_its_lease_does_not_undo_what_another_decided(desk):
    sleeps = Trouble(point="worked", sleeps=True)
    delivery = await on_its_way(desk, "discord_webhook", ReplyMode.ACCEPT_500, troubles=(sleeps,))
    sleeper = asyncio.create_task(desk.live(batches=1))
    while not desk.met:
        await asyncio.sleep(0.01)
    await desk.run(lines=1)
    await sleeper
    assert await states(desk, delivery) == ["held"]


async def test_after_another_lost_answer_a_post_is_looked_for_anew(desk):
    delivery = await on_its_way(desk, "discord_bot", ReplyMode.REJECT_500)
    async with desk.database.connection() as conn:
        await conn.execute(
            "UPDATE posts SET state = 'sending', sending_at = now() - interval '1 hour',"
            " tried_at = now() - interval '1 hour', looks = 1"
        )
    await desk.live(batches=1)
    (post,) = await desk.posts(delivery)
    assert (post.state, post.looks) == ("sending", 0)


async def test_a_post_that_three_workers_died_over_is_held_until_a_person_sends_it(desk):
    delivery = await on_its_way(desk, "discord_bot", troubles=(Trouble(point="claimed"),) * work.MAX_CRASHES)
    async with desk.database.connection() as conn:
        for _ in range(work.MAX_CRASHES):
            await desk.live(batches=1)
            while not await work.release_orphans(conn):
                await asyncio.sleep(0.01)
        await conn.execute("ALTER TABLE posts DISABLE TRIGGER trg_posts_touch_updated_at")
        await conn.execute("UPDATE posts SET updated_at = now() - interval '2 minutes'")
        assert await posts.hold_stranded(conn) == 1
        (post,) = await desk.posts(delivery)
        assert (post.state, "vanished" in post.error) == ("held", True)
        await posts.resend(conn, post.post_id)
    await desk.run(lines=2)
    assert (await states(desk, delivery), await arrived(desk, delivery)) == (["sent"], [1])
