"""Prompts of texts that nobody has asked for, as they would be sent."""

from collections.abc import Callable, Mapping, Sequence

from scoop.core.briefs import BriefKind, Order, Prompt, SubjectKind, lesson, same_event, summary, translation
from scoop.errors import UsageError
from scoop.store import briefs
from scoop.store.briefs import Brief
from scoop.store.db import Connection

RENDER: Mapping[BriefKind, Callable[[Order], Prompt]] = {
    "summary": summary.prompt,
    "translation": translation.prompt,
    "same_event": same_event.prompt,
    "lesson": lesson.prompt,
}


async def render_prompt(
    conn: Connection, kind: BriefKind, subjects: Sequence[tuple[SubjectKind, int]], *, language: str, level: str
) -> Prompt:
    """The prompt of a text about one subject, or about two documents; `level` is that of a lesson."""
    wanted = [_brief(number, kind, *subject, language=language) for number, subject in enumerate(subjects)]
    sources = await briefs.load_sources(conn, wanted)
    documents = tuple(source.text for brief in wanted for source in sources[brief.brief_id])
    if not documents:
        raise UsageError("there is no article to write about")
    return RENDER[kind](Order(kind=kind, language=language, documents=documents, level=level))


def _brief(number: int, kind: BriefKind, subject_kind: SubjectKind, subject_id: int, *, language: str) -> Brief:
    return Brief(
        brief_id=number,
        kind=kind,
        subject_kind=subject_kind,
        subject_id=subject_id,
        language=language,
        level="",
        finding="",
        failures=0,
        public_id=None,
        collection=None,
    )
