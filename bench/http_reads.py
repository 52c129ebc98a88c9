"""Requests a second of one server process, also as a share of those for an empty response; by wrk on the loopback.

`cpu_ms` is the CPU time of the server process for a request, which other programs on the machine change less.

python bench/http_reads.py                                          100,000 documents in 30,000 stories
python bench/http_reads.py --documents 1000000 --stories 300000
"""

import argparse
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from statistics import median

import uvloop

from common import figure, fresh_database
from scoop.store.db import Database
from server_process import a_key, cpu_seconds, memory, server

COLLECTIONS = ("ai_news", "china_news", "world_news")
CONNECTIONS = 50
SECONDS, WARM_UP_SECONDS = 5, 1
TIMES = 15  # a single client asks
PAGE = 50_000
CROWD_DOCUMENTS = 5_000  # of the largest event
RARE_WORDS = "bridge+1234"
DOCUMENTS = """
WITH made AS (
    SELECT number, md5(number::text) AS hash, ($3::text[])[1 + number % $4 % 3] AS collection,
        now() - number % $4 * interval '30 days' / $4 AS seen_at
    FROM generate_series($1::bigint, $2::bigint - 1) AS number
), arrived AS (
    INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, raw_payload, payload_hash)
    SELECT 1, collection, 'source' || number % 97, number, '{}', sha256(hash::bytea) FROM made
    RETURNING raw_arrival_id, source_item_id
)
INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, canonical_url,
    canonical_url_hash, title, normalized_title, body_text, normalized_text, published_at, fetched_at, seen_at,
    source_domain, publisher_family, content_hash, token_count, normalized_language)
SELECT raw_arrival_id, collection, 'source' || number % 97, source_item_id, 'art_' || hash,
    'https://host' || number % 97 || '.example/' || number, sha256(('u' || hash)::bytea),
    'The council of ' || hash || ' decides on bridge ' || number, 'the council ' || number,
    repeat('The council met on Tuesday and decided. ', 30), repeat('the council met ', 30), seen_at, now(), seen_at,
    'host' || number % 97 || '.example', 'host' || number % 97, sha256(('c' || hash)::bytea), 200, 'en'
FROM made JOIN arrived ON source_item_id = number::text
"""
STORIES = """
INSERT INTO stories (story_id, coverage_id, collection, canonical_title, canonical_url, representative_document_id,
    first_seen_at, last_seen_at, sources, publisher_families, item_count)
SELECT story_id, CASE story_id % 9 WHEN 6 THEN story_id - 3 WHEN 0 THEN story_id - 6 ELSE story_id END, min(collection),
    min(title), min(canonical_url), min(document_id), min(seen_at), max(seen_at), array_agg(DISTINCT source),
    array_agg(DISTINCT publisher_family), count(*)
FROM documents CROSS JOIN LATERAL (SELECT 1 + source_item_id::bigint % $1 AS story_id) AS placed GROUP BY story_id
"""
EVENTS = """
INSERT INTO events (event_id, event_uuid, collection, lead_story_id, first_seen_at, last_seen_at, developed_at,
    story_count, item_count, sources, publisher_families, languages, created_at)
SELECT coverage_id, (array_agg(story_uuid ORDER BY story_id))[1], min(collection), coverage_id, min(first_seen_at),
    max(last_seen_at), max(last_seen_at), count(DISTINCT story_id), count(*), array_agg(DISTINCT source),
    array_agg(DISTINCT family), '{en}', min(first_seen_at)
FROM stories CROSS JOIN LATERAL unnest(sources, publisher_families) AS outlet (source, family) GROUP BY coverage_id
"""  # of nine stories, three are one event
MEMBERS = """
INSERT INTO story_members (story_id, document_id, match_type)
SELECT 1 + source_item_id::bigint % $1, document_id,
    (CASE WHEN source_item_id::bigint < $1 THEN 'seed' ELSE 'exact_url' END)::story_match_type
FROM documents
"""
INDEXED = """
INSERT INTO document_search (document_id, seen_at, facets, tokens)
SELECT document_id, seen_at, ARRAY['c:' || collection, 's:' || source, 'l:' || normalized_language,
        to_char(seen_at AT TIME ZONE 'UTC', '"d:"YYYY-MM-DD'), to_char(seen_at AT TIME ZONE 'UTC', '"m:"YYYY-MM')],
    setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', body_text)
FROM documents
"""
FACETS = "INSERT INTO search_facets (facet) SELECT DISTINCT unnest(facets) FROM document_search"
CROWD = """
WITH counted AS (
    SELECT story_id, sum(item_count) OVER (ORDER BY story_id) AS documents FROM stories WHERE story_id % 9 IN (1, 2)
), moved AS (
    UPDATE stories SET coverage_id = 1 FROM counted WHERE stories.story_id = counted.story_id AND documents <= $1
    RETURNING stories.story_id, item_count
), merged AS (
    UPDATE events SET status = 'merged', merged_into = 1
    WHERE event_id IN (SELECT story_id FROM moved WHERE story_id <> 1)
)
UPDATE events SET story_count = (SELECT count(*) FROM moved), item_count = (SELECT sum(item_count) FROM moved)
WHERE event_id = 1 RETURNING event_uuid, item_count
"""  # stories that are alone become one event


async def fill(database: Database, documents: int, stories: int) -> None:
    async with database.connection() as conn:
        await conn.execute("SET session_replication_role = replica")  # no foreign key checks: the rows are consistent
        for first in range(0, documents, PAGE):
            await conn.execute(DOCUMENTS, first, min(first + PAGE, documents), list(COLLECTIONS), stories, timeout=600)
        await conn.execute(STORIES, stories, timeout=600)
        await conn.execute(EVENTS, timeout=600)
        await conn.execute(MEMBERS, stories, timeout=600)
        await conn.execute(INDEXED, timeout=600)
        await conn.execute(FACETS, timeout=600)
        await conn.execute("RESET session_replication_role")
        await conn.execute("VACUUM ANALYZE", timeout=600)


def load(url: str, key: str, *, seconds: int = SECONDS) -> dict[str, float]:
    """Requests, requests a second, and the 99th percentile of the latency in milliseconds."""
    command = [
        "wrk",
        "-t",
        "1",
        "-c",
        str(CONNECTIONS),
        "-d",
        f"{seconds}s",
        "--latency",
        "-H",
        f"Authorization: Bearer {key}",
        url,
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output:
        raise SystemExit(f"{url} answered with errors:\n{output}")
    factors = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    count = re.search(r"(\d+) requests in", output)
    assert p99
    assert rate
    assert count
    return {"count": int(count[1]), "rate": float(rate[1]), "p99_ms": float(p99[1]) * factors[p99[2]]}


def first_byte(url: str, key: str) -> float:
    """The time to the first byte for a single client, in milliseconds."""
    header = f"Authorization: Bearer {key}"
    command = ["curl", "-s", "-f", "-o", "/dev/null", "-w", "%{time_starttransfer}", "-H", header, url]
    return 1000 * float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


async def first_byte_after_change(database: Database, url: str, key: str) -> float:
    """The same after a write, so that no cached answer is valid."""
    async with database.connection() as conn:
        await conn.execute("UPDATE users SET seen_at = now()")
    return first_byte(url, key)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--stories", type=int, default=30_000)
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("this benchmark needs wrk: apt install wrk, or brew install wrk")
    async with fresh_database() as (folder, database):
        began = time.perf_counter()
        await fill(database, options.documents, options.stories)
        figure("filled", time.perf_counter() - began, "s", documents=options.documents, stories=options.stories)
        key = await a_key(database)
        async with database.connection() as conn:
            uuid = await conn.fetchval("SELECT event_uuid FROM events WHERE event_id = 3")
            crowd = await conn.fetchrow(CROWD, CROWD_DOCUMENTS)
        async with server(folder / "home") as (url, pid):
            await measure(database, url, pid, key, {"event": str(uuid), "crowd": str(crowd["event_uuid"])})


async def measure(database: Database, url: str, pid: int, key: str, uuids: Mapping[str, str]) -> None:
    uuid = uuids["event"]
    calls = {
        "empty response": "/healthz",
        "list of stories": "/api/v1/stories?limit=50",
        "list of one collection": "/api/v1/stories?limit=50&collection=ai_news",
        "one story": f"/api/v1/stories/{uuid}",
        "list of events": "/api/v1/events?limit=50",
        "one event": f"/api/v1/events/{uuid}",
    }
    today = datetime.now(UTC).date()
    pages = {
        "home": "/",
        "all events of a day": f"/days/{today - timedelta(days=1)}/all",
        "a collection's day": f"/days/{today - timedelta(days=1)}?collection=world_news",
        "event page": f"/events/{uuid}",
        f"page of an event of {CROWD_DOCUMENTS:,} documents": f"/events/{uuids['crowd']}",
    }
    searches = {
        "search page, every story matches": "/search?q=council",
        "search page": f"/search?q={RARE_WORDS}",
        "search by events": f"/api/v1/search?q={RARE_WORDS}",
        "search by stories": f"/api/v1/search?q={RARE_WORDS}&stories=1",
    }
    empty: dict[str, float] = {}
    for name, path in {**calls, **pages, **searches}.items():
        load(url + path, key, seconds=WARM_UP_SECONDS)
        before = cpu_seconds(pid)
        measured = load(url + path, key)
        measured["cpu_ms"] = 1000 * (cpu_seconds(pid) - before) / measured["count"]
        empty = empty or measured
        figure(
            name,
            measured["rate"],
            "requests/s",
            share_of_empty=round(measured["rate"] / empty["rate"], 3),
            p99_ms=round(measured["p99_ms"], 1),
            p99_of_empty=round(measured["p99_ms"] / empty["p99_ms"], 2),
            cpu_ms=round(measured["cpu_ms"], 2),
            share_of_empty_by_cpu=round(empty["cpu_ms"] / measured["cpu_ms"], 3),
            first_byte_ms=round(median(first_byte(url + path, key) for _ in range(TIMES)), 1),
        )
    for name, path in {**pages, **searches}.items():
        cached = median(first_byte(url + path, key) for _ in range(TIMES))
        changed = median([await first_byte_after_change(database, url + path, key) for _ in range(TIMES)])
        figure(name, cached, "ms to the first byte", after_a_change_ms=round(changed, 1))
    figure("memory of the server", memory(pid, "VmHWM"), "MiB")


if __name__ == "__main__":
    uvloop.run(main())
