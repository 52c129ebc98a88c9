"""Public health check without details."""

from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response

from scoop.errors import DatabaseUnavailable
from scoop.http import responses, routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store import migrations

router = routes.for_programs("Stats")


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    status: Literal["ok"] = "ok"


@router.get("/health", response_model=Health)
@needs(None)
async def get_health(request: Request, conn: ReadConn) -> Response:
    """`ok` if the database responds and has the current schema, otherwise 503."""
    if not await migrations.is_current(conn):
        raise DatabaseUnavailable("the desk is not ready")
    return responses.json(request, Health())
