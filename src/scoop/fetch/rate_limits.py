"""How often and how many at once: every host is asked politely, whoever asks."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from scoop.errors import FetchFailed

MAX_AT_ONCE = 64
MAX_AT_ONCE_PER_HOST = 2
OVERLOADED = 503
FORGET_ABOVE = 10_000  # hosts that are remembered; idle ones are forgotten beyond


@dataclass(slots=True)
class _Host:
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE_PER_HOST))
    free_at: float = 0.0
    rests_until: float = 0.0
    users: int = 0


class RateLimits:
    """Turns at hosts; `clock` is monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._all = asyncio.Semaphore(MAX_AT_ONCE)
        self._host_by_name: defaultdict[str, _Host] = defaultdict(_Host)

    @asynccontextmanager
    async def slot(self, name: str, *, interval: float) -> AsyncIterator[None]:
        """Wait until the host may be asked again: few at once, and `interval` seconds after the last beginning."""
        host = self._host_by_name[name]
        _let_rest(name, host.rests_until - self._clock())
        host.users += 1
        try:
            async with host.slots:
                await self._wait(host, interval)
                _let_rest(name, host.rests_until - self._clock())
                async with self._all:
                    yield
        finally:
            host.users -= 1
            self._forget()

    def pause(self, name: str, span: timedelta) -> None:
        """Leave a host alone for a while: it is overloaded, and whoever asks next would be told the same."""
        host = self._host_by_name[name]
        host.rests_until = max(host.rests_until, self._clock() + span.total_seconds())

    async def _wait(self, host: _Host, interval: float) -> None:
        begins_at = max(self._clock(), host.free_at)
        host.free_at = begins_at + interval
        await asyncio.sleep(max(0.0, begins_at - self._clock()))

    def _forget(self) -> None:
        if len(self._host_by_name) > FORGET_ABOVE:
            now = self._clock()
            for name, host in list(self._host_by_name.items()):
                if not host.users and max(host.free_at, host.rests_until) < now:
                    del self._host_by_name[name]


def _let_rest(name: str, seconds: float) -> None:
    if seconds > 0:
        raise FetchFailed(
            f"{name} asked for rest", health="http_error", after=timedelta(seconds=seconds), status=OVERLOADED
        )
