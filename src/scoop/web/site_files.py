"""Files that browsers and crawlers fetch from the root of a site: favicon, robots.txt, web app manifest."""

from fastapi import Response
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse

from scoop.http import routes
from scoop.http.routes import needs
from scoop.web import pages

router = routes.for_pages()

CACHE = {"Cache-Control": "public, max-age=86400"}
ROBOTS = "User-agent: *\nDisallow: /\n"  # a desk is for its people; its articles belong to their publishers
PAPER, ACCENT = "#fbfaf7", "#0b57a4"
ICONS = (
    ("icon.svg", "any", "image/svg+xml"),
    ("icon-192.png", "192x192", "image/png"),
    ("icon-512.png", "512x512", "image/png"),
)


@router.get("/favicon.ico")
@needs(None)
async def favicon() -> Response:
    return FileResponse(pages.STATIC / "favicon.ico", media_type="image/x-icon", headers=CACHE)


@router.get("/robots.txt")
@needs(None)
async def robots() -> Response:
    return PlainTextResponse(ROBOTS, headers=CACHE)


@router.get("/manifest.webmanifest")
@needs(None)
async def manifest() -> Response:
    """Lets a browser install Scoop as an app."""
    content = {
        "name": "Scoop",
        "short_name": "Scoop",
        "start_url": "/",
        "display": "minimal-ui",
        "background_color": PAPER,
        "theme_color": ACCENT,
        "icons": [{"src": pages.static_href(name), "sizes": sizes, "type": kind} for name, sizes, kind in ICONS],
    }
    return JSONResponse(content, media_type="application/manifest+json", headers=CACHE)
