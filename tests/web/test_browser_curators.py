"""What a reader and an editor of curators do at a browser: look at candidates, label them, edit interests."""

from datetime import timedelta

import pytest
from playwright.async_api import expect

from curating import INTERESTS, NINE, SLUG, TODAY, a_curator, a_post_about
from scoop.core.interests import Interest
from scoop.store import curators
from web.browser import DESK, PHONE, browsing

HERE = f"/curators/{SLUG}"
PAGES = [
    "/curators",
    HERE,
    f"{HERE}?state=rejected",
    f"{HERE}?state=waiting",
    f"{HERE}/interests",
    f"{HERE}/settings",
    "/curators/new",
    f"/digests/{SLUG}/{TODAY}",
]
LONG = {
    "title": "PostgreSQL 大規模言語モデルの料金が半額に " * 12,
    "body_text": "Die Donaudampfschifffahrtsgesellschaft nutzt PostgreSQL. " * 30,
    "language": "ja",
}


def at_nine(database, **visit):
    return browsing(database, role="editor", clock=lambda: NINE, signed_in_at=NINE, **visit)


async def meet(desk, *items):
    await desk.evaluate(items)
    await desk.desk.rows("UPDATE evaluations SET evaluated_at = $1 RETURNING 1", NINE - timedelta(hours=1))


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
async def test_every_page_fits_and_keeps_nobody_out(database, tmp_path, width, scheme):
    async with a_curator(database, tmp_path) as desk:
        await meet(
            desk,
            a_post_about(1, "PostgreSQL"),
            a_post_about(2, "Cheese"),
            a_post_about(3, "PostgreSQL") | LONG,
            a_post_about(4, "Go") | {"body_text": "Subscribe."},
        )
        await desk.make()
        async with at_nine(database, width=width, scheme=scheme) as tab:
            for path in PAGES:
                await tab.open(path)
                assert tab.path == path
                assert not await tab.is_too_wide(), path
                assert await tab.axe() == [], path


async def test_a_problem_of_interests_is_readable_for_everybody(database, tmp_path):
    async with a_curator(database, tmp_path), at_nine(database, width=PHONE) as tab:
        await tab.open(f"{HERE}/interests")
        await tab.page.get_by_label("Aliases of row 1", exact=True).fill("x" * 120)
        await tab.page.get_by_label("Minimum score").fill("700")
        async with tab.page.expect_navigation():
            await tab.page.get_by_role("button", name="Save").click()
        await expect(tab.page.get_by_label("Aliases of row 1", exact=True)).to_have_attribute("aria-invalid", "true")
        await expect(tab.page.locator("#aliases-0-wrong")).to_contain_text("Aliases: it has 120 characters")
        assert not await tab.is_too_wide()
        assert await tab.axe() == []
        tab.complaints.clear()  # the browser notes that the form was refused


async def test_enter_in_a_field_saves_the_interests(database, tmp_path):
    async with a_curator(database, tmp_path), at_nine(database) as tab:
        await tab.open(f"{HERE}/interests")
        await tab.page.get_by_label("Topic of row 4").fill("Compilers")
        async with tab.page.expect_navigation():
            await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("status")).to_contain_text("Version 2 saved.")
        async with database.connection() as conn:
            saved = (await curators.by_slug(conn, SLUG)).interests
    assert saved.topics == (*INTERESTS.topics, Interest(topic="Compilers"))


async def test_the_keyboard_moves_from_article_to_article_and_to_the_page(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "Go"))
        async with at_nine(database) as tab:
            await tab.open("/")
            await tab.press("g")
            async with tab.page.expect_navigation():
                await tab.press("c")
            assert tab.path == "/curators"
            await tab.press("j")
            async with tab.page.expect_navigation():
                await tab.press("o")
            assert tab.path == HERE
            await tab.press("j")
            await tab.press("j")
            titles = tab.page.locator(".candidates h3 a")
            await expect(titles.nth(1)).to_be_focused()


async def test_thumbs_change_the_list_in_place_by_pointer_and_by_key(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await meet(desk, a_post_about(1, "PostgreSQL"), a_post_about(2, "PostgreSQL"))
        async with at_nine(database) as tab:
            await tab.open(HERE)
            first = tab.page.locator(".candidates > li").first
            await first.locator('[data-thumb="down"]').click()
            await expect(first.locator('[data-thumb="down"]')).to_have_attribute("aria-pressed", "true")
            await expect(first.locator('[data-thumb="down"]')).to_be_focused()
            await expect(first.locator(".effect")).to_contain_text("with 1 label")
            await expect(tab.page.locator("#labelled li")).to_have_count(1)
            assert await tab.axe() == []
            title = tab.page.locator(".candidates h3 a").nth(1)
            await title.focus()
            await tab.press("y")
            await expect(tab.page.locator("#labelled li")).to_have_count(2)
            await expect(title).to_be_focused()
            await tab.press("u")
            await expect(tab.page.locator("#labelled li")).to_have_count(1)
            await tab.page.get_by_role("button", name="Undo the label of").click()
            await expect(tab.page.locator("#labelled li")).to_have_count(0)
            assert tab.path == HERE


@pytest.mark.parametrize("width", [PHONE, DESK])
async def test_interests_are_tried_and_then_saved(database, tmp_path, width):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([a_post_about(1, "PostgreSQL"), a_post_about(2, "Keyboards"), a_post_about(3, "Cheese")])
        async with at_nine(database, width=width) as tab:
            await tab.open(f"{HERE}/interests")
            await tab.page.get_by_label("Topic of row 3").fill("Cheese")
            await tab.page.get_by_label("Minimum score").fill("75")
            async with tab.page.expect_navigation():
                await tab.page.get_by_role("button", name="Try on the last week").click()
            await expect(tab.page.locator("#trial")).to_contain_text("1 gained, 1 lost")
            assert not await tab.is_too_wide()
            assert await tab.axe() == []
            async with tab.page.expect_navigation():
                await tab.page.get_by_role("button", name="Save").click()
            await expect(tab.page.get_by_role("status")).to_contain_text("Version 2 saved.")
            await expect(tab.page.locator("#versions")).to_contain_text("Cheese topic added")
