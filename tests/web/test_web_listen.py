"""The pages of learners without a script."""

from datetime import date

from builders import an_item
from lesson_articles import TITLE, a_ferry, store
from lesson_articles import choose as choose_all
from recorded import choose
from web.visitor import visiting
from writing import a_desk

SHORT = f"{TITLE}. The ferry burned off Skarn on Wednesday, and all people on board are safe now, the police said."


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


async def test_a_level_that_an_article_has_no_text_for_is_disabled_with_the_reason(database, tmp_path):
    article_id = (await store(database, a_ferry(body_text=SHORT)))[TITLE]
    await choose_all(database, date(2024, 5, 16))
    async with database.connection() as conn:
        document_id = await conn.fetchval("SELECT document_id FROM documents")
    async with a_desk(database, tmp_path) as desk:
        await desk.ask({document_id: "en"}, kind="lesson", level="B2")
        await desk.write(desk.writer("local"))
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get(f"/listen/{article_id}")).page
        listed = [(await visitor.get(f"/listen?level={level}")).page.text for level in ("B2", "B1")]
    assert ["no lesson of B2: choose another level" in text for text in listed] == [True, False]
    disabled = [button for button in page.attributes("button") if "disabled" in button]
    assert [button["value"] for button in disabled] == ["B2"]
    assert "too short" in disabled[0]["title"]
