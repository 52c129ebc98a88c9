"""Collections and what they hold."""

from fastapi import Request, Response

from scoop.http import responses, routes
from scoop.http.deps import ReadConn
from scoop.http.pagination import Listed
from scoop.http.routes import needs
from scoop.store.reads import collections as collection_reads
from scoop.store.reads.collections import CollectionSummary

router = routes.for_programs("Stats")


@router.get("/collections", response_model=Listed[CollectionSummary])
@needs("read")
async def list_collections(request: Request, conn: ReadConn) -> Response:
    """Every collection with its numbers of arrivals, documents and active stories."""
    return responses.json(request, Listed(items=await collection_reads.list_collections(conn), next_cursor=None))
