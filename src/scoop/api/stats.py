"""Figures: how much there is of everything."""

from fastapi import Request, Response

from scoop.doors import answers, routers
from scoop.doors.desk import Reads
from scoop.doors.rights import needs
from scoop.store import reading
from scoop.store.reading import Stats

router = routers.for_programs("Figures")


@router.get("/stats", response_model=Stats)
@needs("read")
async def read_stats(request: Request, conn: Reads) -> Response:
    """How much there is of everything, how documents came to their stories, and what waits to be done."""
    return answers.json(request, await reading.stats(conn))
