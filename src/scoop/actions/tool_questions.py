"""Ask about tools in plain language: the numbers and passages of the moment, for a model to answer from."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from scoop.core import text, tool_questions
from scoop.core.sentiment import SentimentLabel
from scoop.core.tool_questions import MAX_PASSAGES, MAX_QUESTION, MAX_TOOLS, WINDOWS, ToolFact
from scoop.core.tools import Tool
from scoop.errors import Conflict, UsageError
from scoop.stages.texts import no_writer
from scoop.store import briefs, sentiment_cache, tools
from scoop.store import tool_questions as store
from scoop.store.db import Connection
from scoop.store.reads import sentiment as reads
from scoop.store.reads.sentiment import Passage, PassageFilter, Window
from scoop.task_settings import NO_WRITER

LABELS: tuple[SentimentLabel, ...] = ("positive", "negative")
DAYS = 30


async def ask(conn: Connection, question: str, *, writer: str, now: datetime, by: str = "") -> int:
    """Store a question with what may answer it, and let a model answer; gives its number."""
    if writer == NO_WRITER:
        raise Conflict(no_writer("question"))
    asked = text.one_line(question)
    if not asked or len(asked) > MAX_QUESTION:
        raise UsageError(f"question: it must have 1 to {MAX_QUESTION} characters")
    facts = await _collect(conn, asked, now=now)
    if not facts:
        raise Conflict("there are no tools to ask about; choose some: scoop tools starter")
    question_id = await store.add(conn, asked, facts, by=by)
    await briefs.ask(conn, "question", "question", {question_id: ""})
    return question_id


async def _collect(conn: Connection, question: str, *, now: datetime) -> list[ToolFact]:
    """The numbers of the tools that a question names, or of the most mentioned ones, and passages about them."""
    listed = await tools.list_tools(conn)
    active = [tool for tool in listed if tool.is_active]
    counted = await sentiment_cache.aggregate(conn, WINDOWS, now=now)
    found = {(each.tool_id, each.hours): each.aggregate for each in counted}
    most = sorted(active, key=lambda tool: -found[tool.tool_id, WINDOWS[-1]].total)
    chosen = (tool_questions.named_tools(question, listed) or most)[:MAX_TOOLS]
    facts: list[ToolFact] = []
    for tool in chosen:
        by_hours = {hours: found[tool.tool_id, hours] for hours in WINDOWS}
        facts.append(
            ToolFact(
                number=len(facts) + 1,
                title=f"Numbers of {tool.name} until {now:%Y-%m-%d %H:%M} UTC",
                text=tool_questions.numbers_text(by_hours),
                url=f"/sentiment/tools/{tool.slug}",
                publisher="Scoop",
            )
        )
        facts.extend(_quoted(tool, await _passages(conn, tool, now=now), after=len(facts)))
    return facts


async def _passages(conn: Connection, tool: Tool, *, now: datetime) -> list[Passage]:
    """The newest passages that praise a tool, and the newest that blame it."""
    numbers = await reads.list_members(conn, tool.tool_number)
    window = Window.of(now, days=DAYS)
    return [
        passage
        for label in LABELS
        for passage in await reads.list_passages(
            conn, numbers, PassageFilter(window=window, label=label), after=None, limit=MAX_PASSAGES
        )
    ]


def _quoted(tool: Tool, passages: Sequence[Passage], *, after: int) -> Iterator[ToolFact]:
    for number, each in enumerate(passages, start=after + 1):
        yield ToolFact(
            number=number,
            title=f"{each.label} about {tool.name}, {each.event_at:%Y-%m-%d}: {each.title}",
            text=f"{each.before}{each.mention}{each.after}",
            url=each.url or f"/sentiment/tools/{tool.slug}",
            publisher=each.publisher_family,
        )
