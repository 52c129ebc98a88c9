"""A cache of reads that is never stale: entries hold as long as the database reports the same snapshot.

A snapshot names the transactions that had ended when it was taken. While the database reports the same one, nothing
has been written in between, by this process or any other.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, Request, Response

from scoop.http import responses
from scoop.http.deps import Desk
from scoop.store import db
from scoop.store.db import Connection

CachedT = TypeVar("CachedT")
Make = Callable[[Connection], Awaitable[CachedT]]
MAX_ENTRIES = 100
MAX_RENDERED = 50  # pages, of up to 250 kB


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedResponse:
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
    """A page and the objects that it was rendered from."""

    inputs: Sequence[Any]
    body: bytes

    def is_of(self, inputs: Sequence[Any]) -> bool:
        return all(one is other for one, other in zip(self.inputs, inputs, strict=True))


def cached_response(value: Any, **headers: str) -> CachedResponse:
    return CachedResponse(body=msgspec.json.encode(value), headers=headers)


@dataclass(slots=True)
class ResponseCache:
    """Reads under the latest snapshot that are the same for everybody, by key; concurrent misses share one read."""

    desk: Desk
    _snapshot: str = ""
    _entries: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _snapshot_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next_snapshot: asyncio.Task[str] | None = None
    _next_reads: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)
    _running_reads: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)
    _rendered: OrderedDict[Hashable, RenderedPage] = field(default_factory=OrderedDict)

    async def give(self, request: Request, make: Make[CachedResponse], *, minute: int | None = None) -> Response:
        """The response for the URL of a request; one that depends on the time names the minute that it is for."""
        cached = await self.find((f"{request.url.path}?{request.url.query}", minute), make)
        return responses.with_etag(request, cached.body, "application/json", headers=cached.headers)

    async def find(self, key: Hashable, make: Make[CachedT]) -> CachedT:
        """The cached value if nothing has changed, otherwise the one that `make` reads now.

        It takes its own connections: a caller that already holds one could deadlock with others.
        """
        if await self._current_snapshot() == self._snapshot and key in self._entries:
            cached: CachedT = self._entries[key]
            return cached
        return await self._shared_read(key, make)

    def render(self, key: Hashable, inputs: Sequence[Any], make: Callable[[], bytes]) -> bytes:
        """What `make` rendered before from the same objects of `find`, otherwise what it renders now."""
        rendered = self._rendered.get(key)
        if rendered is None or not rendered.is_of(inputs):
            rendered = self._rendered[key] = RenderedPage(inputs=inputs, body=make())
        self._rendered.move_to_end(key)
        if len(self._rendered) > MAX_RENDERED:
            self._rendered.popitem(last=False)
        return rendered.body

    async def _current_snapshot(self) -> str:
        """A snapshot no older than this call; calls that arrive while one is being taken share the next."""
        if self._next_snapshot is None:
            self._next_snapshot = asyncio.create_task(self._take_snapshot())
        return await asyncio.shield(self._next_snapshot)

    async def _take_snapshot(self) -> str:
        async with self._snapshot_lock:
            self._next_snapshot = None
            async with self.desk.reading() as conn:
                return await db.snapshot(conn)

    async def _shared_read(self, key: Hashable, make: Make[CachedT]) -> CachedT:
        """A read that begins after this call; calls that arrive while another runs share the next, as above."""
        if key not in self._next_reads:
            reading = asyncio.create_task(self._read(key, make, after=self._running_reads.get(key)))
            reading.add_done_callback(_retrieve)
            self._next_reads[key] = reading
        read: CachedT = await asyncio.shield(self._next_reads[key])
        return read

    async def _read(self, key: Hashable, make: Make[CachedT], *, after: asyncio.Task[Any] | None) -> CachedT:
        this = self._next_reads[key]
        try:
            if after is not None:
                await asyncio.wait({after})
            async with self.desk.reading() as conn:
                self._running_reads[key] = self._next_reads.pop(key)
                snapshot = await db.snapshot(conn)
                value = await make(conn)
        finally:
            for reads in (self._next_reads, self._running_reads):
                if reads.get(key) is this:
                    del reads[key]
        self._put(snapshot, key, value)
        return value

    def _put(self, snapshot: str, key: Hashable, value: Any) -> None:
        if snapshot != self._snapshot:
            self._snapshot = snapshot
            self._entries.clear()
        self._entries[key] = value
        if len(self._entries) > MAX_ENTRIES:
            self._entries.popitem(last=False)


def _retrieve(reading: asyncio.Task[Any]) -> None:
    # An error that nobody awaits, because all callers were cancelled, would be logged as never retrieved.
    if not reading.cancelled():
        reading.exception()


async def _response_cache(request: Request) -> ResponseCache:
    cache: ResponseCache = request.app.state.response_cache
    return cache


Cached = Annotated[ResponseCache, Depends(_response_cache)]
"""The response cache, as an argument of a handler."""
