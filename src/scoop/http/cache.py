"""What was read is kept while nothing changes: under the same snapshot the database gives the same answer.

A snapshot names the transactions that had ended when it was taken. As long as the database says the same one, nothing
was written in between, by this process or any other, and what was read before need not be read again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, Request, Response

from scoop.http import responses
from scoop.http.deps import Desk
from scoop.store import db
from scoop.store.db import Connection

CachedT = TypeVar("CachedT")
MOST_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedResponse:
    """A body with the headers that belong to it."""

    body: bytes
    headers: Mapping[str, str]


def cached_response(value: Any, **headers: str) -> CachedResponse:
    return CachedResponse(body=msgspec.json.encode(value), headers=headers)


@dataclass(slots=True)
class ResponseCache:
    """What was read under the latest snapshot and is the same for everybody, by a key that names it."""

    desk: Desk
    _snapshot: str = ""
    _kept: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next: asyncio.Task[str] | None = None

    async def give(self, request: Request, make: Callable[[Connection], Awaitable[CachedResponse]]) -> Response:
        """The answer for the address that is asked for."""
        found = await self.find(f"{request.url.path}?{request.url.query}", make)
        return responses.with_etag(request, found.body, "application/json", headers=found.headers)

    async def find(self, key: Hashable, make: Callable[[Connection], Awaitable[CachedT]]) -> CachedT:
        """What is on the shelf if nothing has changed, else what `make` reads now.

        It takes its own connection: a caller that already holds one could deadlock with others.
        """
        if await self._now() == self._snapshot and key in self._kept:
            kept: CachedT = self._kept[key]
            return kept
        async with self.desk.reading() as conn:
            snapshot = await db.snapshot(conn)
            made = await make(conn)
        if snapshot != self._snapshot:
            self._snapshot = snapshot
            self._kept.clear()
        self._kept[key] = made
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return made

    async def _now(self) -> str:
        """A snapshot that is no older than this call; those who come while one is being taken share the next."""
        if self._next is None:
            self._next = asyncio.create_task(self._ask())
        return await asyncio.shield(self._next)

    async def _ask(self) -> str:
        async with self._asking:
            self._next = None
            async with self.desk.reading() as conn:
                return await db.snapshot(conn)


async def _response_cache(request: Request) -> ResponseCache:
    cache: ResponseCache = request.app.state.response_cache
    return cache


Cached = Annotated[ResponseCache, Depends(_response_cache)]
"""The response cache, as an argument of a handler."""
