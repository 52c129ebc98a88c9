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
class Working:
    status: Literal["ok"] = "ok"


@router.get("/health", response_model=Working)
@needs(None)
async def get_health(request: Request, conn: ReadConn) -> Response:
    """`ok` when the database answers and has this program's schema; else 503."""
    if not await migrations.is_current(conn):
        raise DatabaseUnavailable("the desk is not ready")
    return responses.json(request, Working())
