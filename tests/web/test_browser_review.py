"""The review and the digests in a browser: played by keys, read on a phone and in the dark, published by a click."""

import pytest

from builders import run_all, told
from scoop.store import review
from web.browser import DESK, PHONE, browsing
from web.test_web_digests import CHESS, NEXT, TODAY, WINE, a_morning, add_channel
from web.test_web_review import fire_twice
from web.visitor import a_report

LONG = {"title": f"{'Überraschend ' * 22}長い見出し", "body_text": f"{'Donaudampfschifffahrt' * 20} {'試験。' * 200}"}


async def decisions(database):
    async with database.connection() as conn:
        return await review.list_decisions(conn, collection=None, limit=10)


async def test_the_review_is_played_by_keys(database):
    await fire_twice(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/review")
        await tab.press("m")
        await tab.page.wait_for_selector("text=No pair awaits a decision")
        assert [each.action for each in await decisions(database)] == ["merge"]
        await tab.press("u")
        await tab.page.wait_for_selector("text=1 pair waits")
        assert [each.undone_at is None for each in await decisions(database)] == [False]
        await tab.press("s")
        await tab.page.wait_for_selector("text=All pairs skipped")
        await tab.page.go_back()
        await tab.press("n")
        await tab.page.wait_for_selector("text=Kept apart:")
    assert [each.action for each in await decisions(database)] == ["apart", "merge"]


async def test_keys_that_lead_elsewhere_that_are_held_down_or_typed_answer_nothing(database):
    await fire_twice(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/review")
        await tab.page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'm', repeat: true, bubbles: true}))"
        )
        await tab.page.click("text=Add a note")
        await tab.page.fill("#note", "mind the numbers")
        await tab.press("n")
        await tab.page.click("h1")
        await tab.press("g")
        await tab.press("n")
        await tab.page.wait_for_url(lambda url: not url.endswith("/review"))
        assert tab.path == "/"
    assert await decisions(database) == []


async def test_a_note_goes_with_the_answer(database):
    await fire_twice(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/review")
        await tab.page.click("text=Add a note")
        await tab.page.fill("#note", "two brigades")
        await tab.page.click("text=Keep apart")
        await tab.page.wait_for_selector("text=Kept apart:")
        await tab.open("/review/log")
        assert await tab.page.is_visible("text=two brigades")


async def test_a_story_is_kept_out_of_the_preview_and_the_rest_is_published(database, tmp_path):
    await a_morning(database, CHESS, WINE)
    await add_channel(database, folder=str(tmp_path))
    async with browsing(database, role="editor") as tab:
        await tab.open(TODAY)
        await tab.page.click("text=Make digest")
        await tab.page.wait_for_selector(f".posted >> text={CHESS['title']}")
        line = tab.page.locator(".ledger > li", has_text=CHESS["title"])
        await line.locator("summary", has_text="Suppress").click()
        await line.get_by_label("Reason").fill("an advertisement")
        await line.get_by_role("button", name="Suppress").click()
        await tab.page.wait_for_selector("text=suppressed: an advertisement")
        assert await tab.page.locator(".posted", has_text=CHESS["title"]).count() == 0
        await tab.page.click("text=Publish")
        await tab.page.click("text=Publish to 1 channel now")
        await tab.page.wait_for_selector("text=Sending to folder.")
        await run_all(database)
        await tab.page.click("text=Refresh")
        await tab.page.wait_for_selector("td >> text=sent")
    written = (tmp_path / "world_news-2024-05-16.md").read_text()
    assert (CHESS["title"] in written, WINE["title"] in written) == (False, True)


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (DESK, "light"), (DESK, "dark")])
async def test_everybody_can_read_and_use_the_pages_on_every_screen(database, width, scheme, tmp_path):
    await fire_twice(database, hours_ago=2)
    await a_morning(database, CHESS, LONG)
    await told(database, [a_report(8, hours_ago=3, **LONG)])
    await add_channel(database, folder=str(tmp_path))
    async with browsing(database, role="editor", width=width, scheme=scheme) as tab:
        for path in (TODAY, NEXT):
            for mode in ("live", "shadow"):
                await tab.visitor.post(f"{path}/make", {"mode": mode})
        looked_at = {"/review", "/review?skip=1", "/digests", TODAY, f"{NEXT}?view=compare", f"{TODAY}/publish"}
        for path in sorted(looked_at):
            await tab.open(path)
            assert await tab.axe() == [], path
            assert not await tab.is_too_wide(), path
        await tab.open("/review")
        await tab.press("n")
        await tab.open("/review/log")
        assert await tab.axe() == []
        assert not await tab.is_too_wide()
