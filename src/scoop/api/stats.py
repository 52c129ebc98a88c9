"""Counts of everything in the database."""

from fastapi import Request, Response

from scoop.http import responses, routes
from scoop.http.deps import ReadConn
from scoop.http.routes import needs
from scoop.store.reads import stats as stats_reads
from scoop.store.reads.stats import Stats

router = routes.for_programs("Stats")


@router.get("/stats", response_model=Stats)
@needs("read")
async def get_stats(request: Request, conn: ReadConn) -> Response:
    """Counts of everything, of documents by the way they joined their stories, and of queued work."""
    return responses.json(request, await stats_reads.get_stats(conn))
