"""Questions about tools, their facts and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import msgspec

from scoop.core.tool_questions import ToolFact
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolQuestion:
    """A question; `answer` is None until a model has answered, `problem` why its last attempt failed."""

    question_id: int
    question: str
    facts: tuple[ToolFact, ...]
    answer: str | None
    cited: tuple[int, ...]
    model: str
    asked_by: str
    asked_at: datetime
    answered_at: datetime | None
    problem: str | None

    @property
    def is_pending(self) -> bool:
        return not self.answer and not self.problem

    @property
    def cited_facts(self) -> list[ToolFact]:
        """The facts that the answer rests on."""
        return [fact for fact in self.facts if fact.number in self.cited]


async def add(conn: Connection, question: str, facts: Sequence[ToolFact], *, by: str) -> int:
    question_id: int = await conn.fetchval(SQL["add"], question, [asdict(fact) for fact in facts], by)
    return question_id


async def get(conn: Connection, question_id: int) -> ToolQuestion:
    row = await conn.fetchrow(SQL["list"], question_id, 1)
    if row is None:
        raise NotFound(f"there is no question {question_id}")
    return _question(row)


async def list_latest(conn: Connection, *, limit: int) -> list[ToolQuestion]:
    return [_question(row) for row in await conn.fetch(SQL["list"], None, limit)]


async def list_answered(conn: Connection, brief_ids: Sequence[int]) -> set[int]:
    """The briefs whose question has an answer."""
    return {row["brief_id"] for row in await conn.fetch(SQL["answered"], brief_ids)}


async def answer(conn: Connection, question_id: int, text: str, cited: Sequence[int], *, model: str) -> None:
    await conn.execute(SQL["answer"], question_id, text, list(cited), model)


def _question(row: Mapping[str, Any]) -> ToolQuestion:
    facts = msgspec.convert(row["facts"], tuple[ToolFact, ...])
    return ToolQuestion(**{**row, "facts": facts, "cited": tuple(row["cited"])})
