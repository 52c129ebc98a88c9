"""Programs are notified of events, digests and stories: signed, each once under one key, as long as they want it."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, group_into_events, ingest, run_all, scoop, told
from channels.posts import Asked, answer, closed_port, resetting, saying, serving
from pages import ingest_teasers, read_pages
from scoop import channels, pipeline, plugins
from scoop.actions import topics as written
from scoop.config import Config
from scoop.core.secrets import Secret
from scoop.evaluation import scratch
from scoop.fetch.client import open_client
from scoop.model import ChannelSettings
from scoop.stage_names import StageName
from scoop.stages import deliver_webhooks, digest, publish
from scoop.stages import stage as stage_loop
from scoop.stages.digest import DigestOrder
from scoop.stages.stage import Worker, run_batch
from scoop.store import topics, webhooks, work
from scoop.store.db import Database
from scoop.store.webhooks import Delivery, WebhookSettings

SECRET = "c4nary-that-nobody-may-see"
STORIES = ("story.new", "story.developed")
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
KINDS = plugins.makers(channels)
BODIES = (
    "The council keeps the old bridge shut until engineers have checked every cable of it twice.",
    "Growers in the hills blame a cold spring for the late harvest and hope for sun in October.",
    "Four teenagers beat the champions of the chess league after a night of long endgames.",
)


def an_event(number: int, **changes: Any) -> dict[str, Any]:
    """An item; each number is an event of its own."""
    return an_item(number, **({"title": f"Event number {number}", "body_text": BODIES[number - 1]} | changes))


@dataclass(kw_only=True)
class Desk:
    """A desk with a program that it tells what happens."""

    database: Database
    address: str
    asked: list[Asked]
    secrets: dict[str, Secret] = field(default_factory=lambda: {"desk": Secret(SECRET)})

    async def add(self, name: str = "main", **settings: Any) -> None:
        given = {"url": f"http://{self.address}/{name}", "secret": "desk", "allow_private": True} | settings
        async with self.database.connection() as conn:
            await webhooks.put(conn, WebhookSettings(name=name, **given))

    async def run(self) -> None:
        """Send what is due, until nothing is."""
        async with self.database.connection() as conn, open_client() as client:
            worker = Worker(await work.register_worker(conn), conn)
            await work.release_orphans(conn)
            stage = deliver_webhooks.stage(client, secrets=self.secrets, clock=lambda: NOON)
            while await run_batch(stage, worker):
                pass

    async def happen(self, *items: dict[str, Any]) -> None:
        await told(self.database, items, without=pipeline.PUBLISHING)
        await self.run()

    async def deliveries(self) -> list[Delivery]:
        async with self.database.connection() as conn:
            return (await webhooks.list_deliveries(conn))[::-1]

    async def value(self, query: str, *values: Any) -> Any:
        async with self.database.connection() as conn:
            return await conn.fetchval(query, *values)

    async def make_due(self) -> None:
        async with self.database.connection() as conn:
            await work.retry_now(conn)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [asked.json for asked in self.asked]

    @property
    def heard(self) -> list[tuple[str, list[str]]]:
        """The type of each message and the titles in it."""
        return [
            (message["type"], [entry["title"] for entry in message["data"].get("events") or message["data"]["stories"]])
            for message in self.messages
        ]


@asynccontextmanager
async def a_desk(database: Database, script: Any = None) -> AsyncIterator[Desk]:
    async with serving(script or saying(answer(200, {}))) as server:
        yield Desk(database=database, address=server.address, asked=server.asked)


@pytest.fixture
async def desk(database: Database) -> AsyncIterator[Desk]:
    async with a_desk(database) as made:
        yield made


async def test_new_stories_are_told_in_one_message_signed_as_standard_webhooks_says(desk):
    await desk.add(events=STORIES)
    await desk.happen(an_event(1), an_event(2))
    (asked,) = desk.asked
    (delivery,) = await desk.deliveries()
    stamp = str(int(NOON.timestamp()))
    code = hmac.new(SECRET.encode(), f"{delivery.key}.{stamp}.".encode() + asked.body, hashlib.sha256).digest()
    assert asked.line == "POST /main HTTP/1.1"
    assert asked.headers["webhook-id"] == delivery.key
    assert asked.headers["webhook-timestamp"] == stamp
    assert asked.headers["webhook-signature"] == f"v1,{base64.b64encode(code).decode()}"
    assert desk.heard == [("story.new", ["Event number 1", "Event number 2"])]
    story = asked.json["data"]["stories"][0]
    assert (story["collection"], story["topics"], story["known_item_count"]) == ("world_news", ["world_news"], 0)
    publisher = {"publisher_family": "tribune.example", "publisher_name": "tribune.example"}
    assert story["outlets"] == [
        {"source": "tribune", "source_name": None, "url": "https://tribune.example/1", **publisher}
    ]
    assert (delivery.state, delivery.tries, delivery.error) == ("sent", 1, None)


async def test_a_story_that_a_document_joins_has_developed_and_nothing_is_told_twice(desk):
    await desk.add(events=STORIES)
    await desk.happen(an_event(1), an_event(2))
    await desk.happen(an_event(1, source="herald"))
    assert desk.heard[1:] == [("story.developed", ["Event number 1"])]
    assert desk.messages[1]["data"]["stories"][0]["known_item_count"] == 1
    async with desk.database.connection() as conn:
        ids = [row["story_id"] for row in await conn.fetch("SELECT story_id FROM stories")]
        await work.enqueue(conn, StageName.ASSIGN_TOPICS, [work.Subject(story_id) for story_id in ids])
    await desk.happen()
    assert len(desk.asked) == 2


async def test_an_article_with_a_teaser_is_told_once_with_the_text_of_its_page(desk):
    await desk.add()
    await ingest_teasers(desk.database, [an_event(1, body_text="Short.")])
    await run_all(desk.database, without=(StageName.PAGES, *pipeline.PUBLISHING))
    await desk.run()
    assert desk.heard == []
    for _ in range(2):
        await read_pages(desk.database, {"item-1": BODIES[0] * 3})
        await run_all(desk.database, without=pipeline.PUBLISHING)
        await desk.run()
    assert desk.heard == [("event.new", ["Event number 1"])]


async def test_a_new_event_is_announced_with_its_outlets_its_topics_and_its_stories(desk):
    await desk.add()
    await desk.happen(an_event(1, source="herald"), an_event(1), an_event(2))
    ((kind, titles),) = desk.heard
    event = next(found for found in desk.messages[0]["data"]["events"] if found["item_count"] == 2)
    assert (kind, sorted(titles)) == ("event.new", ["Event number 1", "Event number 2"])
    assert sorted(outlet["source"] for outlet in event["outlets"]) == ["herald", "tribune"]
    assert (event["topics"], [story["title"] for story in event["stories"]]) == (["world_news"], ["Event number 1"])
    assert {"event_id", "story_id", "merged_into"}.isdisjoint(event.keys() | event["stories"][0].keys())
    assert [delivery.story_count for delivery in await desk.deliveries()] == [2]


async def test_a_story_that_joins_an_event_is_no_event_of_its_own_but_a_development(desk):
    await desk.add()
    await desk.happen(an_event(1, source="harbour_post", canonical_url="https://harbour.example/1", **FIRE))
    await desk.happen(an_event(2, source="akari", canonical_url="https://akari.example/2", **FIRE_AGAIN))
    assert [kind for kind, _ in desk.heard] == ["event.new", "event.developed"]
    new, developed = (message["data"]["events"][0] for message in desk.messages)
    assert new["event_uuid"] == developed["event_uuid"]
    assert {story["title"] for story in developed["stories"]} == {FIRE["title"], FIRE_AGAIN["title"]}


async def test_stories_of_one_event_that_come_together_are_announced_once(desk):
    await desk.add()
    await desk.happen(
        an_event(1, source="harbour_post", canonical_url="https://harbour.example/1", **FIRE),
        an_event(2, source="akari", canonical_url="https://akari.example/2", **FIRE_AGAIN),
    )
    ((kind, titles),) = desk.heard
    assert (kind, len(titles)) == ("event.new", 1)


@pytest.mark.parametrize("stage", [StageName.EMBED, StageName.LINK, StageName.GROUP, StageName.ASSIGN_TOPICS])
async def test_an_event_is_not_announced_before_it_is_grouped_and_has_its_topics(desk, stage):
    await desk.add()
    await ingest(desk.database, [an_event(1)])
    await run_all(desk.database, without=(stage, *pipeline.PUBLISHING))
    assert await desk.deliveries() == []
    await desk.happen()
    assert desk.heard == [("event.new", ["Event number 1"])]


async def test_an_event_is_announced_if_no_model_can_link_its_documents(desk):
    await desk.add()
    await ingest(desk.database, [an_event(1)])
    await run_all(desk.database, without=(StageName.LINK, *pipeline.PUBLISHING))
    async with desk.database.connection() as conn:
        await conn.execute("UPDATE embedding_models SET is_active = false")
    await desk.happen()
    assert desk.heard == [("event.new", ["Event number 1"])]


async def test_a_development_is_sent_once_and_a_further_copy_is_none(desk):
    await desk.add()
    await desk.happen(an_event(1))
    await desk.happen(an_event(1, source="herald", canonical_url="https://herald.example/1"))
    await desk.happen(an_event(1, source="post", canonical_url="https://post.example/1"))  # three are not twice two
    assert [kind for kind, _ in desk.heard] == ["event.new", "event.developed"]
    async with desk.database.transaction() as conn:
        assert await webhooks.enqueue_events(conn, [1]) == []


async def test_events_older_than_the_webhook_are_never_announced(desk):
    await desk.happen(an_event(1))
    await desk.add()
    await desk.happen(an_event(1, source="herald", canonical_url="https://herald.example/1"), an_event(2))
    assert desk.heard == [("event.new", ["Event number 2"])]


async def test_a_webhook_that_subscribes_to_events_later_is_not_sent_those_of_before(desk):
    await desk.add(events=STORIES)
    await desk.happen(an_event(1))
    await desk.add()
    await desk.happen(an_event(1, source="herald", canonical_url="https://herald.example/1"), an_event(2))
    assert [heard for heard in desk.heard if heard[0].startswith("event.")] == [("event.new", ["Event number 2"])]


async def test_an_event_that_goes_on_under_an_older_id_stays_known(desk):
    await desk.happen(an_event(1))
    await desk.add()
    await desk.happen(an_event(2, source="herald", canonical_url="https://herald.example/2"))
    await group_into_events(desk.database, ["Event number 1", "Event number 2"])
    async with desk.database.transaction() as conn:
        await work.enqueue(conn, StageName.DELIVER_WEBHOOKS, await webhooks.enqueue_events(conn, [2]))
    await desk.run()
    assert [kind for kind, _ in desk.heard] == ["event.new", "event.developed"]
    known, developed = (message["data"]["events"][0] for message in desk.messages)
    assert known["event_uuid"] != developed["event_uuid"]
    assert known["event_uuid"] in {story["story_uuid"] for story in developed["stories"]}


async def test_each_program_is_notified_only_of_events_of_its_collection_and_topic(desk):
    async with desk.database.connection() as conn:
        await written.put_topics([{"slug": "energy", "keywords": ["solar"]}], conn)
    await desk.add("sport", collection="sport")
    await desk.add("energy", topic="energy")
    await desk.add("grown", events=("event.developed",))
    await desk.happen(an_event(1, title="A solar roof"), an_event(2, metadata={"collection": "sport"}), an_event(3))
    assert {asked.line.split()[1]: asked.json["data"]["events"][0]["title"] for asked in desk.asked} == {
        "/sport": "Event number 2",
        "/energy": "A solar roof",
    }
    await desk.happen(an_event(3, source="herald", canonical_url="https://herald.example/3"))
    assert [asked.line.split()[1] for asked in desk.asked[2:]] == ["/grown"]


async def test_each_program_hears_only_of_what_it_asked_for(desk):
    async with desk.database.connection() as conn:
        await written.put_topics([{"slug": "energy", "keywords": ["solar"]}], conn)
    await desk.add("sport", collection="sport", events=STORIES)
    await desk.add("energy", topic="energy", events=STORIES)
    await desk.add("grown", events=("story.developed",))
    await desk.add("resting", enabled=False)
    await desk.happen(an_event(1, title="A solar roof"), an_event(2, metadata={"collection": "sport"}), an_event(3))
    assert {asked.line.split()[1]: asked.json["data"]["stories"][0]["title"] for asked in desk.asked} == {
        "/sport": "Event number 2",
        "/energy": "A solar roof",
    }
    assert len(desk.asked) == 2
    await desk.happen(an_event(3, source="herald"))
    assert [asked.line.split()[1] for asked in desk.asked[2:]] == ["/grown"]


async def test_what_was_there_before_is_no_news_but_what_joins_it_is(desk):
    await desk.happen(an_event(1), an_event(2))
    await desk.add(events=STORIES)
    await desk.happen(an_event(1, source="herald"), an_event(3))
    assert sorted(desk.heard) == [("story.developed", ["Event number 1"]), ("story.new", ["Event number 3"])]


async def test_a_program_that_rested_is_told_of_what_happens_from_then_on(desk):
    await desk.add(events=STORIES)
    async with desk.database.connection() as conn:
        await webhooks.set_enabled(conn, "main", enabled=False)
    await desk.happen(an_event(1))
    async with desk.database.connection() as conn:
        await webhooks.set_enabled(conn, "main", enabled=True)
        await work.enqueue(conn, StageName.ASSIGN_TOPICS, [work.Subject(1)])
    await desk.happen(an_event(2))
    assert desk.heard == [("story.new", ["Event number 2"])]


@pytest.mark.parametrize(("limit", "events"), [("STORIES_AT_ONCE", STORIES), ("EVENTS_AT_ONCE", ("event.new",))])
async def test_news_that_is_much_comes_in_several_messages(desk, monkeypatch, limit, events):
    monkeypatch.setattr(webhooks, limit, 2)
    await desk.add(events=events)
    await desk.happen(an_event(1), an_event(2), an_event(3))
    assert sorted(len(titles) for _, titles in desk.heard) == [1, 2]
    assert len({asked.headers["webhook-id"] for asked in desk.asked}) == 2


async def test_a_digest_is_told_once_when_its_first_post_is_sent(desk, tmp_path):
    await desk.add("ours", topic="world_news", events=("digest.told",))
    await desk.add("others", topic="ai_news", events=("digest.told",))
    await told(desk.database, [an_event(1, published_at="2026-11-10T06:00:00Z")], without=pipeline.PUBLISHING)
    async with desk.database.connection() as conn, open_client() as client:
        topic = await topics.by_slug(conn, "world_news")
        for name in ("one", "two"):
            settings = ChannelSettings(name=name, kind="file", options={"folder": str(tmp_path / name)})
            await topics.put_channel(conn, topic.topic_id, settings)
        async with conn.transaction():
            order = DigestOrder(topic=await topics.by_slug(conn, "world_news"), day=date(2026, 11, 10), publish=True)
            await digest.make(conn, order, KINDS)
        await desk.run()
        assert desk.asked == []  # nothing was posted yet
        stage = publish.stage(client, KINDS, secrets={}, clock=lambda: datetime.now(UTC))
        while await run_batch(stage, Worker(await work.register_worker(conn), conn)):
            pass
    await desk.run()
    (message,) = desk.messages
    found = message["data"]["digest"]
    assert (message["type"], found["topic_slug"], found["run_date"]) == ("digest.told", "world_news", "2026-11-10")
    assert [telling["title"] for telling in found["tellings"]] == ["Event number 1"]
    assert [(each.webhook, each.state) for each in await desk.deliveries()] == [("ours", "sent")]


@pytest.mark.parametrize(
    "refusal", [answer(500), answer(400, b"no such\n desk"), answer(302, Location="/x"), answer(404)]
)
async def test_who_does_not_take_it_is_asked_again_later_under_the_same_key(database, refusal):
    async with a_desk(database, saying(refusal, answer(200))) as desk:
        await desk.add()
        await desk.happen(an_event(1))
        (waiting,) = await desk.deliveries()
        assert (waiting.state, waiting.tries) == ("waiting", 1)
        assert f"answered {refusal.split()[1].decode()}" in waiting.error
        assert waiting.next_try_at > datetime.now(UTC)
        await desk.make_due()
        await desk.run()
        (sent,) = await desk.deliveries()
    assert (sent.state, sent.tries, sent.error) == ("sent", 2, None)
    assert len({(asked.headers["webhook-id"], asked.body) for asked in desk.asked}) == 1


async def test_nobody_there_or_a_hang_up_is_tried_again(database):
    async with a_desk(database, resetting) as desk:
        await desk.add()
        await desk.add("away", url=f"http://{closed_port()}/")
        await desk.happen(an_event(1))
        assert [(each.state, bool(each.error)) for each in await desk.deliveries()] == [("waiting", True)] * 2


async def test_who_never_takes_it_is_given_up_with_the_reason_until_a_person_says_otherwise(database, monkeypatch):
    monkeypatch.setattr(deliver_webhooks, "ATTEMPTS", 3)
    async with a_desk(
        database, saying(answer(503), answer(500, b"broken"), answer(500, b"broken"), answer(200))
    ) as desk:
        await desk.add()
        await desk.happen(an_event(1))
        for _ in range(3):
            await desk.make_due()
            await desk.run()
        (given_up,) = await desk.deliveries()
        assert given_up.state == "quarantined"
        assert "answered 500: broken" in given_up.error
        async with desk.database.connection() as conn:
            assert [each.stage for each in await work.quarantined(conn)] == [StageName.DELIVER_WEBHOOKS]
            await work.release(conn, stage=StageName.DELIVER_WEBHOOKS)
        await desk.run()
        assert [each.state for each in await desk.deliveries()] == ["sent"]


def test_tries_go_on_for_two_days_and_more():
    waits = [stage_loop.delay_after(tries, RuntimeError()) for tries in range(deliver_webhooks.ATTEMPTS - 1)]
    assert timedelta(days=2) < sum(waits, timedelta()) < timedelta(days=4)


async def test_who_says_that_it_is_gone_is_told_nothing_any_more(database):
    async with a_desk(database, saying(answer(410))) as desk:
        await desk.add()
        await desk.happen(an_event(1))
        await desk.happen(an_event(2))
        async with desk.database.connection() as conn:
            gone = await webhooks.by_name(conn, "main")
    assert (gone.enabled, "answered 410" in gone.problem) == (False, True)
    assert len(desk.asked) == 1
    assert [each.state for each in await desk.deliveries()] == ["dropped"]


async def test_what_waits_for_a_program_that_rests_is_dropped(desk):
    await desk.add()
    async with desk.database.transaction() as conn:
        await conn.execute("UPDATE webhooks SET enabled = false")
    await desk.happen(an_event(1))
    async with desk.database.transaction() as conn:
        await conn.execute("UPDATE webhooks SET enabled = true, since = now() - interval '1 day'")
        subjects = await webhooks.enqueue_events(conn, [1])
        await work.enqueue(conn, StageName.DELIVER_WEBHOOKS, subjects)
        await conn.execute("UPDATE webhooks SET enabled = false")
    await desk.run()
    assert [(each.state, each.tries) for each in await desk.deliveries()] == [("dropped", 0)]
    assert desk.asked == []


async def test_a_private_address_is_refused_unless_it_is_allowed(desk):
    await desk.add(allow_private=False)
    await desk.happen(an_event(1))
    (delivery,) = await desk.deliveries()
    assert "private address" in delivery.error
    assert desk.asked == []


async def test_a_secret_that_is_missing_is_told_and_none_is_ever_kept(desk):
    desk.secrets.clear()
    await desk.add()
    await desk.happen(an_event(1))
    (delivery,) = await desk.deliveries()
    assert "SCOOP_SECRET_DESK" in delivery.error
    assert desk.asked == []
    desk.secrets["desk"] = Secret(SECRET)
    await desk.make_due()
    await desk.run()
    assert len(desk.asked) == 1
    async with desk.database.connection() as conn:
        for table in ("webhooks", "webhook_deliveries", "work"):
            assert SECRET not in str(await conn.fetch(f"SELECT * FROM {table}"))


async def test_removed_webhooks_take_what_waits_for_them_along(database):
    async with a_desk(database, saying(answer(500))) as desk:
        await desk.add()
        await desk.happen(an_event(1))
        async with desk.database.connection() as conn:
            await webhooks.remove(conn, "main")
            assert await conn.fetchval("SELECT count(*) FROM work WHERE stage = 'notify'") == 0
        assert await desk.deliveries() == []


async def test_what_was_sent_long_ago_is_forgotten(desk):
    await desk.add()
    await desk.happen(an_event(1))
    async with desk.database.connection() as conn:
        await webhooks.delete_old(conn)
        assert len(await desk.deliveries()) == 1
        await conn.execute("UPDATE webhook_deliveries SET tried_at = now() - interval '31 days'")
        await webhooks.delete_old(conn)
    assert await desk.deliveries() == []


async def test_without_webhooks_nothing_is_kept_of_stories_and_events(desk):
    await desk.happen(an_event(1))
    assert await desk.value("SELECT count(*) FROM webhook_stories") == 0
    assert await desk.value("SELECT count(*) FROM webhook_events") == 0


async def test_hostile_text_stays_text(desk):
    await desk.add()
    hostile = '</script>"\\ {{7*7}} <b>'
    await desk.happen(an_event(1, title=hostile, body_text=f"{hostile} {BODIES[0]}"))
    (event,) = desk.messages[0]["data"]["events"]
    assert (event["title"], event["lead"][: len(hostile)]) == (hostile, hostile)
    assert (event["summary"], event["summary_disclaimer"]) == (None, None)  # it is announced before it is summarised


@pytest.mark.parametrize("point", [f"notify.{moment}" for moment in ("claimed", "worked", "saved", "committed")])
async def test_a_killed_worker_sends_at_most_once_more_under_the_same_key(point, desk, database_url):
    await desk.add()
    await told_without_sending(desk)

    async def work_off(**settings: str) -> int:
        arguments = ("run-once", "--publish")
        settings = {"database_url": database_url, "secret_desk": SECRET, **settings}
        return (await asyncio.to_thread(scoop, *arguments, **settings)).returncode

    assert await work_off(fault=f"{point}:kill:1") < 0
    assert await work_off() == 0
    assert 1 <= len(desk.asked) <= 2
    assert len({(asked.headers["webhook-id"], asked.body) for asked in desk.asked}) == 1
    assert [each.state for each in await desk.deliveries()] == ["sent"]


async def told_without_sending(desk: Desk) -> None:
    """A story is there, and what tells of it waits."""
    async with desk.database.transaction() as conn:
        await conn.execute("UPDATE webhooks SET enabled = false")
    await told(desk.database, [an_event(1)], without=pipeline.PUBLISHING)
    async with desk.database.transaction() as conn:
        await conn.execute("UPDATE webhooks SET enabled = true, since = now() - interval '1 day'")
        await work.enqueue(conn, StageName.DELIVER_WEBHOOKS, await webhooks.enqueue_events(conn, [1]))


async def test_a_trial_tells_nobody(home):
    assert StageName.DELIVER_WEBHOOKS in pipeline.AFTER_STORIES
    assert StageName.DELIVER_WEBHOOKS in pipeline.PUBLISHING
    async with scratch.open_scratch(replace(Config(), home=home)) as app:
        names = {stage.name for stage in app.stages}
    assert not names & {StageName.DELIVER_WEBHOOKS, StageName.ASSIGN_TOPICS}
