"""The spending page and its API: who may see it, and what it says."""

from datetime import timedelta

from builders import FIRE, told
from scoop.task_settings import DEFAULTS, TaskSettings
from web.visitor import NOW, a_report, visiting
from writing import a_desk

TASKS = DEFAULTS | {"summary": TaskSettings(writer="openai", requests_per_day=10, money_per_day=2.5)}


async def one_summary(database, folder):
    await told(database, [a_report(1, **FIRE)])
    async with a_desk(database, folder) as desk:
        [row] = await desk.rows("SELECT document_id FROM documents")
        await desk.ask({row["document_id"]: "en"})
        await desk.write(desk.writer(input_price=1000, output_price=1000))
        await desk.rows("UPDATE model_calls SET called_at = $1", NOW - timedelta(hours=1))


def visit(database, **settings):
    return visiting(database, tasks=TASKS, **settings)


async def test_the_page_has_costs_by_day_and_task_and_what_is_left(database, tmp_path):
    await one_summary(database, tmp_path)
    async with visit(database, role="editor") as visitor:
        page = (await visitor.get("/spend")).page
        report = (await visitor.get("/api/v1/spend?by=model")).json
    assert "By day" in page.text
    assert "By task" in page.text
    assert "10 requests" in page.text
    [row] = report["rows"]
    assert row["label"] == "openai newsstand-1-2026-01-01"
    [summary] = [budget for budget in report["budgets"] if budget["task"] == "summary"]
    assert [line["name"] for line in summary["lines"]] == ["requests", "tokens", "money"]
    assert any(each.get("href") == "/spend" for each in page.attributes("a"))


async def test_the_page_has_the_sources_and_subjects_that_cost_most(database, tmp_path):
    await one_summary(database, tmp_path)
    async with visit(database, role="editor") as visitor:
        page = (await visitor.get("/spend")).page
        [subject] = (await visitor.get("/api/v1/spend?by=subject")).json["rows"]
        [link] = [href for href in page.links("/articles/") if "art_" in href]
        article = await visitor.get(link)
    assert "By source" in page.text
    assert subject["label"] == f"document {link.removeprefix('/articles/')}"
    assert f"{FIRE['title']} document" in page.text
    assert FIRE["title"] in article.page.text


async def test_a_writer_that_sends_no_requests_has_no_budget(database):
    async with visit(database, role="editor") as visitor:
        report = (await visitor.get("/api/v1/spend")).json
    assert [budget["task"] for budget in report["budgets"]] == ["summary"]


async def test_a_desk_that_spent_nothing_says_what_to_set(database):
    async with visit(database, role="admin") as visitor:
        answer = await visitor.get("/spend?days=30")
        wrong = await visitor.get("/spend?days=31")
    assert "No requests in these 30 days" in answer.page.text
    assert wrong.status in {400, 422}


async def test_readers_do_not_see_what_was_spent(database):
    async with visit(database, role="reader") as visitor:
        assert (await visitor.get("/spend")).status == 403
        assert (await visitor.get("/api/v1/spend")).status == 403
        front = (await visitor.get("/stats")).page
    assert not any(each.get("href") == "/spend" for each in front.attributes("a"))
