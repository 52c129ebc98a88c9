"""Learners at a browser: a real recording in a real audio element, lit as it is spoken, also without a connection."""

import asyncio
import re
from datetime import UTC, date, datetime, timedelta

import aiohttp
import pytest
from playwright.async_api import expect

from builders import an_item
from plugins.test_voices import HIBARI
from recorded import Humming, choose, speak_due, teach
from scoop.store import recordings
from scoop.voices import Voice
from web.browser import PATIENCE_MS, PHONE, browsing

NOW = datetime(2024, 5, 16, 12, tzinfo=UTC)
TEXT = ("The old bridge in Ostburg is closed.", "Workers repair its fragile cables now.", "It opens again in May.")

MEDIA_KEYS = """
window.mediaKeys = {};
navigator.mediaSession.setActionHandler = (name, handler) => { mediaKeys[name] = handler; };
navigator.mediaSession.setPositionState = (state) => { window.mediaPosition = state; };
"""  # a script cannot press the keys of a keyboard or headphones that the system handles


async def _prepare(database, folder, *, voice: Voice | None = None, level: str = "B1") -> str:
    """A lesson that is recorded at a level, and one that is not; gives the page of the first."""
    items = [an_item(number, published_at="2024-05-16T03:00:00Z") for number in (1, 2)]
    ids = await choose(database, items, day=date(2024, 5, 16))
    spoken = [await teach(database, ids[0], level, TEXT), await teach(database, ids[0], "A2", TEXT[:2])]
    await teach(database, ids[1], level, TEXT)
    async with database.transaction() as conn:
        await recordings.ask(conn, spoken)
    await speak_due(database, folder, voice or Humming())
    async with database.connection() as conn:
        return f"/listen/{await conn.fetchval('SELECT article_id FROM documents WHERE document_id = $1', ids[0])}"


@pytest.fixture
def listening(database, tmp_path):
    def opened(**options):
        return browsing(database, archive_url=str(tmp_path), clock=lambda: NOW, **options)

    return opened


async def _until(page, expression: str) -> None:
    """Wait until an expression is true; Playwright's own way would need eval, which the policy of the pages forbids."""
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while not await page.evaluate(expression):
            await asyncio.sleep(0.03)


async def _now(page) -> int:
    return await page.evaluate("[...document.querySelectorAll('.sentence')].findIndex((s) => s.matches('.now'))")


async def _time(page) -> float:
    return await page.evaluate("document.getElementById('sound').currentTime")


async def test_a_learner_hears_a_lesson_with_each_sentence_lit_changes_speed_and_resumes(database, tmp_path, listening):
    path = await _prepare(database, tmp_path, voice=HIBARI)
    async with listening() as tab:
        page = tab.page
        await tab.open("/listen")
        await page.get_by_role("button", name="A2").click()
        await tab.follow(page.get_by_role("link", name="Bridge number 1 stays closed"))
        await expect(page.locator(".sentence")).to_have_count(2)
        async with page.expect_navigation():
            await page.get_by_role("button", name="B1").click()
        assert tab.path == path
        await expect(page.locator(".sentence")).to_have_count(3)
        await _until(page, "document.getElementById('sound').readyState >= 1")
        seconds = await page.evaluate("document.getElementById('sound').duration")
        await page.get_by_role("button", name="Play").click()
        await expect(page.locator(".sentence").nth(0)).to_have_class("sentence now")
        await expect(page.locator(".w.uttered").first).to_be_visible()
        await page.get_by_label("Speed").select_option("1.5")
        assert await page.evaluate("document.getElementById('sound').playbackRate") == 1.5
        await expect(page.locator(".sentence").nth(1)).to_have_class("sentence now")
        start = await page.evaluate("Number(document.querySelectorAll('.sentence')[1].dataset.start)")
        assert start / 1000 <= await _time(page) < seconds
        await page.locator(".sentence").nth(2).click()
        await expect(page.locator(".sentence").nth(2)).to_have_class("sentence now")
        await page.get_by_role("button", name="Pause").click()
        stopped = await _time(page)
        async with database.connection() as conn:
            while (await conn.fetchval("SELECT max(position_ms) FROM lesson_progress") or 0) < 1000 * stopped - 50:
                await page.wait_for_timeout(50)
        await page.reload()
        await _until(page, "document.getElementById('sound').currentTime > 0")
        assert await _time(page) == pytest.approx(stopped, abs=0.05)
        assert await _now(page) == 2
        assert await page.get_by_label("Speed").input_value() == "1.5"
        await page.get_by_role("button", name="Play").click()
        await _until(page, "document.getElementById('sound').ended")
        async with database.connection() as conn:
            while not await conn.fetchval("SELECT count(heard_at) FROM lesson_progress"):
                await page.wait_for_timeout(50)
        await tab.open("/listen")
        await expect(page.get_by_text("1 heard today")).to_be_visible()
        await expect(page.locator(".lesson.heard")).to_have_count(1)


async def test_keys_move_by_sentence_and_repeat_says_one_again(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await tab.open(path)
        await _until(page, "document.getElementById('sound').readyState >= 1")
        await tab.press("ArrowRight")
        await expect(page.locator(".sentence").nth(1)).to_have_class("sentence now")
        await tab.press("r")
        await expect(page.get_by_role("button", name="Repeat")).to_have_attribute("aria-pressed", "true")
        await page.get_by_label("Speed").select_option("1.5")
        await page.evaluate("document.activeElement.blur()")
        await page.evaluate("document.getElementById('sound').addEventListener('seeked', () => window.again = 1)")
        await tab.press(" ")
        await _until(page, "window.again")
        assert await _now(page) == 1
        await tab.press(" ")
        await expect(page.get_by_role("button", name="Play")).to_be_visible()
        await tab.press("r")
        await tab.press("s")
        await tab.press("ArrowLeft")
        await tab.press(" ")
        await expect(page.get_by_text("Your turn")).to_be_visible()
        assert await page.evaluate("document.getElementById('sound').paused")
        await expect(page.locator(".sentence").nth(1)).to_have_class("sentence now")


async def test_a_tapped_word_is_explained_and_joins_the_list_with_its_sentence(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await tab.open(path)
        await page.locator(".w", has_text="fragile").click()
        await expect(page.locator("#looked-up")).to_contain_text("fragile")
        await page.get_by_role("button", name="Add to my words").first.click()
        await expect(page.get_by_role("button", name="Added")).to_be_visible()
        assert await tab.axe() == []
        await tab.open("/listen/words")
        await expect(page.locator(".word-list")).to_contain_text(TEXT[1])
        assert await tab.axe() == []
        await page.get_by_role("button", name="Good").click()
        await expect(page.get_by_text("0 due")).to_be_visible()


async def test_the_lessons_of_the_day_and_their_sound_are_there_without_a_connection(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await tab.open("/listen")
        await expect(page.locator("#offline")).to_have_text("Kept on this device")
        await page.context.set_offline(True)
        await tab.open("/listen")
        await tab.follow(page.get_by_role("link", name="Bridge number 1 stays closed"))
        assert tab.path == path
        await _until(page, "document.getElementById('sound').readyState >= 1")
        await page.locator(".sentence").nth(1).click()
        await expect(page.locator(".sentence").nth(1)).to_have_class("sentence now")
        await _until(page, "document.getElementById('sound').currentTime > 1")
        await page.context.set_offline(False)
        tab.complaints[:] = [each for each in tab.complaints if "ERR_INTERNET_DISCONNECTED" not in each]


async def test_words_are_explained_and_added_without_a_connection(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await tab.open("/listen")
        await expect(page.locator("#offline")).to_have_text("Kept on this device")
        await page.context.set_offline(True)
        await tab.open(path)
        for word, meaning in (("fragile", "easily broken"), ("in", "shows a place"), ("bridge", "a structure")):
            await page.locator(".w", has_text=re.compile(f"^{word}$")).first.click()
            await expect(page.locator("#looked-up")).to_contain_text(meaning)
        await page.get_by_role("button", name="Add to my words").first.click()
        await expect(page.get_by_role("button", name="Added when there is a connection")).to_be_visible()
        await tab.press("Escape")
        await expect(page.locator("#looked-up")).to_be_hidden()
        await tab.open("/listen/words")
        await expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        await tab.follow(page.get_by_role("link", name="Listen"))
        await expect(page.get_by_role("heading", name="Listen")).to_be_visible()
        await tab.open("/listen/words")
        await page.context.set_offline(False)  # where nothing is sent: the next page does that
        await tab.open("/listen/words")
        await expect(page.locator(".word-list")).to_contain_text(TEXT[0])
        tab.complaints[:] = [each for each in tab.complaints if "ERR_INTERNET_DISCONNECTED" not in each]


async def test_media_keys_and_the_lock_screen_know_the_lesson(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await page.add_init_script(MEDIA_KEYS)
        await tab.open(path)
        await _until(page, "document.getElementById('sound').readyState >= 1")
        assert await page.evaluate("navigator.mediaSession.metadata.title") == "Bridge number 1 stays closed"
        assert await page.evaluate("navigator.mediaSession.metadata.album") == "Listen, B1"
        await page.evaluate("mediaKeys.nexttrack()")
        await expect(page.locator(".sentence").nth(1)).to_have_class("sentence now")
        await page.evaluate("mediaKeys.play()")
        await _until(page, "navigator.mediaSession.playbackState === 'playing'")
        assert await page.evaluate("mediaPosition.duration") == await page.evaluate("sound.duration")
        await page.evaluate("mediaKeys.pause()")
        await _until(page, "document.getElementById('sound').paused")
        await page.evaluate("mediaKeys.previoustrack()")
        await expect(page.locator(".sentence").nth(0)).to_have_class("sentence now")


async def test_a_lesson_that_is_heard_without_a_connection_counts_once_there_is_one(database, tmp_path, listening):
    await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await tab.open("/listen")
        await expect(page.locator("#offline")).to_have_text("Kept on this device")
        await page.context.set_offline(True)
        await tab.follow(page.get_by_role("link", name="Bridge number 1 stays closed"))
        await _until(page, "document.getElementById('sound').readyState >= 1")
        await page.locator(".sentence").nth(2).click()
        await _until(page, "document.getElementById('sound').ended")
        await page.context.set_offline(False)
        async with database.connection() as conn:
            while not await conn.fetchval("SELECT count(heard_at) FROM lesson_progress"):
                await page.wait_for_timeout(50)
        await tab.open("/listen")
        await expect(page.get_by_text("1 heard today")).to_be_visible()
        await expect(page.get_by_text("1 day in a row")).to_be_visible()
        tab.complaints[:] = [each for each in tab.complaints if "ERR_INTERNET_DISCONNECTED" not in each]


async def test_a_day_that_is_kept_stays_until_the_next_one_is_recorded(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    await choose(database, [an_item(3, published_at="2024-05-16T16:00:00Z")], day=date(2024, 5, 17))
    async with browsing(database, archive_url=str(tmp_path), clock=lambda: NOW + timedelta(hours=6)) as tab:
        await tab.open("/listen")
        await expect(tab.page.get_by_text("Friday 17 May 2024")).to_be_visible()
        kept = await tab.page.locator("[data-keep]").get_attribute("data-keep")
    assert path in kept.split()


async def test_a_learner_copies_the_private_address_of_a_podcast(database, tmp_path, listening):
    await _prepare(database, tmp_path)
    async with listening() as tab:
        page = tab.page
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await tab.open("/listen")
        await tab.follow(page.get_by_role("link", name="Podcasts"))
        await page.get_by_label("Level").select_option("A2")
        await tab.follow(page.get_by_role("button", name="Create address"))
        await page.get_by_role("button", name="Copy").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        address = await page.evaluate("navigator.clipboard.readText()")
        assert address == await page.get_by_label("The address").input_value()
        async with aiohttp.ClientSession() as app, app.get(address) as feed:
            assert (feed.status, feed.content_type) == (200, "application/rss+xml")
        assert await tab.axe() == []


async def test_the_pages_are_clean_on_a_phone_and_at_a_desk_in_light_and_dark(database, tmp_path, listening):
    path = await _prepare(database, tmp_path)
    for width, scheme in ((PHONE, "dark"), (1440, "light")):
        async with listening(width=width, scheme=scheme) as tab:
            for each in ("/listen", path, f"{path}?level=C1", "/listen/words", "/listen/podcasts"):
                await tab.open(each)
                assert await tab.axe() == []
                assert not await tab.is_too_wide()


async def test_listen_is_an_app_that_can_be_installed(database, tmp_path, listening):
    async with listening() as tab:
        await tab.open("/listen")
        manifest = await tab.page.evaluate(
            "fetch(document.querySelector('link[rel=manifest]').href).then((response) => response.json())"
        )
        assert (manifest["start_url"], manifest["display"]) == ("/listen", "standalone")
        assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
        scope = await tab.page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.scope)")
        assert scope == f"{tab.visitor.address}/listen"
