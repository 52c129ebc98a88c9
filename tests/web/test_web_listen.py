"""The pages of learners without a script."""

from datetime import date

from builders import an_item
from recorded import choose
from web.visitor import visiting


async def test_a_learner_changes_the_timezone_of_the_dates(database):
    await choose(database, [an_item(1, published_at="2024-05-15T16:00:00Z")], day=date(2024, 5, 16))
    async with visiting(database, role="reader") as visitor:
        before = await visitor.get("/listen")
        changed = await visitor.post("/listen/timezone", {"timezone": "Europe/Berlin"})
        after = await visitor.get("/listen")
        wrong = await visitor.post("/listen/timezone", {"timezone": "Berlin"})
    assert "Thursday 16 May 2024" in before.page.text
    assert (changed.status, wrong.status) == (303, 400)
    assert "Wednesday 15 May 2024" in after.page.text
    assert "Dates in Europe/Berlin" in after.page.text
    assert "Asia/Tokyo" in wrong.page.text
