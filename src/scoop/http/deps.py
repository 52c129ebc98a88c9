"""Request dependencies: the desk (settings, database, clock), connections, and the visitor."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from scoop import app
from scoop.actions import curators, search
from scoop.actions.curators import InterestTrial
from scoop.actions.search import QueryVector, SearchResult
from scoop.actions.sources import SourcePreview
from scoop.config import Config
from scoop.core import redaction
from scoop.core.access import Visitor
from scoop.core.interests import Interests
from scoop.core.search import Query
from scoop.errors import DatabaseUnavailable, FetchFailed, InputError
from scoop.model import SourceSettings, Topic
from scoop.stages.summaries import SummaryPolicy
from scoop.store import db
from scoop.store.db import Connection, Database

UNAVAILABLE = (*db.GONE, *db.TROUBLE)
CONNECTION_TIMEOUT = 5.0  # seconds; the embedded database restarts within two after a crash
PREVIEW_TIMEOUT = timedelta(seconds=45)  # a site crawl fetches several pages, politely
MAX_PREVIEWS = 2  # at once
MAX_PUSHES = 2  # at once
MAX_TRIALS = 1  # at once
MAX_QUERY_VECTORS = 500  # of the latest searches, 2 kB each


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    config: Config
    database: Database
    clock: Callable[[], datetime]
    newsstand: str | None = None
    timezone: ZoneInfo = field(init=False)
    summary_policy: SummaryPolicy = field(init=False)
    previewing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_PREVIEWS), init=False)
    """Bounds concurrent previews: each takes a process."""
    pushing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_PUSHES), init=False)
    """Bounds concurrent pushes: each holds a connection."""
    trying: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_TRIALS), init=False)
    """Bounds concurrent trials of interests: each keeps a core busy for seconds."""
    query_vectors: OrderedDict[str, QueryVector] = field(default_factory=OrderedDict, init=False)
    """The vectors of the latest searches, by their text: each needs the embedder, which may be a server."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "timezone", ZoneInfo(self.config.timezone))
        object.__setattr__(self, "summary_policy", app.summary_policy(self.config))

    @property
    def minute(self) -> int:
        """The current minute: the status of an event changes with time alone."""
        return int(self.clock().timestamp()) // 60

    @property
    def summary_writer(self) -> str:
        """The name of the writer of summaries."""
        return self.config.tasks["summary"].writer

    @property
    def lesson_writer(self) -> str:
        """The name of the writer of lessons."""
        return self.config.tasks["lesson"].writer

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """A connection with one snapshot to read from; DatabaseUnavailable if the database does not respond."""
        async with self._connection() as conn, conn.transaction(isolation="repeatable_read", readonly=True):
            yield conn

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        """A connection with a transaction, committed when the block ends."""
        async with self._connection() as conn, conn.transaction():
            yield conn

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        try:
            async with asyncio.timeout(CONNECTION_TIMEOUT), self.database.connection() as conn:
                yield conn
        except UNAVAILABLE as error:
            raise DatabaseUnavailable("the database did not answer in time") from error


async def search_stories(desk: Desk, query: Query) -> SearchResult:
    """Search by words and by meaning; the query is embedded before a database connection is taken."""
    vector = await embed_query(desk, query)
    async with desk.reading() as conn:
        return await search.search_stories(conn, query, now=desk.clock(), vector=vector)


async def embed_query(desk: Desk, query: Query) -> QueryVector | None:
    """The vector of a query, from memory if it was searched lately; see `actions.search.embed_query`."""
    known = desk.query_vectors.get(query.text)
    if known is not None:
        desk.query_vectors.move_to_end(query.text)
        return known
    async with app.open_client(desk.config) as client:
        vector = await search.embed_query(app.open_embedder(desk.config, client), query)
    if vector is not None and vector.vector is not None:
        desk.query_vectors[query.text] = vector
        if len(desk.query_vectors) > MAX_QUERY_VECTORS:
            desk.query_vectors.popitem(last=False)
    return vector


async def preview_source(desk: Desk, settings: SourceSettings) -> SourcePreview:
    """The items a source would bring; raises FetchFailed with a redacted address if the fetch fails."""
    try:
        async with asyncio.timeout(PREVIEW_TIMEOUT.total_seconds()), desk.previewing:
            return await app.try_source(desk.config, settings, now=desk.clock())
    except TimeoutError as error:
        message = f"{redaction.redact_text(settings.base_url)} did not answer within {PREVIEW_TIMEOUT.seconds} seconds"
        raise FetchFailed(message, health="timeout") from error
    except FetchFailed as failure:
        message = f"{redaction.redact_text(str(failure))} ({failure.health.replace('_', ' ')})"
        raise FetchFailed(message, health=failure.health) from None  # the original holds the whole address


async def try_interests(
    desk: Desk, topic: Topic, wanted: Interests, *, used: Interests | None, span: timedelta = curators.TRIED_FOR
) -> InterestTrial:
    """What interests would have caught lately, in the last week, compared with those in use; takes seconds."""
    async with desk.trying, desk.database.connection() as conn:
        return await curators.try_interests(conn, topic, wanted, used=used, since=desk.clock() - span)


# Dependencies are async although they do not wait: FastAPI runs others in a thread.


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _receive_body(request: Request) -> None:
    """Receive the whole body, which the request keeps: a slow upload must not hold a connection of the pool."""
    if request._stream_consumed:  # by FastAPI, which parses the fields of a form before dependencies run
        return
    try:
        await request.body()
    except ClientDisconnect as error:
        raise InputError("the client disconnected before the end of the body") from error


async def _reading(request: Request) -> AsyncIterator[Connection]:
    await _receive_body(request)
    async with (await _desk(request)).reading() as conn:
        yield conn


async def _writing(request: Request) -> AsyncIterator[Connection]:
    await _receive_body(request)
    async with (await _desk(request)).writing() as conn:
        yield conn


async def _visitor(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


CurrentDesk = Annotated[Desk, Depends(_desk)]
"""The desk, as an argument of a handler."""
ReadConn = Annotated[Connection, Depends(_reading, scope="function")]
"""A connection with a snapshot, for the length of a handler."""
WriteConn = Annotated[Connection, Depends(_writing, scope="function")]
"""A connection with a transaction, committed after the handler and before the response is sent."""
CurrentVisitor = Annotated[Visitor, Depends(_visitor)]
"""The authenticated visitor of the request."""
