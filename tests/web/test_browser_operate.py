"""What an operator does at a browser: look at figures, keep the queue going, make keys, read the reference."""

import json
import re
from datetime import timedelta

import pytest
from playwright.async_api import expect

from builders import an_item, ingest, told
from scoop.store import work
from scoop.store.work import Subject
from web.browser import DESK, PATIENCE_MS, PHONE, browsing
from web.visitor import NOW, a_report

PAGES = [
    "/runs",
    "/runs/1",
    "/queue",
    "/stats",
    "/settings",
    "/settings/account",
    "/settings/keys",
    "/settings/people",
    "/api",
]
LONG = {
    "title": "橋は閉鎖されたまま " * 30,
    "body_text": "Die Donaudampfschifffahrtsgesellschaft teilte dies mit. " * 9,
}


async def a_busy_desk(database):
    fetched = {"scraped_at": NOW.isoformat()}
    await told(database, [a_report(n, source=f"paper {n}", metadata=dict(fetched), **LONG) for n in (1, 2)])
    await ingest(database, [an_item(4, source="x" * 128), {"source": "tribune"}])
    async with database.transaction() as conn:
        await work.enqueue(conn, "embed", [Subject(1)])
        claim = await work.claim(conn, "embed", worker=1, limit=1, lease=timedelta(minutes=5))
        await work.postpone(conn, claim, {1: (timedelta(hours=1), "the host is slow")})


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
async def test_every_page_fits_and_keeps_nobody_out(database, width, scheme):
    await a_busy_desk(database)
    async with browsing(database, width=width, scheme=scheme) as tab:
        for path in PAGES:
            await tab.open(path)
            assert tab.path == path
            assert not await tab.is_too_wide(), path
            assert await tab.axe() == [], path


async def test_the_charts_are_drawn_from_their_tables_without_a_complaint(database):
    await told(database, [a_report(number, metadata={"scraped_at": NOW.isoformat()}) for number in (1, 2)])
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO dedup_events (document_id, decision, created_at)"
            " SELECT document_id, 'new_story', $1 FROM documents",
            NOW,
        )
    async with browsing(database) as tab:
        await tab.open("/stats?days=7")
        await tab.page.wait_for_selector(".chart canvas")
        assert await tab.page.locator(".chart canvas").count() == 2
        drawn = await tab.page.evaluate(
            "[...document.querySelectorAll('.chart canvas')].map((canvas) => canvas.getContext('2d')"
            ".getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value))"
        )
        await tab.page.set_viewport_size({"width": PHONE, "height": 900})
        await expect(tab.page.locator(".chart .uplot").first).to_have_css(
            "width", re.compile(r"^3\d\dpx$"), timeout=PATIENCE_MS
        )
        await expect(tab.page.locator(".u-legend").first).to_contain_text("Arrivals", timeout=PATIENCE_MS)
    assert drawn == [True, True]


async def test_scripts_are_small_where_no_chart_is(database):
    async with browsing(database) as tab:
        sizes: dict[str, int] = {}

        async def weigh(response):
            if response.request.resource_type == "script":
                sizes[response.url] = len(await response.body())

        tab.page.on("response", weigh)
        for path in ("/queue", "/settings/keys", "/stats"):
            await tab.open(path)
            await tab.page.wait_for_load_state("load")
    own = {url: size for url, size in sizes.items() if "/vendor/" not in url}
    assert len(own) >= 3
    assert sum(own.values()) < 40_000


async def test_the_queue_moves_while_one_watches(database):
    async with browsing(database, role="editor") as tab:
        await tab.open("/queue")
        cell = tab.page.locator('[data-stage="normalize"] [data-count="due"]')
        await expect(cell).to_have_text("0", timeout=PATIENCE_MS)
        async with database.transaction() as conn:
            await work.enqueue(conn, "normalize", [Subject(number) for number in range(1, 4)])
        await expect(cell).to_have_text("3", timeout=PATIENCE_MS)
        await expect(tab.page.locator("[data-stage]:not([hidden])")).to_have_count(1)


async def test_the_queue_can_be_read_without_the_stream(database):
    async with browsing(database) as tab:
        await tab.page.route(re.compile("/api/v1/progress"), lambda route: route.fulfill(status=204))
        await tab.open("/queue")
        await expect(tab.page.locator("#live")).to_contain_text("was loaded", timeout=PATIENCE_MS)
        assert await tab.page.locator("[data-stage]").count() > 10


async def test_failed_work_is_tried_now_by_a_click(database):
    await a_busy_desk(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/queue")
        await tab.page.get_by_role("button", name=re.compile("^Retry (?!all)")).first.click()
        await tab.page.get_by_text("1 work item made due now.").wait_for()
    async with database.connection() as conn:
        (count,) = [each for each in await work.counts(conn) if each.stage == "embed"]
    assert count.due == 1


async def test_a_key_is_made_and_taken_back(database):
    async with browsing(database, role="editor") as tab:
        await tab.open("/settings/keys")
        await tab.page.get_by_label("Name").fill("backup script")
        await tab.page.get_by_label("push:").check()
        await tab.page.get_by_role("button", name="Create key").click()
        key = await tab.page.get_by_label("The key").input_value()
        answer = await tab.visitor.get("/api/user/me", Authorization=f"Bearer {key}")
        assert answer.status == 200
        await tab.page.get_by_role("button", name="Revoke backup script").click()
        await tab.page.get_by_text("Key revoked").wait_for()
        assert await tab.page.get_by_text("backup script", exact=True).count() == 0
        assert (await tab.visitor.get("/api/user/me", Authorization=f"Bearer {key}")).status == 401
    assert json.loads(answer.text)


async def test_somebody_is_added_and_removed(database):
    async with browsing(database) as tab:
        await tab.open("/settings/people")
        await tab.page.get_by_label("Name", exact=True).fill("Grace Hopper")
        await tab.page.get_by_role("button", name="Add", exact=True).click()
        assert await tab.page.get_by_label("The password").input_value()
        row = tab.page.get_by_role("row", name=re.compile("^Grace Hopper"))
        await row.get_by_text("Change", exact=True).click()
        await row.get_by_text("Remove …").click()
        await row.get_by_role("button", name="Remove Grace Hopper").click()
        await tab.page.get_by_text("Grace Hopper removed, with all keys.").wait_for()


async def test_a_call_of_the_reference_is_found_by_its_link(database):
    async with browsing(database) as tab:
        await tab.open("/api")
        await tab.page.locator("nav summary", has_text="Runs").click()
        await tab.page.locator("nav a", has_text="/api/v1/runs/{run_id}").click()
        assert await tab.page.locator("article:target h3").text_content() == "GET /api/v1/runs/{run_id}"
