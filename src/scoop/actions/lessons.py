"""Lessons on demand: who may have one made, of which articles, and by which writer."""

from scoop.core.briefs.lesson import LANGUAGE
from scoop.errors import Conflict
from scoop.model import Level
from scoop.store import briefs, lessons
from scoop.store.db import Connection
from scoop.store.lessons import NOT_ASKED, LessonProgress
from scoop.store.reads.lessons import LessonMaterial
from scoop.task_settings import NO_WRITER

LOCAL_WRITER = "local"
NEEDS_WRITER = "no writer is set for lessons: set writer in [tasks.lesson] (SCOOP_TASKS_LESSON_WRITER)"
NEEDS_MODEL = (
    "the local grader simplifies English articles only: set a writer with a model in [tasks.lesson] "
    "(SCOOP_TASKS_LESSON_WRITER); docs/howto/lessons.md explains how"
)


async def ask(
    conn: Connection, material: LessonMaterial, level: Level, *, writer: str, may_retry: bool
) -> LessonProgress:
    """Ask for a lesson inside the caller's transaction, however many people do; gives how far it is.

    One that was asked for before is not asked for again, except by a person who `may_retry` a failed one.
    """
    if refusal := why_none(writer, material.language):
        raise Conflict(refusal)
    kind, subject_id = material.kind, material.subject_id
    progress = await get_progress(conn, material, level)
    if progress.asked_at is None or (may_retry and progress.state == "failed"):
        await briefs.ask(conn, "lesson", kind, {subject_id: LANGUAGE}, level=level)
        progress = await get_progress(conn, material, level)
    return progress


def why_none(writer: str, language: str) -> str:
    """Why this writer makes no lessons of an article in this language; empty if it does."""
    if writer == NO_WRITER:
        return NEEDS_WRITER
    if writer == LOCAL_WRITER and language.partition("-")[0] != LANGUAGE:
        return NEEDS_MODEL
    return ""


async def get_progress(conn: Connection, material: LessonMaterial, level: Level) -> LessonProgress:
    return (await lessons.list_progress(conn, material.kind, material.subject_id)).get(level, NOT_ASKED)
