"""Questions about tools: a model answers from the numbers of the moment, and cites them."""

from datetime import UTC, datetime

import pytest

from builders import an_item, told
from scoop.actions import briefing, tools
from scoop.actions import tool_questions as actions
from scoop.core.briefs import Order
from scoop.core.tools import ToolSettings
from scoop.errors import Conflict
from scoop.store import tool_questions as store
from writing import a_desk

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


async def test_a_question_is_answered_from_the_numbers_of_the_tool_that_it_names(database, tmp_path):
    async with database.transaction() as conn:
        for name in ("Tussock", "Sedge"):
            await tools.add(conn, ToolSettings(slug=name.lower(), name=name))
    await told(database, [an_item(1, body_text="Tussock is a wonderful editor, we love it.")])
    async with database.transaction() as conn:
        asked = await actions.ask(conn, "What do people say about tussock?", writer="openai", now=NOW, by="ada")
        rendered = await briefing.render_prompt(
            conn, [("question", asked)], Order(kind="question", language="", documents=())
        )
        assert "What do people say about tussock?" in rendered.user
        mention_id = await conn.fetchval("SELECT min(mention_id) FROM mentions")
        rendered = await briefing.render_prompt(
            conn, [("mention", mention_id)], Order(kind="sentiment", language="", documents=())
        )
        assert "Tussock is a wonderful editor" in rendered.user
    async with a_desk(database, tmp_path) as desk:
        await desk.write()
        await desk.write()
        assert len(desk.calls) == 1
    async with database.connection() as conn:
        question = await store.get(conn, asked)
    assert question.answer.startswith("Last 24 hours: ")
    assert [fact.url for fact in question.cited_facts] == ["/sentiment/tools/tussock"]
    assert {fact.title.split(",")[0] for fact in question.facts[1:]} == {"positive about Tussock"}
    assert question.model == "newsstand-1-2026-01-01 (question v1)"


async def test_nobody_is_asked_without_a_writer_or_without_tools(database):
    async with database.transaction() as conn:
        with pytest.raises(Conflict, match="SCOOP_TASKS_QUESTION_WRITER"):
            await actions.ask(conn, "Anything new?", writer="none", now=NOW)
        with pytest.raises(Conflict, match="no tools"):
            await actions.ask(conn, "Anything new?", writer="openai", now=NOW)
