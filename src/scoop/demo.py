"""The demo: serve the newsstand, and post the first digests of its topics."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scoop.channels import ChannelMakers
from scoop.core import digest_windows
from scoop.errors import ConfigError
from scoop.newsstand import installation, server, world
from scoop.serve import serving
from scoop.stages import digest
from scoop.stages.digest import DigestOrder
from scoop.store import digests, embedded_files
from scoop.store.db import Connection

EDITION_LASTS = timedelta(hours=24)


@asynccontextmanager
async def serve_newsstand(port: int, home: Path) -> AsyncIterator[str]:
    """The newsstand on the loopback address; gives its base URL."""
    shipped = world.load(world.SHIPPED)
    app = server.create_app(shipped, anchor(home, now=datetime.now(UTC)), lambda: datetime.now(UTC))
    app.state.discord.keep_in(home / "newsstand-discord.json")
    async with AsyncExitStack() as stack:
        try:
            base_url = await stack.enter_async_context(serving(app, host=installation.ADDRESS, port=port))
        except OSError as error:
            if not await _is_newsstand_at(port):
                reason = (error.strerror or str(error)).lower()
                raise ConfigError(
                    f"the newsstand cannot use port {port}: {reason}; set SCOOP_NEWSSTAND_PORT to a free one"
                ) from error
            base_url = f"http://{installation.ADDRESS}:{port}"
        yield base_url


async def _is_newsstand_at(port: int) -> bool:
    """Whether another Scoop's newsstand answers at that port: then it serves for both."""
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_connection(installation.ADDRESS, port)
            writer.write(b"HEAD / HTTP/1.0\r\n\r\n")
            answer = await reader.read(4096)
            writer.close()
    except (OSError, TimeoutError):
        return False
    return server.MARK.encode() in answer.lower()


def anchor(home: Path, *, now: datetime) -> datetime:
    """The moment from which the newsstand's articles are dated; kept for a day, so that a restart keeps the dates."""
    file = home / "newsstand.json"
    try:
        kept = _read_anchor(file)
        if kept is not None and now - kept < EDITION_LASTS:
            return kept
        home.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"anchor": now.isoformat()}))
    except OSError as error:
        raise ConfigError(embedded_files.home_problem(home, error)) from error
    return now


def _read_anchor(file: Path) -> datetime | None:
    try:
        return datetime.fromisoformat(json.loads(file.read_text())["anchor"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None  # a broken note is overwritten


async def first_digests(conn: Connection, *, now: datetime) -> list[list[DigestOrder]]:
    """The digests that a new desk posts at once, so that there is something to see: the last two due of each topic.

    Those before the last come first.
    """
    found = await installation.list_topics(conn)
    if any([await digests.list_runs(conn, topic_slug=topic.topic_slug, limit=1) for topic in found]):
        return []
    last = [(topic, digest_windows.latest(topic.digest_cron, topic.timezone, now)) for topic in found]
    return [
        [DigestOrder(topic=topic, day=day - timedelta(days=days), publish=True) for topic, day in last]
        for days in (1, 0)
    ]


async def publish_digests(conn: Connection, orders: Sequence[DigestOrder], channels: ChannelMakers) -> None:
    """Make digests of the newsstand's topics, and put them on their way."""
    for order in orders:
        async with conn.transaction():
            await digest.make(conn, order, channels)
