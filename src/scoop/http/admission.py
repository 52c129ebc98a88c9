"""Admission control: limits on the number of requests in progress and of requests that wait."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scoop.http import error_responses
from scoop.http.errors import Busy

MAX_RUNNING = 32  # four for each database connection: not all of them need one
MAX_WAITING = 96
MAX_WAIT = timedelta(seconds=2)
RETRY_AFTER = timedelta(seconds=2)
EXEMPT = ("/static/", "/healthz", "/readyz")  # cheap, and a probe must tell a busy server from a dead one
BUSY = Busy("the server is busy; try again in a moment", after=RETRY_AFTER)


class Admission:
    """Middleware that works on `running` requests and lets `waiting` more wait; others get 503 with Retry-After.

    A request counts from its head to the start of its response, without the time that its client takes to send a body,
    and without what it spends in `without_place`: neither a stream without end, nor a slow upload, nor a wait for a
    worker holds a place.
    """

    def __init__(self, app: ASGIApp, *, running: int = MAX_RUNNING, waiting: int = MAX_WAITING) -> None:
        self.app = app
        self.places = Places(running=running, waiting=waiting)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(EXEMPT):
            await self.app(scope, receive, send)
            return
        if not await self.places.take():
            await error_responses.error_response(Request(scope), BUSY)(scope, receive, send)
            return
        place = _Place(self.places, receive, send)
        Request(scope).state.place = place
        try:
            await self.app(scope, place.receive, place.send)
        finally:
            place.leave()


@asynccontextmanager
async def without_place(request: Request) -> AsyncIterator[None]:
    """Let other requests run while this one waits for a worker; an error is answered without taking a place again."""
    place: _Place = request.state.place
    place.leave()
    yield
    await place.enter()


class Places:
    """Places for requests, handed on in the order of arrival."""

    def __init__(self, *, running: int, waiting: int) -> None:
        self._free = running
        self._most_waiting = waiting
        self._queue: deque[asyncio.Future[None]] = deque()

    async def take(self) -> bool:
        """Wait for a place; False if too many wait already, or none became free in time."""
        if self._free:
            self._free -= 1
            return True
        if len(self._queue) >= self._most_waiting:
            return False
        return await self._wait(seconds=MAX_WAIT.total_seconds(), is_first=False)

    async def take_again(self) -> None:
        """Wait for a place before all others, however long: what has begun is not refused."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(seconds=None, is_first=True)

    def give(self) -> None:
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    async def _wait(self, *, seconds: float | None, is_first: bool) -> bool:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if is_first:
            self._queue.appendleft(turn)
        else:
            self._queue.append(turn)
        is_taken = False
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await turn
                is_taken = True
        finally:
            if not is_taken:
                self._give_up(turn)
        return is_taken

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled():
            self.give()  # it was handed over in the same moment
        elif turn in self._queue:
            self._queue.remove(turn)


class _Place:
    """The place of one request."""

    def __init__(self, places: Places, receive: Receive, send: Send) -> None:
        self._places = places
        self._receive = receive
        self._send = send
        self._is_held = True
        self._has_answered = False

    async def receive(self) -> Message:
        self.leave()
        message = await self._receive()
        if not self._has_answered:
            await self.enter()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._has_answered = True
            self.leave()
        await self._send(message)

    async def enter(self) -> None:
        await self._places.take_again()
        self._is_held = True

    def leave(self) -> None:
        if self._is_held:
            self._is_held = False
            self._places.give()
