"""Live progress of the queue as server-sent events."""

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

POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
MAX_SECONDS = 600.0  # then the client reconnects and is authenticated again
MAX_STREAMS = 64
MAX_STREAMS_PER_LISTENER = 8
RETRY_AFTER = timedelta(seconds=10)
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # the second for nginx, which would buffer events
STREAM = {"description": "Events named `work`", "content": {"text/event-stream": {"schema": {"type": "string"}}}}


@dataclass(slots=True)
class ProgressBoard:
    """The counts of the queue, read at most once a second for all listeners, and the number of listeners."""

    listeners: Counter[str] = field(default_factory=Counter)
    _counts: list[Count] = field(default_factory=list)
    _read_at: float = float("-inf")
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def counts(self, desk: Desk) -> list[Count]:
        async with self._reading:
            if time.monotonic() - self._read_at >= POLL_SECONDS:
                async with desk.reading() as conn:
                    self._counts = await work.counts(conn)
                self._read_at = time.monotonic()
        return self._counts

    def check_capacity(self, listener: str) -> None:
        if self.listeners.total() >= MAX_STREAMS or self.listeners[listener] >= MAX_STREAMS_PER_LISTENER:
            raise TooManyRequests("too many open progress streams; close one or try again later", after=RETRY_AFTER)


_boards: WeakKeyDictionary[FastAPI, ProgressBoard] = WeakKeyDictionary()


@router.get("/progress", response_class=StreamingResponse, responses={200: STREAM})
@needs("read")
async def follow_progress(request: Request, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Server-sent events named `work`: the counts of waiting, claimed and quarantined work by stage.

    The first event comes at once, later ones when a count changes, at most one a second; a comment every 15 seconds
    keeps the connection open. After ten minutes the stream ends, and browsers reconnect automatically.
    """
    board = _boards.setdefault(request.app, ProgressBoard())
    listener = _listener(request, by)
    board.check_capacity(listener)
    events = _events(desk, board, listener, stopping=request.state.stopping)
    return StreamingResponse(events, media_type="text/event-stream", headers=HEADERS)


def _listener(request: Request, by: Visitor) -> str:
    return f"user {by.user_id}" if by.is_known else f"address {auth.client_address(request)}"


async def _events(desk: Desk, board: ProgressBoard, listener: str, *, stopping: asyncio.Event) -> AsyncIterator[bytes]:
    board.listeners[listener] += 1
    began_at = sent_at = time.monotonic()
    sent = b""
    try:
        while not stopping.is_set() and time.monotonic() - began_at < MAX_SECONDS:
            counts = await _encode_counts(desk, board)
            if counts is not None and counts != sent:
                yield b"event: work\ndata: %b\n\n" % counts
                sent, sent_at = counts, time.monotonic()
            elif time.monotonic() - sent_at >= HEARTBEAT_SECONDS:
                yield b": no change\n\n"
                sent_at = time.monotonic()
            await _pause(stopping)
    finally:
        board.listeners[listener] -= 1


async def _encode_counts(desk: Desk, board: ProgressBoard) -> bytes | None:
    """The counts as JSON; None while the database is unavailable."""
    try:
        return msgspec.json.encode(await board.counts(desk))
    except DatabaseUnavailable:
        return None


async def _pause(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), POLL_SECONDS)
    except TimeoutError:
        return
