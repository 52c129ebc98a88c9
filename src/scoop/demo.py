"""The demo: the newsstand as sources and as the place where digests are posted, until somebody adds real ones."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from scoop.actions import sources as source_actions
from scoop.channels import ChannelMakers
from scoop.core import digest_windows
from scoop.errors import ConfigError
from scoop.model import ChannelSettings, SourceSettings, Topic
from scoop.newsstand import server, world
from scoop.newsstand.discord.state import CHANNELS
from scoop.newsstand.sites import site, youtube
from scoop.serve import serving
from scoop.stages import digest
from scoop.store import digests, embedded_files, sources, topics
from scoop.store.db import Connection
from scoop.store.reads import stats as stats_reads

ADDRESS = "127.0.0.1"
EDITION_LASTS = timedelta(hours=24)
EVERY = "15m"
CHANNEL = "newsstand"
INTERVAL_MS = 10  # our own server, on our own machine
SERVICES: tuple[dict[str, Any], ...] = (
    {"target": "hackernews", "name": "Hacker News", "collection": "ai_news"},
    {"target": "arxiv:cs.CL", "name": "arXiv", "collection": "ai_news"},
    {"target": "r/ai_news", "name": "Reddit", "collection": "ai_news", "options": {"robots": "ignore"}},
    {"target": youtube.CHANNEL_URL, "name": "YouTube", "collection": "world_news"},
    {"target": "search:ferry", "name": "Web search", "collection": "world_news"},
    {
        "target": site.URL,
        "kind": "site",
        "name": site.NAME,
        "collection": "world_news",
        "options": {"sitemap": True, "include": ["/20*"]},
    },
)
FEED_PATHS = {"rss": "/feed.xml", "atom": "/feed.xml", "json": "/feed.json"}


@asynccontextmanager
async def serve_newsstand(port: int, home: Path) -> AsyncIterator[str]:
    """The newsstand on the loopback address; gives its base URL."""
    shipped = world.load(world.SHIPPED)
    app = server.create_app(shipped, anchor(home, now=datetime.now(UTC)), lambda: datetime.now(UTC))
    app.state.discord.keep_in(home / "newsstand-discord.json")
    async with AsyncExitStack() as stack:
        try:
            base_url = await stack.enter_async_context(serving(app, host=ADDRESS, port=port))
        except OSError as error:
            if not await _is_newsstand_at(port):
                reason = (error.strerror or str(error)).lower()
                raise ConfigError(
                    f"the newsstand cannot use port {port}: {reason}; set SCOOP_NEWSSTAND_PORT to a free one"
                ) from error
            base_url = f"http://{ADDRESS}:{port}"
        yield base_url


async def _is_newsstand_at(port: int) -> bool:
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


async def is_new_desk(conn: Connection) -> bool:
    """Whether this is a desk on which nothing has happened: no source was added, nothing has arrived."""
    return await sources.is_empty(conn) and not (await stats_reads.get_stats(conn)).arrivals


async def add_sources(conn: Connection, port: int) -> int:
    """Make everything on the newsstand a source, of every kind; give how many there are."""
    found = _sources(port)
    for settings in found:
        await sources.put(conn, settings)
    return len(found)


async def add_channels(conn: Connection, port: int) -> None:
    """Let the shipped topics be posted to the newsstand's Discord."""
    for topic in await topics.list_topics(conn):
        if topic.topic_slug in CHANNELS:
            await topics.put(conn, replace(topic, discord_channel_id=CHANNELS[topic.topic_slug]))
            await topics.put_channel(conn, topic.topic_id, _channel(port))


async def first_digest_dates(conn: Connection, *, now: datetime) -> list[date]:
    """The dates whose digests a new desk posts at once, so that there is something to see: the last two due."""
    found = await _newsstand_topics(conn)
    if not found or await digests.list_runs(conn, limit=1):
        return []
    last = min(digest_windows.latest(topic.digest_cron, topic.timezone, now) for topic in found)
    return [last - timedelta(days=1), last]


async def publish_digests(conn: Connection, day: date, channels: ChannelMakers) -> None:
    """Make the digests of the newsstand's topics for a date, and put them on their way."""
    for topic in await _newsstand_topics(conn):
        async with conn.transaction():
            await digest.make(conn, digest.DigestOrder(topic=topic, day=day, publish=True), channels)


async def redirect_sources(conn: Connection, port: int) -> bool:
    """Let the newsstand's sources among those of the desk be asked at this port; whether there are any."""
    present = await _newsstand_slugs(conn)
    for settings in _sources(port):
        if settings.slug in present:
            await sources.put(conn, settings)
    for topic in await _newsstand_topics(conn):
        await topics.put_channel(conn, topic.topic_id, _channel(port))
    return bool(present)


async def remove_sources(conn: Connection) -> int:
    """Forget the newsstand's sources and its channels; what they brought and what was posted stays."""
    for topic in await _newsstand_topics(conn):
        await topics.remove_channel(conn, topic, CHANNEL)
        await topics.put(conn, replace(topic, discord_channel_id=None))
    present = await _newsstand_slugs(conn)
    for slug in present:
        await sources.remove(conn, slug)
    return len(present)


def _sources(port: int) -> list[SourceSettings]:
    outlets = [
        SourceSettings(
            slug=outlet.key,
            name=outlet.name,
            kind="rss",
            collection=outlet.collection,
            category=outlet.category,
            base_url=f"http://{outlet.host}{FEED_PATHS[outlet.feed]}",
            schedule=EVERY,
        )
        for outlet in world.load(world.SHIPPED).outlets
    ]
    services = [
        source_actions.read_settings(
            {"slug": f"newsstand_{given['name'].lower().replace(' ', '_')}", "schedule": EVERY, **given}
        )
        for given in SERVICES
    ]
    asked_here = {"connect_to": f"{ADDRESS}:{port}"}
    return [
        replace(settings, options=settings.options | asked_here, request_interval_ms=INTERVAL_MS)
        for settings in outlets + services
    ]


def _channel(port: int) -> ChannelSettings:
    return ChannelSettings(name=CHANNEL, kind="discord_bot", options={"connect_to": f"{ADDRESS}:{port}"})


async def _newsstand_topics(conn: Connection) -> list[Topic]:
    """The topics that are posted to the newsstand."""
    return [topic for topic in await topics.list_topics(conn) if any(each.name == CHANNEL for each in topic.channels)]


async def _newsstand_slugs(conn: Connection) -> set[str]:
    """The newsstand's sources among those of the desk: what has their name and is asked at an address of one's own."""
    slugs = {settings.slug for settings in _sources(0)}
    found = await sources.list_sources(conn)
    return {source.slug for source in found if source.slug in slugs and "connect_to" in source.options}
