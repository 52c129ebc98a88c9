"""The API for people: every call with its right, its values and its answers."""

from fastapi import Request, Response

from scoop.core import access
from scoop.doors import routers
from scoop.doors.rights import needs
from scoop.web import pages
from scoop.web.reader import For

router = routers.for_pages()


@router.get("/api")
@needs("read")
async def api_page(request: Request, reader: For) -> Response:
    return pages.page("api.html", reader, document=request.app.openapi(), rights=access.ABOUT_RIGHTS)
