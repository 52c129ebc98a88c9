"""The web page: addresses, and what is read and rendered for each."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from scoop.errors import DatabaseUnavailable, NotFound
from scoop.store import reading
from scoop.store.db import Connection, Database
from scoop.web import day, guard, health, pages, problems
from scoop.web.day import Choice
from scoop.web.reader import Reader

log = structlog.get_logger()

STATIC = Path(__file__).parent / "static"
PATIENCE_SECONDS = 5.0  # the embedded database is back within two after a crash
MAX_OFFSET_DIGITS = 6


def create_app(
    database: Database,
    *,
    timezone: str,
    newsstand: str | None,
    clock: Callable[[], datetime],
    hosts: frozenset[str] = frozenset(),
) -> Starlette:
    """The page as an ASGI app; it answers under `hosts` and the names of the loopback address."""
    desk = Desk(database=database, timezone=ZoneInfo(timezone), newsstand=newsstand, clock=clock)
    return Starlette(
        routes=desk.routes(),
        middleware=[Middleware(guard.Guard, hosts=hosts)],
        exception_handlers={
            NotFound: _not_found,
            HTTPStatus.NOT_FOUND: _not_found,
            DatabaseUnavailable: _database_away,
            Exception: _broken,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the pages are made from."""

    database: Database
    timezone: ZoneInfo
    newsstand: str | None
    clock: Callable[[], datetime]

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.home_page),
            Route("/days/{day}", self.day_page),
            Route("/stories/{story_uuid:uuid}", self.story_page),
            Route("/healthz", health.alive),
            Route("/readyz", self.readyz),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    async def home_page(self, _request: Request) -> Response:
        """Today, or the newest day that has stories."""
        reader = self._reader()
        choice = Choice(day=reader.today)
        async with self._reading() as conn:
            page = await day.read(conn, reader, choice)
            if not page.sections and page.nearest:
                page = await day.read(conn, reader, replace(choice, day=page.nearest))
        return HTMLResponse(pages.render_day(page, reader, instead_of_today=page.choice != choice))

    async def day_page(self, request: Request) -> Response:
        reader = self._reader()
        choice = _choice(request)
        async with self._reading() as conn:
            page = await day.read(conn, reader, choice)
        return HTMLResponse(pages.render_day(page, reader, instead_of_today=False))

    async def story_page(self, request: Request) -> Response:
        """The story; one that was merged sends the reader to where it went."""
        async with self._reading() as conn:
            detail = await reading.story(conn, str(request.path_params["story_uuid"]))
            if detail.story.merged_into is not None:
                stays = await reading.story(conn, str(detail.story.merged_into))
                return RedirectResponse(f"/stories/{stays.story.story_uuid}", status_code=HTTPStatus.FOUND)
        return HTMLResponse(pages.render_story(detail, self._reader()))

    async def readyz(self, _request: Request) -> Response:
        return await health.readiness(self.database)

    def _reader(self) -> Reader:
        return Reader(now=self.clock(), timezone=self.timezone, newsstand=self.newsstand)

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Connection]:
        """One snapshot to read a page from; whatever keeps the database from answering is one error."""
        try:
            async with (
                asyncio.timeout(PATIENCE_SECONDS),
                self.database.connection() as conn,
                conn.transaction(isolation="repeatable_read", readonly=True),
            ):
                yield conn
        except health.AWAY as error:
            raise DatabaseUnavailable("the database did not answer in time") from error


def _choice(request: Request) -> Choice:
    collection = request.query_params.get("collection") or None
    offset = request.query_params.get("offset", "0")
    if collection and not collection.isprintable():
        raise NotFound("there is no such collection")
    if not (offset.isascii() and offset.isdigit() and len(offset) <= MAX_OFFSET_DIGITS):
        raise NotFound("there is no such offset")
    return Choice(day=day.day_named(request.path_params["day"]), collection=collection, offset=int(offset))


async def _not_found(_request: Request, _error: Exception) -> Response:
    return problems.response(HTTPStatus.NOT_FOUND)


async def _database_away(request: Request, error: Exception) -> Response:
    log.warning("page not served", path=request.url.path, error=str(error.__cause__ or error))
    return problems.response(HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "5"})


async def _broken(_request: Request, _error: Exception) -> Response:
    # Starlette sends this one from outside the guard.
    return problems.response(HTTPStatus.INTERNAL_SERVER_ERROR, headers=guard.HEADERS)
