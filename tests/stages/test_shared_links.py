"""Feeds whose items share a link, from the feed to stories."""

import pytest
from starlette.responses import Response

from builders import an_item, ingest, run_all
from gathering import open_desk, open_web
from scoop.store.reads import articles as article_reads

HOME = "http://blog.example/"
WORDS = [
    "harbour",
    "ferry",
    "council",
    "bridge",
    "storm",
    "market",
    "library",
    "orchestra",
    "glacier",
    "satellite",
    "vaccine",
    "tariff",
    "election",
    "volcano",
    "stadium",
    "railway",
    "festival",
    "museum",
    "airport",
    "factory",
]


def title(number):
    return f"Notes on the {WORDS[number % 20]} and the {WORDS[number // 20]}, week {number}"


def body(number):
    words = [WORDS[(number * step) % 20] for step in range(1, 31)]
    return f"In week {number} I wrote about {' and the '.join(words)}."


def a_blog(numbers, link, *, guid=lambda number: f"<guid isPermaLink='false'>post {number}</guid>"):
    """An RSS feed; `link` gives the link of each post."""
    items = "".join(
        f"<item><title>{title(number)}</title><link>{link(number)}</link>{guid(number)}"
        f"<description>{body(number)}</description></item>"
        for number in numbers
    )
    feed = f'<rss version="2.0"><channel><title>Blog</title>{items}</channel></rss>'
    return Response(feed, media_type="application/rss+xml")


@pytest.fixture
async def web():
    async with open_web() as opened:
        yield opened


@pytest.fixture
async def desk(database, tmp_path):
    async with open_desk(database, tmp_path) as opened:
        yield opened


async def stories(database):
    """The titles of each story's documents."""
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT array_agg(title ORDER BY title) AS titles FROM story_members JOIN documents USING (document_id)"
            " GROUP BY story_id"
        )
    return sorted(row["titles"] for row in rows)


def one_each(numbers):
    return sorted([title(number)] for number in numbers)


async def test_posts_that_share_the_link_of_their_blog_are_a_story_each(database, desk, web):
    web.answers["http://tribune.example/feed"] = a_blog(range(43), lambda _: HOME)
    await desk.add(web.source())
    await desk.run()
    assert await stories(database) == one_each(range(43))


async def test_posts_whose_links_differ_only_in_the_fragment_are_a_story_each_and_keep_it(database, desk, web):
    web.answers["http://tribune.example/feed"] = a_blog(range(47), lambda number: f"{HOME}log?utm_source=x#{number}")
    await desk.add(web.source())
    await desk.run()
    assert await stories(database) == one_each(range(47))
    urls = await desk.rows("SELECT canonical_url FROM documents")
    assert {row["canonical_url"] for row in urls} == {f"{HOME}log#{number}" for number in range(47)}


async def test_a_blog_that_begins_with_one_post_keeps_its_stories_when_more_come(database, desk, web):
    await desk.add(web.source())
    for numbers in (range(1), range(2), range(5)):
        # Without guids, as the ids of the items are made of their links.
        web.answers["http://tribune.example/feed"] = a_blog(reversed(numbers), lambda _: HOME, guid=lambda _: "")
        await desk.visit()
        await desk.run()
    assert {frozenset(titles) for titles in await stories(database)} == {frozenset({title(n)}) for n in range(5)}


@pytest.mark.parametrize("comes_first", ["the blog", "the aggregator"])
async def test_posts_that_another_source_links_to_are_one_story_with_their_posts(database, desk, web, comes_first):
    linked = [
        an_item(number, source="aggregator", title=title(number), body_text=None, canonical_url=HOME)
        for number in range(43)
    ]
    web.answers["http://tribune.example/feed"] = a_blog(range(43), lambda _: HOME)
    await desk.add(web.source())
    if comes_first == "the aggregator":
        await ingest(database, linked)
        await run_all(database, without=("ingest",))
    await desk.visit()
    await desk.run()
    if comes_first == "the blog":
        await ingest(database, linked)
        await desk.run()
    assert await stories(database) == sorted([title(number)] * 2 for number in range(43))


async def test_links_of_strangers_to_the_home_page_of_a_blog_join_nothing(database, desk, web):
    strangers = [
        an_item(number, source=f"forum{number}", title=f"A blog worth reading, says user {number}", body_text=None)
        | {"canonical_url": HOME}
        for number in range(3)
    ]
    await ingest(database, strangers)
    await run_all(database, without=("ingest",))
    assert len(await stories(database)) == 1  # nothing shows yet that the link is a home page
    web.answers["http://tribune.example/feed"] = a_blog(range(43), lambda _: HOME)
    await desk.add(web.source())
    await desk.run()
    alone = [[stranger["title"]] for stranger in strangers]
    assert await stories(database) == sorted([*alone, *one_each(range(43))])


async def test_the_pages_behind_shared_links_are_not_taken_for_the_text_of_a_post(database, desk, web):
    web.answers["http://tribune.example/feed"] = Response(
        "<rss version='2.0'><channel>"
        + "".join(
            f"<item><title>{title(n)}</title><link>{HOME}</link><guid isPermaLink='false'>{n}</guid></item>"
            for n in range(3)
        )
        + "</channel></rss>",
        media_type="application/rss+xml",
    )
    await desk.add(web.source(options={"full_text": "always"}))
    await desk.run()
    assert web.asked[HOME] == []


async def test_versions_of_an_item_that_its_publisher_numbers_stay_one_story(database):
    for number, name in enumerate(("Bridge closed", "Bridge to open in spring", "Bridge open again")):
        item = an_item(1, title=name, canonical_url="https://tribune.example/a", body_text=f"{name} {body(number)}")
        await ingest(database, [item | {"source_item_id": f"https://tribune.example/a#{number}"}])
        await run_all(database)
    assert len(await stories(database)) == 1


async def test_an_article_is_found_by_an_id_that_several_posts_share(database, desk, web):
    web.answers["http://tribune.example/feed"] = a_blog(range(3), lambda _: HOME)
    await desk.add(web.source())
    await desk.run()
    async with database.connection() as conn:
        article_id = await conn.fetchval("SELECT DISTINCT article_id FROM documents")
        found = await article_reads.get_article(conn, article_id, max_characters=100)
    assert found.row.title in {title(number) for number in range(3)}
