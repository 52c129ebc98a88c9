"""Documents a second into a Firestore server: through the projection, by a bare loop, and for an intact rebuild.

    .venv/bin/python bench/firestore.py [articles]

The server is the emulator of the tests, a process on the loopback address. The bare loop is that of the vendor's
client, with the documents in memory; the projection also reads them from the database and notes what it sent. Each
round has a server of its own. Needs the tools of `make test`.
"""

import asyncio
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from tests.npm_servers import serving

from common import figure, fresh_database
from scoop import worker
from scoop.cli.progress import Silent
from scoop.projections.firestore import Firestore
from scoop.projections.firestore_database import BATCH
from scoop.stage_names import StageName
from scoop.stages import project
from scoop.stages.stage import Worker
from scoop.store import projections as store
from scoop.store import work
from scoop.store.db import Database

EMULATOR = Path(__file__).parents[1] / "tests/projections/firestore_emulator"
ARTICLES = 3000
ROUNDS = 3
MAKE_ARTICLES = """
WITH topic AS (
    INSERT INTO topics (topic_slug, topic_name, timezone) VALUES ('picks', 'Picks', 'UTC') RETURNING topic_id
)
INSERT INTO evaluations (topic_id, url, url_hash, article_title, state, relevance_score, evaluated_at, notified_at,
    discord_message_id)
SELECT topic_id, url, sha256(url::bytea), 'Bridge ' || number, 'notified', 85, now(), now(), '1234567890123456789'
FROM topic CROSS JOIN generate_series(1, $1::int) AS number CROSS JOIN LATERAL (
    SELECT 'https://tribune.example/news/bridge-' || number AS url) AS addresses
"""


async def project_all(database: Database, projection: Firestore) -> float:
    """The seconds that the stage takes for all articles."""
    async with database.connection() as conn:
        member = Worker(await work.register_worker(conn), conn)
        stage = project.stage([projection], then=(StageName.PROJECT,))
        began = time.perf_counter()
        await project.schedule(conn, [projection])
        await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())
        return time.perf_counter() - began


async def rebuild(database: Database, projection: Firestore) -> float:
    async with database.connection() as conn:
        await store.reset(conn, projection.name)
    return await project_all(database, projection)


def write_bare(endpoint: str, project_id: str, documents: list[tuple[str, Any]]) -> float:
    """The seconds of a bare loop of the vendor's client."""
    with mock.patch.dict(os.environ, {"FIRESTORE_EMULATOR_HOST": endpoint.removeprefix("http://")}):
        client = firestore.Client(project=project_id, credentials=AnonymousCredentials())
    began = time.perf_counter()
    for start in range(0, len(documents), BATCH):
        batch = client.batch()
        for path, fields in documents[start : start + BATCH]:
            batch.set(client.document(path), fields, merge=True)
        batch.commit()
    return time.perf_counter() - began


async def measure(articles: int) -> None:
    seconds: dict[str, list[float]] = {"projection": [], "bare loop of the vendor's client": [], "intact rebuild": []}
    async with fresh_database() as (_, database):
        async with database.connection() as conn:
            await conn.execute(MAKE_ARTICLES, articles)
        await asyncio.sleep(1.5)  # the feed reads what is a second old
        for number in range(ROUNDS):
            with serving(EMULATOR) as endpoint:
                projection = Firestore(Firestore.Options(project=f"desk-{number}", base_url=endpoint))
                seconds["projection"].append(await project_all(database, projection))
                seconds["intact rebuild"].append(await rebuild(database, projection))
                documents = [(each.path, each.fields) async for each in projection.list_memory()]
                bare = await asyncio.to_thread(write_bare, endpoint, f"bare-{number}", documents)
                seconds["bare loop of the vendor's client"].append(bare)
    for name, values in seconds.items():
        figure(name, articles / median(values), "documents/s", documents=articles)


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else ARTICLES))
