"""Prompts of texts that nobody has asked for, as they would be sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from scoop.core.briefs import (
    BriefKind,
    Order,
    Prompt,
    SubjectKind,
    evaluation,
    lesson,
    question,
    same_event,
    sentiment,
    summary,
    support,
    translation,
)
from scoop.errors import NotFound
from scoop.store import briefs
from scoop.store.briefs import Brief
from scoop.store.db import Connection
from scoop.writers import local

RENDER: Mapping[BriefKind, Callable[[Order], Prompt]] = {
    "summary": summary.prompt,
    "translation": translation.prompt,
    "same_event": same_event.prompt,
    "evaluation": evaluation.prompt,
    "lesson": lesson.prompt,
    "sentiment": sentiment.prompt,
    "question": question.prompt,
}


async def render_prompt(conn: Connection, subjects: Sequence[tuple[SubjectKind, int]], order: Order) -> Prompt:
    """The prompt of an order about these subjects, whose documents are added to it."""
    return RENDER[order.kind](await _with_documents(conn, subjects, order))


async def render_question(
    conn: Connection, subjects: Sequence[tuple[SubjectKind, int]], order: Order, sentences: Sequence[str]
) -> Prompt:
    """The question whether the documents of these subjects support sentences."""
    return support.prompt(await _with_documents(conn, subjects, order), sentences)


async def _with_documents(conn: Connection, subjects: Sequence[tuple[SubjectKind, int]], order: Order) -> Order:
    wanted = [_brief(number, order, *subject) for number, subject in enumerate(subjects)]
    sources = await briefs.load_sources(conn, wanted, **local.MODEL)
    documents = tuple(source.text for brief in wanted for source in sources[brief.brief_id])
    if not documents:
        raise NotFound("there is nothing to write about: check the number")
    return replace(order, documents=documents)


def _brief(number: int, order: Order, subject_kind: SubjectKind, subject_id: int) -> Brief:
    return Brief(
        brief_id=number,
        kind=order.kind,
        subject_kind=subject_kind,
        subject_id=subject_id,
        language=order.language,
        level="",
        finding="",
        failures=0,
        public_id=None,
        collection=None,
    )
