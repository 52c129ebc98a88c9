"""The demo: the newsstand as sources, until somebody adds real ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scoop.errors import ConfigError
from scoop.newsstand import server, world
from scoop.serving import serving
from scoop.store import sources
from scoop.store.db import Connection

ADDRESS = "127.0.0.1"
EDITION_LASTS = timedelta(hours=24)
EVERY = "15m"
FEED_PATHS = {"rss": "/feed.xml", "atom": "/feed.xml", "json": "/feed.json"}


@asynccontextmanager
async def newsstand(port: int, home: Path) -> AsyncIterator[str]:
    """The newsstand on the loopback address; gives its base URL."""
    shipped = world.load(world.SHIPPED)
    app = server.create_app(shipped, anchor(home, now=datetime.now(UTC)), lambda: datetime.now(UTC))
    async with AsyncExitStack() as stack:
        try:
            base_url = await stack.enter_async_context(serving(app, host=ADDRESS, port=port))
        except OSError as error:
            if not await _is_newsstand(port):
                reason = (error.strerror or str(error)).lower()
                raise ConfigError(
                    f"the newsstand cannot use port {port}: {reason}; set SCOOP_NEWSSTAND_PORT to a free one"
                ) from error
            base_url = f"http://{ADDRESS}:{port}"
        yield base_url


async def _is_newsstand(port: int) -> bool:
    """Whether another Scoop's newsstand answers at that port: then it serves for both."""
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_connection(ADDRESS, port)
            writer.write(b"HEAD / HTTP/1.0\r\n\r\n")
            answer = await reader.read(4096)
            writer.close()
    except (OSError, TimeoutError):
        return False
    return server.MARK.encode() in answer.lower()


def anchor(home: Path, *, now: datetime) -> datetime:
    """The moment the newsstand's articles are dated from: kept for a day, so that a restart does not date them anew."""
    file = home / "newsstand.json"
    if file.exists():
        kept = datetime.fromisoformat(json.loads(file.read_text())["anchor"])
        if now - kept < EDITION_LASTS:
            return kept
    home.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"anchor": now.isoformat()}))
    return now


async def add_sources(conn: Connection, port: int) -> int:
    """Make every outlet of the newsstand a source; give how many there are."""
    outlets = world.load(world.SHIPPED).outlets
    for outlet in outlets:
        await sources.put(
            conn, slug=outlet.key, name=outlet.name, kind="rss", collection=outlet.collection, category=outlet.category,
            base_url=f"http://{outlet.host}{FEED_PATHS[outlet.feed]}", options={"connect_to": f"{ADDRESS}:{port}"},
            schedule=EVERY,
        )  # fmt: skip
    return len(outlets)


async def has_sources(conn: Connection) -> bool:
    """Whether the newsstand's outlets are among the sources."""
    return bool(await _slugs(conn))


async def remove_sources(conn: Connection) -> int:
    """Forget the newsstand's outlets; what they brought stays."""
    found = await _slugs(conn)
    for slug in found:
        await sources.remove(conn, slug)
    return len(found)


async def _slugs(conn: Connection) -> list[str]:
    keys = {outlet.key for outlet in world.load(world.SHIPPED).outlets}
    return [
        source.slug for source in await sources.listed(conn) if source.slug in keys and "connect_to" in source.options
    ]
