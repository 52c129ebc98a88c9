"""Lessons on demand over HTTP: ask for one, and wait for the worker that makes it."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request

from scoop.actions import lessons as actions
from scoop.core.access import Visitor
from scoop.errors import Retry
from scoop.http import admission
from scoop.http.deps import Desk
from scoop.http.errors import Unauthenticated
from scoop.model import Lesson, Level
from scoop.store import lessons
from scoop.store.lessons import LessonSubject
from scoop.store.reads.lessons import LessonMaterial

PATIENCE = timedelta(seconds=25)  # common proxies end a request after 30 or 60
PAUSE_SECONDS = 0.2  # between two looks at the database, of all who wait for one lesson together
LessonKey = tuple[LessonSubject, int, Level]
SLOW = "the lesson is being made; ask again in a minute"


@dataclass(slots=True)
class LessonWaits:
    """The lessons that requests of this process wait for; those for the same one wait together."""

    desk: Desk
    _waits: dict[LessonKey, asyncio.Task[Lesson]] = field(default_factory=dict)

    async def make(self, request: Request, material: LessonMaterial, level: Level, visitor: Visitor) -> Lesson:
        """The lesson of an article or event once it is made; Retry or Conflict say why there is none."""
        if not visitor.is_known:
            raise Unauthenticated
        key = material.kind, material.subject_id, level
        if key not in self._waits:
            task = asyncio.create_task(self._make(material, level, may_retry="edit" in visitor.rights))
            task.add_done_callback(lambda done: self._forget(key, done))
            self._waits[key] = task
        async with admission.without_place(request):
            return await asyncio.shield(self._waits[key])

    def _forget(self, key: LessonKey, done: asyncio.Task[Lesson]) -> None:
        self._waits.pop(key, None)
        if not done.cancelled():
            done.exception()  # an error that nobody awaits, because all callers left, would be logged

    async def _make(self, material: LessonMaterial, level: Level, *, may_retry: bool) -> Lesson:
        async with self.desk.writing() as conn:
            await actions.ask(conn, material, level, writer=self.desk.lesson_writer, may_retry=may_retry)
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE.total_seconds()
        while True:
            async with self.desk.reading() as conn:
                lesson = await lessons.find(conn, material.kind, material.subject_id, level)
                progress = await actions.get_progress(conn, material, level)
            if lesson is not None:
                return lesson
            if progress.state == "failed":
                raise Retry(f"the lesson could not be made: {progress.problem}")
            if loop.time() > until:
                raise Retry(SLOW)
            await asyncio.sleep(PAUSE_SECONDS)


async def _lesson_waits(request: Request) -> LessonWaits:
    waits: LessonWaits = request.app.state.lesson_waits
    return waits


Waits = Annotated[LessonWaits, Depends(_lesson_waits)]
"""The lessons that are waited for, as an argument of a handler."""
