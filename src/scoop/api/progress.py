"""What is being done, as it goes on: server-sent events of the queue."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from weakref import WeakKeyDictionary

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.responses import StreamingResponse

from scoop.core.access import Visitor
from scoop.errors import DatabaseUnavailable
from scoop.http import auth, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk
from scoop.http.errors import TooManyRequests
from scoop.http.routes import needs
from scoop.store import work
from scoop.store.work import Count

router = routes.for_programs("Queue")

LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
LONGEST_SECONDS = 600.0  # then the listener comes again, and whether it may is found out anew
MOST_STREAMS = 64
MOST_STREAMS_EACH = 8
COME_AGAIN = timedelta(seconds=10)
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # the second for nginx, which would hold events back
STREAM = {"description": "Events named `work`", "content": {"text/event-stream": {"schema": {"type": "string"}}}}


@dataclass(slots=True)
class Board:
    """The figures of the queue, read at most once a second for all who watch, and how many watch."""

    listeners: Counter[str] = field(default_factory=Counter)
    _counts: list[Count] = field(default_factory=list)
    _read_at: float = float("-inf")
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def counts(self, desk: Desk) -> list[Count]:
        async with self._reading:
            if time.monotonic() - self._read_at >= LOOK_SECONDS:
                async with desk.reading() as conn:
                    self._counts = await work.counts(conn)
                self._read_at = time.monotonic()
        return self._counts

    def check_place_for(self, listener: str) -> None:
        if self.listeners.total() >= MOST_STREAMS or self.listeners[listener] >= MOST_STREAMS_EACH:
            raise TooManyRequests("too many listen to the progress already", after=COME_AGAIN)


_boards: WeakKeyDictionary[FastAPI, Board] = WeakKeyDictionary()


@router.get("/progress", response_class=StreamingResponse, responses={200: STREAM})
@needs("read")
async def follow_progress(request: Request, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Server-sent events named `work`: the list of what waits, is claimed or is quarantined, by stage.

    The first comes at once, the others when something has changed, at most one a second; a comment every 15 seconds
    keeps the line open. After ten minutes the stream ends, and a browser opens it again by itself.
    """
    board = _boards.setdefault(request.app, Board())
    listener = _listener(request, by)
    board.check_place_for(listener)
    events = _events(desk, board, listener, stopping=request.state.stopping)
    return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)


def _listener(request: Request, by: Visitor) -> str:
    return f"user {by.user_id}" if by.is_known else f"address {auth.client_address(request)}"


async def _events(desk: Desk, board: Board, listener: str, *, stopping: asyncio.Event) -> AsyncIterator[bytes]:
    board.listeners[listener] += 1
    began_at = told_at = time.monotonic()
    told = b""
    try:
        while not stopping.is_set() and time.monotonic() - began_at < LONGEST_SECONDS:
            found = await _told(desk, board)
            if found is not None and found != told:
                yield b"event: work\ndata: %b\n\n" % found
                told, told_at = found, time.monotonic()
            elif time.monotonic() - told_at >= HEARTBEAT_SECONDS:
                yield b": all is as it was\n\n"
                told_at = time.monotonic()
            await _pause(stopping)
    finally:
        board.listeners[listener] -= 1


async def _told(desk: Desk, board: Board) -> bytes | None:
    """The figures as JSON; nothing while the database is away."""
    try:
        return msgspec.json.encode(await board.counts(desk))
    except DatabaseUnavailable:
        return None


async def _pause(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), LOOK_SECONDS)
    except TimeoutError:
        return
