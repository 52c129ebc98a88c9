"""Lists stay fast however long they are: a part of one reads little more than it gives."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from scoop.stage_names import StageName
from scoop.store.reads import articles as article_reads
from scoop.store.reads import days as day_reads
from scoop.store.reads import documents as document_reads
from scoop.store.reads import slices
from scoop.store.reads import stories as story_reads
from scoop.store.reads.slices import END, START

ROWS = 6_000
LIMIT = 21
TABLES = {"stories", "documents", "story_members", "pages"}
NEWEST = datetime(2026, 11, 15, tzinfo=UTC)
MIDDLE = (NEWEST - timedelta(minutes=ROWS // 2), ROWS // 2)
FILL = [
    "INSERT INTO ingest_runs (source, status) VALUES ('bulk', 'completed')",
    """INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, raw_payload, payload_hash)
    SELECT 1, 'c', 'source' || n % 60, n::text, '{}', sha256(n::text::bytea) FROM generate_series(1, 6000) AS n""",
    """INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, title, normalized_title,
        body_text, fetched_at, seen_at, publisher_family, content_hash)
    SELECT raw_arrival_id, 'collection' || n % 40, source, source_item_id, 'art_' || md5(source_item_id), 'T' || n, 't',
        repeat('text ', 100), timestamptz '2026-11-15Z' - n * interval '1 minute',
        timestamptz '2026-11-15Z' - n * interval '1 minute', 'f', sha256(n::text::bytea)
    FROM raw_arrivals CROSS JOIN LATERAL (SELECT source_item_id::int AS n) AS numbered""",
    """WITH made AS (
        INSERT INTO stories (story_id, coverage_id, collection, canonical_title, representative_document_id,
            first_seen_at, last_seen_at, sources, publisher_families)
        SELECT document_id, document_id, collection, title, document_id, seen_at, seen_at, ARRAY[source], ARRAY['f']
        FROM documents RETURNING *
    )
    INSERT INTO events (event_id, event_uuid, collection, lead_story_id, first_seen_at, last_seen_at, developed_at,
        sources, publisher_families)
    SELECT story_id, story_uuid, collection, story_id, first_seen_at, last_seen_at, now(), sources, publisher_families
    FROM made""",
    """INSERT INTO story_members (story_id, document_id, match_type)
    SELECT document_id, document_id, 'seed' FROM documents""",
    "ANALYZE",
]


@pytest.fixture
async def filled(database):
    async with database.connection() as conn:
        for statement in FILL:
            await conn.execute(statement)
    return database


async def rows_read(conn, module, name, *values, relation=None):
    """How many rows the plan of a block touches at most in one place: those it gives on and those it throws away."""
    await slices.plan_for_values(conn)
    found = await conn.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {module.SQL[name]}", *values)
    scans = []

    def look(node):
        if "Scan" in node["Node Type"] and node.get("Relation Name") in ({relation} if relation else TABLES):
            removed = node.get("Rows Removed by Filter", 0)
            scans.append((node["Actual Rows"] + removed) * node["Actual Loops"])
        for inner in node.get("Plans", []):
            look(inner)

    look((found if isinstance(found, list) else json.loads(found))[0]["Plan"])
    return max(scans)


@pytest.mark.parametrize("before", [END, MIDDLE])
@pytest.mark.parametrize("collection", [None, "collection7"])
async def test_a_part_of_the_stories_reads_no_more_than_it_gives(filled, before, collection):
    async with filled.connection() as conn, conn.transaction():
        read = await rows_read(conn, story_reads, "stories", START, *before, collection, None, LIMIT, 0)
    assert read <= 3 * LIMIT


async def test_what_lies_before_a_page_is_passed_over_without_its_documents(filled):
    async with filled.connection() as conn, conn.transaction():
        read = await rows_read(
            conn, story_reads, "stories", START, *END, None, None, LIMIT, 5_000, relation="documents"
        )
    assert read <= LIMIT


@pytest.mark.parametrize("before", [END, MIDDLE])
@pytest.mark.parametrize(
    ("source", "collection", "story_id"),
    [(None, None, None), ("source7", None, None), (None, "collection7", None), (None, None, 5)],
)
async def test_a_part_of_the_documents_reads_no_more_than_it_gives(filled, before, source, collection, story_id):
    async with filled.connection() as conn, conn.transaction():
        read = await rows_read(conn, document_reads, "documents", START, *before, source, collection, story_id, LIMIT)
    assert read <= 3 * LIMIT


@pytest.mark.parametrize("before", [END, MIDDLE])
@pytest.mark.parametrize("source", [None, "source7"])
@pytest.mark.parametrize("is_once", [False, True])
async def test_a_part_of_the_articles_reads_no_more_than_it_gives(filled, before, source, is_once):
    async with filled.connection() as conn, conn.transaction():
        values = (START, *before, source, None, 10_000, LIMIT, is_once, StageName.PAGES)
        read = await rows_read(conn, article_reads, "articles", *values)
    assert read <= 3 * LIMIT


async def test_the_days_that_are_not_asked_for_are_not_read(filled):
    async with filled.connection() as conn, conn.transaction():
        read = await rows_read(conn, day_reads, "days", "Europe/Berlin", START, END[0], None, 1)
    assert read <= 2 * 24 * 60  # stories of a day


async def test_an_article_is_found_by_its_id(filled):
    async with filled.connection() as conn, conn.transaction():
        article_id = await conn.fetchval("SELECT article_id FROM documents LIMIT 1")
        assert await rows_read(conn, article_reads, "article", article_id, None, 10, StageName.PAGES) <= 2


async def test_a_list_walked_to_its_end_has_every_row_once(filled):
    async with filled.connection() as conn, conn.transaction():
        found, before = [], END
        while part := await document_reads.list_documents(conn, slices.ListSlice(before=before, limit=500)):
            found += [document.document_id for document in part]
            before = part[-1].seen_at, part[-1].document_id
    assert len(found) == len(set(found)) == ROWS
