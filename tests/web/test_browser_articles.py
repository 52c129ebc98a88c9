"""Articles at a browser: pages that fit every screen, and a summary that is retried by a click."""

import pytest

from builders import FIRE, told
from web.browser import DESK, PHONE, browsing
from web.test_web_articles import JAPANESE, add_source, article_id, write_summaries
from web.visitor import a_report

LONG = {
    "title": "Donaudampfschifffahrtsgesellschaft veröffentlicht ihren Jahresbericht " * 4,
    "body_text": "Die Donaudampfschifffahrtsgesellschaft teilte dies am Montag mit. " * 9,
    "language": "de",
}


async def a_desk_with_articles(database, folder):
    """A long article whose summary failed, one with a summary, one in Japanese, and one without a text."""
    await add_source(database, "tribune", category="press_release")
    texts = [LONG, FIRE, JAPANESE, {"title": "Headline without a text", "body_text": "Short."}]
    await told(database, [a_report(number, hours_ago=number, **text) for number, text in enumerate(texts, start=1)])
    await write_summaries(database, folder, "500")


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
async def test_the_pages_of_articles_fit_and_keep_nobody_out(database, tmp_path, width, scheme):
    await a_desk_with_articles(database, tmp_path)
    async with database.connection() as conn:
        ids = [row["article_id"] for row in await conn.fetch("SELECT article_id FROM documents ORDER BY document_id")]
    async with browsing(database, width=width, scheme=scheme) as tab:
        for path in ["/articles", "/articles?category=news", *(f"/articles/{each}" for each in ids)]:
            await tab.open(path)
            assert not await tab.is_too_wide(), path
            assert await tab.axe() == [], path


async def test_a_reader_goes_from_the_masthead_to_an_article_and_back_by_keys(database, tmp_path):
    await a_desk_with_articles(database, tmp_path)
    async with browsing(database, role="reader") as tab:
        await tab.open("/")
        await tab.follow(tab.page.get_by_role("link", name="Articles", exact=True).first)
        assert tab.path == "/articles"
        await tab.press("j")
        await tab.press("o")
        await tab.page.wait_for_url("**/articles/art_*")
        await tab.press("u")
        await tab.page.wait_for_url("**/articles")


async def test_a_failed_summary_is_retried_by_a_click(database, tmp_path):
    await told(database, [a_report(1, **FIRE)])
    await write_summaries(database, tmp_path, "500")
    async with browsing(database, role="editor") as tab:
        await tab.open(f"/articles/{await article_id(database)}")
        await tab.page.get_by_role("button", name="Retry now").click()
        await tab.page.get_by_text("The summary is due now.").wait_for()
