"""Hostile and broken servers: one path for each kind; a client must survive all of them."""

import asyncio
import gzip
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from functools import cache

import brotli
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from scoop.newsstand import replies
from scoop.newsstand.context import SiteContext

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HOST = "hostile.example"
ROBOTLESS_HOST = "norobots.example"  # its robots.txt is unavailable, so nothing else may be fetched
MEBIBYTE = bytes(1 << 20)
BOMB_MEBIBYTES = 64
FLOOD_ITEMS = 50_000
DEPTH = 100_000
RETRY_SECONDS = 120
PRIVATE_ADDRESSES = (
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "https:\\\\127.0.0.1\\",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
)
FEED = (
    b'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Hostile</title>'
    b"<link>http://hostile.example/</link><description>For once a feed.</description>"
    b"<item><title>It is quiet here</title><guid>1</guid></item></channel></rss>"
)


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {
        HOST: Hostile(context=context).routes(),
        ROBOTLESS_HOST: [Route("/robots.txt", broken), Route("/feed.xml", feed)],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/feed.xml", feed),
            Route("/drip", drip),
            Route("/endless", endless),
            Route("/huge", huge),
            Route("/bomb/{encoding}", bomb),
            Route("/truncated", truncated),
            Route("/not-offered", not_offered),
            Route("/redirect/loop", loop),
            Route("/redirect/private/{number:int}", private),
            Route("/moved/{status:int}", moved),
            Route("/busy/{status:int}/{form}", self.busy),
            Route("/not-modified", not_modified),
            Route("/gone", gone),
            Route("/empty", empty),
            Route("/html", html),
            Route("/charset", charset),
            Route("/flood", self.flood),
            Route("/deep", deep),
        ]

    async def busy(self, request: Request) -> Response:
        """Too many requests, with a Retry-After in seconds, as a date, or invalid."""
        until = self.context.clock() + timedelta(seconds=RETRY_SECONDS)
        forms = {
            "seconds": str(RETRY_SECONDS),
            "date": format_datetime(until, usegmt=True),
            "past": format_datetime(self.context.clock() - timedelta(days=1), usegmt=True),
            "huge": "9" * 30,
            "garbage": "soon, we hope",
        }
        form = request.path_params["form"]
        if form not in forms:
            raise HTTPException(404)
        return Response(status_code=request.path_params["status"], headers={"retry-after": forms[form]})

    async def flood(self, _request: Request) -> Response:
        """More items than a reader takes, each with another id on every fetch."""
        visit = self.context.clock().timestamp()
        items = (
            f"<item><title>Flood {number}</title><guid>{visit}-{number}</guid></item>" for number in range(FLOOD_ITEMS)
        )
        head = '<rss version="2.0"><channel><title>Flood</title><link>http://hostile.example/</link>'
        return Response(f"{head}{''.join(items)}</channel></rss>", media_type="application/rss+xml")


async def feed(_request: Request) -> Response:
    return Response(FEED, media_type="application/rss+xml")


async def broken(_request: Request) -> Response:
    return Response(status_code=503)


async def drip(_request: Request) -> Response:
    return replies.drip("application/rss+xml", b"<")


async def endless(_request: Request) -> Response:
    """Send as much as the client takes, without end."""

    async def flow() -> AsyncIterator[bytes]:
        while True:
            yield MEBIBYTE
            await asyncio.sleep(0)  # otherwise the server would not notice that the client has left

    return StreamingResponse(flow(), media_type="application/rss+xml")


async def huge(_request: Request) -> Response:
    """A body with a declared size."""
    length = str(BOMB_MEBIBYTES << 20)
    return StreamingResponse(iter([MEBIBYTE] * BOMB_MEBIBYTES), headers={"content-length": length})


async def bomb(request: Request) -> Response:
    """A few bytes that decompress to many, also in layers."""
    encoding = request.path_params["encoding"]
    if encoding not in BOMBS:
        raise HTTPException(404)
    return Response(_bomb(encoding), headers={"content-encoding": encoding.replace("+", ", ")})


@cache
def _bomb(encoding: str) -> bytes:
    return b"".join(BOMBS[encoding]())


def _deflated(window_bits: int) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=window_bits)
    for _ in range(BOMB_MEBIBYTES):
        yield packer.compress(MEBIBYTE)
    yield packer.flush()


def _brotli() -> Iterator[bytes]:
    packer = brotli.Compressor(quality=3)
    for _ in range(BOMB_MEBIBYTES):
        yield packer.process(MEBIBYTE)
    yield packer.finish()


def _zstd() -> Iterator[bytes]:
    packer = zstd.ZstdCompressor()
    for _ in range(BOMB_MEBIBYTES):
        yield packer.compress(MEBIBYTE)
    yield packer.flush()


def _gzip() -> Iterator[bytes]:
    return _deflated(zlib.MAX_WBITS | 16)


BOMBS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": lambda: _deflated(zlib.MAX_WBITS),
    "br": _brotli,
    "zstd": _zstd,
    "gzip+gzip": lambda: iter([gzip.compress(_bomb("gzip"))]),
    "br+gzip": lambda: iter([gzip.compress(_bomb("br"))]),
    "+".join(["gzip"] * 9): lambda: iter([gzip.compress(FEED)]),
}


async def truncated(_request: Request) -> Response:
    """Compressed and cut in the middle; the length is that of the half."""
    packed = gzip.compress(FEED)
    return Response(packed[: len(packed) // 2], headers={"content-encoding": "gzip"}, media_type="application/rss+xml")


async def not_offered(_request: Request) -> Response:
    return Response(FEED, headers={"content-encoding": "compress"}, media_type="application/rss+xml")


async def loop(_request: Request) -> Response:
    return RedirectResponse("/redirect/loop", status_code=302)


async def private(request: Request) -> Response:
    """Redirect to one of many spellings of a private address."""
    number = request.path_params["number"] % len(PRIVATE_ADDRESSES)
    return Response(status_code=302, headers={"location": PRIVATE_ADDRESSES[number]})


async def moved(request: Request) -> Response:
    return RedirectResponse("/feed.xml", status_code=request.path_params["status"])


async def not_modified(_request: Request) -> Response:
    """304 to a request without a validator."""
    return Response(status_code=304)


async def gone(_request: Request) -> Response:
    return Response(status_code=410)


async def empty(_request: Request) -> Response:
    return Response(b"", media_type="application/rss+xml")


async def html(_request: Request) -> Response:
    return HTMLResponse("<!doctype html><title>Please log in</title><form method=post><input name=user></form>")


async def charset(_request: Request) -> Response:
    """Declares one charset and is in another."""
    text = FEED.decode().replace("quiet", "größer als Café").encode("latin-1")
    return Response(text, headers={"content-type": "application/rss+xml; charset=x-no-such"})


async def deep(_request: Request) -> Response:
    body = "<rss><channel>" + "<item>" * DEPTH + "</item>" * DEPTH + "</channel></rss>"
    return PlainTextResponse(body, media_type="application/rss+xml")
