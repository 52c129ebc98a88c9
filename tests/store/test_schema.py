"""What the database itself guarantees, whoever writes to it."""

from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from builders import an_item, told
from scoop.store import db
from scoop.store.db import ExternalServer

SEED_TABLES = {
    "ingest_runs", "source_checkpoints", "raw_arrivals", "documents", "document_embeddings", "stories", "story_members",
    "dedup_events", "topics", "topic_source_rules", "topic_keyword_rules", "story_topic_state", "digest_runs",
    "digest_entries",
}  # fmt: skip


async def test_every_table_is_there_and_says_what_it_is_for(database):
    async with database.connection() as conn:
        rows = await conn.fetch(
            "SELECT relname, obj_description(oid) AS about FROM pg_class"
            " WHERE relnamespace = 'news'::regnamespace AND relkind IN ('r', 'v') AND relname <> 'schema_migrations'"
        )
    about = {row["relname"]: row["about"] for row in rows}
    assert about.keys() >= SEED_TABLES
    assert [name for name, text in about.items() if not text] == []


@pytest.mark.parametrize(
    "statement", ["UPDATE raw_arrivals SET source = 'x'", "DELETE FROM raw_arrivals", "TRUNCATE raw_arrivals CASCADE"]
)
async def test_the_ledger_refuses_to_be_changed(database, statement):
    await told(database, [an_item(1)])
    async with database.connection() as conn:
        with pytest.raises(asyncpg.PostgresError, match="append-only"):
            await conn.execute(statement)
        await conn.execute("SET session_replication_role = replica")
        with pytest.raises(asyncpg.PostgresError, match="append-only"):
            await conn.execute(statement)
        assert await conn.fetchval("SELECT count(*) FROM raw_arrivals") == 1


async def test_decisions_cannot_be_rewritten(database):
    await told(database, [an_item(1)])
    async with database.connection() as conn:
        with pytest.raises(asyncpg.PostgresError, match="append-only"):
            await conn.execute("UPDATE dedup_events SET decision = 'manual_merge'")


async def test_a_topic_and_date_have_at_most_one_live_post(database):
    insert = (
        "INSERT INTO digest_runs (topic_id, run_date, mode, attempt, window_start_utc, window_end_utc, published_at)"
        " VALUES (1, '2026-11-15', $1::text::digest_mode, $2, '2026-11-14', '2026-11-15', $3::text::timestamptz)"
    )
    async with database.connection() as conn:
        await conn.execute(insert, "shadow", 1, None)
        await conn.execute(insert, "live", 1, None)
        await conn.execute(insert, "live", 2, "2026-11-15T08:00:00Z")
        with pytest.raises(asyncpg.UniqueViolationError):
            await conn.execute(insert, "live", 3, "2026-11-15T09:00:00Z")


async def test_a_merged_story_points_at_the_one_that_stayed(database):
    await told(database, [an_item(1)])
    async with database.connection() as conn:
        with pytest.raises(asyncpg.CheckViolationError):
            await conn.execute("UPDATE stories SET status = 'merged'")


@pytest.mark.parametrize("dimensions", [3, 512, 1024, 4000, 4096])
async def test_embeddings_of_any_dimension_find_their_neighbours_by_index(database, dimensions):
    await told(database, [an_item(number) for number in range(1, 4)])
    async with database.connection() as conn:
        for document_id, *vector in ((1, 1, 0), (2, 0.9, 0.1), (3, 0, 1)):
            padded = "[" + ",".join(map(str, [*vector, *([0.01] * (dimensions - 2))])) + "]"
            await conn.execute(
                "INSERT INTO document_embeddings (document_id, model_name, model_version, embedding, service_endpoint,"
                " collection, seen_at, text_hash) VALUES ($1, 'model', 'v1', $2::text::vector, 'x', 'c', now(), '')",
                document_id,
                padded,
            )
        name = await conn.fetchval("SELECT index_embeddings('model', 'v1', 'c', $1)", dimensions)
        await conn.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = on")
        rows = await conn.fetch(
            "SELECT neighbour_id, cosine FROM nearest_documents('{1}', 'model', 'v1', 'c', $1, '30 days', 2)"
            " ORDER BY cosine DESC",
            dimensions,
        )
    async with database.connection() as conn:  # what a connection has counted is told when it rests
        await conn.execute("SELECT pg_stat_force_next_flush()")
        scans = await conn.fetchval("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = $1", name)
    assert [row["neighbour_id"] for row in rows] == [2, 3]
    assert rows[0]["cosine"] > 0.9 > rows[1]["cosine"]
    assert scans > 0


def every_block():
    folder = Path(db.__file__).parent
    files = [path for path in sorted(folder.rglob("*.sql")) if path.parent.name != "migrations"]
    for path in files:
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for name, sql in db.blocks(f"scoop.store.{module}").items():
            yield pytest.param(module, name, sql, id=f"{module}.{name}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def schema(lasting_url):
    """A connection that sees the schema and the temporary tables of stages; nothing is written."""
    database = await db.connect(ExternalServer(lasting_url), size=1)
    async with database.connection() as conn:
        await conn.execute(db.blocks("scoop.store.documents")["stage"])
        await conn.execute(db.blocks("scoop.store.links")["stage"])
        yield conn
    await database.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("module", "name", "sql"), list(every_block()))
async def test_every_block_of_sql_fits_the_schema(schema, module, name, sql):
    assert sql.startswith("-- "), f"{module}.{name} needs a sentence"
    await schema.prepare(sql)
