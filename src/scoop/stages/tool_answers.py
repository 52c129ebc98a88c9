"""Questions about tools as a kind of text of the stage `write`."""

from collections.abc import Sequence

from scoop.core.briefs import Order, question
from scoop.core.briefs.question import QuestionAnswer
from scoop.core.support import Embed
from scoop.stages import mention_answers
from scoop.stages.texts import TextKind, Written
from scoop.store import tool_questions
from scoop.store.db import Connection


def text_kind() -> TextKind:
    return TextKind(
        prompt=lambda order, finding: question.prompt(order, finding=finding),
        has_material=question.has_text,
        read=_read,
        save=_save,
        known_inputs=mention_answers.no_known_inputs,
        kept=tool_questions.list_answered,
    )


def _read(reply: str, order: Order, _embed: Embed | None) -> QuestionAnswer:
    return question.check(question.parse(reply), order)


async def _save(conn: Connection, written: Sequence[Written]) -> None:
    for each in written:
        answered: QuestionAnswer = each.text
        await tool_questions.answer(
            conn, each.brief.subject_id, answered.answer, answered.facts, model=mention_answers.version_of(each)
        )
