"""Digests are made from the stories of a real database, remembered, and put on their way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, group_into_events, run_all, told
from pages import ingest_teasers, read_pages
from scoop import channels as kinds_of_channels
from scoop import plugins
from scoop.core.handover_modes import Modes
from scoop.errors import UsageError
from scoop.fetch.client import open_client
from scoop.model import ChannelSettings, Topic
from scoop.stage_names import StageName
from scoop.stages import digest, publish
from scoop.stages.digest import DigestOrder
from scoop.stages.stage import Worker, run_batch
from scoop.store import alerts, digests, topics, work
from scoop.store.db import Connection, Database
from scoop.store.digests import DueTopic, RunEntry
from scoop.store.work import Subject
from summarised import event_id_of, summarise

KINDS = plugins.makers(kinds_of_channels)
TUESDAY, WEDNESDAY, THURSDAY = date(2026, 11, 10), date(2026, 11, 11), date(2026, 11, 12)
DAY = timedelta(days=1)
EVENTS = {
    1: ("Old bridge stays closed", "The council keeps the old bridge shut until engineers have checked every cable."),
    2: ("Vineyards expect a late harvest", "Growers in the hills blame a cold spring and hope for sun in October."),
    3: ("Chess club wins the cup", "Four teenagers beat the champions of the league after a night of long endgames."),
    4: ("Ferry line adds a night boat", "From May on the islands can be reached after the theatre closes."),
    5: ("Robot sorts the post", "A machine reads the handwriting of grandmothers better than its makers had hoped."),
}


def at(day: date, clock: str = "06:00") -> str:
    """A time of UTC on a date; the digest of the date is due at 08:00, which is 09:00 in Berlin."""
    return f"{day}T{clock}:00Z"


def an_article(number: int, day: date = TUESDAY, clock: str = "06:00", **changes: Any) -> dict[str, Any]:
    """An item; each number is an event of its own."""
    title, body_text = EVENTS[number]
    return an_item(number, published_at=at(day, clock), **({"title": title, "body_text": body_text} | changes))


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The topic world_news on a database, with a channel that is a folder."""

    database: Database
    folder: Path

    async def topic(self) -> Topic:
        async with self.database.connection() as conn:
            return await topics.by_slug(conn, "world_news")

    async def add_channel(self, name: str, kind: str, **options: Any) -> None:
        topic = await self.topic()
        async with self.database.connection() as conn:
            await topics.put_channel(conn, topic.topic_id, ChannelSettings(name=name, kind=kind, options=options))

    async def make(self, day: date, *, mode: digests.RunMode = "live", publish: bool = False) -> int:
        order = DigestOrder(topic=await self.topic(), day=day, mode=mode, publish=publish)
        async with self.database.transaction() as conn:
            return await digest.make(conn, order, KINDS)

    async def publish(self, day: date) -> int:
        """Make the digest of a date and let it leave."""
        run_id = await self.make(day, publish=True)
        await self.send()
        return run_id

    async def send(self) -> None:
        """Send what waits in the outbox."""
        async with self.working() as (conn, worker), open_client() as client:
            stage = publish.stage(client, KINDS, secrets={}, clock=lambda: datetime.now(UTC))
            await work.release_orphans(conn)
            while await run_batch(stage, worker):
                pass

    async def run_due(self, now: datetime, modes: Modes | None = None) -> int:
        """Make the digests that are due at a moment; give how many there were."""
        held = modes or Modes()
        async with self.working() as (conn, worker):
            await digest.schedule(conn, held, now=now)
            made = 0
            while await run_batch(digest.stage(KINDS, modes=held, clock=lambda: now), worker):
                made += 1
            return made

    @asynccontextmanager
    async def working(self) -> AsyncIterator[tuple[Connection, Worker]]:
        async with self.database.connection() as conn:
            yield conn, Worker(await work.register_worker(conn), conn)

    async def entries(self, run_id: int) -> list[RunEntry]:
        async with self.database.connection() as conn:
            return await digests.list_entries(conn, run_id)

    async def statuses(self, run_id: int) -> dict[str, str]:
        return {entry.title: entry.status for entry in await self.entries(run_id)}

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        async with self.database.connection() as conn:
            return [tuple(row) for row in await conn.fetch(query, *values)]

    def files(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in sorted(self.folder.glob("*"))}


@pytest.fixture
async def desk(database: Database, tmp_path: Path) -> Desk:
    made = Desk(database=database, folder=tmp_path / "digests")
    await made.add_channel("main", "file", folder=str(made.folder))
    return made


async def test_a_digest_tells_what_happened_in_its_window(desk):
    await told(
        desk.database,
        [
            an_article(1, TUESDAY - DAY, "07:59"),
            an_article(2, TUESDAY - DAY, "08:00"),
            an_article(3, TUESDAY, "07:59"),
            an_article(4, TUESDAY, "08:00"),
            an_article(5, TUESDAY, metadata={"collection": "ai_news"}),
        ],
    )
    entries = await desk.entries(await desk.make(TUESDAY))
    assert [(entry.rank, entry.status, entry.title) for entry in entries] == [
        (1, "new", "Chess club wins the cup"),
        (2, "new", "Vineyards expect a late harvest"),
    ]
    assert entries[0].publishers == ["tribune.example"]
    assert entries[0].url == "https://tribune.example/3"
    assert entries[0].summary.startswith("Four teenagers beat the champions")
    assert set(entries[0].score_parts) == {"publishers", "recency", "weight"}


@pytest.mark.parametrize("said", ["Teenagers won the cup.", "**@everyone** [bank](https://evil.example) <@&1> `x`"])
async def test_a_digest_has_the_summary_of_the_event_instead_of_its_lead(desk, said):
    await told(desk.database, [an_article(3, TUESDAY, "07:59")])
    event_id = await event_id_of(desk.database, EVENTS[3][0])
    await summarise(desk.database, event_id, said)
    (entry,) = await desk.entries(await desk.publish(TUESDAY))
    assert entry.summary == said
    (written,) = desk.files().values()
    assert "Four teenagers beat the champions" not in written
    assert "](https://evil.example)" not in written


async def test_a_long_summary_is_cut_as_a_lead_is(desk):
    await told(desk.database, [an_article(3, TUESDAY, "07:59")])
    event_id = await event_id_of(desk.database, EVENTS[3][0])
    await summarise(desk.database, event_id, *["The cup went to the four teenagers of the club."] * 40)
    (entry,) = await desk.entries(await desk.make(TUESDAY))
    assert len(entry.summary) == digest.SUMMARY_CHARACTERS


async def test_a_quiet_day_has_a_digest_without_entries(desk):
    run_id = await desk.publish(TUESDAY)
    assert await desk.entries(run_id) == []


async def test_a_date_without_a_digest_is_told_with_the_next_that_has_one(desk):
    async with desk.database.transaction() as conn:
        await topics.put(conn, replace(await topics.by_slug(conn, "world_news"), digest_cron="0 9 * * 1"))
    with pytest.raises(UsageError, match=r"no digest on 2026-11-10.*the next is on 2026-11-16"):
        await desk.make(TUESDAY)


async def test_made_without_posting_a_digest_is_a_new_attempt_each_time(desk):
    await told(desk.database, [an_article(1)])
    first = await desk.make(TUESDAY)
    await told(desk.database, [an_article(2)])
    second = await desk.make(TUESDAY)
    assert (len(await desk.entries(first)), len(await desk.entries(second))) == (1, 2)
    assert await desk.rows("SELECT attempt FROM digest_runs ORDER BY 1") == [(1,), (2,)]
    assert await desk.rows("SELECT count(*) FROM posts") == [(0,)]


async def test_a_digest_that_is_posted_is_never_made_anew(desk):
    await told(desk.database, [an_article(1)])
    run_id = await desk.publish(TUESDAY)
    before = desk.files()
    await told(desk.database, [an_article(2)])
    assert await desk.publish(TUESDAY) == run_id
    assert await desk.make(TUESDAY) == run_id
    assert desk.files() == before
    assert await desk.rows("SELECT state::text, part_no, parts FROM posts") == [("sent", 1, 1)]


async def test_a_digest_on_its_way_is_not_made_anew(desk):
    await told(desk.database, [an_article(1)])
    run_id = await desk.make(TUESDAY, publish=True)
    assert await desk.make(TUESDAY, publish=True) == run_id
    assert desk.files() == {}


async def test_two_who_make_a_digest_at_once_make_one(desk):
    await told(desk.database, [an_article(number) for number in range(1, 4)])
    made = await asyncio.gather(*(desk.make(TUESDAY, publish=True) for _ in range(3)))
    assert len(set(made)) == 1
    assert await desk.rows("SELECT count(*) FROM digest_runs") == [(1,)]
    assert await desk.rows("SELECT count(*) FROM posts") == [(1,)]


async def test_the_text_of_a_page_is_no_development_of_a_story_whose_teaser_was_posted(desk):
    facts = "Anna Berg, Carl Dorn, Eva Falk, Georg Hahn, Ida Jung and Karl Lang paid 12 fines and 30 bills. " * 3
    await ingest_teasers(desk.database, [an_article(1, body_text="The bridge is closed.")])
    await run_all(desk.database, without=(StageName.PAGES,))
    await desk.publish(TUESDAY)
    await read_pages(desk.database, {"item-1": facts})
    await told(desk.database, [an_article(1, WEDNESDAY, source="herald", body_text=facts)])
    assert await desk.statuses(await desk.make(WEDNESDAY)) == {"Old bridge stays closed": "seen"}


async def test_what_was_posted_counts_as_published_only_then(desk):
    await told(desk.database, [an_article(1)])
    await desk.make(TUESDAY, publish=True)
    published = (
        "SELECT publish_count, first_published_at IS NOT NULL, last_published_at IS NOT NULL FROM story_topic_state"
    )
    assert await desk.rows(published) == [(0, False, False)]
    await desk.send()
    assert await desk.rows(published) == [(1, True, True)]
    assert await desk.rows("SELECT posted_count, published_at IS NOT NULL FROM digest_runs") == [(1, True)]


async def test_a_story_that_came_too_late_is_in_the_next_digest(desk):
    await told(desk.database, [an_article(1)])
    await desk.publish(TUESDAY)
    await told(desk.database, [an_article(2), an_article(3, TUESDAY - 4 * DAY)])
    assert await desk.statuses(await desk.publish(WEDNESDAY)) == {"Vineyards expect a late harvest": "new"}
    assert await desk.statuses(await desk.publish(THURSDAY)) == {}


SAME = {"canonical_url": "https://tribune.example/quake", "title": "Quake shakes Ostburg"}
QUAKE = "A quake shook Ostburg. At least {} people were killed and {} houses fell, said the mayor of the town."


async def test_what_was_told_is_told_again_only_once_it_has_developed(desk):
    await told(desk.database, [an_article(1, TUESDAY, body_text=QUAKE.format(12, 40), **SAME)])
    await desk.publish(TUESDAY)
    calm = "The ground under Ostburg has not moved again, and the mayor thanked all who had helped."
    await told(desk.database, [an_article(2, WEDNESDAY, source="herald", body_text=calm, **SAME)])
    (seen,) = await desk.entries(await desk.publish(WEDNESDAY))
    assert (seen.status, seen.rank, seen.reason) == ("seen", None, "published on 2026-11-10; nothing new since")
    await told(desk.database, [an_article(3, THURSDAY, source="post", body_text=QUAKE.format(31, 40), **SAME)])
    (developed,) = await desk.entries(await desk.publish(THURSDAY))
    assert (developed.status, developed.rank) == ("new", 1)
    assert "31 killed (was 12)" in developed.change
    assert developed.reason.startswith("developed since 2026-11-10: ")
    assert "31 killed" in desk.files()["world_news-2026-11-12.md"]
    assert await desk.rows("SELECT publish_count FROM story_topic_state") == [(2,)]


async def test_what_was_chosen_but_never_posted_is_not_seen(desk):
    await told(desk.database, [an_article(1, TUESDAY, **SAME)])
    await desk.make(TUESDAY)
    await told(desk.database, [an_article(2, WEDNESDAY, source="herald", **SAME)])
    assert await desk.statuses(await desk.make(WEDNESDAY)) == {"Quake shakes Ostburg": "new"}


async def test_what_is_probably_the_same_event_stands_beside_its_story(desk):
    await told(
        desk.database,
        [
            an_article(1, source="tribune", **FIRE),
            an_article(2, source="herald", canonical_url="https://herald.example/2", **FIRE_AGAIN),
        ],
    )
    entries = await desk.entries(await desk.publish(TUESDAY))
    assert [(entry.rank, entry.status) for entry in entries] == [(1, "new"), (1, "possible_duplicate")]
    assert entries[1].twin_of == entries[0].story_id
    assert entries[0].reason == "new, covered by 2 publishers"


async def test_an_event_whose_lead_is_older_than_the_window_is_led_as_everywhere_else(desk):
    video = {"title": "Watch: the night of the fire in Ostburg", "canonical_url": "https://herald.example/2"}
    report = {"title": "Fire leaves library of Ostburg in ruins", "canonical_url": "https://post.example/3"}
    reports = [
        an_article(1, source="tribune", **FIRE),
        an_article(2, WEDNESDAY, "03:00", source="herald", **video),
        an_article(3, WEDNESDAY, "05:00", source="post", **report),
    ]
    await told(desk.database, reports)
    await group_into_events(desk.database, [report["title"] for report in reports])
    entries = await desk.entries(await desk.make(WEDNESDAY))
    assert [(entry.title, entry.status) for entry in entries] == [
        (report["title"], "new"),
        (video["title"], "possible_duplicate"),
    ]


async def test_points_elsewhere_lift_a_story_and_absurd_ones_do_no_harm(desk):
    scores = {1: 0, 2: 900, 3: 1e300, 4: -7.5, 5: "many"}
    await told(
        desk.database,
        [an_article(number, metadata={"platform": "hn", "score": score}) for number, score in scores.items()],
    )
    entries = await desk.entries(await desk.make(TUESDAY))
    points = {entry.title: entry.score_parts.get("points") for entry in entries}
    assert points.pop(EVENTS[3][0]) == 1
    assert 0.9 < points.pop(EVENTS[2][0]) < 1
    assert set(points.values()) == {None}


async def test_a_suppressed_story_is_left_out(desk):
    await told(desk.database, [an_article(1), an_article(2)])
    async with desk.database.transaction() as conn:
        ((story_id,),) = await conn.fetch("SELECT min(story_id) FROM stories")
        await topics.suppress(conn, await topics.by_slug(conn, "world_news"), story_id, "an advertisement")
    entries = await desk.entries(await desk.publish(TUESDAY))
    assert [entry.status for entry in entries] == ["new", "suppressed_manual"]
    assert entries[1].reason == "suppressed: an advertisement"
    assert entries[1].title not in desk.files()["world_news-2026-11-10.md"]


async def test_shadow_runs_stand_beside_live_ones_and_change_no_memory_of_theirs(desk):
    await told(desk.database, [an_article(1, TUESDAY, **SAME)])
    state = await desk.rows("SELECT * FROM story_topic_state")
    shadow = await desk.make(TUESDAY, mode="shadow")
    assert await desk.make(TUESDAY, mode="shadow") != shadow
    await desk.send()
    assert await desk.rows("SELECT * FROM story_topic_state") == state
    assert desk.files() == {}
    assert await desk.statuses(await desk.publish(TUESDAY)) == {"Quake shakes Ostburg": "new"}
    await told(desk.database, [an_article(2, WEDNESDAY, source="herald", **SAME)])
    assert await desk.statuses(await desk.make(WEDNESDAY, mode="shadow")) == {"Quake shakes Ostburg": "seen"}
    modes = "SELECT run_date, mode::text, attempt FROM digest_runs ORDER BY 1, 2, 3"
    assert await desk.rows(modes) == [
        (TUESDAY, "live", 1),
        (TUESDAY, "shadow", 1),
        (TUESDAY, "shadow", 2),
        (WEDNESDAY, "shadow", 1),
    ]


async def test_a_shadow_may_be_made_of_a_date_that_was_posted(desk):
    await told(desk.database, [an_article(1)])
    live = await desk.publish(TUESDAY)
    shadow = await desk.make(TUESDAY, mode="shadow")
    assert shadow != live
    assert await desk.statuses(shadow) == await desk.statuses(live)


async def test_a_channel_that_cannot_be_used_is_closed_with_the_reason_and_the_others_go_on(desk):
    await desk.add_channel("nowhere", "file")
    await desk.add_channel("pigeon", "pigeon")
    await told(desk.database, [an_article(1)])
    await desk.publish(TUESDAY)
    topic = await desk.topic()
    async with desk.database.connection() as conn:
        problems = {each.name: each.problem for each in await topics.list_channels(conn, topic.topic_id)}
    assert problems["main"] is None
    assert "give the option folder" in problems["nowhere"]
    assert "there is no kind of channel 'pigeon'" in problems["pigeon"]
    assert {channel.name: channel.enabled for channel in topic.channels} == {
        "main": True,
        "nowhere": False,
        "pigeon": False,
    }
    assert list(desk.files()) == ["world_news-2026-11-10.md"]


async def test_a_correction_takes_suppressed_stories_out_of_what_was_posted(desk):
    await told(desk.database, [an_article(1), an_article(2)])
    run_id = await desk.publish(TUESDAY)
    (file,) = desk.files().values()
    assert EVENTS[1][0] in file
    topic = await desk.topic()
    first = next(entry for entry in await desk.entries(run_id) if entry.title == EVENTS[1][0])
    async with desk.database.transaction() as conn:
        assert await digest.correct(conn, topic, run_id, KINDS) == 0
        await topics.suppress(conn, topic, first.story_id, "withdrawn")
        assert await digest.correct(conn, topic, run_id, KINDS) == 1
    await desk.send()
    (file,) = desk.files().values()
    assert EVENTS[1][0] not in file
    assert EVENTS[2][0] in file
    async with desk.database.transaction() as conn:
        assert await digest.correct(conn, topic, run_id, KINDS) == 0
    assert await desk.rows("SELECT state::text, correction, payload FROM posts") == [("sent", None, file)]


NINE = datetime(2026, 11, 10, 8, tzinfo=UTC)  # o'clock in Berlin


def a_due(**changes: Any) -> DueTopic:
    given = {
        "topic_id": 1,
        "topic_slug": "world_news",
        "timezone": "Europe/Berlin",
        "digest_cron": "0 9 * * *",
        "created_at": NINE - 30 * DAY,
        "mode": None,
        "publish_v2": None,
        "write_raw_ledger": None,
        "has_channels": True,
        "has_open_channels": True,
        "last_outgoing": TUESDAY - DAY,
        "last_posted": None,
        "last_live": TUESDAY - DAY,
        "last_shadow": None,
    }
    return DueTopic(**(given | changes))


@pytest.mark.parametrize(
    ("after", "changes", "day"),
    [
        (timedelta(), {}, TUESDAY),
        (-timedelta(seconds=1), {}, None),
        (timedelta(hours=12), {}, TUESDAY),
        (timedelta(hours=12, seconds=1), {}, None),
        (timedelta(hours=1), {"last_outgoing": TUESDAY}, None),
        (timedelta(hours=1), {"last_outgoing": None}, TUESDAY),
        (timedelta(hours=1), {"last_posted": TUESDAY}, None),  # it was left to an older system
        (timedelta(hours=1), {"last_outgoing": TUESDAY - 5 * DAY}, TUESDAY),
        (timedelta(hours=1), {"last_live": TUESDAY}, TUESDAY),  # somebody looked at it before it was due to be posted
        (timedelta(hours=1), {"last_live": TUESDAY, "has_open_channels": False}, None),
        (timedelta(hours=1), {"last_live": TUESDAY, "publish_v2": False}, None),
        (timedelta(hours=1), {"created_at": NINE + timedelta(minutes=1)}, None),
        (timedelta(hours=1), {"created_at": NINE}, TUESDAY),
        (timedelta(hours=1), {"mode": "legacy"}, None),
        (timedelta(hours=1), {"mode": "shadow", "last_live": TUESDAY}, TUESDAY),
        (timedelta(hours=1), {"mode": "shadow", "last_shadow": TUESDAY}, None),
        (timedelta(hours=1), {"last_shadow": TUESDAY}, TUESDAY),
        (timedelta(hours=1), {"digest_cron": "0 9 * * 1"}, None),
        (timedelta(hours=1), {"publish_v2": False}, TUESDAY),
    ],
)
def test_a_digest_is_due_once_at_its_time_or_some_hours_after(after, changes, day):
    assert digest.due_date(a_due(**changes), Modes(), NINE + after) == day


async def age(desk: Desk, moment: datetime) -> None:
    """Let world_news have been there since then, and no other topic be told."""
    async with desk.database.connection() as conn:
        await conn.execute("UPDATE topics SET created_at = $1, enabled = topic_slug = 'world_news'", moment)


async def test_the_schedule_makes_and_posts_what_is_due_once(desk):
    await told(desk.database, [an_article(1)])
    await age(desk, NINE - 30 * DAY)
    assert await desk.run_due(NINE - timedelta(minutes=1)) == 0
    assert await desk.run_due(NINE + timedelta(minutes=1)) == 1
    assert await desk.run_due(NINE + timedelta(hours=2)) == 0
    await desk.send()
    assert list(desk.files()) == ["world_news-2026-11-10.md"]


async def test_what_was_missed_for_long_is_not_made_up(desk):
    await age(desk, NINE - 30 * DAY)
    assert await desk.run_due(NINE + timedelta(hours=13)) == 0
    assert await desk.run_due(NINE + DAY) == 1
    assert await desk.rows("SELECT run_date FROM digest_runs") == [(WEDNESDAY,)]


async def test_what_is_no_longer_due_when_its_turn_comes_is_not_made(desk):
    await age(desk, NINE - 30 * DAY)
    topic = await desk.topic()
    async with desk.working() as (conn, worker):
        await work.enqueue(conn, StageName.DIGEST, [Subject(topic.topic_id)])
        stage = digest.stage(KINDS, modes=Modes(), clock=lambda: NINE - timedelta(minutes=1))
        assert await run_batch(stage, worker) == 1
    assert await desk.rows("SELECT count(*) FROM digest_runs") == [(0,)]


async def test_a_digest_that_somebody_posts_while_it_is_drafted_is_not_posted_twice(desk):
    await told(desk.database, [an_article(1)])
    await age(desk, NINE - 30 * DAY)
    topic = await desk.topic()
    stage = digest.stage(KINDS, modes=Modes(), clock=lambda: NINE)
    async with desk.database.connection() as conn:
        outcome = await stage.work(await stage.load(conn, [topic.topic_id]))
        posted = await desk.make(TUESDAY, publish=True)
        async with conn.transaction():
            await stage.save(conn, outcome.output)
    assert await desk.rows("SELECT digest_run_id, count(*) FROM posts GROUP BY 1") == [(posted, 1)]
    assert await desk.rows("SELECT count(*) FROM digest_runs") == [(1,)]


async def test_a_draft_says_what_the_recorded_run_says(desk):
    await told(desk.database, [an_article(1), an_article(2), an_item(9, published_at=at(TUESDAY), **FIRE)])
    await told(desk.database, [an_item(10, source="herald", published_at=at(TUESDAY), **FIRE_AGAIN)])
    order = DigestOrder(topic=await desk.topic(), day=TUESDAY, publish=True)
    async with desk.database.connection() as conn:
        drafted = digest.draft(await digest.read_input(conn, order), KINDS)
    run_id = await desk.make(TUESDAY, publish=True)
    async with desk.database.connection() as conn:
        recorded = digests.make_digest(order.topic, TUESDAY, await digests.list_entries(conn, run_id))
        (payload,) = await desk.rows("SELECT payload FROM posts")
    [(_, [(_, part)])] = drafted.posts.parts_by_channel.values()
    assert (part.payload,) == payload
    assert len(recorded.tellings) >= 3


@pytest.mark.parametrize(
    ("modes", "runs", "waiting"),
    [
        (Modes(mode="legacy"), [], 0),
        (Modes(mode="shadow"), [("shadow",)], 0),
        (Modes(publish_v2=False), [("live",)], 0),
        (Modes(), [("live",)], 1),
    ],
    ids=["legacy", "shadow", "posted elsewhere", "prod"],
)
async def test_the_mode_says_what_is_made_and_whether_it_is_posted(desk, modes, runs, waiting):
    await told(desk.database, [an_article(1)])
    await age(desk, NINE - 30 * DAY)
    await desk.run_due(NINE, modes)
    assert await desk.rows("SELECT mode::text FROM digest_runs") == runs
    assert await desk.rows("SELECT count(*) FROM posts") == [(waiting,)]


async def alarms(desk: Desk, now: datetime, modes: Modes | None = None) -> list[str]:
    """The subjects of the alerts about late digests that stand at a moment."""
    async with desk.database.connection() as conn:
        await digest.alert_late_digests(conn, modes or Modes(), now=now)
        return [each.subject for each in await alerts.latest(conn, with_resolved=False, limit=10)]


async def test_a_late_digest_raises_an_alert_until_it_is_posted(desk):
    await told(desk.database, [an_article(1)])
    await age(desk, NINE - 30 * DAY)
    await desk.publish(TUESDAY - DAY)
    assert await alarms(desk, NINE + digest.LATE_AFTER) == []
    late = NINE + digest.LATE_AFTER + timedelta(seconds=1)
    assert await alarms(desk, late) == ["world_news"]
    assert await alarms(desk, late + timedelta(minutes=1)) == ["world_news"]
    async with desk.database.connection() as conn:
        (alert,) = await alerts.latest(conn, with_resolved=True, limit=10)
    assert "for 2026-11-10 was due at 2026-11-10 08:00 UTC" in alert.message
    assert "scoop posts list" in alert.message
    await desk.make(TUESDAY, publish=True)
    assert await alarms(desk, late) == ["world_news"]
    await desk.send()
    assert await alarms(desk, late) == []


async def test_nobody_waits_for_a_digest_that_scoop_does_not_post(desk):
    late = NINE + timedelta(hours=1)
    await age(desk, NINE + timedelta(minutes=1))
    assert await alarms(desk, late) == []
    await age(desk, NINE - 30 * DAY)
    assert await alarms(desk, late, Modes(mode="shadow")) == []
    async with desk.database.connection() as conn:
        await topics.remove_channel(conn, await topics.by_slug(conn, "world_news"), "main")
    assert await alarms(desk, late) == []
