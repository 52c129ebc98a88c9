"""Recordings of lessons: where each MP3 is in the archive, and when its sentences are spoken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import msgspec

from scoop.core.audio import TimedSentence
from scoop.model import LessonSentence, Level
from scoop.stage_names import StageName
from scoop.store import db, work
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)

RecordingState = Literal["none", "waiting", "making", "ready", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonToSpeak:
    """A lesson, and the hash of the recording that it has."""

    lesson_id: int
    level: Level
    sentences: tuple[LessonSentence, ...]
    recording_hash: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecording:
    """A recording that was just made and stored in the archive."""

    lesson_id: int
    recording_hash: bytes
    object_key: str
    voice: str
    model: str
    speed: float
    byte_count: int
    duration_ms: int
    sentences: tuple[TimedSentence, ...]
    made_in_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecording:
    """The recording of a lesson."""

    lesson_id: int
    object_key: str
    voice: str
    model: str
    speed: float
    byte_count: int
    duration_ms: int
    sentences: tuple[TimedSentence, ...]
    made_in_ms: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingProgress:
    """How far a recording is; `problem` is why the last attempt failed, `next_try_at` when it is tried again."""

    state: RecordingState
    problem: str | None = None
    next_try_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingLength:
    """How long the recording of a lesson is."""

    lesson_id: int
    duration_ms: int
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedArticle:
    """A recorded lesson of an article, as a part of an episode."""

    lesson_id: int
    article_id: str
    title: str
    url: str | None
    published_at: datetime | None
    fetched_at: datetime
    chosen_on: date
    object_key: str
    byte_count: int
    duration_ms: int
    sentences: tuple[TimedSentence, ...]
    updated_at: datetime


async def load(conn: Connection, lesson_ids: Sequence[int]) -> list[LessonToSpeak]:
    rows = await conn.fetch(SQL["to_speak"], lesson_ids)
    return [
        LessonToSpeak(**{**row, "sentences": msgspec.convert(row["sentences"], tuple[LessonSentence, ...])})
        for row in rows
    ]


async def put(conn: Connection, made: Sequence[NewRecording]) -> None:
    """Store recordings; each replaces that of its lesson."""
    for each in made:
        await conn.execute(
            SQL["put"],
            each.lesson_id,
            each.recording_hash,
            each.object_key,
            each.voice,
            each.model,
            each.speed,
            each.byte_count,
            each.duration_ms,
            msgspec.to_builtins(each.sentences),
            each.made_in_ms,
        )


async def find(conn: Connection, lesson_id: int) -> StoredRecording | None:
    row = await conn.fetchrow(SQL["find"], lesson_id)
    return None if row is None else StoredRecording(**_with_sentences(row))


async def ask(conn: Connection, lesson_ids: Sequence[int]) -> None:
    """Enqueue lessons to be spoken, before others; one that failed is tried again at once."""
    await work.enqueue(conn, StageName.SPEAK, [Subject(lesson_id) for lesson_id in lesson_ids])


async def get_progress(conn: Connection, lesson_id: int) -> RecordingProgress:
    """How far the recording of a lesson is that is not ready yet."""
    row = await conn.fetchrow(SQL["waiting"], lesson_id, StageName.SPEAK)
    if row is None:
        return RecordingProgress(state="none")
    if row["state"] == "quarantined":
        return RecordingProgress(state="failed", problem=row["error"])
    is_postponed = row["state"] != "claimed" and row["error"] is not None
    state: RecordingState = "making" if row["state"] == "claimed" else "waiting"
    return RecordingProgress(
        state=state, problem=row["error"] if is_postponed else None, next_try_at=row["due_at"] if is_postponed else None
    )


async def ask_ahead(conn: Connection, *, since: date, limit: int) -> int:
    """Enqueue the lessons of chosen articles at the levels that learners have; give how many."""
    rows = await conn.fetch(SQL["ahead"], since, StageName.SPEAK, limit)
    await work.enqueue_missing(conn, StageName.SPEAK, [row["lesson_id"] for row in rows])
    return len(rows)


async def list_lengths(conn: Connection, document_ids: Sequence[int], level: Level) -> dict[int, RecordingLength]:
    """How long the recordings of documents are at a level, by document."""
    rows = await conn.fetch(SQL["lengths"], document_ids, level)
    return {row.pop("document_id"): RecordingLength(**row) for row in map(dict, rows)}


async def list_recorded(
    conn: Connection, level: Level, *, since: date, topic_id: int | None = None
) -> list[RecordedArticle]:
    """The recorded lessons of one level of the articles that were chosen since a date, the latest date first."""
    rows = await conn.fetch(SQL["episodes"], level, since, topic_id)
    return [RecordedArticle(**_with_sentences(row)) for row in rows]


async def list_unfinished_days(conn: Connection, level: Level, *, since: date) -> set[date]:
    """The days since a date with a chosen article whose recording of a level is still to come."""
    rows = await conn.fetch(SQL["unfinished_days"], level, since, StageName.SPEAK, StageName.WRITE)
    return {row["chosen_on"] for row in rows}


async def ask_level(conn: Connection, level: Level, *, since: date) -> None:
    """Enqueue the lessons of a level, of the articles that were chosen since a date, that nobody asked for yet."""
    rows = await conn.fetch(SQL["unrecorded"], level, since, StageName.SPEAK)
    await work.enqueue_missing(conn, StageName.SPEAK, [row["lesson_id"] for row in rows])


def _with_sentences(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "sentences": msgspec.convert(row["sentences"], tuple[TimedSentence, ...])}
