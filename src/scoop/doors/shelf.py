"""Answers that are kept while nothing changes: under the same snapshot the database gives the same answer.

A snapshot names the transactions that had ended when it was taken. As long as the database says the same one, nothing
was written in between, by this process or any other, and what was answered before is answered again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Request, Response

from scoop.doors import answers
from scoop.doors.desk import Desk
from scoop.store import db
from scoop.store.db import Connection

MOST_KEPT = 200
LARGEST_KEPT = 256 << 10  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A body with the headers that belong to it."""

    body: bytes
    headers: Mapping[str, str]


def answer(value: Any, **headers: str) -> Answer:
    return Answer(body=msgspec.json.encode(value), headers=headers)


Make = Callable[[Connection], Awaitable[Answer]]


@dataclass(slots=True)
class Shelf:
    """What was answered to everybody alike under the latest snapshot, by address."""

    desk: Desk
    _snapshot: str = ""
    _kept: OrderedDict[str, Answer] = field(default_factory=OrderedDict)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next: asyncio.Task[str] | None = None

    async def give(self, request: Request, make: Make) -> Response:
        """The answer for an address: the one on the shelf if nothing has changed, else a new one."""
        address = f"{request.url.path}?{request.url.query}"
        if await self._now() == self._snapshot and address in self._kept:
            found = self._kept[address]
        else:
            found = await self._made(address, make)
        return answers.tagged(request, found.body, "application/json", headers=found.headers)

    async def _made(self, address: str, make: Make) -> Answer:
        async with self.desk.reading() as conn:
            snapshot = await db.snapshot(conn)
            made = await make(conn)
        if snapshot != self._snapshot:
            self._snapshot = snapshot
            self._kept.clear()
        if len(made.body) <= LARGEST_KEPT:
            self._kept[address] = made
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


async def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


OnShelf = Annotated[Shelf, Depends(_shelf)]
"""The shelf, as an argument of a handler."""
