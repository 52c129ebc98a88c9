"""Liveness and readiness checks."""

import asyncio

from fastapi import Response
from starlette.responses import JSONResponse, PlainTextResponse

from scoop.errors import DatabaseUnavailable
from scoop.http import routes
from scoop.http.deps import UNAVAILABLE, CurrentDesk
from scoop.http.routes import needs
from scoop.store import migrations
from scoop.store.db import Database

router = routes.for_pages()

READY_SECONDS = 2.0


@router.get("/healthz")
@needs(None)
async def alive() -> Response:
    return PlainTextResponse("ok")


@router.get("/readyz")
@needs(None)
async def readiness(desk: CurrentDesk) -> Response:
    """Ready when the database answers in time and has this program's schema."""
    reason = await _reason_to_wait(desk.database)
    if reason:
        return JSONResponse({"ready": False, "reason": reason}, status_code=503)
    return JSONResponse({"ready": True})


async def _reason_to_wait(database: Database) -> str | None:
    try:
        async with asyncio.timeout(READY_SECONDS), database.connection() as conn:
            is_current = await migrations.is_current(conn)
    except UNAVAILABLE:
        return "the database does not answer"
    except DatabaseUnavailable:
        return "the database is away or its schema is of another version of Scoop"
    return None if is_current else "the schema is not current: scoop db migrate"
