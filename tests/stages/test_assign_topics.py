"""Stories find their topics, through the real stages and a real database."""

import asyncio
from datetime import UTC, datetime, timedelta

from builders import an_item, told
from scoop.actions import topics as written
from scoop.stage_names import StageName
from scoop.stages import assign_topics
from scoop.stages.stage import Worker, run_batch
from scoop.store import topics, work
from scoop.store.work import Subject


async def assigned(conn) -> dict[str, set[tuple[str, ...]]]:
    """What put stories into each topic that has any."""
    rows = await conn.fetch("SELECT topic_slug, matched FROM story_topic_state JOIN topics USING (topic_id)")
    return {
        row["topic_slug"]: {tuple(each["matched"]) for each in rows if each["topic_slug"] == row["topic_slug"]}
        for row in rows
    }


async def run_stage(database, **settings) -> None:
    """The stage alone, until nothing waits for it."""
    async with database.connection() as conn:
        while await run_batch(assign_topics.stage(**settings), Worker(await work.register_worker(conn), conn)):
            pass


async def story_ids(conn) -> list[int]:
    return [row["story_id"] for row in await conn.fetch("SELECT story_id FROM stories ORDER BY 1")]


async def describe(database, *tables) -> None:
    async with database.connection() as conn:
        await written.put_topics(tables, conn)


async def test_a_story_is_put_into_every_topic_that_takes_it(database):
    await describe(
        database,
        {"slug": "energy", "keywords": ["solar"]},
        {"slug": "papers", "sources": ["tribune"], "exclude_keywords": ["horoscope"]},
        {"slug": "resting", "enabled": False},
    )
    await told(database, [an_item(1, title="A solar roof"), an_item(2, title="Solar horoscope", source="herald")])
    async with database.connection() as conn:
        found = await assigned(conn)
    assert found == {
        "world_news": {("collection:world_news",)},
        "energy": {("keyword:solar",)},
        "papers": {("source:tribune",)},
    }


async def test_a_collection_without_a_topic_gets_one_in_the_timezone_of_the_desk(database):
    await told(database, [an_item(1, metadata={"collection": "gardens"})], without=[StageName.ASSIGN_TOPICS])
    await run_stage(database, timezone="Asia/Tokyo")
    async with database.connection() as conn:
        assert (await topics.by_slug(conn, "gardens")).timezone == "Asia/Tokyo"


async def test_keywords_are_looked_for_in_every_document_of_a_story_title_and_text(database):
    await describe(database, {"slug": "titled", "keywords": ["lighthouse"]}, {"slug": "said", "keywords": ["keeper"]})
    same = {"canonical_url": "https://tribune.example/same"}
    await told(database, [an_item(1, **same), an_item(2, source="post", title="Lighthouse closed", **same)])
    await told(database, [an_item(3, source="herald", body_text="The keeper left.", **same)])
    async with database.connection() as conn:
        assert len(await story_ids(conn)) == 1
        assert (await assigned(conn)).keys() == {"world_news", "titled", "said"}


async def test_a_new_collection_has_its_own_topic_at_once(database):
    await told(database, [an_item(1, metadata={"collection": "press_releases"})])
    async with database.connection() as conn:
        assert await assigned(conn) == {"press_releases": {("collection:press_releases",)}}
        assert (await topics.by_slug(conn, "press_releases")).channels == ()


async def test_when_rules_change_stories_come_and_go(database):
    today = (datetime.now(UTC) - timedelta(hours=1)).isoformat(timespec="seconds")
    await told(database, [an_item(1, title="A solar roof", published_at=today), an_item(2, published_at=today)])
    await describe(database, {"slug": "energy", "collections": ["world_news"], "keywords": ["solar"]})
    await run_stage(database)
    async with database.connection() as conn:
        assert (await assigned(conn))["energy"] == {("collection:world_news", "keyword:solar")}
    await describe(database, {"slug": "energy", "keywords": ["bridge"]})
    await run_stage(database)
    async with database.connection() as conn:
        assert (await assigned(conn))["energy"] == {("collection:world_news", "keyword:bridge")}
    await describe(database, {"slug": "energy", "exclude_keywords": ["council"]})
    await run_stage(database)
    async with database.connection() as conn:
        assert "energy" not in await assigned(conn)


async def test_a_merged_or_suppressed_story_loses_the_topics_it_was_not_told_in(database):
    await told(database, [an_item(1), an_item(2), an_item(3)])
    async with database.connection() as conn:
        stays, merged, suppressed = await story_ids(conn)
        await conn.execute("UPDATE stories SET status = 'merged', merged_into = $1 WHERE story_id = $2", stays, merged)
        await conn.execute("UPDATE stories SET status = 'suppressed' WHERE story_id = $1", suppressed)
        await work.enqueue(conn, "assign-topics", [Subject(each) for each in (stays, merged, suppressed)])
    await run_stage(database)
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT array_agg(story_id) FROM story_topic_state") == [stays]


async def test_two_workers_and_a_second_time_change_nothing(database):
    await told(database, [an_item(number) for number in range(1, 30)])
    async with database.connection() as conn:
        before = await conn.fetch("SELECT * FROM story_topic_state ORDER BY story_id")
        await work.enqueue(conn, "assign-topics", [Subject(each) for each in await story_ids(conn)])
    await asyncio.gather(run_stage(database), run_stage(database))
    async with database.connection() as conn:
        assert await conn.fetch("SELECT * FROM story_topic_state ORDER BY story_id") == before
        assert await work.counts(conn) == []


async def test_a_broken_pattern_in_the_database_stops_no_story(database):
    await describe(database, {"slug": "energy", "keywords": ["solar"]})
    async with database.connection() as conn:
        await conn.execute("UPDATE topic_keyword_rules SET pattern = '(', is_regex = true")
    await told(database, [an_item(1)])
    async with database.connection() as conn:
        assert (await assigned(conn)).keys() == {"world_news"}
        assert await work.quarantined(conn) == []
