"""Static files, and those that browsers and crawlers fetch from the root of a site: favicon, robots.txt, manifest."""

from typing import Any

from fastapi import Response
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse
from starlette.staticfiles import StaticFiles

from scoop.http import routes
from scoop.http.routes import needs
from scoop.web import pages

router = routes.for_pages()

CACHE = {"Cache-Control": "public, max-age=86400"}
CACHE_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
ROBOTS = "User-agent: *\nDisallow: /\n"  # a desk is for its people; its articles belong to their publishers
PAPER, ACCENT = "#fbfaf7", "#0b57a4"
ICONS = (
    ("icon.svg", "any", "image/svg+xml"),
    ("icon-192.png", "192x192", "image/png"),
    ("icon-512.png", "512x512", "image/png"),
)


class HashedFiles(StaticFiles):
    """Static files; their addresses contain a hash of the content, so a browser need not ask for them again."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        response.headers.update(CACHE_FOR_EVER)
        return response


@router.get("/favicon.ico")
@needs(None)
async def favicon() -> Response:
    return FileResponse(pages.STATIC / "favicon.ico", media_type="image/x-icon", headers=CACHE)


@router.get("/podcast-cover.png")
@needs(None)
async def podcast_cover() -> Response:
    return FileResponse(pages.STATIC / "podcast-cover.png", media_type="image/png", headers=CACHE)


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
