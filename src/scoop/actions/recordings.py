"""Recordings on demand: how far one is, asking for one, and the sound itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scoop.archive.objects import Archive
from scoop.core.audio import TimedSentence
from scoop.errors import Conflict, NotFound
from scoop.store import lessons, recordings
from scoop.store.db import Connection
from scoop.store.recordings import RecordingState, StoredRecording

NO_VOICE = "none"
NEEDS_VOICE = "no voice reads lessons aloud: an admin can set one (the setting voice, SCOOP_VOICE)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingReport:
    """The recording of a lesson: its state, and once it is ready its address, length and times.

    `state` is none if nobody asked for it, waiting, making, ready or failed; a failed or waiting one says why in
    `problem`, and when it is tried again.
    """

    lesson_id: int
    state: RecordingState
    problem: str | None
    next_try_at: datetime | None
    url: str | None = None
    transcript_url: str | None = None
    voice: str | None = None
    model: str | None = None
    speed: float | None = None
    duration_ms: int | None = None
    byte_count: int | None = None
    sentences: Sequence[TimedSentence] = ()


async def get_report(conn: Connection, lesson_id: int) -> RecordingReport:
    """How far the recording of a lesson is; NotFound if there is no such lesson."""
    if (recording := await recordings.find(conn, lesson_id)) is not None:
        return _ready(recording)
    await lessons.by_id(conn, lesson_id)
    progress = await recordings.get_progress(conn, lesson_id)
    return RecordingReport(
        lesson_id=lesson_id, state=progress.state, problem=progress.problem, next_try_at=progress.next_try_at
    )


async def ask(conn: Connection, lesson_id: int, *, voice: str) -> RecordingReport:
    """Ask for a recording, however many people do; Conflict if no voice is set.

    One that is ready is made again if the operator has chosen another voice since; the stage decides that.
    """
    report = await get_report(conn, lesson_id)
    if report.state in {"waiting", "making"} or (report.state == "ready" and voice == NO_VOICE):
        return report
    if voice == NO_VOICE:
        raise Conflict(NEEDS_VOICE)
    await recordings.ask(conn, [lesson_id])
    return await get_report(conn, lesson_id)


async def read(archive: Archive, recording: StoredRecording | None) -> bytes:
    """The MP3 of a recording; NotFound says what to do."""
    if recording is None:
        raise NotFound("this lesson has no recording yet: ask for it")
    return (await archive.get(recording.object_key)).data


def sound_url(lesson_id: int, updated_at: datetime) -> str:
    """The address of a sound; that of another voice has another one, so that no cache mixes it with other times."""
    return f"/api/v1/lessons/{lesson_id}/audio.mp3?v={int(updated_at.timestamp())}"


def _ready(recording: StoredRecording) -> RecordingReport:
    return RecordingReport(
        lesson_id=recording.lesson_id,
        state="ready",
        problem=None,
        next_try_at=None,
        url=sound_url(recording.lesson_id, recording.updated_at),
        transcript_url=f"/api/v1/lessons/{recording.lesson_id}/transcript.vtt",
        voice=recording.voice,
        model=recording.model,
        speed=recording.speed,
        duration_ms=recording.duration_ms,
        byte_count=recording.byte_count,
        sentences=recording.sentences,
    )
