"""The brief of a question about tools: an answer from numbers and passages, and which of them it rests on.

The first document is the question; the others are the facts, by their number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from scoop.core import text, tool_questions
from scoop.core.briefs import BadReply, Order, Prompt, prompts, replies

PROMPT_ID = "question"
MAX_ANSWER = 1200  # characters
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["answer", "facts"],
    "properties": {"answer": {"type": "string"}, "facts": {"type": "array", "items": {"type": "integer"}}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswer:
    """An answer, and the numbers of the facts that it rests on; none if the facts do not answer the question."""

    answer: str
    facts: tuple[int, ...]


class _AnswerReply(msgspec.Struct):
    answer: str
    facts: list[int]


def has_text(order: Order) -> bool:
    """Whether there is a question with facts."""
    return len(order.documents) > 1


def prompt(order: Order, *, finding: str = "") -> Prompt:
    """The prompt of a question; `finding` is what was wrong with the reply before."""
    template = prompts.template(PROMPT_ID)
    return prompts.prompt_about(
        order.documents, template=template, schema=SCHEMA, finding=finding, max_tokens=order.max_prompt_tokens
    )


def parse(reply: str) -> QuestionAnswer:
    """The answer of a reply; BadReply where it has another form."""
    decoded = replies.decode(reply, _AnswerReply)
    return QuestionAnswer(answer=text.one_line(decoded.answer), facts=tuple(dict.fromkeys(decoded.facts)))


def check(answered: QuestionAnswer, order: Order) -> QuestionAnswer:
    """The answer if it rests on facts and has no number that they lack; BadReply says what is wrong."""
    if not answered.answer:
        raise BadReply("empty", "The answer is empty.")
    if len(answered.answer) > MAX_ANSWER:
        raise BadReply("too_long", f"Answer in at most {MAX_ANSWER} characters.")
    known = {document.document_id for document in order.documents[1:]}
    if unknown := [number for number in answered.facts if number not in known]:
        raise BadReply("unsupported", f"There is no fact {unknown[0]}.")
    sources = [f"{document.title}\n{document.body_text}" for document in order.documents]
    if foreign := tool_questions.foreign_numbers(answered.answer, sources):
        raise BadReply("unsupported", f"The number {foreign[0]} is in no fact; copy numbers as they are.")
    return answered
