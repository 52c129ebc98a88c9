"""Requests a second of one server process, also as a share of those for an empty response; by wrk on the loopback.

python bench/http_reads.py                                          100,000 documents in 30,000 stories
python bench/http_reads.py --documents 1000000 --stories 300000
"""

import argparse
import re
import shutil
import subprocess
import time

import uvloop

from common import figure, fresh_database
from scoop.store.db import Database
from server_process import a_key, memory, server

COLLECTIONS = ("ai_news", "china_news", "world_news")
CONNECTIONS = 50
SECONDS = 5
PAGE = 50_000
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
INSERT INTO stories (story_id, collection, canonical_title, canonical_url, representative_document_id, first_seen_at,
    last_seen_at, sources, publisher_families, item_count)
SELECT 1 + source_item_id::bigint % $1, min(collection), min(title), min(canonical_url), min(document_id), min(seen_at),
    max(seen_at), array_agg(DISTINCT source), array_agg(DISTINCT publisher_family), count(*)
FROM documents GROUP BY 1
"""
MEMBERS = """
INSERT INTO story_members (story_id, document_id, match_type)
SELECT 1 + source_item_id::bigint % $1, document_id,
    (CASE WHEN source_item_id::bigint < $1 THEN 'seed' ELSE 'exact_url' END)::story_match_type
FROM documents
"""


async def fill(database: Database, documents: int, stories: int) -> None:
    async with database.connection() as conn:
        await conn.execute("SET session_replication_role = replica")  # no foreign key checks: the rows are consistent
        for first in range(0, documents, PAGE):
            await conn.execute(DOCUMENTS, first, min(first + PAGE, documents), list(COLLECTIONS), stories, timeout=600)
        await conn.execute(STORIES, stories, timeout=600)
        await conn.execute(MEMBERS, stories, timeout=600)
        await conn.execute("RESET session_replication_role")
        await conn.execute("VACUUM ANALYZE", timeout=600)


def load(url: str, key: str) -> dict[str, float]:
    """Requests a second and the 99th percentile of the latency in milliseconds."""
    command = [
        "wrk",
        "-t",
        "1",
        "-c",
        str(CONNECTIONS),
        "-d",
        f"{SECONDS}s",
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
    assert p99
    assert rate
    return {"rate": float(rate[1]), "p99_ms": float(p99[1]) * factors[p99[2]]}


def first_byte(url: str, key: str) -> float:
    """The median time to the first byte for a single client, in milliseconds."""
    took = []
    for _ in range(15):
        done = subprocess.run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{time_starttransfer}", "-H", f"Authorization: Bearer {key}", url],
            capture_output=True,
            text=True,
            check=True,
        )
        took.append(float(done.stdout) * 1000)
    return sorted(took)[len(took) // 2]


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
            uuid = await conn.fetchval("SELECT story_uuid FROM stories WHERE story_id = 7")
        async with server(folder / "home") as (url, pid):
            await measure(url, pid, key, str(uuid))


async def measure(url: str, pid: int, key: str, uuid: str) -> None:
    calls = {
        "empty response": "/healthz",
        "list of stories": "/api/v1/stories?limit=50",
        "list of one collection": "/api/v1/stories?limit=50&collection=ai_news",
        "one story": f"/api/v1/stories/{uuid}",
    }
    empty = 0.0
    for name, path in calls.items():
        load(url + path, key)  # warm
        measured = load(url + path, key)
        empty = empty or measured["rate"]
        figure(
            name,
            measured["rate"],
            "requests/s",
            share_of_empty=round(measured["rate"] / empty, 3),
            p99_ms=round(measured["p99_ms"], 1),
            first_byte_ms=round(first_byte(url + path, key), 1),
        )
    figure("home page", first_byte(url + "/", key), "ms to the first byte")
    figure("memory of the server", memory(pid, "VmHWM"), "MiB")


if __name__ == "__main__":
    uvloop.run(main())
