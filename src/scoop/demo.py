"""The demo: the newsstand as sources, until somebody adds real ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scoop.errors import ConfigError
from scoop.model import SourceSettings
from scoop.newsstand import server, world
from scoop.serving import serving
from scoop.store import folders, reading, sources
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
    try:
        kept = _noted(file)
        if kept is not None and now - kept < EDITION_LASTS:
            return kept
        home.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"anchor": now.isoformat()}))
    except OSError as error:
        raise ConfigError(folders.home_problem(home, error)) from error
    return now


def _noted(file: Path) -> datetime | None:
    try:
        return datetime.fromisoformat(json.loads(file.read_text())["anchor"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None  # a broken note is written anew


async def is_wanted(conn: Connection) -> bool:
    """Whether this is a desk on which nothing has happened: no source was added, nothing has arrived."""
    return await sources.is_empty(conn) and not (await reading.stats(conn)).arrivals


async def add_sources(conn: Connection, port: int) -> int:
    """Make every outlet of the newsstand a source; give how many there are."""
    outlets = world.load(world.SHIPPED).outlets
    for outlet in outlets:
        await _put(conn, outlet, port)
    return len(outlets)


async def point_sources(conn: Connection, port: int) -> bool:
    """Let the newsstand's outlets among the sources be asked at this port; whether there are any."""
    found = await _outlets(conn)
    for outlet in found:
        await _put(conn, outlet, port)
    return bool(found)


async def remove_sources(conn: Connection) -> int:
    """Forget the newsstand's outlets; what they brought stays."""
    found = await _outlets(conn)
    for outlet in found:
        await sources.remove(conn, outlet.key)
    return len(found)


async def _put(conn: Connection, outlet: world.Outlet, port: int) -> None:
    await sources.put(
        conn,
        SourceSettings(
            slug=outlet.key, name=outlet.name, kind="rss", collection=outlet.collection, category=outlet.category,
            base_url=f"http://{outlet.host}{FEED_PATHS[outlet.feed]}", options={"connect_to": f"{ADDRESS}:{port}"},
            schedule=EVERY,
        ),
    )  # fmt: skip


async def _outlets(conn: Connection) -> list[world.Outlet]:
    """The outlets of the newsstand that are sources."""
    asked_here = {source.slug for source in await sources.listed(conn) if "connect_to" in source.options}
    return [outlet for outlet in world.load(world.SHIPPED).outlets if outlet.key in asked_here]
