"""The page of text levels at a browser: it fits, keeps nobody out, and shows the text that was pasted."""

import pytest

from web.browser import DESK, PHONE, browsing
from web.test_web_text_levels import TEXT


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
async def test_a_teacher_pastes_a_text_and_reads_its_level(database, width, scheme):
    async with browsing(database, role="reader", width=width, scheme=scheme) as tab:
        await tab.open("/levels")
        await tab.page.get_by_label("Text", exact=True).fill(TEXT)
        await tab.page.get_by_label("Level that it should have").select_option("A2")
        await tab.page.get_by_role("button", name="Measure").click()
        assert (
            await tab.page.get_by_role("heading", name="Level B")
            .or_(tab.page.get_by_role("heading", name="Level A"))
            .first.is_visible()
        )
        assert not await tab.is_too_wide()
        assert await tab.axe() == []
