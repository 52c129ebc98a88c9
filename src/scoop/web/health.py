"""Liveness and readiness checks."""

import asyncio

from fastapi import Response
from starlette.responses import JSONResponse, PlainTextResponse

from scoop.config import Config
from scoop.core import diagnosis
from scoop.errors import DatabaseUnavailable
from scoop.http import routes
from scoop.http.deps import UNAVAILABLE, CurrentDesk
from scoop.http.routes import needs
from scoop.store import migrations
from scoop.store.db import Connection, Database

router = routes.for_pages()

READY_SECONDS = 2.0


@router.get("/healthz")
@needs(None)
async def alive() -> Response:
    return PlainTextResponse("ok")


@router.get("/readyz")
@needs(None)
async def readiness(desk: CurrentDesk) -> Response:
    """Ready when the database answers in time and has this program's schema, and there is space to write to."""
    reason = _disk_problem(desk.config) or await _database_problem(desk.database)
    if reason:
        return JSONResponse({"ready": False, "reason": reason}, status_code=503)
    return JSONResponse({"ready": True})


def _disk_problem(config: Config) -> str | None:
    disk = diagnosis.check_disk(config.free_bytes())
    return f"the disk of SCOOP_HOME is full: {disk.finding}" if disk.outcome == "fail" else None


async def _database_problem(database: Database) -> str | None:
    try:
        async with asyncio.timeout(READY_SECONDS), database.connection() as conn:
            return await _schema_problem(conn)
    except (*UNAVAILABLE, DatabaseUnavailable):
        return "the database does not answer"


async def _schema_problem(conn: Connection) -> str | None:
    try:
        is_current = await migrations.is_current(conn)
    except DatabaseUnavailable:
        return "the schema is of another version of Scoop"
    return None if is_current else "the schema is not current: scoop db migrate"
