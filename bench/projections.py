"""Items a second into a DynamoDB server: through the projection, and by a bare loop of the same client.

    .venv/bin/python bench/projections.py [documents]

The server is a moto process on the loopback address, which is slower than the real service. Both ways write the same
items, in requests of 25, in alternating rounds; the projection also reads them from the database and notes what it
sent.
"""

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from statistics import median
from typing import Any

from common import figure, fresh_database
from scoop import worker
from scoop.cli.progress import Silent
from scoop.core.secrets import Secret
from scoop.projections.dynamodb import BATCH, DynamoDB
from scoop.projections.dynamodb_table import attributes
from scoop.stage_names import StageName
from scoop.stages import project
from scoop.stages.stage import Worker
from scoop.store import projections as store
from scoop.store import work
from scoop.store.db import Connection, Database

DOCUMENTS = 5000
ROUNDS = 3
BODY = "The council said on Tuesday that the old bridge will stay closed until every cable has been checked. " * 30
MAKE_DOCUMENTS = """
WITH run AS (
    INSERT INTO ingest_runs (source, status, finished_at) VALUES ('tribune', 'completed', now()) RETURNING run_id
), arrived AS (
    INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, raw_payload, payload_hash)
    SELECT run_id, 'world_news', 'tribune', number::text, '{}', sha256(number::text::bytea)
    FROM run CROSS JOIN generate_series(1, $1::int) AS number RETURNING raw_arrival_id, source_item_id
)
INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, canonical_url, title,
    normalized_title, body_text, fetched_at, seen_at, publisher_family, content_hash, token_count)
SELECT raw_arrival_id, 'world_news', 'tribune', source_item_id, 'art_' || md5(source_item_id),
    'https://tribune.example/' || source_item_id, 'Bridge ' || source_item_id, source_item_id, $2, now(),
    now() - make_interval(mins => source_item_id::int), 'tribune', sha256('x'), 500 FROM arrived
"""


@contextlib.contextmanager
def moto_server() -> Iterator[str]:
    """A server process of its own, so that client and server do not share an interpreter."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{url}/moto-api/data.json"):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)


def a_projection(endpoint: str, table: str) -> DynamoDB:
    return DynamoDB(
        DynamoDB.Options(
            table=table,
            base_url=endpoint,
            create_table=True,
            access_key_id=Secret("a-key"),
            secret_access_key=Secret("a-secret"),
        )
    )


async def project_all(database: Database, projection: DynamoDB) -> float:
    """The seconds that the stage takes for all documents."""
    async with database.connection() as conn:
        await conn.execute("TRUNCATE projection_feeds, projected_items")
        await store.schedule(conn, {projection.name: ("article",)})
        member = Worker(await work.register_worker(conn), conn)
        stage = project.stage([projection], then=(StageName.PROJECT,))
        began = time.perf_counter()
        await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())
        return time.perf_counter() - began


async def load_items(conn: Connection, projection: DynamoDB) -> list[dict[str, Any]]:
    ids = [row["document_id"] for row in await conn.fetch("SELECT document_id FROM documents")]
    rows = await store.load_rows(conn, "article", ids, ())
    return [attributes(projection.record(row.facts).content) for row in rows.values()]


def write_bare(client: Any, table: str, items: list[dict[str, Any]]) -> float:
    """The seconds of a bare loop."""
    began = time.perf_counter()
    for start in range(0, len(items), BATCH):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH]]
        client.batch_write_item(RequestItems={table: requests})
    return time.perf_counter() - began


async def measure(documents: int) -> None:
    bare: list[float] = []
    projected: list[float] = []
    async with fresh_database() as (_, database):
        async with database.connection() as conn:
            await conn.execute(MAKE_DOCUMENTS, documents, BODY)
        await asyncio.sleep(1.5)  # the feed reads what is a second old
        for number in range(ROUNDS):
            with moto_server() as endpoint:
                ours, other = a_projection(endpoint, "projected"), a_projection(endpoint, f"bare-{number}")
                await ours.prepare()
                await other.prepare()
                async with database.connection() as conn:
                    items = await load_items(conn, other)
                bare.append(documents / write_bare(other._table._client, f"bare-{number}", items))
                projected.append(documents / await project_all(database, ours))
    figure("bare loop of the client", median(bare), "items/s", documents=documents)
    figure("projection", median(projected), "items/s", documents=documents)
    figure("projection, share of the bare loop", median(projected) / median(bare), "ratio")


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS))
