"""Topics in the database: kept, changed, and which stories a change concerns."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from builders import an_item, told
from scoop.actions import topics as written
from scoop.core.topics import Assignment, default_topics
from scoop.errors import ConfigError, NotFound, UsageError
from scoop.model import ChannelSettings, KeywordRule, SourceRule, TopicSettings
from scoop.stage_names import StageName
from scoop.store import topics, work

ENERGY = TopicSettings(topic_slug="energy", topic_name="Energy", collections=["world_news"])
SOLAR = KeywordRule(pattern="solar")


def lately(number, /, days=1, **changes):
    """An item of some days ago."""
    then = datetime.now(UTC) - timedelta(days=days)
    return an_item(number, published_at=then.isoformat(timespec="seconds"), **changes)


async def waiting(conn) -> list[int]:
    """The stories that wait to be assigned; from now on none does."""
    rows = await conn.fetch("DELETE FROM work WHERE stage = 'assign-topics' RETURNING subject")
    return sorted(row["subject"] for row in rows)


async def state(conn, topic_id) -> dict[int, tuple[int, list[str], bool]]:
    rows = await conn.fetch("SELECT * FROM story_topic_state WHERE topic_id = $1", topic_id)
    return {row["story_id"]: (row["weight"], row["matched"], row["suppressed"]) for row in rows}


async def test_a_topic_is_read_as_it_was_put(database):
    settings = replace(ENERGY, mode="shadow", legacy_command=["post", "--now"], legacy_deadline=timedelta(minutes=30))
    source, coal = SourceRule(source="tribune"), KeywordRule(pattern="coal", rule_type="exclude", weight=3)
    channel = ChannelSettings(name="main", kind="file", options={"folder": "/srv"})
    async with database.transaction() as conn:
        topic_id = await topics.put(conn, settings)
        await topics.put_rules(conn, await topics.by_slug(conn, "energy"), [source], [SOLAR, coal])
        await topics.put_channel(conn, topic_id, channel)
        found = await topics.by_slug(conn, "energy")
        assert [topic.topic_slug for topic in await topics.list_topics(conn)] == [
            "ai_news",
            "china_news",
            "energy",
            "world_news",
        ]
    assert (found.topic_id, found.mode, found.legacy_command) == (topic_id, "shadow", ["post", "--now"])
    assert found.legacy_deadline == timedelta(minutes=30)
    assert (found.source_rules, found.keyword_rules, found.channels) == ((source,), (SOLAR, coal), (channel,))


async def test_an_unknown_topic_or_channel_is_told_with_the_way_to_the_known_ones(database):
    async with database.connection() as conn:
        with pytest.raises(NotFound, match="`scoop topics list`"):
            await topics.by_slug(conn, "nothing")
        topic = await topics.by_slug(conn, "ai_news")
        with pytest.raises(NotFound, match="`scoop topics show ai_news`"):
            await topics.remove_channel(conn, topic, "nothing")


async def test_only_a_change_of_what_a_topic_is_about_puts_stories_before_the_stage(database):
    await told(database, [lately(1), lately(2, metadata={"collection": "ai_news"}), lately(3, days=40)])
    async with database.transaction() as conn:
        await topics.put(conn, ENERGY)
        assert len(await waiting(conn)) == 1
        later = replace(ENERGY, topic_name="Power", digest_cron="0 7 * * *", timezone="Asia/Tokyo", max_entries=5)
        topic_id = await topics.put(conn, later)
        await topics.put_channel(conn, topic_id, ChannelSettings(name="main", kind="file"))
        assert await waiting(conn) == []
        topic = await topics.by_slug(conn, "energy")
        await topics.put_rules(conn, topic, [], [SOLAR])
        assert len(await waiting(conn)) == 1
        await topics.put_rules(conn, await topics.by_slug(conn, "energy"), [], [SOLAR])
        assert await waiting(conn) == []
        await topics.put(conn, replace(later, collections=[]))
        assert len(await waiting(conn)) == 2


async def test_a_topic_that_rests_catches_up_when_it_is_enabled(database):
    await told(database, [lately(1)])
    async with database.transaction() as conn:
        await topics.set_enabled(conn, "world_news", enabled=False)
        await topics.put_rules(conn, await topics.by_slug(conn, "world_news"), [], [SOLAR])
        assert await waiting(conn) == []
        await topics.set_enabled(conn, "world_news", enabled=True)
        assert len(await waiting(conn)) == 1


async def test_old_stories_that_a_topic_holds_are_looked_at_anew_when_it_changes(database):
    await told(database, [lately(1, days=300)])
    async with database.transaction() as conn:
        topic = await topics.by_slug(conn, "world_news")
        (story_id,) = await state(conn, topic.topic_id)
        await topics.put_rules(conn, topic, [], [SOLAR])
        assert await waiting(conn) == [story_id]


async def test_a_story_in_work_is_done_once_more_when_a_rule_changes_meanwhile(database):
    await told(database, [lately(1)])
    async with database.connection() as conn:
        topic = await topics.by_slug(conn, "world_news")
        (story_id,) = await state(conn, topic.topic_id)
        await work.enqueue(conn, StageName.ASSIGN_TOPICS, [work.Subject(story_id)])
        held = await work.claim(conn, StageName.ASSIGN_TOPICS, worker=1, limit=1, lease=timedelta(minutes=1))
        await topics.put_rules(conn, topic, [], [SOLAR])
        await work.finish(conn, held, [story_id])
        assert await waiting(conn) == [story_id]


async def test_what_was_told_or_held_back_stays_when_it_no_longer_belongs(database):
    await told(database, [lately(number) for number in (1, 2, 3)])
    async with database.transaction() as conn:
        topic = await topics.by_slug(conn, "world_news")
        free, published, held = sorted(await state(conn, topic.topic_id))
        await conn.execute(
            "UPDATE story_topic_state SET first_published_at = now(), last_published_at = now(), publish_count = 1"
            " WHERE story_id = $1",
            published,
        )
        await topics.suppress(conn, topic, held, "an advertisement")
        before = await conn.fetch("SELECT story_id, first_seen_in_topic_at FROM story_topic_state ORDER BY 1")
        again = Assignment(topic_id=topic.topic_id, weight=5, matched=("keyword:a,b", 'keyword:"'))
        await topics.assign(conn, [free, published, held], [topic.topic_id], {published: [again]})
        assert await state(conn, topic.topic_id) == {
            published: (5, ["keyword:a,b", 'keyword:"'], False),
            held: (1, ["collection:world_news"], True),
        }
        assert before[1:] == await conn.fetch(
            "SELECT story_id, first_seen_in_topic_at FROM story_topic_state ORDER BY 1"
        )


async def test_a_story_that_is_let_in_again_is_assigned_anew(database):
    await told(database, [lately(1)])
    async with database.transaction() as conn:
        topic = await topics.by_slug(conn, "world_news")
        (story_id,) = await state(conn, topic.topic_id)
        await topics.suppress(conn, topic, story_id, "dull")
        await topics.unsuppress(conn, topic, story_id)
        assert (await state(conn, topic.topic_id))[story_id][2] is False
        assert await waiting(conn) == [story_id]
        with pytest.raises(NotFound, match="story 4711 is not in world_news"):
            await topics.suppress(conn, topic, 4711, "unknown")


async def test_a_topic_is_removed_with_digests_that_were_only_made_and_kept_if_one_was_posted(database):
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO digest_runs (topic_id, run_date, mode, window_start_utc, window_end_utc, published_at)"
            " SELECT topic_id, '2026-11-15', 'live', '2026-11-14', '2026-11-15',"
            " CASE topic_slug WHEN 'ai_news' THEN now() END FROM topics WHERE topic_slug IN ('ai_news', 'china_news')"
        )
        with pytest.raises(UsageError, match="scoop topics disable ai_news"):
            await topics.remove(conn, "ai_news")
        await topics.remove(conn, "china_news")
        assert [topic.topic_slug for topic in await topics.list_topics(conn)] == ["ai_news", "world_news"]


async def test_a_collection_that_no_topic_names_gets_one_of_its_own(database):
    async with database.transaction() as conn:
        await topics.put(conn, replace(ENERGY, collections=["world_news"]))
        for _ in range(2):
            collections = ["ai_news", "energy", "press_releases", "日本", "Ünlü Haber"]
            missing = default_topics(collections, await topics.list_topics(conn))
            await topics.add_default_topics(conn, missing, timezone="UTC")
        found = {topic.topic_slug: (topic.topic_name, topic.collections) for topic in await topics.list_topics(conn)}
    assert found.keys() - {"ai_news", "china_news", "world_news", "energy"} == {
        "energy_2",
        "press_releases",
        "collection",
        "nl_haber",
    }
    assert found["press_releases"] == ("Press Releases", ["press_releases"])
    assert found["energy_2"] == ("Energy", ["energy"])
    assert found["collection"] == ("日本", ["日本"])


async def test_what_is_wrong_with_a_channel_stays_known_until_it_is_changed_or_enabled(database):
    channel = ChannelSettings(name="main", kind="file", options={"folder": "/srv"})

    async def problem(conn) -> str | None:
        (found,) = await topics.list_channels(conn, 1)
        return found.problem

    async with database.connection() as conn:
        topic = next(topic for topic in await topics.list_topics(conn) if topic.topic_id == 1)
        await topics.put_channel(conn, 1, channel)
        await conn.execute("UPDATE topic_channels SET problem = 'gone'")
        await topics.put_channel(conn, 1, channel)
        await topics.set_channel_enabled(conn, topic, "main", enabled=False)
        assert await problem(conn) == "gone"
        await topics.set_channel_enabled(conn, topic, "main", enabled=True)
        assert await problem(conn) is None
        await conn.execute("UPDATE topic_channels SET problem = 'gone'")
        await topics.put_channel(conn, 1, replace(channel, options={"folder": "/tmp"}))
        assert await problem(conn) is None


# The settings file


async def test_a_table_of_the_settings_file_makes_its_topic_so_once(database):
    table = {
        "slug": "energy",
        "collections": ["world_news"],
        "cron": "0 8 * * 1-5",
        "keywords": ["solar", {"pattern": "wind (farm|park)", "is_regex": True, "weight": 2}],
        "exclude_keywords": ["horoscope"],
        "sources": ["tribune"],
        "exclude_sources": ["herald"],
    }
    async with database.connection() as conn:
        await written.put_topics([table], conn, timezone="Asia/Tokyo")
        found = await topics.by_slug(conn, "energy")
        await conn.execute("UPDATE topics SET mode = 'legacy' WHERE topic_slug = 'energy'")
        await conn.execute("DELETE FROM work")
        await written.put_topics([table, {"slug": "ai_news", "name": "Artificial"}], conn)
        again = await topics.by_slug(conn, "energy")
        assert (await topics.by_slug(conn, "ai_news")).collections == ["ai_news"]
        assert await waiting(conn) == []
    assert (found.topic_name, found.digest_cron, found.timezone) == ("Energy", "0 8 * * 1-5", "Asia/Tokyo")
    assert found.source_rules == (SourceRule(source="tribune"), SourceRule(source="herald", rule_type="exclude"))
    assert found.keyword_rules == (
        SOLAR,
        KeywordRule(pattern="wind (farm|park)", is_regex=True, weight=2),
        KeywordRule(pattern="horoscope", rule_type="exclude"),
    )
    assert again == replace(found, mode="legacy")


async def test_a_list_that_a_table_does_not_have_leaves_its_rules_as_they_are(database):
    async with database.connection() as conn:
        await written.put_topics([{"slug": "energy", "keywords": ["solar"], "exclude_keywords": ["coal"]}], conn)
        await written.put_topics([{"slug": "energy", "keywords": []}], conn)
        found = await topics.by_slug(conn, "energy")
    assert found.keyword_rules == (KeywordRule(pattern="coal", rule_type="exclude"),)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "a slug"),
        ({"slug": "Energy!"}, "'Energy!'"),
        ({"slug": 5}, "slug: must be 1 to 64 characters"),
        ({"slug": "energy", "speed": 3}, "a topic has no setting 'speed'; its settings are channels, collections"),
        ({"slug": "energy", "name": " "}, "name: must be 1 to 512 characters"),
        ({"slug": "energy", "timezone": "Mars"}, "Europe/Berlin"),
        ({"slug": "energy", "cron": "hourly"}, "0 9 * * *"),
        ({"slug": "energy", "cron": "0 * * * *"}, "several times"),
        ({"slug": "energy", "cron": "0 9 31 2 *"}, "is not a cron"),
        ({"slug": "energy", "max_entries": 101}, "max_entries: must be a whole number from 1 to 100"),
        ({"slug": "energy", "max_entries": "many"}, "max_entries: must be a whole number from 1 to 100"),
        ({"slug": "energy", "collections": "world_news"}, "collections: must be a list of at most 1,000. Collections"),
        ({"slug": "energy", "discord_channel_id": "general"}, "17 to 20 digits"),
        ({"slug": "energy", "legacy_command": "post --now"}, "legacy_command: must be a list of 1 to 100. The program"),
        ({"slug": "energy", "legacy_command": []}, "legacy_command: must be a list of 1 to 100. The program"),
        ({"slug": "energy", "legacy_command": [" "]}, "must name a program"),
        ({"slug": "energy", "collections": [" "]}, "' ' is not the name of a collection"),
        ({"slug": "energy", "max_entrie": 3}, "did you mean max_entries?"),
        ({"slug": "energy", "legacy_deadline": "soon"}, "30m"),
        ({"slug": "energy", "mode": "fast"}, "mode: must be one of legacy, shadow, prod"),
        ({"slug": "energy", "keywords": "solar"}, "a list"),
        ({"slug": "energy", "keywords": [5]}, "5 is not a keyword"),
        ({"slug": "energy", "keywords": [{"pattern": "(", "is_regex": True}]}, "cannot be used"),
        ({"slug": "energy", "keywords": [{"pattern": "x", "weight": 0}]}, "an integer, 1-100"),
        ({"slug": "energy", "keywords": [{"word": "x"}]}, "there is no option word"),
        ({"slug": "energy", "sources": [""]}, "is not a source"),
        ({"slug": "energy", "channels": ["main"]}, "is not a channel"),
        ({"slug": "energy", "channels": [{"name": "Main!", "kind": "file"}]}, "of a-z, 0-9 and _ only"),
        ({"slug": "energy", "channels": [{"name": "main", "kind": "pigeon"}]}, "there is no kind of channel 'pigeon'"),
    ],
)
async def test_a_table_that_is_wrong_is_named_with_the_fix_and_nothing_is_kept(database, table, told):
    async with database.connection() as conn:
        with pytest.raises(ConfigError) as refused:
            await written.put_topics([{"slug": "first"}, table], conn)
        assert "first" not in [topic.topic_slug for topic in await topics.list_topics(conn)]
    assert "[[topics]] number 2: " in str(refused.value)
    assert told in str(refused.value)
