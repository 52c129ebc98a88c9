"""Measures what metrics cost: a scrape, a flush, counting the memory of curators, and one count in a process.

python bench/metrics.py                      a large desk; takes a minute
python bench/metrics.py --articles 100000    a smaller memory of curators
"""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable

from common import figure, fresh_database
from scoop import metrics
from scoop.core import prometheus_text
from scoop.metrics import recording
from scoop.store import metrics as store
from scoop.store.db import Connection, Database

TIMES = 20
SERIES = 20  # combinations of labels of each metric; a desk has about five
POSTS, ALERTS = 200_000, 10_000
FILL = """
INSERT INTO alerts (kind, subject, message, level, resolved_at)
SELECT 'source_died', 'source' || number, 'gone', 'warning', CASE WHEN number > 100 THEN now() END
FROM generate_series(1, $1::int) AS number;
"""
POST = """
INSERT INTO posts (topic_id, run_date, channel, kind, options, part_no, parts, key, marker, payload, story_ids,
    alert_ids, state, sent_at)
SELECT topic_id, current_date, 'main', 'file', '{}', 1, 1, 'key' || number, 'marker' || number, 'x', '{}', '{1}',
    'sent', now()
FROM generate_series(1, $1::int) AS number, (SELECT topic_id FROM topics LIMIT 1) AS topic
"""
EVALUATE = """
INSERT INTO evaluations (topic_id, url_hash, article_title, state, reason)
SELECT topic_id, sha256(number::text::bytea), 'x', 'rejected', 'low_relevance'
FROM generate_series(1, $1::int) AS number, (SELECT topic_id FROM topics LIMIT 1) AS topic
"""


async def main(articles: int) -> None:
    async with fresh_database() as (_, database), database.connection() as conn:
        await conn.execute(FILL, ALERTS)
        await conn.execute(POST, POSTS)
        await conn.execute(EVALUATE, articles)
        await conn.execute("VACUUM ANALYZE alerts, posts, evaluations")
        count_much()
        await store.flush(database)
        await measure(conn, database, articles)
    measure_counting()


def count_much() -> None:
    for metric in metrics.METRICS:
        for number in range(SERIES if metric.labels else 1):
            labels = dict.fromkeys(metric.labels, f"value {number}")
            if isinstance(metric, recording.Counter):
                metric.add(1, **labels)
            elif isinstance(metric, recording.Histogram):
                for bound in recording.LATENCY_BOUNDS:
                    metric.observe(bound, **labels)


async def measure(conn: Connection, database: Database, articles: int) -> None:
    async def scrape() -> None:
        prometheus_text.render(metrics.families(await store.list_samples(conn)))

    async def flush() -> None:
        count_much()
        await store.flush(database)

    rows = await conn.fetchval("SELECT count(*) FROM metrics")
    samples = sum(len(family.samples) for family in metrics.families(await store.list_samples(conn)))
    figure("metrics.scrape", await median_ms(scrape), "ms", rows=rows, samples=samples, posts=POSTS, alerts=ALERTS)
    plan = await conn.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {store.SQL['samples']}")
    found = json.loads(plan)[0]
    buffers = found["Plan"]["Shared Hit Blocks"] + found["Plan"]["Shared Read Blocks"]
    figure("metrics.scrape_query", found["Execution Time"], "ms", pages=buffers)
    figure("metrics.flush", await median_ms(flush), "ms", rows=rows)
    memory = await median_ms(lambda: store.measure_memory(conn), times=5)
    figure("metrics.measure_memory", memory, "ms", articles=articles)


async def median_ms(action: Callable[[], Awaitable[None]], *, times: int = TIMES) -> float:
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        await action()
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)[times // 2] * 1000


def measure_counting() -> None:
    began, counts = time.process_time(), 100_000
    for _ in range(counts):
        metrics.FIRESTORE_READS.add(1, collection="notified_articles")
    figure("metrics.count", (time.process_time() - began) / counts * 1e6, "us of processor time")
    recording.take()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=1_000_000, help="articles that a curator remembers")
    asyncio.run(main(parser.parse_args().articles))
