"""Whether the desk works, for whoever asks; nothing more is told."""

from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response

from scoop.doors import answers, routers
from scoop.doors.desk import Reads
from scoop.doors.rights import needs
from scoop.errors import DatabaseUnavailable
from scoop.store import migrations

router = routers.for_programs("Figures")


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    status: Literal["ok"] = "ok"


@router.get("/health", response_model=Working)
@needs(None)
async def read_health(request: Request, conn: Reads) -> Response:
    """`ok` when the database answers and has this program's schema; else 503."""
    if not await migrations.is_current(conn):
        raise DatabaseUnavailable("the desk is not ready")
    return answers.json(request, Working())
