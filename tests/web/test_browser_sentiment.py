"""What a product manager does at a browser: look at tools, compare them, and read the sentences behind a number."""

import re

import pytest
from playwright.async_api import expect

from builders import told
from scoop.actions import tools
from scoop.core.tools import ToolSettings
from web.browser import DESK, PHONE, browsing
from web.visitor import a_report

PAGES = [
    "/sentiment?hours=168",
    "/sentiment/compare?tool=tussock&tool=sedge",
    "/sentiment/tools/tussock?days=7",
    "/sentiment/tools/tussock?days=1&interval=hour",
    "/sentiment/tools/idle",
    "/sentiment/tools",
    "/sentiment/tools/tussock/edit",
    "/sentiment/tools/new",
    "/sentiment/jobs",
    "/sentiment/ask",
]
PRAISE, BLAME = "Tussock is a wonderful editor, we love it.", "Sedge is terrible: it crashes and we hate it."


async def fill(database):
    """Two tools with mentions of a week, and one without any."""
    async with database.transaction() as conn:
        for name in ("Tussock", "Sedge", "Idle"):
            await tools.add(conn, ToolSettings(slug=name.lower(), name=name, categories=("editor",)))
    await told(
        database,
        [
            a_report(
                number,
                title=f"Report {number}",
                body_text=f"{PRAISE if number % 3 else BLAME} Tussock has version {number}. {'Sedge' * (number % 2)}.",
                hours_ago=number * 7,
                source=("tribune", "herald", "gazette")[number % 3],
                canonical_url=f"https://{('tribune', 'herald', 'gazette')[number % 3]}.example/{number}",
                metadata={"comments": number, "score": 3 * number},
            )
            for number in range(1, 24)
        ],
    )


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_fits_and_keeps_nobody_out(database, width, scheme):
    await fill(database)
    async with browsing(database, role="editor", width=width, scheme=scheme) as tab:
        for path in PAGES:
            await tab.open(path)
            assert not await tab.is_too_wide(), path
            assert await tab.axe() == [], path


async def test_a_number_leads_to_the_sentences_behind_it(database):
    await fill(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/sentiment?hours=168")
        await tab.follow(tab.page.get_by_role("heading", name="Tussock").get_by_role("link"))
        await expect(tab.page.locator(".chart canvas")).to_be_visible()
        await expect(tab.page.locator(".u-legend")).to_contain_text(re.compile(r"Average\s*[+-]0\.\d\d"))
        async with tab.page.expect_navigation():
            box = await tab.page.locator(".u-over").bounding_box()
            await tab.page.mouse.click(box["x"] + box["width"] - 8, box["y"] + box["height"] - 5)
        assert "at=2024-05-16" in tab.path
        await expect(tab.page.locator(".passages mark").first).to_have_text("Tussock")
        await tab.follow(tab.page.get_by_role("link", name="▼ negative"))
        assert "label=negative" in tab.path


async def test_keys_move_from_card_to_card_and_from_passage_to_passage(database):
    await fill(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/sentiment?hours=168")
        for _ in range(2):
            await tab.press("j")
        await expect(tab.page.locator(".tool-card a[data-stop]").nth(1)).to_be_focused()
        async with tab.page.expect_navigation():
            await tab.press("o")
        assert "/sentiment/tools/sedge" in tab.path
        await tab.press("j")
        await expect(tab.page.locator("[data-stop]:focus")).to_have_count(1)


async def test_a_brush_over_the_chart_reads_a_range_and_stories_are_marked_where_they_began(database):
    await fill(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/sentiment/tools/tussock?days=7")
        marks = tab.page.locator(".chart a.begins")
        await expect(marks.first).to_have_text("1")
        assert "/stories/" in await marks.first.get_attribute("href")
        last = marks.last
        await expect(last).to_have_text("11–12")
        assert (await last.get_attribute("href"), (await last.get_attribute("title")).count("\n")) == ("#stories", 1)
        box = await tab.page.locator(".u-over").bounding_box()
        low = box["y"] + box["height"] - 5
        async with tab.page.expect_navigation():
            await tab.page.mouse.move(box["x"] + box["width"] * 0.6, low)
            await tab.page.mouse.down()
            await tab.page.mouse.move(box["x"] + box["width"] - 8, low, steps=4)
            await tab.page.mouse.up()
        assert "to=2024-05-16" in tab.path
        await expect(tab.page.locator("tr[data-chosen]")).to_have_count(4)
        await expect(tab.page.get_by_role("heading", name="What is said: 13 May to 16 May")).to_be_visible()


async def test_a_series_is_saved_as_a_picture_and_as_a_table(database):
    await fill(database)
    async with browsing(database, role="reader") as tab:
        await tab.open("/sentiment/tools/tussock?days=7")
        async with tab.page.expect_download() as saving:
            await tab.page.get_by_role("button", name="Save as PNG").click()
        saved = await saving.value
        assert saved.suggested_filename == "tussock.png"
        assert (await saved.path()).read_bytes().startswith(b"\x89PNG")
        for name, begins in (("SVG", "<svg"), ("CSV", "starts_at,positive_count")):
            href = await tab.page.get_by_role("link", name=name, exact=True).get_attribute("href")
            answer = await tab.page.context.request.get(f"{tab.visitor.address}{href}")
            assert (answer.status, f"tussock.{name.lower()}" in answer.headers["content-disposition"]) == (200, True)
            text = await answer.text()
            assert text.startswith(begins)
        points = [line.split(",") for line in text.splitlines()[1:]]
        assert len(points) == 8
        assert sum(int(point[6]) for point in points) == sum(int(one) for point in points for one in point[1:4]) > 0


async def test_a_tool_is_added_merged_and_its_alias_refused_in_words(database):
    await fill(database)
    async with browsing(database, role="editor") as tab:
        await tab.open("/sentiment/tools/new")
        await tab.page.get_by_label("Name", exact=True).fill("Rush")
        await tab.page.get_by_label("Other names").fill("Sedge")
        async with tab.page.expect_navigation():
            await tab.page.get_by_role("button", name="Add").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("belongs to the tool sedge")
        await tab.open("/sentiment/tools/sedge/edit")
        async with tab.page.expect_navigation():
            await tab.page.get_by_role("button", name="Merge").click()
        await expect(tab.page.get_by_role("status")).to_contain_text("counts for")
        async with tab.page.expect_navigation():
            await tab.page.get_by_role("button", name="Undo the merge").click()
        await expect(tab.page.get_by_role("status")).to_contain_text("counts for itself again")
