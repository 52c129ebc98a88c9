"""Listen as an app on a phone: its manifest, and the script that keeps lessons on the device."""

from fastapi import Response
from starlette.responses import FileResponse, JSONResponse

from scoop.http import routes
from scoop.http.routes import needs
from scoop.web import pages
from scoop.web.site_files import ACCENT, CACHE, ICONS, PAPER

router = routes.for_pages()


@router.get("/listen/app.webmanifest")
@needs(None)
async def listen_manifest() -> Response:
    """Lets a browser install the pages of learners as an app of their own."""
    content = {
        "id": "/listen",
        "name": "Scoop Listen",
        "short_name": "Listen",
        "description": "The news of the last days, read aloud in English at your level.",
        "start_url": "/listen",
        "scope": "/listen",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": ACCENT,
        "icons": [{"src": pages.static_href(name), "sizes": sizes, "type": kind} for name, sizes, kind in ICONS],
    }
    return JSONResponse(content, media_type="application/manifest+json", headers=CACHE)


@router.get("/listen/worker.js")
@needs(None)
async def service_worker() -> Response:
    """The service worker; browsers look for a new one at every visit."""
    headers = {"Service-Worker-Allowed": "/listen", "Cache-Control": "no-cache"}
    return FileResponse(pages.STATIC / "listen_worker.js", media_type="text/javascript", headers=headers)
