"""Lessons: texts for learners of English, one for each article or event and level."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec

from scoop.errors import NotFound
from scoop.model import Lesson, LessonFinding, LessonSentence, Level
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

LessonSubject = Literal["document", "event"]
LessonState = Literal["pending", "made", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLesson:
    """A lesson that was just made."""

    brief_id: int
    subject_kind: LessonSubject
    subject_id: int
    level: Level
    lesson_text: str
    sentences: tuple[LessonSentence, ...]
    word_count: int
    measured_level: Level
    score: float
    findings: tuple[LessonFinding, ...]
    provider: str
    model: str
    prompt_id: str
    prompt_version: str
    disclaimer_id: str
    input_hash: bytes
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    currency: str = "USD"
    prompt_key: str | None = None
    response_key: str | None = None

    @property
    def subject(self) -> tuple[str, int]:
        return self.subject_kind, self.subject_id


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonProgress:
    """How far a lesson is, why it failed, and when it is tried again; `asked_at` is None if nobody asked."""

    state: LessonState
    brief_id: int | None = None
    asked_at: datetime | None = None
    attempted_at: datetime | None = None
    problem: str | None = None
    next_try_at: datetime | None = None


NOT_ASKED = LessonProgress(state="pending")


async def list_known(conn: Connection, brief_ids: Sequence[int]) -> set[int]:
    """Which of these briefs are about a subject and level that has a lesson."""
    return {row["brief_id"] for row in await conn.fetch(SQL["known"], brief_ids)}


async def lock(conn: Connection, subjects: Collection[tuple[str, int]]) -> None:
    """Let nobody else store lessons of these subjects until the caller's transaction ends."""
    await conn.execute(SQL["lock"], [f"{kind} {subject_id}" for kind, subject_id in subjects])


async def put(conn: Connection, made: Sequence[NewLesson]) -> None:
    """Store lessons; a subject and level that has one keeps it."""
    if made:
        await conn.execute(SQL["put"], [_record(lesson) for lesson in made])


def _record(lesson: NewLesson) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(lesson)
    return record | {"input_hash": lesson.input_hash.hex(), "cost": str(lesson.cost)}


async def list_scores(
    conn: Connection, subjects: Collection[tuple[str, int]]
) -> dict[tuple[str, int], dict[Level, float]]:
    """The measured difficulty of the lessons of each subject, by level."""
    scores: dict[tuple[str, int], dict[Level, float]] = {subject: {} for subject in subjects}
    kinds, ids = [kind for kind, _ in scores], [subject_id for _, subject_id in scores]
    for row in await conn.fetch(SQL["scores"], kinds, ids):
        scores[row["subject_kind"], row["subject_id"]][row["level"]] = row["score"]
    return scores


async def find(conn: Connection, subject_kind: LessonSubject, subject_id: int, level: Level) -> Lesson | None:
    row = await conn.fetchrow(SQL["lessons"], subject_kind, [subject_id], level)
    return None if row is None else to_lesson(row)


async def get(conn: Connection, subject_kind: LessonSubject, subject_id: int, level: Level) -> Lesson:
    lesson = await find(conn, subject_kind, subject_id, level)
    if lesson is None:
        raise NotFound(f"there is no lesson of level {level} yet")
    return lesson


async def list_by_subject(
    conn: Connection, subject_kind: LessonSubject, subject_ids: Collection[int], *, level: Level | None = None
) -> dict[int, list[Lesson]]:
    """The lessons of each subject that has any, the easiest first."""
    lessons: dict[int, list[Lesson]] = {}
    for row in await conn.fetch(SQL["lessons"], subject_kind, list(subject_ids), level):
        lessons.setdefault(row["subject_id"], []).append(to_lesson(row))
    return lessons


async def by_id(conn: Connection, lesson_id: int) -> Lesson:
    row = await conn.fetchrow(SQL["by_id"], [lesson_id])
    if row is None:
        raise NotFound(f"there is no lesson {lesson_id}")
    return to_lesson(row)


async def list_progress(conn: Connection, subject_kind: LessonSubject, subject_id: int) -> dict[Level, LessonProgress]:
    """How far the lessons of a subject are, by the levels that were asked for."""
    rows = await conn.fetch(SQL["states"], subject_kind, subject_id, StageName.WRITE)
    return {row["level"]: _progress(row) for row in rows}


async def list_failed(conn: Connection, document_ids: Sequence[int], level: Level) -> set[int]:
    """The documents of which no lesson of a level could be made, and none is attempted again."""
    rows = await conn.fetch(SQL["failed"], document_ids, level, StageName.WRITE)
    return {row["subject_id"] for row in rows}


def to_lesson(row: Mapping[str, Any]) -> Lesson:
    """A lesson from its columns."""
    sentences = msgspec.convert(row["sentences"], tuple[LessonSentence, ...])
    findings = msgspec.convert(row["findings"], tuple[LessonFinding, ...])
    return Lesson(**{**row, "sentences": sentences, "findings": findings})


def _progress(row: Mapping[str, Any]) -> LessonProgress:
    state: LessonState = "pending"
    if row["written_at"] is not None and row["problem"] is None:
        state = "made"
    elif row["problem"] is not None and not row["is_in_progress"]:
        state = "failed"
    names = ("brief_id", "asked_at", "attempted_at", "problem", "next_try_at")
    return LessonProgress(state=state, **{name: row[name] for name in names})
