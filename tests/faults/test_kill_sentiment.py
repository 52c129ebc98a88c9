"""Kill a worker while it finds mentions, re-analyses or refreshes the cache: the next run ends in the same numbers."""

import asyncio
import signal

import pytest

from builders import an_item, as_lines, scoop
from scoop.store import db
from scoop.store.db import ExternalServer

POINTS = [
    "mentions.saved",
    "mentions.committed",
    "reanalyze.saved",
    "reanalyze.committed",
    "sentiment.added_up",
    "sentiment.refreshed",
]
MENTIONS = """
    SELECT source_item_id, slug, start_offset, end_offset, passage_start, passage_end, compound, label, event_at
    FROM mentions JOIN tools USING (tool_number) JOIN documents USING (document_id) ORDER BY 1, 2, 3
"""
ENTRIES = """
    SELECT slug, period, positive_count, negative_count, neutral_count, story_count, average_sentiment
    FROM sentiment_cache JOIN tools USING (tool_number) ORDER BY 1, 2
"""
JOBS = "SELECT status, total, done FROM sentiment_jobs ORDER BY job_id"


async def state(url):
    database = await db.connect(ExternalServer(url), size=1)
    try:
        async with database.connection() as conn:
            return [[tuple(row) for row in await conn.fetch(query)] for query in (MENTIONS, ENTRIES, JOBS)]
    finally:
        await database.close()


@pytest.fixture(scope="session")
def half(tmp_path_factory):
    """Two halves of some items: one before the tool is added, one after."""
    items = [
        an_item(number, body_text=f"Tussock is {'great' if number % 2 else 'terrible'}, number {number}.")
        for number in range(12)
    ]
    folder = tmp_path_factory.mktemp("sentiment")
    paths = [folder / "old.ndjson", folder / "new.ndjson"]
    for path, part in zip(paths, (items[:6], items[6:]), strict=True):
        path.write_bytes(as_lines(part))
    return paths


def prepare(half, url):
    old, new = half
    assert scoop("ingest", "--items", str(old), database_url=url).returncode == 0
    assert scoop("run-once", database_url=url).returncode == 0
    assert scoop("tools", "add", "Tussock", "--category", "editor", database_url=url).returncode == 0
    assert scoop("ingest", "--items", str(new), database_url=url).returncode == 0
    asyncio.run(_forget_refreshes(url))


async def _forget_refreshes(url):
    database = await db.connect(ExternalServer(url), size=1)
    async with database.connection() as conn:
        await conn.execute("DELETE FROM chores WHERE name = 'refresh sentiment'")
    await database.close()


@pytest.fixture(scope="session")
def expected(clones, half):
    url = clones.take()
    prepare(half, url)
    assert scoop("run-once", database_url=url).returncode == 0
    found = asyncio.run(state(url))
    assert len(found[0]) == 12
    return found


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_worker_leaves_the_same_numbers(point, half, database_url, expected):
    prepare(half, database_url)
    assert scoop("run-once", database_url=database_url, fault=f"{point}:kill:1").returncode == -signal.SIGKILL
    assert scoop("run-once", database_url=database_url).returncode == 0
    assert asyncio.run(state(database_url)) == expected
