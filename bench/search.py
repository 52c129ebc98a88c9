"""How fast documents become findable, and how fast stories are found among many: figures as one JSON a line.

python bench/search.py                       among 100,000 documents
python bench/search.py --documents 1000000   among a million, whose making takes some minutes
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np

from common import figure, fresh_database
from scoop.actions import search
from scoop.actions.search import QueryVector
from scoop.core import embedding_text
from scoop.core import search as core
from scoop.core.search import Query
from scoop.embedders.local import Local
from scoop.stages import index
from scoop.store import embeddings
from scoop.store import search as store
from scoop.store.db import Connection, Database

VOCABULARY = 60_000
SAMPLES = 20_000  # texts; documents share them, as so many words and so many of each make the index what it is
BODY_WORDS = 190
YEARS = 3  # over which the documents are spread
COLLECTIONS = ("world_news", "ai_news", "city_news")
LANGUAGES = ("en", "de", "fr", "es")
ASKED = 60  # queries of each kind
PAGE = 50_000
DIMENSIONS = 512
MODEL = (Local.model.name, embedding_text.with_recipe(Local.model.version))


# A past of many documents, made by the server: the rows are like those the stages write

PAST = """
WITH made AS (
    SELECT number, md5(number::text) AS hash, now() - random() * $4::int * interval '365 days' AS seen_at,
        ($5::text[])[1 + number % cardinality($5::text[])] AS collection,
        ($6::text[])[1 + number / 7 % cardinality($6::text[])] AS language,
        'source' || number % 97 AS source, title, body
    FROM generate_series($1::bigint, $2::bigint - 1) AS number JOIN samples ON sample = number * 7919 % $3::int
), arrived AS (
    INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, raw_payload, payload_hash)
    SELECT 1, collection, source, number, '{}', sha256(hash::bytea) FROM made RETURNING raw_arrival_id, source_item_id
)
INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, title, normalized_title,
    body_text, normalized_text, normalized_language, published_at, fetched_at, seen_at, publisher_family, content_hash,
    token_count)
SELECT raw_arrival_id, collection, source, source_item_id, 'art_' || hash, title || ' ' || number,
    title || ' ' || number, body, body, language, seen_at, now(), seen_at, source, sha256(('c' || hash)::bytea), 190
FROM made JOIN arrived ON source_item_id = number::text
"""
TOLD = """
WITH told AS (
    INSERT INTO stories (story_id, collection, canonical_title, representative_document_id, first_seen_at, last_seen_at,
        sources, publisher_families)
    SELECT document_id, collection, title, document_id, seen_at, seen_at, ARRAY[source], ARRAY[publisher_family]
    FROM documents WHERE document_id > $1 RETURNING story_id
)
INSERT INTO story_members (story_id, document_id, match_type) SELECT story_id, story_id, 'seed' FROM told
"""
INDEXED = """
INSERT INTO document_search (document_id, seen_at, facets, tokens)
SELECT document_id, seen_at, ARRAY['c:' || collection, 's:' || source, 'l:' || normalized_language,
        to_char(seen_at AT TIME ZONE 'UTC', '"d:"YYYY-MM-DD'), to_char(seen_at AT TIME ZONE 'UTC', '"m:"YYYY-MM')],
    samples.tokens || format('%L:1A', source_item_id)::tsvector
FROM documents JOIN samples ON sample = source_item_id::bigint * 7919 % $2::int
WHERE document_id > $1
"""
EMBEDDED = """
INSERT INTO document_embeddings (document_id, model_name, model_version, embedding, service_endpoint, collection,
    seen_at, text_hash)
SELECT document_id, $1, $2, l2_normalize(one.whole + other.part), 'bench', collection, seen_at, ''
FROM documents
JOIN themes AS one ON one.theme = document_id * 7919 % $3::int
JOIN themes AS other ON other.theme = abs(hashint8(document_id)::bigint) % $3::int
"""


@cache
def word(number: int) -> str:
    """A word of its own for each number."""
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    made = ""
    while True:
        number, rest = divmod(number, len(syllables))
        made += syllables[rest]
        if not number:
            return f"{made}x"


def common(chance: random.Random) -> int:
    """The number of a word; the first are in every text, as in any language (Zipf)."""
    return int(VOCABULARY ** chance.random()) - 1


def text(chance: random.Random, words: int) -> list[str]:
    return [word(common(chance)) for _ in range(words)]


async def make_samples(conn: Connection) -> None:
    await conn.execute("CREATE TABLE samples (sample INTEGER PRIMARY KEY, title TEXT, body TEXT, tokens TSVECTOR)")
    stems = {each: each for each in map(word, range(VOCABULARY))}
    rows = []
    for number in range(SAMPLES):
        chance = random.Random(number)
        title, body = text(chance, 9), text(chance, BODY_WORDS)
        rows.append((number, " ".join(title), " ".join(body), core.tsvector(title, body, stems)))
    await conn.executemany("INSERT INTO samples VALUES ($1, $2, $3, $4::text::tsvector)", rows)


async def make(database: Database, count: int) -> None:
    """So many documents, each in a story of its own, all of them findable."""
    async with database.connection() as conn:
        await make_samples(conn)
        await conn.execute("SET session_replication_role = replica")  # the rows are made to fit each other
        await conn.execute("DROP INDEX idx_document_search")
        for first in range(0, count, PAGE):
            newest = await conn.fetchval("SELECT coalesce(max(document_id), 0) FROM documents")
            last = min(first + PAGE, count)
            await conn.execute(PAST, first, last, SAMPLES, YEARS, list(COLLECTIONS), list(LANGUAGES))
            await conn.execute(TOLD, newest)
            await conn.execute(INDEXED, newest, SAMPLES)
        await conn.execute("SET maintenance_work_mem = '1GB'")
        await conn.execute("CREATE INDEX idx_document_search ON document_search USING gin (facets, tokens)")
        facets = [f"c:{each}" for each in COLLECTIONS] + [f"l:{each}" for each in LANGUAGES]
        await store.put_facets(conn, facets + [f"s:source{number}" for number in range(97)])
        await store.put_words(conn, sorted({word(number) for number in range(VOCABULARY)}))
        await conn.execute("RESET session_replication_role")
        await conn.execute("VACUUM ANALYZE")


async def make_embeddings(database: Database) -> None:
    """Vectors for all documents, around some thousand themes, and their indexes."""
    chance = np.random.default_rng(1)
    async with database.connection() as conn:
        await conn.execute("CREATE TABLE themes (theme INTEGER PRIMARY KEY, whole vector, part vector)")
        vectors = chance.standard_normal((SAMPLES // 4, DIMENSIONS)).astype(np.float32)
        rows = [(number, vector.tolist(), (0.4 * vector).tolist()) for number, vector in enumerate(vectors)]
        await conn.executemany("INSERT INTO themes VALUES ($1, $2::real[]::vector, $3::real[]::vector)", rows)
        await embeddings.get_or_create(conn, *MODEL, dimensions=DIMENSIONS)
        await conn.execute(EMBEDDED, *MODEL, len(rows))
        await conn.execute("SET maintenance_work_mem = '2GB'")
        for collection in COLLECTIONS:
            await conn.execute("SELECT index_embeddings($1, $2, $3, $4)", *MODEL, collection, DIMENSIONS)
        await conn.execute("ANALYZE document_embeddings")


# Figures


def queries(now: datetime) -> dict[str, Callable[[random.Random], Query]]:
    def rare(chance: random.Random) -> str:
        return word(chance.randrange(VOCABULARY // 3, VOCABULARY))

    def usual(chance: random.Random) -> str:
        return word(chance.randrange(50, 2_000))

    def frequent(chance: random.Random) -> str:
        return word(chance.randrange(8))

    return {
        "a rare word": lambda chance: Query(text=rare(chance)),
        "a usual word": lambda chance: Query(text=usual(chance)),
        "a word of nearly all documents": lambda chance: Query(text=frequent(chance)),
        "two usual words": lambda chance: Query(text=f"{usual(chance)} {usual(chance)}"),
        "two frequent words": lambda chance: Query(text=f"{frequent(chance)} {frequent(chance)}"),
        "a frequent and a rare word": lambda chance: Query(text=f"{frequent(chance)} {rare(chance)}"),
        "a phrase of frequent words": lambda chance: Query(text=f'"{frequent(chance)} {frequent(chance)}"'),
        "a phrase of usual words": lambda chance: Query(text=f'"{usual(chance)} {usual(chance)}"'),
        "one of three, without one": lambda chance: Query(
            text=f"{usual(chance)} OR {usual(chance)} OR {rare(chance)} -{frequent(chance)}"
        ),
        "thirty words": lambda chance: Query(text=" ".join(frequent(chance) for _ in range(30))),
        "a mistyped word": lambda chance: Query(text=f"{usual(chance)[:-1]}q"),
        "narrowed to a source": lambda chance: Query(text=usual(chance), source="source5", language="de"),
        "narrowed to a month": lambda chance: Query(
            text=usual(chance), since=now - timedelta(days=400), until=now - timedelta(days=370)
        ),
        "a frequent word, narrowed to an old month": lambda chance: Query(
            text=frequent(chance), since=now - timedelta(days=800), until=now - timedelta(days=770)
        ),
    }


def told(name: str, took: Sequence[float], **more: object) -> None:
    in_order = sorted(took)
    figure(
        name,
        in_order[int(len(in_order) * 0.95)],
        "ms at p95",
        p50=round(statistics.median(took), 1),
        most=round(in_order[-1], 1),
        **more,
    )


async def by_words(database: Database, count: int) -> None:
    now, all_took = datetime.now(UTC), []
    async with database.connection() as conn:
        for name, made in queries(now).items():
            took, stories = [], []
            for number in range(ASKED):
                query = made(random.Random(number))
                began = time.perf_counter()
                found = await search.search_stories(conn, query, now=now)
                took.append((time.perf_counter() - began) * 1000)
                stories.append(found.total_estimate)
            all_took += took[1:]  # the first has its words' part of the index to read
            told(name, took[1:], documents=count, stories=statistics.median(stories))
    told("search by words, all kinds", all_took, documents=count)


async def by_meaning(database: Database, count: int) -> None:
    now, chance = datetime.now(UTC), np.random.default_rng(2)
    took: list[float] = []
    narrowed: list[float] = []
    async with database.connection() as conn:
        for number in range(ASKED):
            vector = chance.standard_normal(DIMENSIONS)
            sought = QueryVector(
                model_name=MODEL[0], model_version=MODEL[1], vector=(vector / np.linalg.norm(vector)).tolist()
            )
            query = Query(text=word(random.Random(number).randrange(50, 2_000)))
            for times, asked in ((took, query), (narrowed, replace(query, language="de", source="source5"))):
                began = time.perf_counter()
                await search.search_stories(conn, asked, now=now, meaning=sought)
                times.append((time.perf_counter() - began) * 1000)
    told("search by words and meaning", took[1:], documents=count)
    told("search by words and meaning, narrowed to a source", narrowed[1:], documents=count)


async def indexing(database: Database) -> None:
    """The stage by itself, among as many documents as there are."""
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT document_id FROM documents ORDER BY random() LIMIT 2000")
        ids = [row[0] for row in rows]
        await conn.execute("DELETE FROM document_search WHERE document_id = ANY ($1)", ids)
        stage = index.stage()
        began = time.perf_counter()
        for first in range(0, len(ids), stage.batch):
            outcome = await stage.work(await stage.load(conn, ids[first : first + stage.batch]))
            async with conn.transaction():
                await stage.save(conn, outcome.output)
        took = time.perf_counter() - began
    figure("index stage, one process", len(ids) / took, "documents/s", microseconds_each=round(took / len(ids) * 1e6))


async def plans(database: Database) -> None:
    """The way in which candidates are found, as the server takes it."""
    now = datetime.now(UTC)
    async with database.connection() as conn:
        size = await conn.fetchval("SELECT pg_size_pretty(pg_relation_size('idx_document_search'))")
        table = await conn.fetchval("SELECT pg_size_pretty(pg_table_size('document_search'))")
        for name, text in (("rare", word(40_000)), ("frequent", word(0))):
            stretch = core.time_ranges(Query(text=text), now=now)[0]
            async with store.time_limit(conn):
                rows = await conn.fetch(
                    f"EXPLAIN (ANALYZE, COSTS off, TIMING off) {store.SQL['newest']}",
                    f"'{text}'",
                    None,
                    stretch.marks,
                    stretch.start,
                    stretch.end,
                    None,
                    store.MAX_RANKED,
                )
            lines = [row[0].strip() for row in rows]
            took = float(next(line for line in lines if line.startswith("Execution")).split()[2])
            figure(
                f"the newest with a {name} word",
                took,
                "ms",
                plan=[line for line in lines if "Scan" in line],
                index_size=size,
                table_size=table,
            )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--no-meaning", action="store_true", help="make no embeddings, whose index takes long")
    asked = parser.parse_args()
    async with fresh_database() as (_folder, database):
        began = time.perf_counter()
        await make(database, asked.documents)
        figure("making the documents", time.perf_counter() - began, "s", documents=asked.documents)
        await plans(database)
        await by_words(database, asked.documents)
        await indexing(database)
        if not asked.no_meaning:
            await make_embeddings(database)
            await by_meaning(database, asked.documents)


if __name__ == "__main__":
    asyncio.run(main())
