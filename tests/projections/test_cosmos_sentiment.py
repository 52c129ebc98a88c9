"""Cached sentiment in Cosmos DB: what other programs read there, and the API that is served from it."""

from datetime import timedelta

import pytest

from builders import told
from projections.learners import KEY, ListeningDesk
from scoop.actions import tools
from scoop.app import open_sentiment_documents
from scoop.config import Config
from scoop.core.tools import ToolSettings
from scoop.errors import ConfigError
from scoop.http import sentiment
from scoop.plugin_settings import PluginSettings
from scoop.projections.cosmos import INDEXING_POLICIES, SENTIMENT_CACHE
from scoop.stages import sentiment_cache as cache
from web.visitor import NOW, a_report, visiting

ENTRY = {
    "id", "tool_id", "period", "total_mentions", "positive_count", "negative_count", "neutral_count",
    "positive_percentage", "negative_percentage", "neutral_percentage", "average_sentiment", "period_start_ts",
    "period_end_ts", "last_updated_ts",
}  # fmt: skip
METADATA = {
    "id", "tool_id", "last_refresh_ts", "last_refresh_duration_ms", "total_entries", "cache_hits_24h",
    "cache_misses_24h", "cache_hit_rate", "error_count_24h", "tools_refreshed",
}  # fmt: skip


@pytest.fixture
async def tool(listening):
    """A tool with one mention, refreshed and in the store."""
    async with listening.database.transaction() as conn:
        added = await tools.add(conn, ToolSettings(slug="tussock", name="Tussock"))
    await told(listening.database, [a_report(1, body_text="Tussock is a wonderful editor.", hours_ago=2)])
    await refresh(listening)
    return added


async def refresh(desk, *, now=NOW):
    async with desk.database.connection() as conn:
        await conn.execute("DELETE FROM sentiment_cache")  # of the real clock
        await cache.refresh(conn, now=now)
    await desk.sync()


def of_tool(desk, tool):
    """The documents of a tool, as the seed's flow of invalidation queries them, without what the store adds."""
    found = desk.container(SENTIMENT_CACHE).query_items(
        "SELECT * FROM c WHERE c.tool_id = @tool",
        parameters=[{"name": "@tool", "value": str(tool.tool_id)}],
        partition_key=str(tool.tool_id),
    )
    return {each["period"]: {name: each[name] for name in each if not name.startswith("_")} for each in found}


def settings(desk, **changes):
    options = {"base_url": desk.endpoint, "database": desk.database_name, "key": KEY}
    return {
        "project_to": "cosmos",
        "sentiment_from": "cosmos",
        "plugins": PluginSettings(tables={"projections": {"cosmos": options}}),
    } | changes


async def test_a_refresh_writes_entries_and_metadata_in_their_exact_shape(listening, tool):
    found = of_tool(listening, tool)
    assert set(found) == {"HOUR_1", "HOUR_24", "DAY_7", "DAY_30"}
    assert all(document.keys() == ENTRY for document in found.values())
    assert [found[period]["total_mentions"] for period in ("HOUR_1", "HOUR_24")] == [0, 1]
    metadata = listening.container(SENTIMENT_CACHE).read_item("metadata", partition_key="metadata")
    assert {name for name in metadata if not name.startswith("_")} == METADATA
    assert (metadata["total_entries"], metadata["tools_refreshed"]) == (4, [str(tool.tool_id)])


async def test_the_container_has_the_partition_key_and_the_indexing_policy_of_the_contract(listening, tool):
    read = listening.container(SENTIMENT_CACHE).read()
    assert read["partitionKey"]["paths"] == ["/tool_id"]
    [design] = [each for each in listening.projection._designs if each.name == SENTIMENT_CACHE]
    assert design.indexing_policy == INDEXING_POLICIES[SENTIMENT_CACHE]


async def test_an_invalidated_tool_has_no_documents_until_the_next_refresh(listening, tool):
    async with listening.database.connection() as conn:
        await cache.invalidate(conn, tool)
    await listening.sync()
    assert of_tool(listening, tool) == {}
    await refresh(listening, now=NOW + timedelta(minutes=15))
    assert of_tool(listening, tool)["HOUR_24"]["last_updated_ts"] == int(NOW.timestamp()) + 900


async def test_the_api_is_served_from_the_store_and_invalidates_it(listening: ListeningDesk, tool, monkeypatch):
    await listening.execute("DELETE FROM sentiment_cache")  # the projection does not know of it yet
    url = "/api/v1/tools/tussock/sentiment"
    async with visiting(listening.database, role="admin", **settings(listening)) as visitor:
        hit = await visitor.get(url)
        dropped = await visitor.ask("POST", "/api/v1/cache/invalidate/tussock")
        left = of_tool(listening, tool)
        monkeypatch.setattr(sentiment, "DOCUMENT_SECONDS", 0.2)  # the emulator answers 500 for a missing document
        miss = await visitor.get(url)
    assert (hit.headers["X-Cache-Status"], hit.json["total_mentions"], hit.json["story_count"]) == ("HIT", 1, None)
    assert (dropped.status, left) == (200, {})
    assert (miss.headers["X-Cache-Status"], miss.json["total_mentions"], miss.json["story_count"]) == ("MISS", 1, 1)


async def test_the_database_answers_while_the_store_is_down(listening, tool):
    listening.endpoint = "http://127.0.0.1:9"
    async with visiting(listening.database, role="editor", **settings(listening)) as visitor:
        answer = await visitor.get("/api/v1/tools/tussock/sentiment")
        health = await visitor.get("/api/v1/cache/health")
    assert (answer.headers["X-Cache-Status"], answer.json["total_mentions"]) == ("HIT", 1)
    assert health.json["error_count_24h"] == 1


def test_a_projection_that_has_no_sentiment_is_refused_with_the_setting():
    with pytest.raises(ConfigError, match="SCOOP_SENTIMENT_FROM"):
        open_sentiment_documents(Config(sentiment_from="dynamodb"))
