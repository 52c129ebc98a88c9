"""Questions about tools in the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import Request, Response
from pydantic import AfterValidator, Field

from scoop.actions import tool_questions as actions
from scoop.api import document
from scoop.core.tool_questions import MAX_QUESTION, ToolFact
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.params import RecordId, RequestModel, storable
from scoop.http.routes import needs
from scoop.store import tool_questions as store
from scoop.store.tool_questions import ToolQuestion

router = routes.for_programs("Sentiment")


class Question(RequestModel):
    """A question in plain language; the tools that it names are looked up, else the most mentioned ones."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION), AfterValidator(storable)]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReport:
    """A question and its answer, null until a model has given one; `facts` are those that it rests on."""

    question_id: int
    question: str
    answer: str | None
    facts: Sequence[ToolFact]
    model: str
    problem: str | None
    asked_at: datetime
    answered_at: datetime | None


@router.post("/ask", response_model=QuestionReport, status_code=202, responses=document.problems(HTTPStatus.CONFLICT))
@needs("edit")
async def ask(request: Request, desk: CurrentDesk, by: CurrentVisitor, conn: WriteConn, body: Question) -> Response:
    """Ask about tools; a model answers from the numbers and passages of this moment. 409 without a writer."""
    writer = desk.config.tasks["question"].writer
    question_id = await actions.ask(conn, body.question, writer=writer, now=desk.clock(), by=by.name)
    headers = {"Location": f"/api/v1/ask/{question_id}"}
    report = _report(await store.get(conn, question_id))
    return responses.json(request, report, status=HTTPStatus.ACCEPTED, headers=headers)


@router.get("/ask/{question_id}", response_model=QuestionReport)
@needs("read")
async def get_answer(request: Request, conn: ReadConn, question_id: RecordId) -> Response:
    """The answer to a question, with links to the facts that it rests on."""
    return responses.json(request, _report(await store.get(conn, question_id)))


def _report(asked: ToolQuestion) -> QuestionReport:
    return QuestionReport(
        question_id=asked.question_id,
        question=asked.question,
        answer=asked.answer,
        facts=asked.cited_facts,
        model=asked.model,
        problem=asked.problem,
        asked_at=asked.asked_at,
        answered_at=asked.answered_at,
    )
