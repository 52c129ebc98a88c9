"""The newsstand on a desk: its sources, with collections and topics of their own, shown or removed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from scoop.actions import curator_settings
from scoop.actions import sources as source_actions
from scoop.actions import tools as tool_actions
from scoop.core import display_names
from scoop.core import tools as tool_rules
from scoop.core.interests import Interest, Interests
from scoop.core.tools import Tool, ToolSettings, ToolStatus
from scoop.model import ChannelSettings, Source, SourceSettings, Topic, TopicSettings
from scoop.newsstand import world
from scoop.newsstand.discord.state import CHANNELS
from scoop.newsstand.sites import site, youtube
from scoop.store import curators, hidden, sources, tools, topics
from scoop.store.curators import CuratorSettings
from scoop.store.db import Connection
from scoop.store.reads import stats as stats_reads

ADDRESS = "127.0.0.1"
EVERY = "15m"
CHANNEL = "newsstand"
INTERVAL_MS = 10  # our own server, on our own machine
CRONS = {"ai_news": "0 9 * * *", "world_news": "0 9 * * *", "china_news": "0 10 * * *"}  # as of the shipped topics
WINDOWS = [{"start": "06:30", "end": "07:15"}, {"start": "18:30", "end": "19:15"}]  # the first fetch waits for none
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
        "category": "news",
        "crawl_windows": WINDOWS,
        "options": {"sitemap": True, "include": ["/20*"]},
    },
)
CURATOR = "demo_morning_picks"
FRESHNESS_DAYS = 9  # all articles of the newsstand: with 3 days, some hours of a start leave a day without picks
INTERESTS = Interests(
    topics=(
        Interest(
            topic="Language models",
            aliases=("language model", "LLM", "large language model", "大型语言模型", "大模型", "大規模言語モデル"),
            priority="high",
            description="New language models: releases, prices, benchmarks, how they are trained and used.",
        ),
        Interest(topic="Linnet", aliases=("Marrowfield AI", "Marrowfield"), priority="high"),
        Interest(topic="Halvard Reach", aliases=("Sable",)),
        Interest(
            topic="AI chips",
            aliases=("semiconductor", "chip", "GPU", "accelerator", "芯片", "半導体", "Basaltine"),
            description="Chips and data centres for machine learning, their makers and markets.",
        ),
        Interest(topic="Tussock", aliases=("code editor",)),
        Interest(topic="Ferrypack", aliases=("package manager", "Slipway")),
        Interest(topic="Outages", aliases=("outage", "Borealis Cloud", "障害"), priority="low"),
    )
)
TOOLS: tuple[ToolSettings, ...] = (
    ToolSettings(slug="sable", name="Sable", vendor="Halvard Reach", categories=("model",), aliases=("Sable 3.1",)),
    ToolSettings(slug="linnet", name="Linnet", vendor="Marrowfield AI", categories=("model",), aliases=("Linnet 2",)),
    ToolSettings(slug="tussock", name="Tussock", categories=("editor",)),
    ToolSettings(slug="ferrypack", name="Ferrypack", categories=("packages",), aliases=("Ferrypack 2.0",)),
    ToolSettings(slug="kilnrun", name="Kilnrun", categories=("build",)),
    ToolSettings(slug="millrace", name="Millrace", vendor="Millrace", categories=("build",), aliases=("Millrace CI",)),
    ToolSettings(slug="hedgerow", name="Hedgerow", categories=("database",)),
    ToolSettings(
        slug="borealis_cloud",
        name="Borealis Cloud",
        vendor="Borealis",
        categories=("hosting",),
        aliases=("Borealis", "ボレアリス・クラウド"),
    ),
    ToolSettings(slug="cormorant_cloud", name="Cormorant Cloud", categories=("hosting",), aliases=("Cormorant",)),
)
"""The developer tools of the fictional world."""
FEED_PATHS = {"rss": "/feed.xml", "atom": "/feed.xml", "json": "/feed.json"}
DEMO_COLLECTIONS = {name: display_names.demo_collection(name) for name in CRONS}
"""The collection of the demo for each collection of the fictional world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedDemo:
    """How many sources and stories a removal of the demo took from the desk."""

    sources: int
    stories: int


async def is_new_desk(conn: Connection) -> bool:
    """Whether this is a desk on which nothing has happened: no source was added, nothing has arrived."""
    if not await sources.is_empty(conn) or await hidden.is_any(conn):
        return False
    return not (await stats_reads.get_stats(conn)).arrivals


async def add(conn: Connection, port: int) -> int:
    """Add the newsstand's sources and topics, inside the caller's transaction; gives the number of sources.

    What an earlier demo of the same collections brought is shown again.
    """
    await hidden.show(conn, collections=list(DEMO_COLLECTIONS.values()), topics=[*DEMO_COLLECTIONS.values(), CURATOR])
    for name in CRONS:
        topic_id = await topics.put(conn, _topic_settings(name, CHANNELS[name]))
        await topics.put_channel(conn, topic_id, _channel(port))
    await _put_curator(conn, port)
    await _set_tools(conn, status="active")
    found = _sources(port)
    for settings in found:
        await sources.put(conn, settings)
    return len(found)


async def move(conn: Connection, port: int) -> bool:
    """Let the newsstand's sources of this desk be fetched at a port; whether there are any.

    A home of an earlier version has them in other collections, and keeps them there.
    """
    present = {source.slug: source for source in await _list_present(conn)}
    for settings in _sources(port):
        if settings.slug in present:
            await sources.put(conn, replace(settings, collection=present[settings.slug].collection))
    for topic in await list_topics(conn):
        await topics.put_channel(conn, topic.topic_id, _channel(port))
    return bool(present)


async def remove(conn: Connection) -> RemovedDemo:
    """Remove the newsstand's sources, inside the caller's transaction, and hide everything that they brought.

    The ledger keeps it, and `add` shows it again.
    """
    for topic in await list_topics(conn):
        await topics.remove_channel(conn, topic, CHANNEL)
        await topics.put(conn, replace(topic, discord_channel_id=None))
    configured = {source.slug for source in await sources.list_sources(conn)}
    present = {source.slug for source in await _list_present(conn)}
    stories = await hidden.hide(
        conn,
        sources=[slug for slug in _slugs() if slug in present or slug not in configured],
        collections=[*DEMO_COLLECTIONS, *DEMO_COLLECTIONS.values()],
        topics=[*DEMO_COLLECTIONS.values(), CURATOR],
    )
    for slug in present:
        await sources.remove(conn, slug)
    await _set_tools(conn, status="archived")
    return RemovedDemo(sources=len(present), stories=len(stories))


async def is_added(conn: Connection) -> bool:
    return bool(await _list_present(conn))


async def list_topics(conn: Connection) -> list[Topic]:
    """The topics that are posted to the newsstand."""
    return [topic for topic in await topics.list_topics(conn) if any(each.name == CHANNEL for each in topic.channels)]


async def _list_present(conn: Connection) -> list[Source]:
    """The newsstand's sources of the desk: those with one of its slugs that are fetched at a given address."""
    listed = await sources.list_sources(conn)
    return [source for source in listed if source.slug in _slugs() and "connect_to" in source.options]


@cache
def _slugs() -> frozenset[str]:
    return frozenset(settings.slug for settings in _sources(0))


def _sources(port: int) -> list[SourceSettings]:
    outlets = [
        SourceSettings(
            slug=outlet.key,
            name=outlet.name,
            kind="rss",
            collection=DEMO_COLLECTIONS[outlet.collection],
            category=outlet.category,
            base_url=f"http://{outlet.host}{FEED_PATHS[outlet.feed]}",
            schedule=EVERY,
        )
        for outlet in world.load(world.SHIPPED).outlets
    ]
    services = [source_actions.read_settings(_service_values(service)) for service in SERVICES]
    asked_here = {"connect_to": f"{ADDRESS}:{port}"}
    return [
        replace(settings, options=settings.options | asked_here, request_interval_ms=INTERVAL_MS)
        for settings in outlets + services
    ]


def _service_values(service: dict[str, Any]) -> dict[str, Any]:
    slug = f"newsstand_{service['name'].lower().replace(' ', '_')}"
    return {**service, "slug": slug, "schedule": EVERY, "collection": DEMO_COLLECTIONS[service["collection"]]}


def _topic_settings(name: str, channel_id: str) -> TopicSettings:
    collection = DEMO_COLLECTIONS[name]
    return TopicSettings(
        topic_slug=collection,
        topic_name=display_names.collection_name(collection),
        collections=[collection],
        digest_cron=CRONS[name],
        discord_channel_id=channel_id,
    )


async def _put_curator(conn: Connection, port: int) -> None:
    """Add the curator of the demo: the best few articles about models, chips and tools."""
    settings = TopicSettings(
        topic_slug=CURATOR,
        topic_name="Morning picks",
        timezone=curator_settings.TIMEZONE,
        collections=list(DEMO_COLLECTIONS.values()),
        discord_channel_id=CHANNELS["morning_picks"],
    )
    topic_id = await topics.put(conn, settings)
    await curators.put(conn, topic_id, CuratorSettings(freshness_days=FRESHNESS_DAYS))
    if (await curators.by_slug(conn, CURATOR)).interests is None:
        await curators.put_interests(conn, topic_id, INTERESTS, origin="demo")
    await topics.put_channel(conn, topic_id, _channel(port))


async def _set_tools(conn: Connection, *, status: ToolStatus) -> None:
    """Add the tools of the demo, or let those that are there be counted or not."""
    present = {tool.slug: tool for tool in await tools.list_tools(conn)}
    for settings in TOOLS:
        tool = present.get(settings.slug)
        if tool is None and status == "active" and not _is_named(settings, present.values()):
            await tool_actions.add(conn, settings, origin="demo")
        elif tool is not None and tool.origin == "demo":
            await tool_actions.change(conn, tool, {"status": status})


def _is_named(settings: ToolSettings, present: Iterable[Tool]) -> bool:
    """Whether a person has given one of its names to another tool."""
    keys = {tool_rules.name_key(name) for tool in present for name in (tool.name, *tool.aliases)}
    return any(tool_rules.name_key(name) in keys for name in (settings.name, *settings.aliases))


def _channel(port: int) -> ChannelSettings:
    return ChannelSettings(name=CHANNEL, kind="discord_bot", options={"connect_to": f"{ADDRESS}:{port}"})
