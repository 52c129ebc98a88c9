"""Names for people: of sources and of publishers, for as long as anything of theirs is shown."""

import pytest

from builders import an_item, ingest, run_all
from gathering import a_feed, open_desk, open_web
from scoop.actions import publishers as publisher_actions
from scoop.actions import source_lists
from scoop.actions import sources as source_actions
from scoop.core import opml
from scoop.errors import NotFound, UsageError
from scoop.model import SourceSettings
from scoop.store import publishers, sources
from scoop.store.reads import sources as source_reads

FEED = "http://tribune.example/feed"


def a_source(slug="tribune", name="Coastal Tribune", **changes) -> SourceSettings:
    given = {"slug": slug, "name": name, "kind": "rss", "collection": "world_news", "base_url": FEED}
    return SourceSettings(**(given | changes))


async def put(database, *settings):
    async with database.transaction() as conn:
        for each in settings:
            await sources.put(conn, each)


async def name_of(database, family="tribune.example"):
    async with database.connection() as conn:
        return (await publishers.publisher_names(conn, [family]))[family]


@pytest.mark.parametrize(
    ("name", "name_from", "after"),
    [
        ("tribune.example", "address", ("Tribune", "title")),
        ("My paper", "person", ("My paper", "person")),
        ("Trib", "title", ("Trib", "title")),
    ],
)
async def test_the_first_visit_names_a_source_that_nobody_named(database, tmp_path, name, name_from, after):
    async with open_web() as web, open_desk(database, tmp_path) as desk:
        web.answers[FEED] = a_feed("River rises")
        await desk.add(web.source(name=name, name_from=name_from))
        await desk.visit()
        state = await desk.state()
    assert (state["name"], state["name_from"]) == after


async def test_a_feed_names_the_publisher_of_its_pages_not_of_its_own_host(database, tmp_path):
    async with open_web() as web, open_desk(database, tmp_path) as desk:
        home = b"<channel><title>Harbour Post - Top Stories</title><link>https://harbourpost.example/</link>"
        feed = a_feed("River rises")
        feed.body = bytes(feed.body).replace(b"<channel><title>Tribune</title>", home)
        feed.headers["content-length"] = str(len(feed.body))
        web.answers["http://feeds.carrier.example/1"] = feed
        await desk.add(web.source("http://feeds.carrier.example/1", name="feeds.carrier.example", name_from="address"))
        await desk.visit()
    assert await name_of(database, "harbourpost.example") == "Harbour Post"
    assert await name_of(database, "carrier.example") == "carrier.example"


async def test_a_name_stays_when_the_source_is_removed(database):
    await put(database, a_source())
    async with database.transaction() as conn:
        await sources.remove(conn, "tribune")
        assert await source_reads.get_names(conn, ["tribune"]) == {"tribune": "Coastal Tribune"}
    assert await name_of(database) == "Coastal Tribune"


async def test_a_publisher_is_named_after_its_source_whichever_comes_first(database):
    await ingest(database, [an_item()])
    await run_all(database)
    assert await name_of(database) == "tribune.example"
    await put(database, a_source())
    assert await name_of(database) == "Coastal Tribune"


async def test_a_publisher_follows_the_new_name_of_the_source_that_named_it(database):
    await put(database, a_source(), a_source("tribune_sport", "Tribune Sport"))
    await put(database, a_source(name="The Tribune"))
    assert await name_of(database) == "The Tribune"


async def test_a_known_publisher_keeps_its_name_whatever_its_sources_are_called(database):
    await put(database, a_source(name="Morning headlines", base_url="https://www.aljazeera.com/rss"))
    assert await name_of(database, "al_jazeera") == "Al Jazeera"


async def test_a_name_that_a_person_gave_a_publisher_is_never_replaced(database):
    await put(database, a_source())
    async with database.transaction() as conn:
        await publisher_actions.rename(conn, "tribune.example", "  The\nTribune ")
    await put(database, a_source(name="Tribune of the coast"))
    assert await name_of(database) == "The Tribune"
    async with database.transaction() as conn:
        reset = await publisher_actions.rename(conn, "tribune.example", None)
    assert (reset.name, reset.is_edited) == ("tribune.example", False)


async def test_a_publisher_needs_a_name_and_must_exist(database):
    await put(database, a_source())
    async with database.transaction() as conn:
        with pytest.raises(UsageError):
            await publisher_actions.rename(conn, "tribune.example", " ")
        with pytest.raises(NotFound):
            await publisher_actions.rename(conn, "nobody.example", "Nobody")


async def test_publishers_are_listed_by_name_and_found_by_words(database):
    await put(database, a_source(), a_source("herald", "herald", base_url="http://herald.example/f"))
    async with database.connection() as conn:
        found = [one.name for one in await publishers.list_publishers(conn, words="tribune")]
        names = [one.name for one in await publishers.list_publishers(conn, limit=1000)]
    assert found == ["Coastal Tribune"]
    assert names == sorted(names, key=str.lower)


async def test_an_imported_feed_has_the_cleaned_title_of_the_list_and_a_slug_of_it(database):
    outlines = opml.Outlines(
        feeds=(
            opml.Outline(url="http://feeds.feedburner.com/a", title="The Verge - All Posts"),
            opml.Outline(url="http://feeds.feedburner.com/b", title="The Verge | RSS Feed"),
            opml.Outline(url="http://feeds.feedburner.com/c", title="feeds.feedburner.com"),
        )
    )
    async with database.transaction() as conn:
        await source_lists.import_opml(conn, outlines, collection="news", schedule="1h")
        listed = await sources.list_sources(conn)
    assert [(source.slug, source.name, source.name_from) for source in listed] == [
        ("feeds_feedburner_com", "feeds.feedburner.com", "address"),
        ("the_verge", "The Verge", "title"),
        ("the_verge_2", "The Verge", "title"),
    ]


async def test_the_configuration_file_leaves_a_name_that_it_does_not_give(database):
    configured = source_actions.read_configured([{"target": FEED, "collection": "world_news"}])
    async with database.transaction() as conn:
        await source_actions.put_configured(conn, configured)
        await source_actions.change(conn, "tribune_example", {"name": "My paper"})
        await source_actions.put_configured(conn, configured)
        kept = await sources.by_slug(conn, "tribune_example")
    assert (kept.name, kept.name_from) == ("My paper", "person")


async def test_a_saved_form_does_not_make_a_title_a_name_of_a_person(database):
    await put(database, a_source(name_from="title"))
    async with database.transaction() as conn:
        await source_actions.change(conn, "tribune", {"name": "Coastal Tribune", "schedule": "2h"})
        assert (await sources.by_slug(conn, "tribune")).name_from == "title"
        await source_actions.change(conn, "tribune", {"name": None})
        reset = await sources.by_slug(conn, "tribune")
    assert (reset.name, reset.name_from) == ("tribune.example", "address")
