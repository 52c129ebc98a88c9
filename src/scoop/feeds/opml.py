"""The feeds that Scoop gathers, for another reader."""

from fastapi import Request, Response

from scoop.actions import source_lists
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.disclosure import ShowsSecrets
from scoop.http.routes import needs

router = routes.for_programs("Exports", prefix="/export")

MEDIA = "text/x-opml"


@router.get(
    "/sources.opml", responses={200: {"description": "OPML 2.0", "content": {MEDIA: {}}}}, response_class=Response
)
@needs("read")
async def sources(request: Request, desk: CurrentDesk, conn: ReadConn, secrets: ShowsSecrets) -> Response:
    """The feeds as OPML, one folder per collection; `secrets=show` gives whole addresses, to admins."""
    body = await source_lists.export_opml(conn, now=desk.clock(), secrets=secrets)
    named = {"Content-Disposition": 'attachment; filename="scoop-sources.opml"'}
    return responses.with_etag(request, body, f"{MEDIA}; charset=utf-8", headers=named)
