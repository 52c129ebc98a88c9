"""Measures the sentiment cache: a full refresh against one sequential scan, a miss, and an invalidation.

python bench/sentiment_cache.py                       a million mentions of 50 tools; takes some minutes
python bench/sentiment_cache.py --mentions 100000
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from common import figure, fresh_database
from scoop.core.sentiment_cache import HOURS
from scoop.stages import sentiment_cache as cache
from scoop.store import sentiment_cache as store
from scoop.store import tools
from scoop.store.db import Connection

TOOLS, DAYS, TIMES = 50, 30, 5
FILL_TOOLS = """
INSERT INTO tools (slug, name, name_key, categories)
SELECT 'tool_' || number, 'Tool ' || number, 'tool ' || number, '{other}' FROM generate_series(1, $1::int) AS number
"""
FILL = """
INSERT INTO mentions (document_id, story_id, event_at, text_hash, tool_number, start_offset, end_offset, passage_start,
    passage_end, compound, confidence, label, publisher_family, alias, method, version)
SELECT number, number / 3, now() - random() * make_interval(days => $2), 0, 1 + floor(random() * $3)::int, 10, 20, 0,
    100, tone, 0.7, sign(tone)::int, 'family' || number % 500, 'tool', 'bench', '1'
FROM (SELECT number, (random() * 2 - 1)::real AS tone FROM generate_series(1, $1::int) AS number) AS made
"""


async def main(mentions: int) -> None:
    async with fresh_database() as (_, database), database.connection() as conn:
        await conn.execute("SET session_replication_role = replica")  # the mentions have no documents
        await conn.execute(FILL_TOOLS, TOOLS)
        await conn.execute(FILL, mentions, DAYS, TOOLS)
        await conn.execute("VACUUM ANALYZE mentions")
        await measure(conn)


async def measure(conn: Connection) -> None:
    now = datetime.now(UTC)
    scan = await least(lambda: conn.fetchval("SELECT sum(compound), count(label) FROM mentions"))
    refresh = await least(lambda: cache.refresh(conn, now=now))
    counted = await least(lambda: store.aggregate(conn, list(HOURS.values()), now=now))
    (tool, *_) = await tools.list_tools(conn)
    miss = await least(lambda: cache.compute(conn, tool, 24, now=now))
    month = await least(lambda: cache.compute(conn, tool, 720, now=now))
    drop = await least(lambda: cache.invalidate(conn, tool))
    figure("sequential scan", scan * 1000, "ms")
    figure("full refresh", refresh * 1000, "ms", scans=round(refresh / scan, 1), aim_scans=1.5)
    figure("the aggregates of a refresh", counted * 1000, "ms")
    figure("miss of a day", miss * 1000, "ms", aim=100)
    figure("miss of 30 days", month * 1000, "ms", aim=100)
    figure("invalidation", drop * 1000, "ms", aim=50)


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
