"""Rate limits per host: few requests at once, an interval between them, and pauses that servers ask for."""

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
FORGET_ABOVE = 10_000  # hosts in memory; above this, idle ones are dropped


@dataclass(slots=True)
class _Host:
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE_PER_HOST))
    free_at: float = 0.0
    paused_until: float = 0.0
    users: int = 0


class RateLimits:
    """Request slots per host; `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._all = asyncio.Semaphore(MAX_AT_ONCE)
        self._host_by_name: defaultdict[str, _Host] = defaultdict(_Host)

    @asynccontextmanager
    async def slot(self, name: str, *, interval: float) -> AsyncIterator[None]:
        """Wait for a slot of the host, at least `interval` seconds after the last request began.

        FetchFailed while the host is paused: the request is not sent, and `after` says when to try again.
        """
        host = self._host_by_name[name]
        _refuse_if_paused(name, host.paused_until - self._clock())
        host.users += 1
        try:
            async with host.slots:
                await self._wait(host, interval)
                _refuse_if_paused(name, host.paused_until - self._clock())
                async with self._all:
                    yield
        finally:
            host.users -= 1
            self._forget_idle()

    def pause(self, name: str, span: timedelta) -> None:
        """Send an overloaded host no requests for a while."""
        host = self._host_by_name[name]
        host.paused_until = max(host.paused_until, self._clock() + span.total_seconds())

    async def _wait(self, host: _Host, interval: float) -> None:
        begins_at = max(self._clock(), host.free_at)
        host.free_at = begins_at + interval
        await asyncio.sleep(max(0.0, begins_at - self._clock()))

    def _forget_idle(self) -> None:
        if len(self._host_by_name) > FORGET_ABOVE:
            now = self._clock()
            for name, host in list(self._host_by_name.items()):
                if not host.users and max(host.free_at, host.paused_until) < now:
                    del self._host_by_name[name]


def _refuse_if_paused(name: str, seconds: float) -> None:
    if seconds > 0:
        raise FetchFailed(
            f"{name} is overloaded and asked to wait",
            health="http_error",
            after=timedelta(seconds=seconds),
            status=OVERLOADED,
        )
