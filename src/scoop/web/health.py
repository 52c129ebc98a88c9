"""Whether the server lives, and whether it can do its work: for whoever watches over it."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from scoop.errors import DatabaseUnavailable
from scoop.store import db, migrations
from scoop.store.db import Database

READY_SECONDS = 2.0
AWAY = (*db.GONE, *db.TROUBLE)


async def alive(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def readiness(database: Database) -> Response:
    """Ready when the database answers in time and has this program's schema."""
    reason = await _reason_to_wait(database)
    if reason:
        return JSONResponse({"ready": False, "reason": reason}, status_code=503)
    return JSONResponse({"ready": True})


async def _reason_to_wait(database: Database) -> str | None:
    try:
        async with asyncio.timeout(READY_SECONDS), database.connection() as conn:
            is_current = await migrations.is_current(conn)
    except AWAY:
        return "the database does not answer"
    except DatabaseUnavailable:
        return "the database is away or its schema is of another version of Scoop"
    return None if is_current else "the schema is not current: scoop db migrate"
