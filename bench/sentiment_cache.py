"""Measures the sentiment cache: a refresh against one sequential scan, a miss, an invalidation, and hits over HTTP.

python bench/sentiment_cache.py                       a million mentions of 50 tools; takes some minutes
python bench/sentiment_cache.py --mentions 100000
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from common import figure, fresh_database
from http_load import load
from scoop.core.sentiment_cache import HOURS
from scoop.stages import sentiment_cache as cache
from scoop.store import sentiment_cache as store
from scoop.store import tools
from scoop.store.db import Connection
from server_process import a_key, server

TOOLS, DAYS, TIMES = 50, 30, 5
MINUTE, QUARTER_HOUR = 60.0, 15 * 60.0
FILL_TOOLS = """
INSERT INTO tools (slug, name, name_key, categories)
SELECT 'tool_' || number, 'Tool ' || number, 'tool ' || number, '{other}' FROM generate_series(1, $1::int) AS number
"""
FILL = """
INSERT INTO mentions (document_id, story_id, event_at, text_hash, tool_number, start_offset, end_offset, passage_start,
    passage_end, compound, confidence, label, publisher_family, alias, method, version)
SELECT number, number / 3, now() - random() * make_interval(secs => $3), 0, 1 + floor(random() * $4)::int, 10, 20, 0,
    100, tone, 0.7, sign(tone)::int, 'family' || number % 500, 'tool', 'bench', '1'
FROM (SELECT number, (random() * 2 - 1)::real AS tone FROM generate_series($1 + 1, $1::int + $2) AS number) AS made
"""


async def main(mentions: int) -> None:
    async with fresh_database() as (folder, database):
        async with database.connection() as conn:
            await conn.execute(
                "ALTER TABLE mentions DROP CONSTRAINT mentions_document_id_fkey"
            )  # there are no documents
            await conn.execute(FILL_TOOLS, TOOLS)
            await conn.execute(FILL, 0, mentions, DAYS * 86400.0, TOOLS, timeout=600)
            await conn.execute("VACUUM ANALYZE mentions", timeout=600)
            await measure(conn, mentions)
            await cache.refresh(conn, now=datetime.now(UTC))
        key = await a_key(database)
        async with server(folder / "home") as (url, pid):
            await measure_hits(url, pid, key)


async def measure(conn: Connection, mentions: int) -> None:
    now = datetime.now(UTC)
    scan = await least(lambda: conn.fetchval("SELECT sum(compound), count(label) FROM mentions"))
    began = time.perf_counter()
    await store.add_up(conn)
    figure("adding up all mentions, once", time.perf_counter() - began, "s")
    await conn.execute("VACUUM ANALYZE mention_changes, mention_hours")
    each_minute = mentions * MINUTE / (DAYS * 86400)
    sums = [await after(conn, 15 * each_minute, QUARTER_HOUR, store.add_up) for _ in range(TIMES)]
    refresh = min([await after(conn, each_minute, MINUTE, cache_refresh) for _ in range(TIMES)])
    counted = await least(lambda: store.aggregate(conn, list(HOURS.values()), now=datetime.now(UTC)))
    (tool, *_) = await tools.list_tools(conn)
    miss = await least(lambda: cache.compute(conn, tool, 24, now=datetime.now(UTC)))
    month = await least(lambda: cache.compute(conn, tool, 720, now=datetime.now(UTC)))
    earlier = await least(lambda: cache.compute(conn, tool, 720, now=now))
    drop = await least(lambda: cache.invalidate(conn, tool))
    figure("sequential scan", scan * 1000, "ms")
    figure("adding up the mentions of a quarter of an hour at once", min(sums) * 1000, "ms")
    figure("full refresh", refresh * 1000, "ms", scans=round(refresh / scan, 2), aim_scans=1.5)
    figure("the aggregates of a refresh", counted * 1000, "ms", scans=round(counted / scan, 2))
    figure("miss of a day", miss * 1000, "ms", aim=100)
    figure("miss of 30 days", month * 1000, "ms", aim=100)
    figure("miss of 30 days that counts each mention", earlier * 1000, "ms", aim=100)
    figure("invalidation", drop * 1000, "ms", aim=50)


async def after(
    conn: Connection, mentions: float, seconds: float, act: Callable[[Connection], Awaitable[object]]
) -> float:
    """The seconds that something takes after new mentions of the last seconds."""
    last = await conn.fetchval("SELECT max(document_id) FROM mentions")
    await conn.execute(FILL, last, round(mentions), seconds, TOOLS)
    began = time.perf_counter()
    await act(conn)
    return time.perf_counter() - began


async def cache_refresh(conn: Connection) -> None:
    await cache.refresh(conn, now=datetime.now(UTC))


async def measure_hits(url: str, pid: int, key: str) -> None:
    """Hits by ten connections, as a share of the empty response of the same server."""
    loads = [await load(url, path, key, pid) for path in ("/healthz", "/api/v1/tools/tool_7/sentiment?hours=24")]
    empty, hit = loads
    figure("empty response", empty.rate, "requests/s", p99_ms=round(empty.p99_ms, 2), cpu_ms=round(empty.cpu_ms, 3))
    figure(
        "hit",
        hit.rate,
        "requests/s",
        share_of_empty=round(hit.rate / empty.rate, 3),
        share_of_empty_by_cpu=round(empty.cpu_ms / hit.cpu_ms, 3),
        aim_share=0.35,
        p99_ms=round(hit.p99_ms, 2),
        aim_p99_ms=10,
    )


async def least(act: Callable[[], Awaitable[object]]) -> float:
    """The shortest time of some: other work of the machine only adds to it."""
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        await act()
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=1_000_000)
    asyncio.run(main(parser.parse_args().mentions))
