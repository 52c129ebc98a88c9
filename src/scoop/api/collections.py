"""Collections: what there is, and how much each holds."""

from fastapi import Request, Response

from scoop.doors import answers, routers
from scoop.doors.answers import Listed
from scoop.doors.desk import Reads
from scoop.doors.rights import needs
from scoop.store import reading
from scoop.store.reading import Collection

router = routers.for_programs("Figures")


@router.get("/collections", response_model=Listed[Collection])
@needs("read")
async def list_collections(request: Request, conn: Reads) -> Response:
    """Every collection with how many arrivals, documents and active stories it holds."""
    return answers.json(request, Listed(items=await reading.collections(conn), next_cursor=None))
