"""Lessons as the stage `write` leaves them, and a voice that hums each of their sentences."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from builders import an_item, ingest, run_all
from scoop.archive.objects import Archive
from scoop.core.audio import SpokenSentence, TimedWord, mp3
from scoop.core.hashes import sha256
from scoop.model import LessonSentence, Level
from scoop.stage_names import StageName
from scoop.stages import speak
from scoop.stages.stage import Worker, run_batch
from scoop.store import briefs, lessons, work
from scoop.store.db import Database
from scoop.store.lessons import NewLesson
from scoop.voices import Voice

SENTENCES = ("The bridge is closed today.", "Workers repair it now.", "It opens in May.")
MS_OF_A_CHARACTER = 20


@dataclass(kw_only=True)
class Humming:
    """A voice that hums 20 ms for each character; what is in `failures` it raises first."""

    name: str = "humming"
    model: str = "a4"
    waits: bool = False
    peak_memory: int | None = None
    failures: list[Exception] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)

    async def speak(self, sentences: Sequence[str], *, speed: float) -> list[SpokenSentence]:
        if self.failures:
            raise self.failures.pop(0)
        self.spoken += sentences
        return [self._hum(sentence, MS_OF_A_CHARACTER / speed) for sentence in sentences]

    def _hum(self, sentence: str, ms: float) -> SpokenSentence:
        count = int(len(sentence) * ms * mp3.SAMPLE_RATE / 1000)
        samples = (0.3 * np.sin(2 * np.pi * 440 * np.arange(count) / mp3.SAMPLE_RATE)).astype(np.float32)
        words, place = [], 0
        for word in sentence.split(" "):
            end = place + len(word)
            words.append(TimedWord(start=place, end=end, start_ms=int(place * ms), end_ms=int(end * ms)))
            place = end + 1
        return SpokenSentence(samples=samples, sample_rate=mp3.SAMPLE_RATE, words=tuple(words))

    async def close(self) -> None: ...


async def choose(database: Database, items: Sequence[dict[str, Any]], *, day: date) -> list[int]:
    """Take articles in and choose them for learners; gives their ids in the order of the items."""
    await ingest(database, items)
    await run_all(database, without=[StageName.WRITE, StageName.SPEAK])
    async with database.transaction() as conn:
        titles = [item["title"] for item in items]
        rows = await conn.fetch("SELECT document_id, title FROM documents WHERE title = ANY ($1)", titles)
        id_by_title = {row["title"]: row["document_id"] for row in rows}
        ids = [id_by_title[title] for title in titles]
        await conn.executemany(
            "INSERT INTO listening_articles (document_id, chosen_on) VALUES ($1, $2)", [(one, day) for one in ids]
        )
    return ids


async def teach(database: Database, document_id: int, level: Level, sentences: Sequence[str] = SENTENCES) -> int:
    """Store the lesson of an article at a level; gives its id."""
    text = " ".join(sentences)
    async with database.transaction() as conn:
        [brief_id] = await briefs.ask(conn, "lesson", "document", {document_id: "en"}, level=level)
        await conn.execute("DELETE FROM work WHERE stage = 'write' AND subject = $1", brief_id)
        await conn.execute("UPDATE briefs SET written_at = now() WHERE brief_id = $1", brief_id)
        made = NewLesson(
            brief_id=brief_id,
            subject_kind="document",
            subject_id=document_id,
            level=level,
            lesson_text=text,
            sentences=tuple(LessonSentence(text=each, citations=()) for each in sentences),
            word_count=len(text.split()),
            measured_level=level,
            score=1.0,
            findings=(),
            provider="local",
            model="grader-1",
            prompt_id="lesson",
            prompt_version="v1.0",
            disclaimer_id="simplified",
            input_hash=sha256(text),
        )
        await lessons.put(conn, [made])
        lesson_id: int = await conn.fetchval(
            "SELECT lesson_id FROM lessons WHERE subject_id = $1 AND level = $2", document_id, level
        )
    return lesson_id


async def speak_due(database: Database, archive: Path, voice: Voice | None = None) -> None:
    """Let a voice speak the lessons that are due."""
    stage = speak.stage(voice or Humming(), Archive.open(str(archive), credentials={}))
    async with database.connection() as conn:
        worker = Worker(await work.register_worker(conn), conn)
        while await run_batch(stage, worker):
            pass


@asynccontextmanager
async def a_lesson(
    database: Database, *, level: Level = "B1", day: date = date(2024, 5, 16), **changes: Any
) -> AsyncIterator[tuple[int, Path]]:
    """A lesson without a recording, and the folder of the archive."""
    item = an_item(1, published_at="2024-05-16T03:00:00Z", **changes)
    [document_id] = await choose(database, [item], day=day)
    with tempfile.TemporaryDirectory() as folder:
        yield await teach(database, document_id, level), Path(folder)
