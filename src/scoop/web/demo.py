"""Remove the demo from the banner of every page."""

from fastapi import Response

from scoop.http import routes
from scoop.http.deps import WriteConn
from scoop.http.routes import needs
from scoop.newsstand import installation
from scoop.web import pages

router = routes.for_pages()


@router.post("/demo/remove")
@needs("edit")
async def remove_demo(conn: WriteConn) -> Response:
    await installation.remove(conn)
    return pages.redirect_with_notice("/", notice="Demo removed. Bring it back with: scoop demo add")
