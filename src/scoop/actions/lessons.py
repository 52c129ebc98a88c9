"""Lessons on demand: who may have one made, of which articles, and by which writer."""

from scoop.core.briefs.lesson import LANGUAGE
from scoop.errors import Conflict
from scoop.model import Level
from scoop.store import briefs, lessons
from scoop.store.db import Connection
from scoop.store.lessons import NOT_ASKED, LessonProgress, LessonSubject
from scoop.task_settings import NO_WRITER

LOCAL_WRITER = "local"
NEEDS_WRITER = "no writer is set for lessons: set writer in [tasks.lesson] (SCOOP_TASKS_LESSON_WRITER)"
NEEDS_MODEL = (
    "the local grader simplifies English articles only: set a writer with a model in [tasks.lesson] "
    "(SCOOP_TASKS_LESSON_WRITER); docs/howto/lessons.md explains how"
)


async def ask(
    conn: Connection,
    subject_kind: LessonSubject,
    subject_id: int,
    level: Level,
    *,
    article_language: str,
    writer: str,
    may_retry: bool,
) -> LessonProgress:
    """Ask for a lesson inside the caller's transaction, however many people do; gives how far it is.

    One that was asked for before is not asked for again, except by a person who `may_retry` a failed one.
    """
    if writer == NO_WRITER:
        raise Conflict(NEEDS_WRITER)
    if writer == LOCAL_WRITER and article_language.partition("-")[0] != LANGUAGE:
        raise Conflict(NEEDS_MODEL)
    progress = await get_progress(conn, subject_kind, subject_id, level)
    if progress.asked_at is None or (may_retry and progress.state == "failed"):
        await briefs.ask(conn, "lesson", subject_kind, {subject_id: LANGUAGE}, level=level)
        progress = await get_progress(conn, subject_kind, subject_id, level)
    return progress


async def get_progress(conn: Connection, subject_kind: LessonSubject, subject_id: int, level: Level) -> LessonProgress:
    return (await lessons.list_progress(conn, subject_kind, subject_id)).get(level, NOT_ASKED)
