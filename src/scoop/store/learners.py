"""Learners: their settings, where they stopped in each lesson, and the dates on which they listened."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from scoop.core.shapes.listening import LearnerFacts
from scoop.errors import NotFound
from scoop.model import Level
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
DEFAULT_LEVEL: Level = "B1"  # of a person who never chose one, and of anonymous requests
MAX_DAYS = 1_000  # that a streak is counted from


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner(LearnerFacts):
    """The settings of a person who listens."""

    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPlace:
    """Where a person stopped in a lesson: the sentence, from 0, and the place in its audio; `heard_at`: the end.

    `document_id` is None for the lesson of an event.
    """

    lesson_id: int
    document_id: int | None
    level: Level
    sentence: int
    position_ms: int
    heard_at: datetime | None
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardDay:
    """How many lessons a person heard to the end on a date."""

    day: date
    heard: int


async def get_learner(conn: Connection, user_id: int) -> Learner:
    row = await conn.fetchrow(SQL["learner"], user_id)
    if row is None:
        raise NotFound(f"there is no user {user_id}")
    return Learner(**row)


async def put(conn: Connection, user_id: int, *, level: Level | None = None, timezone: str | None = None) -> Learner:
    """Change the settings of a learner; None leaves one as it is."""
    await conn.execute(SQL["put"], user_id, level, timezone)
    return await get_learner(conn, user_id)


async def put_progress(
    conn: Connection, user_id: int, lesson_id: int, *, sentence: int, position_ms: int, is_heard: bool, at: datetime
) -> bool:
    """Store where a person stopped at a moment, in the caller's transaction, unless a newer place is known.

    Gives whether the lesson was heard to the end for the first time.
    """
    was_heard = bool(await conn.fetchval(SQL["is_heard"], user_id, lesson_id))
    await conn.execute(SQL["put_progress"], user_id, lesson_id, sentence, position_ms, is_heard, at)
    return is_heard and not was_heard


async def count_day(conn: Connection, user_id: int, day: date) -> None:
    """Count a lesson that a person heard to the end on a date."""
    await conn.execute(SQL["count_day"], user_id, day)


async def list_progress(conn: Connection, user_id: int, document_ids: Collection[int]) -> list[LessonPlace]:
    """Where a person stopped in the lessons of documents."""
    return [LessonPlace(**row) for row in await conn.fetch(SQL["progress"], user_id, list(document_ids))]


async def find_progress(conn: Connection, user_id: int, lesson_id: int) -> LessonPlace | None:
    """Where a person stopped in a lesson; None if they have not begun it."""
    row = await conn.fetchrow(SQL["progress_of_lesson"], user_id, lesson_id)
    return None if row is None else LessonPlace(**row)


async def list_days(conn: Connection, user_id: int) -> list[HeardDay]:
    """The dates on which a person heard lessons to the end, the latest first."""
    return [HeardDay(**row) for row in await conn.fetch(SQL["days"], user_id, MAX_DAYS)]


async def count_heard(conn: Connection, user_id: int) -> int:
    return int(await conn.fetchval(SQL["heard"], user_id))
