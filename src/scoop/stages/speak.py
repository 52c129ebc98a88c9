"""Reads lessons aloud: each is spoken once, sentence by sentence, and its recording is stored in the archive."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scoop import metrics
from scoop.archive import objects as archives
from scoop.archive.objects import Archive, ArchiveDamaged
from scoop.core.audio import mp3, recordings
from scoop.core.audio.pace import PACE_BY_LEVEL
from scoop.core.listening import JAPAN, SHOWN_DAYS, first_day
from scoop.errors import NotFound, Reject, Retry
from scoop.stage_names import StageName
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.store import metrics as metrics_store
from scoop.store import recordings as store
from scoop.store.db import Connection
from scoop.store.recordings import LessonToSpeak, NewRecording
from scoop.store.work import Subject
from scoop.voices import Voice

LEASE = timedelta(minutes=30)  # a speech server may take a minute for each sentence
PARALLEL = 2  # one is encoded while the next is spoken
AHEAD_LIMIT = 100  # lessons that are enqueued at a time
NO_VOICE = "no voice reads lessons aloud: set voice (SCOOP_VOICE) to hibari, command or openai"


@dataclass(frozen=True, slots=True)
class Speaking:
    """The work of the stage; without a voice it refuses what was asked for earlier."""

    voice: Voice | None
    archive: Archive

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[LessonToSpeak]:
        return await store.load(conn, ids)

    async def work(self, lessons: Sequence[LessonToSpeak]) -> Outcome[list[NewRecording]]:
        made: list[NewRecording] = []
        failures: dict[int, Failure] = {}
        for lesson in lessons:
            try:
                made += await self._speak(lesson)
            except (Retry, Reject) as failure:
                failures[lesson.lesson_id] = failure
        return Outcome(output=made, failures=failures)

    async def _speak(self, lesson: LessonToSpeak) -> list[NewRecording]:
        """The recording of a lesson; none if it has the same already."""
        if self.voice is None:
            raise Reject(NO_VOICE)
        voice, pace, began = self.voice, PACE_BY_LEVEL[lesson.level], time.monotonic()
        texts = [sentence.text for sentence in lesson.sentences]
        wanted = recordings.recording_hash(texts, voice=voice.name, model=voice.model, pace=pace)
        key = archives.audio_key(wanted)
        if wanted == lesson.recording_hash and await self._is_stored(key):
            return []
        spoken = await voice.speak(texts, speed=pace.speed)
        recording = await asyncio.to_thread(recordings.record, texts, spoken, pace)
        await self.archive.put(key, recording.mp3, source_url=None, content_type=mp3.MEDIA_TYPE)
        new = NewRecording(
            lesson_id=lesson.lesson_id,
            recording_hash=wanted,
            object_key=key,
            voice=voice.name,
            model=voice.model,
            speed=pace.speed,
            byte_count=len(recording.mp3),
            duration_ms=recording.duration_ms,
            sentences=recording.sentences,
            made_in_ms=round((time.monotonic() - began) * 1000),
        )
        metrics.VOICE_FACTOR.observe(new.made_in_ms / max(1, new.duration_ms), voice=voice.name)
        return [new]

    async def _is_stored(self, key: str) -> bool:
        """Whether the archive still has a recording: an operator may have deleted it."""
        try:
            await self.archive.get(key)
        except (NotFound, ArchiveDamaged):
            return False
        return True

    async def save(self, conn: Connection, made: Sequence[NewRecording]) -> list[Subject]:
        await store.put(conn, made)
        if made and self.voice is not None and self.voice.peak_memory is not None:
            measured = [({"voice": self.voice.name}, self.voice.peak_memory)]
            await metrics_store.set_gauge(conn, metrics.VOICE_MEMORY, measured)
        return []


async def ask_ahead(conn: Connection, *, now: datetime) -> int:
    """Enqueue the lessons of the last days at the levels that learners have, before anybody asks."""
    since = first_day(now.astimezone(JAPAN).date(), SHOWN_DAYS)
    return await store.ask_ahead(conn, since=since, limit=AHEAD_LIMIT)


def stage(voice: Voice | None, archive: Archive) -> Stage[Any, Any]:
    speaking = Speaking(voice, archive)
    return Stage(
        name=StageName.SPEAK,
        load=speaking.load,
        work=speaking.work,
        save=speaking.save,
        batch=1,
        lease=LEASE,
        waits=True,  # for the process of the voice, or its server: other stages go on meanwhile
        parallel=PARALLEL,
        parallel_per_lane=PARALLEL,
    )
