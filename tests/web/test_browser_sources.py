"""Sources, topics and posts at a browser, as somebody works with them."""

import pytest

from builders import told
from gathering import a_feed, open_web
from scoop.actions import sources as source_actions
from scoop.newsstand import server as newsstand
from scoop.newsstand import world
from scoop.serve import serving
from scoop.store import posts, sources, topics
from web.browser import DESK, PHONE, browsing
from web.operating import add_topic, become, write
from web.visitor import NOW, a_report


async def test_a_source_of_the_newsstand_is_looked_at_and_kept(database):
    stand = newsstand.create_app(world.load(world.SHIPPED), NOW, lambda: NOW)
    async with serving(stand) as news, browsing(database, newsstand=news, role="editor") as tab:
        await tab.open("/sources/add")
        await tab.page.get_by_label("Address").fill(f"{news}/stackwire.example/")
        await tab.page.get_by_role("button", name="Preview").click()
        await tab.page.get_by_role("link", name="http://stackwire.example/feed.xml").click()
        await tab.page.get_by_text("It has", exact=False).wait_for()
        await tab.page.get_by_label("Collection").fill("ai_news")
        assert not await tab.axe()
        await tab.page.get_by_role("button", name="Add source").click()
        await tab.page.get_by_text("Its first fetch is due now").wait_for()
        assert tab.path == "/sources/stackwire"
    async with database.connection() as conn:
        kept = await sources.by_slug(conn, "stackwire")
    assert (kept.base_url, kept.collection) == ("http://stackwire.example/feed.xml", "ai_news")


@pytest.mark.parametrize("width", [DESK, PHONE])
async def test_several_sources_are_selected_at_once_and_removed_after_a_confirmation(database, width):
    async with database.transaction() as conn:
        for number in range(60):
            values = {"target": f"https://s{number}.example/feed", "collection": "news", "slug": f"s{number}"}
            await sources.put(conn, source_actions.read_settings(values))
    async with browsing(database, role="editor", width=width) as tab:
        await tab.open("/sources")
        assert not await tab.is_too_wide()
        assert not await tab.axe()
        height = await tab.page.evaluate("document.documentElement.scrollHeight")
        assert height < 6_000
        await tab.page.locator("[data-select]").first.check()
        await tab.page.get_by_text("1 selected:").wait_for()
        await tab.page.get_by_role("button", name="Remove").click()
        await tab.page.get_by_role("button", name="Remove it").click()
        await tab.page.get_by_text("1 source removed.").wait_for()
    async with database.connection() as conn:
        assert len(await sources.list_sources(conn)) == 59


async def test_a_slow_look_says_that_it_is_waited_for(database):
    async with open_web() as web, browsing(database, allow_private=web.address) as tab:
        web.answers[f"http://{web.address}/feed"] = a_feed("River rises")
        await tab.open("/sources/add")
        await tab.page.get_by_label("Address").fill(f"http://{web.address}/feed")
        # The page stays while it is asked for, as it does where somebody is slow.
        await tab.page.evaluate(
            "document.querySelector('.seeking').addEventListener('submit', e => e.preventDefault())"
        )
        await tab.page.get_by_role("button", name="Preview").click()
        await tab.page.get_by_text("Fetching … 1 s").wait_for()


async def test_a_keyword_is_tried_and_then_saved(database):
    await told(database, [a_report(1, title="Solar power grows"), a_report(2, title="Bridge closed")])
    await add_topic(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/topics/energy")
        await tab.page.get_by_label("Words or pattern of row 1").fill("solar")
        await tab.page.get_by_role("button", name="Test without saving").click()
        await tab.page.get_by_text("1 of 2 stories within its bounds").wait_for()
        assert await tab.page.get_by_label("Words or pattern of row 1").input_value() == "solar"
        assert not await tab.axe()
        await tab.page.get_by_role("button", name="Save").click()
        await tab.page.get_by_text("Energy saved.").wait_for()
    async with database.connection() as conn:
        assert [rule.pattern for rule in (await topics.by_slug(conn, "energy")).keyword_rules] == ["solar"]


async def test_a_held_post_is_decided_on_only_after_a_question(database):
    (post_id,) = await write(database, '{"content":"Good morning"}')
    await become(database, post_id, "held", "it may have arrived")
    async with browsing(database, role="editor") as tab:
        await tab.open("/posts")
        assert not await tab.page.get_by_role("button", name="Yes, it arrived").is_visible()
        await tab.page.get_by_text("It arrived", exact=True).click()
        await tab.page.get_by_role("button", name="Yes, it arrived").click()
        await tab.page.get_by_text("is marked as sent").wait_for()
    async with database.connection() as conn:
        assert (await posts.by_id(conn, post_id)).state == "sent"


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
async def test_the_pages_fit_and_keep_nobody_out(database, width, scheme):
    name = "日本語の長い名前 Donaudampfschifffahrtsgesellschaft " * 6
    await told(database, [a_report(1, title=name)])
    await add_topic(database, name=name, keywords=["solar"])
    (post_id,) = await write(database, '{"content":"' + "x" * 500 + '"}')
    await become(database, post_id, "failed", "https://hook.example/" + "x" * 300)
    async with open_web() as web:
        async with database.transaction() as conn:
            await sources.put(conn, web.source(name=name))
            await conn.execute("UPDATE sources SET health = 'timeout', health_note = $1, next_visit_at = $2", name, NOW)
        paths = [
            "/sources",
            "/sources/tribune",
            "/sources/add",
            "/sources/add?target=http://127.0.0.1/",
            "/sources/import",
            "/topics",
            "/topics/energy",
            "/topics/add",
            "/topics/energy/new-channel",
            "/topics/energy/new-channel?kind=email",
            "/posts",
            f"/posts/{post_id}",
        ]
        async with browsing(database, width=width, scheme=scheme) as tab:
            for path in paths:
                await tab.open(path)
                assert not await tab.is_too_wide(), path
                assert not await tab.axe(), path
