"""An article with a teaser is shown at once, and ends as if its page had come with it."""

import asyncio
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import Response

from builders import BODY, an_item, run_all
from gathering import ARTICLE, a_feed, open_desk, open_web
from pages import ingest_teasers, read_pages
from scoop import pipeline, worker
from scoop.cli.progress import Silent
from scoop.stage_names import StageName
from scoop.stages import dedup, normalize, parallel
from scoop.stages.stage import Worker
from scoop.store import stories as store
from scoop.store import work

FEED = "http://tribune.example/feed"
RUST = (
    "Engineers found rust in two cables of the old bridge over the Lenn and want every strand to be checked twice "
    "before the first lorry may cross it again in spring."
)
FERRY = (
    "The council voted eleven to nine for a ferry that carries cyclists and pupils free of charge until the repair is "
    "paid for by the harbour fund."
)
SHOPS = (
    "Shopkeepers on the eastern bank fear for the Christmas trade, since half of their customers used to walk over "
    "from the station within minutes."
)
PASSAGES = (RUST, FERRY, SHOPS)
HEADLINES = ("Old bridge over the Lenn stays closed until spring", "Ferry sails free of charge from Monday on")
HOSTS = ("tribune.example", "herald.example", "post.example")
LOCAL = (StageName.PAGES, *pipeline.PUBLISHING)

collections = (f"teasers_{number}" for number in count())


@pytest.fixture
async def web():
    async with open_web() as opened:
        yield opened


@pytest.fixture
async def desk(database, tmp_path):
    async with open_desk(database, tmp_path) as opened:
        yield opened


class Held(Response):
    """A response that does not come before `released` is set."""

    released: asyncio.Event

    async def __call__(self, scope, receive, send) -> None:
        await self.released.wait()
        await super().__call__(scope, receive, send)


def held(text: str) -> Held:
    response = Held(text, media_type="text/html")
    response.released = asyncio.Event()
    return response


DOCUMENTS = "SELECT title, body_text, content_problem, story_id FROM documents JOIN story_members USING (document_id)"


async def until(desk, query: str, expected: int) -> None:
    """Wait until a count is what it should be."""
    async with asyncio.timeout(30):
        while (await desk.rows(query))[0]["count"] != expected:
            await asyncio.sleep(0.05)


async def test_a_teaser_is_a_story_before_its_page_is_read_and_the_page_makes_no_second_one(desk, web):
    page = web.answers["http://tribune.example/one"] = held(ARTICLE)
    web.answers[FEED] = a_feed("one", body="The bridge is closed.")
    await desk.add(web.source())
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(desk.run())
        await until(desk, "SELECT count(*) FROM story_members", 1)
        [early] = await desk.rows(DOCUMENTS)
        page.released.set()
    [late] = await desk.rows(DOCUMENTS)
    assert (early["body_text"], early["content_problem"]) == ("The bridge is closed.", "page_pending")
    assert late["body_text"].count("every cable") == 6
    assert late["content_problem"] is None
    assert late["story_id"] == early["story_id"]


async def test_a_host_that_does_not_answer_holds_up_no_page_of_another(desk, web):
    slow = [held(ARTICLE) for _ in range(6)]
    quick = [f"quick{number}.example" for number in range(60)]
    links = [f"http://slow.example/{number}" for number in range(6)] + [f"http://{host}/page" for host in quick]
    items = "".join(
        f"<item><title>Item {number}</title><guid>{number}</guid><link>{link}</link></item>"
        for number, link in enumerate(links)
    )
    web.answers = {FEED: Response(f"<rss><channel>{items}</channel></rss>")}
    web.answers |= dict(zip(links, slow, strict=False))
    web.answers |= {f"http://{host}/page": Response(ARTICLE, media_type="text/html") for host in quick}
    await desk.add(web.source())
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(desk.run())
        await until(desk, "SELECT count(*) FROM pages", 60)
        asked = sum(bool(web.asked[link]) for link in links[:6])
        for page in slow:
            page.released.set()
    assert asked == 2  # at once, of one host
    assert (await desk.rows("SELECT count(*) FROM pages WHERE problem IS NULL"))[0]["count"] == 66


async def test_an_item_that_has_only_a_link_is_shown_when_its_page_was_read(desk, web):
    page = web.answers["http://tribune.example/news/bridge"] = held(ARTICLE)
    links = '<main><article><a href="/news/bridge">Read all about it here</a></article></main>'
    web.answers["http://tribune.example/news/"] = Response(f"<html><body>{links}</body></html>", media_type="text/html")
    await desk.add(web.source("http://tribune.example/news/", kind="site"))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(desk.run())
        await until(desk, "SELECT count(*) FROM work WHERE stage = 'pages' AND state = 'claimed'", 1)
        early = await desk.rows(DOCUMENTS)
        page.released.set()
    assert early == []
    assert [document["title"] for document in await desk.rows(DOCUMENTS)] == ["Bridge closed"]


async def test_a_new_teaser_of_an_article_does_not_replace_the_text_of_its_page(database, desk):
    await ingest_teasers(database, [an_item(1, body_text="The bridge is closed.")])
    await read_pages(database, {"item-1": BODY * 6})
    await run_all(database, without=LOCAL)
    await ingest_teasers(database, [an_item(1, body_text="The bridge is open.")])
    await run_all(database, without=LOCAL)
    [waiting] = await desk.rows(DOCUMENTS)
    await read_pages(database, {"item-1": RUST * 6})
    await run_all(database, without=LOCAL)
    [done] = await desk.rows(DOCUMENTS)
    assert (waiting["body_text"], waiting["content_problem"]) == (BODY * 6, None)
    assert (done["body_text"], done["content_problem"]) == (RUST * 6, None)


async def test_a_page_that_fails_leaves_the_teaser_with_the_reason(database, desk):
    await ingest_teasers(database, [an_item(1, body_text="The bridge is closed.")])
    await run_all(database, without=LOCAL)
    await read_pages(database, {"item-1": ""}, problem="paywall")
    await run_all(database, without=LOCAL)
    [document] = await desk.rows(DOCUMENTS)
    assert (document["body_text"], document["content_problem"]) == ("The bridge is closed.", "paywall")


async def test_a_teaser_is_found_by_its_words_at_once_and_embedded_with_the_text_of_its_page(database, desk):
    words = "SELECT count(*) FROM document_search WHERE tokens @@ to_tsquery('english', 'ferry')"
    await ingest_teasers(database, [an_item(1, body_text="A ferry sails.")])
    await run_all(database, without=LOCAL)
    assert await desk.rows(words) == [{"count": 1}]
    assert await desk.rows("SELECT count(*) FROM document_embeddings") == [{"count": 0}]
    await read_pages(database, {"item-1": RUST})
    await run_all(database, without=LOCAL)
    assert await desk.rows(words) == [{"count": 0}]
    assert await desk.rows("SELECT count(*) FROM document_embeddings") == [{"count": 1}]


async def test_one_article_in_two_feeds_is_one_story_before_its_page_is_read(database, desk):
    same = {"canonical_url": "https://tribune.example/one", "body_text": "Short."}
    await ingest_teasers(database, [an_item(1, source="all", **same), an_item(2, source="local", **same)])
    await run_all(database, without=LOCAL)
    assert len({document["story_id"] for document in await desk.rows(DOCUMENTS)}) == 1


articles = st.builds(
    dict,
    title=st.sampled_from(HEADLINES),
    teaser=st.sampled_from(("", "Short.", RUST)),
    text=st.lists(st.sampled_from(PASSAGES), max_size=3, unique=True).map("\n".join),
    host=st.sampled_from(HOSTS),
    path=st.none() | st.sampled_from(("x", "y")),
)


def a_teaser(number, collection, article):
    return an_item(
        number,
        source=article["host"],
        title=article["title"],
        body_text=article["teaser"] or None,
        canonical_url=f"https://{article['host']}/{article['path'] or number}",
        metadata={"collection": collection},
    )


async def judge(database) -> None:
    async with database.connection() as conn:
        member = Worker(await work.register_worker(conn), conn)
        for stage in (normalize.stage(then=("dedup",)), dedup.stage(then=())):
            await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())


async def partition(database, collection) -> set[frozenset[str]]:
    async with database.connection() as conn:
        placed = await store.get_placements(conn)
    members: dict[int, set[str]] = {}
    for (found_in, _, source_item_id), place in placed.items():
        if found_in == collection:
            members.setdefault(place.merge, set()).add(source_item_id)
    return {frozenset(story) for story in members.values()}


@given(st.lists(articles, min_size=2, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_stories_are_the_same_as_if_all_pages_had_come_first(database, drawn, chance):
    early, late = next(collections), next(collections)
    texts = {f"item-{number}": article["text"] for number, article in enumerate(drawn)}
    for collection in (early, late):
        await ingest_teasers(database, [a_teaser(number, collection, each) for number, each in enumerate(drawn)])
        if collection == early:
            await read_pages(database, texts, collections=[early])
        await judge(database)
    for item in chance.sample(list(texts), len(texts)):
        await read_pages(database, {item: texts[item]}, collections=[late])
        if chance.random() < 0.5:
            await judge(database)
    await judge(database)
    assert await partition(database, late) == await partition(database, early)


async def test_one_headline_over_teasers_becomes_two_stories_where_the_articles_differ(database):
    collection = next(collections)
    drawn = [{"title": HEADLINES[0], "teaser": "Short.", "host": host, "path": None} for host in HOSTS[:2]]
    await ingest_teasers(database, [a_teaser(number, collection, each) for number, each in enumerate(drawn)])
    await judge(database)
    await read_pages(database, {"item-0": RUST * 2, "item-1": SHOPS * 2})
    await judge(database)
    assert len(await partition(database, collection)) == 2


def test_lanes_that_waited_longest_come_first_and_no_lane_gets_more_than_its_share():
    chosen = parallel.choose_lanes(
        ["a", "b", "c", "d"], running={"a": 2, "b": 1}, last_turn={"a": 1, "b": 1, "c": 2}, limit=7, limit_per_lane=2
    )
    assert chosen == ["d", "c", "d", "b"]
