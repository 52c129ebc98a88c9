"""The demo has a place of its own on a desk, can be removed without a trace, and brought back."""

from datetime import UTC, date, datetime

import pytest

from builders import FIRE, FIRE_AGAIN, an_item, run_all, scoop, told
from scoop import channels as kinds_of_channels
from scoop import demo, plugins
from scoop.core import display_names
from scoop.model import SourceSettings
from scoop.newsstand import installation
from scoop.stages import digest
from scoop.stages.digest import DigestOrder
from scoop.store import alerts, sources, topics
from web.visitor import visiting

PORT = 1  # nobody answers there
NEWSSTAND = f"http://127.0.0.1:{PORT}"
INVENTED = ("Ostburg", "stackwire", "gradient_review", "demo_ai_news", "(demo)")
REAL = "Vineyards expect a late harvest"
DAY = date(2026, 11, 14)
BANNER = "Demo: the newsstand and its articles are invented."
LISTS = (
    "/", f"/days/{DAY}", f"/days/{DAY}?collection=ai_news", "/digests", "/posts", "/review", "/review/log",
    "/runs", "/search", "/search?q=library+fire", "/search?q=lang:en", "/sources", "/sources/add", "/stats", "/topics",
    "/feeds/all.rss", "/feeds/ai_news.atom", "/feeds/search.json?q=library", "/export/stories.ndjson",
    "/export/documents.ndjson", "/export/sources.opml", "/api/articles", "/api/crawl-runs",
    "/api/v1/alerts?with_resolved=true", "/api/v1/collections",
    "/api/v1/digests", "/api/v1/documents", "/api/v1/posts", "/api/v1/review", "/api/v1/review/decisions",
    "/api/v1/runs", "/api/v1/search?q=library", "/api/v1/sources", "/api/v1/stats", "/api/v1/stories",
    "/api/v1/story-days", "/api/v1/topics", "/reader/api/0/subscription/list?output=json",
    "/reader/api/0/tag/list?output=json", "/reader/api/0/unread-count?output=json",
    "/reader/api/0/stream/contents/user/-/state/com.google/reading-list?output=json",
)  # fmt: skip


def invented(number, fields, source, collection):
    return an_item(number, **fields, source=source, canonical_url=f"http://{source}.example/{number}",
                   metadata={"collection": collection})  # fmt: skip


async def add_demo(database, collection):
    """A desk with a demo of two articles, a digest of them, and one real article."""
    async with database.transaction() as conn:
        await installation.add(conn, PORT)
        if collection in installation.CRONS:  # as a home of an earlier version has it
            for source in await sources.list_sources(conn):
                old = source.collection.removeprefix(display_names.DEMO)
                await conn.execute("UPDATE sources SET collection = $2 WHERE slug = $1", source.slug, old)
            await conn.execute("DELETE FROM topics WHERE topic_slug LIKE 'demo%'")
            topic = await topics.by_slug(conn, collection)
            await topics.put_channel(conn, topic.topic_id, installation._channel(PORT))
    await told(
        database,
        [
            invented(1, FIRE, "stackwire", collection),
            invented(2, FIRE_AGAIN, "gradient_review", collection),
            an_item(3, title=REAL, body_text="Growers in the hills blame a cold spring."),
        ],
    )
    async with database.transaction() as conn:
        await alerts.settle(conn, {("source_quiet", "stackwire"): "stackwire is quiet"}, subjects=[], kinds=[])
        topic = await topics.by_slug(conn, collection)
        order = DigestOrder(topic=topic, day=date(2026, 11, 16), publish=True)
        await digest.make(conn, order, plugins.makers(kinds_of_channels))


async def remove_demo(database):
    async with database.transaction() as conn:
        return await installation.remove(conn)


async def read_lists(visitor):
    """The text of each list, without what only repeats the query."""
    return {path: (await visitor.get(path)).text.replace("library", "") for path in LISTS}


async def test_the_demo_has_collections_and_topics_of_its_own(database):
    async with database.connection() as conn:
        assert await installation.is_new_desk(conn)
        await installation.add(conn, PORT)
        added = await sources.list_sources(conn)
        shown = {topic.topic_slug: topic for topic in await topics.list_topics(conn)}
    assert {source.collection for source in added} == {"demo_ai_news", "demo_world_news", "demo_china_news"}
    assert shown["demo_ai_news"].topic_name == "AI News (demo)"
    assert [shown[name].channels for name in installation.CRONS] == [(), (), ()]
    assert shown["demo_morning_picks"].is_curator
    assert {topic.digest_cron for slug, topic in shown.items() if "china" in slug} == {"0 10 * * *"}


async def test_a_new_demo_posts_the_last_two_digests_of_each_topic(database):
    async with database.transaction() as conn:
        await installation.add(conn, PORT)
        first = await demo.first_digests(conn, now=datetime(2026, 11, 19, 9, 30, tzinfo=UTC))
    days = [{order.topic.topic_slug: order.day.day for order in orders} for orders in first]
    assert days == [
        {"demo_ai_news": 18, "demo_china_news": 17, "demo_morning_picks": 18, "demo_world_news": 18},
        {"demo_ai_news": 19, "demo_china_news": 18, "demo_morning_picks": 19, "demo_world_news": 19},
    ]


@pytest.mark.parametrize("collection", ["demo_ai_news", "ai_news"])
async def test_no_list_shows_anything_of_a_removed_demo(database, collection):
    await add_demo(database, collection)
    async with visiting(database) as visitor:
        before = await read_lists(visitor)
        removed = await remove_demo(database)
        after = await read_lists(visitor)
    assert removed == installation.RemovedDemo(sources=21, stories=2)
    assert "Ostburg" in before[f"/days/{DAY}"]
    assert "Ostburg" in before["/export/documents.ndjson"]
    assert [(path, word) for path, text in after.items() for word in INVENTED if word in text] == []
    assert REAL in after[f"/days/{DAY}"]


async def test_what_a_removed_demo_brought_is_unknown_by_name(database, database_url):
    await add_demo(database, "demo_ai_news")
    await remove_demo(database)
    for arguments in (["stories", "--collection", "demo_ai_news"], ["runs", "--source", "stackwire"]):
        assert scoop(*arguments, database_url=database_url).returncode == 2
    async with visiting(database) as visitor:
        paths = ["/feeds/topics/demo_ai_news.rss", "/topics/demo_ai_news", "/digests/demo_ai_news/2026-11-16"]
        assert {(await visitor.get(path)).status for path in paths} == {404}


async def test_the_ledger_keeps_what_a_removed_demo_brought(database):
    await add_demo(database, "demo_ai_news")
    async with database.connection() as conn:
        before = await conn.fetchval("SELECT count(*) FROM raw_arrivals")
        await remove_demo(database)
        assert await conn.fetchval("SELECT count(*) FROM raw_arrivals") == before == 3


async def test_a_demo_that_is_added_again_shows_what_it_brought_before(database):
    await add_demo(database, "demo_ai_news")
    async with visiting(database) as visitor:
        before = await read_lists(visitor)
        await remove_demo(database)
        async with database.transaction() as conn:
            await installation.add(conn, PORT)
        after = await read_lists(visitor)
    shown = [path for path, text in before.items() if "Ostburg" in text]
    assert [path for path, text in after.items() if "Ostburg" in text] == shown
    assert "AI News (demo)" in after["/search"]


async def test_articles_that_are_on_their_way_when_the_demo_is_removed_stay_hidden(database):
    async with database.transaction() as conn:
        await installation.add(conn, PORT)
    await told(database, [invented(1, FIRE, "stackwire", "demo_ai_news")], without=["dedup"])
    await remove_demo(database)
    await run_all(database)
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT status FROM stories") == "suppressed"


async def test_a_real_article_in_a_collection_of_the_removed_demo_is_shown_with_a_topic(database):
    await add_demo(database, "demo_ai_news")
    await remove_demo(database)
    await told(database, [an_item(4, title=REAL, metadata={"collection": "demo_ai_news"})])
    async with database.connection() as conn:
        assert "demo_ai_news" in [topic.topic_slug for topic in await topics.list_topics(conn)]
        real = await conn.fetchval(
            "SELECT status FROM stories WHERE canonical_title = $1 AND collection = 'demo_ai_news'", REAL
        )
    assert real == "active"


async def test_a_removed_demo_does_not_come_back_by_itself(database):
    await add_demo(database, "demo_ai_news")
    await remove_demo(database)
    async with database.connection() as conn:
        assert not await installation.is_new_desk(conn)


async def test_a_real_source_with_the_slug_of_an_outlet_is_no_part_of_the_demo(database):
    real = SourceSettings(
        slug="stackwire", name="Stackwire", kind="rss", collection="ai_news", base_url="https://real.org/feed"
    )
    async with database.transaction() as conn:
        await sources.put(conn, real)
    await told(database, [invented(1, FIRE, "stackwire", "ai_news")])
    assert await remove_demo(database) == installation.RemovedDemo(sources=0, stories=0)


async def test_the_sources_of_an_old_home_stay_in_their_collections_at_another_port(database):
    await add_demo(database, "ai_news")
    async with database.transaction() as conn:
        assert await installation.move(conn, 9999)
        moved = await sources.list_sources(conn)
    assert {source.collection for source in moved} == set(installation.CRONS)
    assert {source.options["connect_to"] for source in moved} == {"127.0.0.1:9999"}


async def test_the_banner_goes_with_the_demo_at_once(database):
    await add_demo(database, "demo_ai_news")
    async with visiting(database, newsstand=NEWSSTAND) as visitor:
        assert BANNER in (await visitor.get("/")).page.text
        answer = await visitor.post("/demo/remove", {})
        assert answer.status == 303
        page = (await visitor.get("/")).page
        assert BANNER not in page.text
        assert "Demo removed." in page.text
        async with database.transaction() as conn:
            await installation.add(conn, PORT)
        assert BANNER in (await visitor.get("/")).page.text


async def test_a_reader_sees_the_banner_and_cannot_remove_the_demo(database):
    await add_demo(database, "demo_ai_news")
    async with visiting(database, role="reader", newsstand=NEWSSTAND) as visitor:
        page = (await visitor.get("/")).page
        assert BANNER in page.text
        assert "Remove the demo" not in page.text
        assert (await visitor.post("/demo/remove", {})).status == 403


def test_the_command_line_removes_the_demo_and_adds_it(database_url):
    def demo(verb):
        return scoop("demo", verb, database_url=database_url).stdout

    assert demo("add").startswith("21 sources of the newsstand added")
    assert demo("remove") == "21 sources of the newsstand removed, 0 of their stories hidden\n"
    assert demo("remove") == "0 sources of the newsstand removed, 0 of their stories hidden\n"


def test_who_adds_a_real_source_is_told_how_to_remove_the_demo(database_url):
    def add(slug, *options):
        return scoop("sources", "add", f"https://{slug}.example/feed", "--slug", slug, "--collection", "press",
                     "--no-check", *options, database_url=database_url).stderr  # fmt: skip

    assert "scoop demo remove" not in add("before")
    scoop("demo", "add", database_url=database_url)
    assert "the demo is still shown beside your sources; remove it: scoop demo remove" in add("after")
    assert "scoop demo remove" not in add("invented", "--connect-to", "127.0.0.1:8788")
