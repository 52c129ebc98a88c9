"""What every door works with: the database, the settings, the moment, and who is there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Depends, Request

from scoop.config import Config
from scoop.core.access import Visitor
from scoop.errors import DatabaseUnavailable
from scoop.store import db
from scoop.store.db import Connection, Database

AWAY = (*db.GONE, *db.TROUBLE)
PATIENCE_SECONDS = 5.0  # the embedded database is back within two after a crash
MOST_TRIED = 2  # sources at once
MOST_PUSHED = 2  # bodies of items at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    config: Config
    database: Database
    clock: Callable[[], datetime]
    newsstand: str | None = None
    timezone: ZoneInfo = field(init=False)
    trying: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_TRIED), init=False)
    """Held by whoever tries a source: each takes a process."""
    pushing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_PUSHED), init=False)
    """Held by whoever hands items in: each takes a connection for as long as it lasts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "timezone", ZoneInfo(self.config.timezone))

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """One snapshot to read from; whatever keeps the database from answering is one error."""
        async with self._connection() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
            yield conn

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        """One transaction; what was written is kept when the block ends."""
        async with self._connection() as conn, conn.transaction():
            yield conn

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self.database.connection() as conn:
                yield conn
        except AWAY as error:
            raise DatabaseUnavailable("the database did not answer in time") from error


# FastAPI runs what is not async in a thread; all of these are there at once.


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _reading(request: Request) -> AsyncIterator[Connection]:
    async with (await _desk(request)).reading() as conn:
        yield conn


async def _writing(request: Request) -> AsyncIterator[Connection]:
    async with (await _desk(request)).writing() as conn:
        yield conn


async def _visitor(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


At = Annotated[Desk, Depends(_desk)]
"""The desk, as an argument of a handler."""
Reads = Annotated[Connection, Depends(_reading, scope="function")]
"""A snapshot for the length of a handler."""
Writes = Annotated[Connection, Depends(_writing, scope="function")]
"""A transaction for the length of a handler: it is kept before the answer leaves."""
By = Annotated[Visitor, Depends(_visitor)]
"""Who asks."""
