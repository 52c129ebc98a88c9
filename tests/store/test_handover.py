"""An older system's files in the database, what its readers know, and who posts when we are late."""

import asyncio
import gzip
import json
import os
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from builders import FIRE, an_item, told
from scoop import channels, plugins
from scoop.actions import handover as moving
from scoop.actions import handover_import
from scoop.actions.handover import ProgramResult
from scoop.core import handover
from scoop.core.handover_modes import Modes
from scoop.errors import InputError, UsageError
from scoop.model import ChannelSettings
from scoop.stages import digest
from scoop.stages.digest import DigestOrder
from scoop.store import acceptance, alerts, topics
from scoop.store import handover as store

SUNDAY, MONDAY = date(2026, 11, 15), date(2026, 11, 16)
DUE = datetime(2026, 11, 16, 8, tzinfo=UTC)  # 09:00 in Berlin
LATE = DUE + timedelta(minutes=31)
KINDS = plugins.makers(channels)
BRIDGE = {"title": "Bridge number 1 stays closed", "url": "https://tribune.example/1?utm_source=x"}


def a_digest(day=SUNDAY, items=(BRIDGE,), **changes):
    return {"topic": "world_news", "date": str(day), "items": list(items)} | changes


async def imported(conn, folder, lines, *, name="posted.jsonl", **options):
    raw = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines).encode()
    path = folder / name
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    names = handover_import.Names(topics=await topics.list_topics(conn), of_all=options.pop("of_all", None))
    return await handover_import.keep(conn, path, names, kind=options.pop("kind", None))


async def the_topic(conn):
    return await topics.by_slug(conn, "world_news")


# Files


@pytest.mark.parametrize("name", ["posted.jsonl", "posted.jsonl.gz"])
async def test_good_lines_go_in_once_and_bad_ones_are_told(database, tmp_path, name):
    lines = [
        a_digest(),
        "{",
        a_digest(topic="nobody"),
        a_digest(date="soon"),
        "[1]",
        a_digest(MONDAY, [BRIDGE, BRIDGE, 3]),
    ]
    async with database.transaction() as conn:
        found = await imported(conn, tmp_path, lines, name=name)
        assert (found.kind, found.items, found.new) == ("digests", 3, 3)
        assert [refused.line for refused in found.refused] == [2, 3, 4, 5, 6]
        assert "give the topic with --topic" in found.refused[1].reason
        again = await imported(conn, tmp_path, lines, name=name)
        assert (again.items, again.new) == (3, 0)
        items = await store.list_items(conn, (await the_topic(conn)).topic_id, SUNDAY, MONDAY)
    assert [(item.run_date, item.position) for item in items] == [(SUNDAY, 1), (MONDAY, 1), (MONDAY, 2)]
    assert items[0].posted_at == DUE - timedelta(days=1)  # nobody said when; then it was when it was due


async def test_digests_may_have_one_item_a_line_and_name_topics_in_words(database, tmp_path):
    lines = [{"topic": "World News", "date": "2026-11-16", "posted_at": "2026-11-16T09:01:00+01:00", **BRIDGE}] * 2
    async with database.transaction() as conn:
        assert (await imported(conn, tmp_path, lines)).new == 2
        first, second = await store.list_items(conn, (await the_topic(conn)).topic_id, MONDAY, MONDAY)
    assert (first.posted_at, second.position) == (DUE + timedelta(minutes=1), 2)


async def test_a_dedup_file_is_kept_for_one_topic_or_for_none(database, tmp_path):
    lines = [
        {"url": "https://a.example/1", "ts": 1_763_280_000, "score": 3},
        {"id": "x"},
        {"hash": 7, "title": "T"},
        {"ts": 1},
    ]
    async with database.transaction() as conn:
        found = await imported(conn, tmp_path, lines, name="seen.jsonl")
        assert (found.kind, found.new, [refused.line for refused in found.refused]) == ("dedup", 3, [4])
        assert (await imported(conn, tmp_path, lines, of_all=await the_topic(conn))).new == 3
        assert (await imported(conn, tmp_path, lines)).new == 0
        kept = await conn.fetchval("SELECT line FROM legacy_seen_items WHERE canonical_url_hash IS NOT NULL LIMIT 1")
    assert json.loads(kept)["score"] == 3


async def test_of_a_damaged_file_goes_in_what_can_be_read(database, tmp_path):
    packed = gzip.compress(b"".join(json.dumps({"id": os.urandom(40).hex()}).encode() + b"\n" for _ in range(2000)))
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "odd").write_bytes(
        b'{"id": "a\\u0000"}\n{"id": "\\ud800"}\n{"id": "b"}\n{"id": "' + b"[" * 99 + b'"}\n' + b"[" * 9999
    )
    names = handover_import.Names(topics=[])
    async with database.transaction() as conn:
        cut = await handover_import.keep(conn, tmp_path / "cut.gz", names, kind=None)
        odd = await handover_import.keep(conn, tmp_path / "odd", names, kind=None)
        with pytest.raises(InputError, match="no such file"):
            await handover_import.keep(conn, tmp_path / "none", names, kind=None)
    assert 0 < cut.new < 2000
    assert "cannot be read from here on" in cut.refused[-1].reason
    assert (odd.new, [refused.line for refused in odd.refused]) == (2, [1, 2, 5])


# What readers know


async def a_desk(database, *items):
    await told(database, items)
    async with database.connection() as conn:
        return await the_topic(conn)


def an_article(number, published_at="2026-11-15T12:00:00Z", **changes):
    return an_item(number, published_at=published_at, metadata={"scraped_at": published_at}, **changes)


async def test_what_the_older_system_told_is_known_by_address_or_headline_for_three_days(database, tmp_path):
    topic = await a_desk(database, an_article(1, "2026-11-14T12:00:00Z"), an_article(2, "2026-11-15T12:00:00Z"))
    items = [BRIDGE, {"title": "Bridge number 2 stays closed - Elsewhere", "url": "https://elsewhere.example/2"}]
    async with database.transaction() as conn:
        await imported(conn, tmp_path, [a_digest(items=[*items, {"title": "Nobody has ever heard of this"}])])
        known = await store.list_published_before(conn, topic.topic_id, MONDAY)
        assert await store.list_published_before(conn, topic.topic_id, SUNDAY) == []
        assert len(await store.list_published_before(conn, topic.topic_id, SUNDAY + timedelta(days=3))) == 2
        assert await store.list_published_before(conn, topic.topic_id, SUNDAY + timedelta(days=4)) == []
    assert len({each.story_id for each in known}) == 2
    # The second was told before we had it: what it said first is what readers know.
    assert all(each.run_date == SUNDAY and len(each.memory.versions) == 1 for each in known)


async def test_digests_of_the_same_date_are_compared(database, tmp_path):
    harvest = {"title": "Growers expect a rich apple harvest", "body_text": "Orchards are full, growers of apples say."}
    late = an_article(3, "2026-11-01T12:00:00Z", **harvest)
    topic = await a_desk(database, an_article(1), an_article(2, **FIRE), late)
    stranger = {"title": "Nobody here has heard of this event"}
    old = {"title": "Bridge number 3", "url": "https://tribune.example/3"}
    seen = {"url": "https://tribune.example/2"}
    async with database.transaction() as conn:
        await imported(conn, tmp_path, [a_digest(MONDAY, [BRIDGE, BRIDGE, old, stranger])])
        await imported(conn, tmp_path, [seen])
        await digest.make(conn, DigestOrder(topic=topic, day=MONDAY, mode="shadow"), KINDS)
        sides = await store.list_sides(conn, topic, since=SUNDAY, until=MONDAY)
    (day,) = handover.compare("world_news", sides, since=SUNDAY).days
    assert (day.mode, [line.verdict for line in day.legacy]) == ("shadow", ["shared", "double", "missed", "missed"])
    assert "had nothing new in the window" in day.legacy[2].note
    assert sorted((line.verdict, line.note) for line in day.ours) == [
        ("extra", "the older system had seen it"),
        ("shared", ""),
    ]


# Who posts


class Programs:
    """Runs nothing, and remembers what it was asked to run."""

    def __init__(self, ended=None):
        self.asked = []
        self.ended = ended or ProgramResult(exit_code=0, error="")

    async def __call__(self, command, topic_slug, day):
        self.asked.append((tuple(command), topic_slug, day))
        return self.ended


async def a_topic_with_a_program(conn, tmp_path, **changes):
    """A topic that posts to a folder, is Scoop's since yesterday, and has a program to fall back on."""
    settings = {"legacy_command": ["post"], "legacy_deadline": timedelta(minutes=30)} | changes
    topic_id = await topics.put(conn, replace(await the_topic(conn), **settings))
    options = {"folder": str(tmp_path)}
    await topics.put_channel(conn, topic_id, ChannelSettings(name="main", kind="file", options=options))
    await conn.execute("UPDATE topics SET created_at = '2026-01-01'")
    topic = await the_topic(conn)
    await store.leave_to_legacy(conn, topic, SUNDAY, digest.window_of(topic, SUNDAY))
    return topic


async def open_alerts(conn):
    return [alert.message for alert in await alerts.latest(conn, with_resolved=False, limit=9)]


async def states(conn):
    return [row["state"] for row in await conn.fetch("SELECT state::text FROM posts ORDER BY post_id")]


async def test_a_digest_that_is_not_out_in_time_is_left_to_the_older_system_once(database, tmp_path):
    programs = Programs()
    async with database.connection() as conn:
        topic = await a_topic_with_a_program(conn, tmp_path)
        await moving.fall_back(conn, Modes(), now=DUE + timedelta(minutes=29), run=programs)
        assert programs.asked == []
        for _ in range(2):
            await moving.fall_back(conn, Modes(), now=LATE, run=programs)
        assert programs.asked == [(("post",), "world_news", MONDAY)]
        (message,) = await open_alerts(conn)
        assert "the older system's program has posted it" in message
        assert await store.leave_to_legacy(conn, topic, MONDAY, digest.window_of(topic, MONDAY)) == "legacys"
        await moving.fall_back(conn, Modes(), now=DUE + timedelta(days=1), run=programs)
        assert await open_alerts(conn) == []


async def test_of_two_workers_only_one_asks_the_older_system(database, tmp_path):
    programs = Programs()
    async with database.connection() as one, database.connection() as other:
        await a_topic_with_a_program(one, tmp_path)
        await asyncio.gather(*(moving.fall_back(conn, Modes(), now=LATE, run=programs) for conn in (one, other)))
    assert len(programs.asked) == 1


async def test_a_date_that_was_left_to_the_older_system_is_not_compared(database, tmp_path):
    async with database.connection() as conn:
        topic = await a_topic_with_a_program(conn, tmp_path)
        await imported(conn, tmp_path, [a_digest()])
        (sides,) = await store.list_sides(conn, topic, since=SUNDAY, until=MONDAY)
        assert sides.mode is None
        await digest.make(conn, DigestOrder(topic=topic, day=SUNDAY, mode="shadow"), KINDS)
        (sides,) = await store.list_sides(conn, topic, since=SUNDAY, until=MONDAY)
    assert (sides.mode, sides.entries) == ("shadow", [])


async def test_what_waits_is_dropped_before_the_program_runs(database, tmp_path):
    await a_desk(database, an_article(1))
    programs = Programs(ProgramResult(exit_code=3, error="no route"))
    async with database.connection() as conn:
        topic = await a_topic_with_a_program(conn, tmp_path)
        async with conn.transaction():
            run_id = await digest.make(conn, DigestOrder(topic=topic, day=MONDAY, publish=True), KINDS)
        assert await states(conn) == ["waiting"]
        await moving.fall_back(conn, Modes(), now=LATE, run=programs)
        assert (await states(conn), len(programs.asked)) == (["dropped"], 1)
        assert await conn.fetchval(
            "SELECT left_to_legacy_at IS NOT NULL FROM digest_runs WHERE digest_run_id = $1", run_id
        )
        (message,) = await open_alerts(conn)
    assert "failed with exit code 3 (no route); the digest is not posted" in message


@pytest.mark.parametrize(
    ("change", "is_asked"),
    [
        ("state = 'sending', sending_at = now(), tried_at = now()", False),
        ("state = 'held', sending_at = now(), tried_at = now()", False),
        ("state = 'failed', sending_at = now() - interval '1 minute', tried_at = now()", False),
        ("state = 'dropped'", False),
        ("state = 'failed', sending_at = now(), tried_at = now()", True),
        ("state = 'held'", True),
    ],
)
async def test_what_may_have_arrived_is_left_to_a_person(database, tmp_path, change, is_asked):
    await a_desk(database, an_article(1))
    programs = Programs()
    async with database.connection() as conn:
        topic = await a_topic_with_a_program(conn, tmp_path)
        async with conn.transaction():
            await digest.make(conn, DigestOrder(topic=topic, day=MONDAY, publish=True), KINDS)
        await conn.execute(f"UPDATE posts SET {change}")
        await moving.fall_back(conn, Modes(), now=LATE, run=programs)
        (message,) = await open_alerts(conn)
    assert (len(programs.asked) == 1, "may have arrived" in message) == (is_asked, not is_asked)


async def test_a_program_of_which_nobody_knows_whether_it_ran_is_told_and_not_run_again(database, tmp_path):
    async def dies(_command, _topic_slug, _day):
        raise asyncio.CancelledError

    programs = Programs()
    async with database.connection() as conn:
        await a_topic_with_a_program(conn, tmp_path)
        with pytest.raises(asyncio.CancelledError):
            await moving.fall_back(conn, Modes(), now=LATE, run=dies)
        await moving.fall_back(conn, Modes(), now=LATE, run=programs)
        assert await open_alerts(conn) == []
        await conn.execute("UPDATE legacy_fallbacks SET claimed_at = $1", LATE)
        await moving.fall_back(conn, Modes(), now=LATE + timedelta(minutes=7), run=programs)
        (message,) = await open_alerts(conn)
    assert "it is unknown whether" in message
    assert programs.asked == []


@pytest.mark.parametrize(
    ("modes", "changes"),
    [
        (Modes(mode="shadow"), {}),
        (Modes(publish_v2=False), {}),
        (Modes(), {"legacy_deadline": None}),
        (Modes(), {"legacy_command": None}),
        (Modes(), {"enabled": False}),
    ],
)
async def test_a_topic_that_is_not_ours_or_has_no_way_back_is_not_looked_after(database, tmp_path, modes, changes):
    programs = Programs()
    async with database.connection() as conn:
        await a_topic_with_a_program(conn, tmp_path, **changes)
        await moving.fall_back(conn, modes, now=LATE, run=programs)
    assert programs.asked == []


async def test_a_topic_that_has_just_become_ours_is_not_posted_by_the_older_system_again(database, tmp_path):
    programs = Programs()
    async with database.connection() as conn:
        await a_topic_with_a_program(conn, tmp_path, mode="shadow")
        now = LATE + timedelta(hours=2)
        assert await moving.cut_over(conn, "world_news", Modes(), now=now) == MONDAY
        assert await moving.cut_over(conn, "world_news", Modes(), now=now) is None
        await moving.fall_back(conn, Modes(), now=now, run=programs)
        assert programs.asked == []
        await moving.fall_back(conn, Modes(), now=LATE + timedelta(days=1), run=programs)
    assert [day for _, _, day in programs.asked] == [MONDAY + timedelta(days=1)]


async def test_a_topic_changes_hands_and_back(database, tmp_path):
    async with database.connection() as conn:
        with pytest.raises(UsageError, match="scoop topics channels add"):
            await moving.cut_over(conn, "world_news", Modes(), now=DUE)
        await a_topic_with_a_program(conn, tmp_path)
        assert await moving.roll_back(conn, "world_news", Modes(), now=LATE) == (MONDAY, "left")
        assert Modes().of(await the_topic(conn)).posts is False
        assert await moving.roll_back(conn, "world_news", Modes(), now=LATE) == (MONDAY, None)
        tomorrow = DUE + timedelta(hours=23)
        await moving.cut_over(conn, "world_news", Modes(), now=LATE)
        assert await moving.roll_back(conn, "world_news", Modes(), now=tomorrow) == (MONDAY, None)
        await moving.cut_over(conn, "world_news", Modes(), now=tomorrow)
        assert Modes().of(await the_topic(conn)).posts is True
        await moving.shadow(conn, "world_news")
        assert (await the_topic(conn)).mode == "shadow"


async def test_a_program_is_told_topic_and_date_and_nothing_of_ours(monkeypatch):
    monkeypatch.setenv("SCOOP_SECRET_AI", "hush")
    told_all = (
        "import os, sys; print(*sorted(os.environ), os.environ['NP_TOPIC'], os.environ['NP_DATE'], file=sys.stderr)"
    )
    ended = await moving.run_program([sys.executable, "-c", f"{told_all}; sys.exit(3)"], "ai_news", MONDAY)
    assert (ended.exit_code, ended.error.endswith("ai_news 2026-11-16"), "SCOOP" in ended.error) == (3, True, False)


async def test_a_program_that_cannot_be_run_or_takes_too_long_is_told(monkeypatch, tmp_path):
    ended = await moving.run_program([str(tmp_path / "none")], "ai_news", MONDAY)
    assert (ended.exit_code, "no such file" in ended.error) == (127, True)
    monkeypatch.setattr(moving, "LONGEST_RUN", timedelta(seconds=0.05))
    ended = await moving.run_program(["sleep", "60"], "ai_news", MONDAY)
    assert (ended.exit_code, "took longer" in ended.error) == (124, True)


async def test_the_list_of_acceptance_counts_what_is_there(database, tmp_path):
    topic = await a_desk(database, an_article(1), an_article(2))
    async with database.transaction() as conn:
        await topics.put_channel(
            conn, topic.topic_id, ChannelSettings(name="main", kind="file", options={"folder": str(tmp_path)})
        )
        await digest.make(conn, DigestOrder(topic=await the_topic(conn), day=MONDAY, publish=True), KINDS)
        counts = await acceptance.get_counts(conn)
        assert (counts.runs, counts.items, counts.documents, counts.embedded) == (1, 2, 2, 2)
        assert (counts.short_runs, counts.quarantined, counts.published, counts.repeated) == ([], 0, 2, 0)
        await conn.execute("UPDATE posts SET story_ids = story_ids || story_ids[1]")
        await conn.execute("UPDATE ingest_runs SET items_inserted = 3")
        counts = await acceptance.get_counts(conn)
    assert (counts.repeated, counts.short_runs) == (1, [1])
