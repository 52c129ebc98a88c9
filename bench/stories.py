"""How fast documents become stories and groups of coverage, and how well an index finds who is near.

python bench/stories.py                      up to 100,000 documents in the lookback
python bench/stories.py --grow-to 1000000    the whole curve; makes an index of a million vectors, which takes a while
python bench/stories.py --grow-to 0 --real tests/quality/stories/*.gz    the index's recall on real embeddings
"""

import argparse
import asyncio
import json
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from common import figure, fresh_database, run
from scoop.core import embedding_text, signals
from scoop.embedders.local import Local
from scoop.evaluation import datasets
from scoop.stages import link
from scoop.stages.push import push
from scoop.store import embeddings, stories, work
from scoop.store import links as links_store
from scoop.store import signals as signals_store
from scoop.store.db import Connection, Database
from scoop.store.embeddings import EmbeddingModel
from scoop.store.work import Subject

MARKS = (10_000, 100_000, 1_000_000)  # documents in the lookback at which the cost per document is measured
STEP = 2_000  # documents of one such measurement
TOLD_BY = 4  # documents of an event
COLLECTION = "bench"
DIMENSIONS = 512
MODEL = (Local.model.name, embedding_text.with_recipe(Local.model.version))
VOCABULARY = 30_000
ASKED = 300  # documents for which the index is compared with exact search


# Articles of events


def vocabulary() -> list[str]:
    chance = random.Random(1)
    return [
        "".join(chance.choices("bcdfghklmnprstvw", k=2))
        + "".join(chance.choices("aeiou", k=2))
        + str(number)[::-1].translate(str.maketrans("0123456789", "lmnrstvwpk"))
        for number in range(VOCABULARY)
    ]


WORDS = vocabulary()


def article(event: int, telling: int) -> tuple[str, str]:
    """Title and body of one telling of an event: half of the words are the event's own."""
    of_event, own = random.Random(event), random.Random(event * TOLD_BY + telling)
    theme = [WORDS[int(of_event.paretovariate(0.5)) % VOCABULARY] for _ in range(120)]

    def say(count: int) -> str:
        return " ".join(
            own.choice(theme) if own.random() < 0.5 else WORDS[int(own.paretovariate(0.4)) % VOCABULARY]
            for _ in range(count)
        )

    return say(9).capitalize(), f"{say(25).capitalize()}. " * 8


def items(first_event: int, count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        event, telling = first_event + number // TOLD_BY, number % TOLD_BY
        title, body = article(event, telling)
        yield {
            "payload_version": "v1",
            "source": f"source{telling}",
            "source_item_id": f"{event}-{telling}",
            "title": title,
            "canonical_url": f"https://host{telling}.example/{event}",
            "body_text": body,
            "published_at": "2026-11-14T08:00:00Z",
            "language": "en",
            "source_metadata": {
                "collection": COLLECTION,
                "job_name": "bench",
                "job_run_id": "1",
                "scraped_at": "2026-11-15T00:00:00Z",
            },
        }


async def take_in(database: Database, found: Iterable[Mapping[str, Any]]) -> None:
    """Hand items in, as a file of them would be."""
    lines = BytesIO(b"".join(json.dumps(item).encode() + b"\n" for item in found))
    await push(database, lines, name="bench", now=datetime.now(UTC), progress=lambda _count: None)


# A past of many documents, made by the server: the rows are like those the stages write

PAST = """
WITH made AS (
    SELECT number, number / $3 AS event, md5(number::text) AS hash, now() - number % 20 * interval '1 day' AS seen_at
    FROM generate_series($1::bigint, $2::bigint - 1) AS number
), arrived AS (
    INSERT INTO raw_arrivals (run_id, collection, source, source_item_id, raw_payload, payload_hash)
    SELECT 1, $4, 'past', number, '{}', sha256(hash::bytea) FROM made RETURNING raw_arrival_id, source_item_id
)
INSERT INTO documents (raw_arrival_id, collection, source, source_item_id, article_id, canonical_url,
    canonical_url_hash, title, normalized_title, body_text, normalized_text, published_at, fetched_at, seen_at,
    source_domain, publisher_family, title_simhash, text_simhash, content_hash, token_count, headline, sketch)
SELECT raw_arrival_id, $4, 'past', source_item_id, 'art_' || hash, 'https://past.example/' || number,
    sha256(('u' || hash)::bytea), 'Past event ' || number, 'past event ' || number, repeat(hash || ' ', 36),
    repeat(hash || ' ', 36), seen_at, now(), seen_at, 'past' || number % 997 || '.example', 'past' || number % 997,
    number, number, sha256(('c' || hash)::bytea), 200, hashint8extended(number, 1),
    ARRAY(SELECT hashint8extended(number * 32 + place, 2)::bit(32)::int FROM generate_series(1, 32) AS place)
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
# Three of some thousand themes make an event, so that events have neighbours of all degrees; noise makes a telling.
EMBED = """
INSERT INTO document_embeddings (document_id, model_name, model_version, embedding, service_endpoint, collection,
    seen_at, text_hash)
SELECT document_id, $1, $2, l2_normalize(one.v + two.v + three.v + noise.w), 'bench', collection, seen_at, ''
FROM documents JOIN unnest($3::bigint[], $4::bigint[]) AS of (document_id, event) USING (document_id)
JOIN themes AS one ON one.number = abs(hashint8extended(event, 1)) % $5
JOIN themes AS two ON two.number = abs(hashint8extended(event, 2)) % $5
JOIN themes AS three ON three.number = abs(hashint8extended(event, 3)) % $5
JOIN themes AS noise ON noise.number = abs(hashint8extended(document_id, 4)) % $5
"""
THEMES = 2_048
SIGNALS = """
INSERT INTO document_signals (document_id, signals)
SELECT document_id, ($2::bytea[])[1 + document_id % cardinality($2::bytea[])] FROM documents WHERE document_id > $1
"""
PAGE = 20_000


async def begin(database: Database) -> EmbeddingModel:
    """A database with the model and the themes that vectors are made of."""
    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((THEMES, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    async with database.connection() as conn:
        await conn.execute("CREATE TABLE themes (number BIGINT PRIMARY KEY, v vector, w vector)")
        for number, vector in enumerate(vectors):
            await conn.execute(
                "INSERT INTO themes VALUES ($1, $2::real[]::vector, $3::real[]::vector)",
                number,
                vector.tolist(),
                (0.8 * vector).tolist(),
            )
        return await embeddings.get_or_create(conn, *MODEL, dimensions=DIMENSIONS)


async def lengthen(database: Database, start: int, end: int) -> None:
    """More of the past: documents `start` to `end`."""
    samples = [signals.extract(*article(event, 0)).packed() for event in range(2_000)]
    async with database.connection() as conn:
        await conn.execute("SET session_replication_role = replica")  # the rows are made to fit each other
        await conn.execute(f"DROP INDEX {await _index(conn)}")  # made anew at the end: quicker than vector by vector
        for first in range(start, end, PAGE):
            newest = await conn.fetchval("SELECT coalesce(max(document_id), 0) FROM documents")
            await conn.execute(PAST, first, min(first + PAGE, end), TOLD_BY, COLLECTION)
            await conn.execute(TOLD, newest)
            await conn.execute(SIGNALS, newest, samples)
            rows = await conn.fetch(
                "SELECT document_id, source_item_id::bigint FROM documents WHERE document_id > $1", newest
            )
            await _embed(conn, {row[0]: row[1] // TOLD_BY for row in rows})
        await conn.execute(
            "SELECT setval(pg_get_serial_sequence('stories', 'story_id'), (SELECT max(story_id) FROM stories))"
        )
        await conn.execute("SET maintenance_work_mem = '3GB'")
        await _index(conn)
        await conn.execute("RESET session_replication_role")
        await conn.execute("ANALYZE")


async def _index(conn: Connection) -> str:
    """The name of the index of embeddings, which is made if there is none."""
    name: str = await conn.fetchval("SELECT index_embeddings($1, $2, $3, $4)", *MODEL, COLLECTION, DIMENSIONS)
    return name


async def _embed(conn: Connection, events: dict[int, int]) -> None:
    await conn.execute(EMBED, *MODEL, list(events), list(events.values()), THEMES)


# Figures


async def step(database: Database, folder: Path, size: int, first_event: int) -> float:
    """Seconds that new documents take to become stories and groups, when so many others are there."""
    home = folder / "home"
    await take_in(database, items(first_event, STEP))
    run(home, "worker", "--processes", "1", "--stage", "normalize", "--until-idle")
    start_up = run(home, "worker", "--member", "--stage", "normalize", "--until-idle").seconds
    folding = run(home, "worker", "--member", "--stage", "dedup", "--until-idle")
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT subject FROM work WHERE stage = 'embed'")
        written = await embeddings.load_documents(conn, *MODEL, [row[0] for row in rows])
        events = await conn.fetch(
            "SELECT document_id, split_part(source_item_id, '-', 1)::bigint FROM documents WHERE document_id = ANY($1)",
            [each.document_id for each in written],
        )
        await _embed(conn, {row[0]: row[1] for row in events})
        await signals_store.put(
            conn, {each.document_id: signals.extract(each.title, each.body_text) for each in written}
        )
        await conn.execute("DELETE FROM work WHERE stage = 'embed'")
        await work.enqueue(conn, "link", [Subject(each.document_id, each.collection) for each in written])
    linking = run(home, "worker", "--member", "--stage", "link", "--stage", "group", "--until-idle")
    seconds = folding.seconds + linking.seconds - 2 * start_up
    figure(
        "dedup, link and group, one process",
        STEP / seconds,
        "documents/s",
        documents=size,
        dedup=round(STEP / (folding.seconds - start_up)),
        link_and_group=round(STEP / (linking.seconds - start_up)),
        peak_mib=round(max(folding.peak_mib, linking.peak_mib)),
    )
    return seconds / STEP


async def recall(database: Database, model: EmbeddingModel, size: int, *, compared: int = ASKED // 10) -> None:
    """How many of the nearest in collection and window the index finds, and how fast."""
    async with database.connection() as conn:
        ids = [
            row[0] for row in await conn.fetch("SELECT document_id FROM documents ORDER BY random() LIMIT $1", ASKED)
        ]
        began = time.perf_counter()
        found = await _nearest(conn, model, ids)
        took = time.perf_counter() - began
        without_index = conn.transaction()
        await without_index.start()
        await conn.execute(f"DROP INDEX {await _index(conn)}")
        exact = await _nearest(conn, model, ids[:compared])
        await without_index.rollback()
    all_of_them, the_first = (
        np.mean([len({*found[each]} & {*near[:most]}) / len(near[:most]) for each, near in exact.items()])
        for most in (link.CANDIDATES, TOLD_BY - 1)
    )
    figure(
        f"recall of the {link.CANDIDATES} nearest",
        float(all_of_them),
        "",
        documents=size,
        of_the_nearest_three=round(float(the_first), 4),
        searches_a_second=round(len(found) / took),
    )


async def _nearest(conn: Connection, model: EmbeddingModel, ids: Sequence[int]) -> dict[int, list[int]]:
    near = await links_store.find_nearest(
        conn, model, ids, collection=COLLECTION, lookback=link.LOOKBACK, most=link.CANDIDATES
    )
    return {document: found.ids.tolist() for document, found in near.items()}


async def real_recall(files: Sequence[str]) -> None:
    """The same for the embeddings of real articles, which lie closer together than made ones."""
    async with fresh_database() as (folder, database):
        found = [each.item for file in files for each in datasets.documents(file, None, now=datetime.now(UTC))]
        for item in found:
            item["source_metadata"]["collection"] = COLLECTION
        await take_in(database, found)
        stages = [f"--stage={stage}" for stage in ("normalize", "dedup", "embed")]
        run(folder / "home", "worker", "--processes", "2", *stages, "--until-idle")
        async with database.connection() as conn:
            model = await embeddings.get_or_create(conn, *MODEL, dimensions=DIMENSIONS)
            await _index(conn)
            await conn.execute("ANALYZE")
            size = await conn.fetchval("SELECT count(*) FROM document_embeddings")
        await recall(database, model, size, compared=ASKED)


async def plans(database: Database, model: EmbeddingModel) -> None:
    """The ways in which candidates and groups are found, as the server takes them."""
    async with database.connection() as conn:
        ids = [
            row[0] for row in await conn.fetch("SELECT document_id FROM documents ORDER BY document_id DESC LIMIT 200")
        ]
        their_stories = list((await stories.get_story_ids(conn, ids)).values())
        asked = {
            "same_url": (stories.SQL, (ids,)),
            "same_content": (stories.SQL, (ids, 20)),
            "sharing_phrases": (stories.SQL, (ids, timedelta(days=30), 200)),
            "sharing_headlines": (stories.SQL, (ids, timedelta(days=14), 200)),
            "component": (links_store.SQL, (their_stories, 0.5, model.model_id, links_store.MAX_LINKED_DOCUMENTS)),
            "between": (links_store.SQL, (their_stories, model.model_id, links_store.MAX_LINKED_DOCUMENTS)),
        }
        for name, (blocks, arguments) in asked.items():
            told = await conn.fetchval(f"EXPLAIN (ANALYZE, FORMAT json, TIMING off) {blocks[name]}", *arguments)
            took = json.loads(told)[0]["Execution Time"]
            indexes = sorted(set(re.findall(r'"Index Name": "(\w+)"', told)))
            whole = sorted(set(re.findall(r'"Node Type": "Seq Scan",[^{]*?"Relation Name": "(\w+)"', told)))
            figure(f"plan of {name}", took / len(ids), "ms a document", indexes=indexes, read_whole=whole)


async def embedding(count: int) -> None:
    """The embed stage with one and two processes against the model by itself on the same texts."""
    local = Local(None, None)  # type: ignore[arg-type]
    texts = [embedding_text.embedding_text(*article(event, 0)) for event in range(count)]
    await local.embed(texts[:64])
    began = time.perf_counter()
    for first in range(0, count, 32):
        await local.embed(texts[first : first + 32])
    alone = count / (time.perf_counter() - began)
    figure("model alone, one core", alone, "documents/s")
    for processes in (1, 2):
        async with fresh_database() as (folder, database):
            await take_in(database, items(0, count * TOLD_BY))
            run(folder / "home", "worker", "--member", "--stage", "normalize", "--stage", "dedup", "--until-idle")
            stage = ("worker", "--processes", str(processes), "--stage", "embed", "--until-idle")
            took = run(folder / "home", *stage).seconds - run(folder / "home", *stage).seconds
            figure(
                "embed stage",
                count * TOLD_BY / took,
                "documents/s",
                processes=processes,
                times_the_model_alone=round(count * TOLD_BY / took / alone, 3),
            )


async def curve(target: int) -> None:
    """What a new document costs among ever more, as a multiple of the first; then the plans among all of them."""
    async with fresh_database() as (folder, database):
        model, first, size = await begin(database), 0.0, 0
        for mark in (mark for mark in MARKS if mark <= target):
            await lengthen(database, size, mark)
            size = mark
            await recall(database, model, mark)
            cost = await step(database, folder, mark, 10_000_000 + mark)
            first = first or cost
            figure("cost per document", cost * 1e6, "µs", documents=mark, times_first=round(cost / first, 3))
        await plans(database, model)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grow-to", type=int, default=100_000)
    parser.add_argument("--embed", type=int, default=500, help="documents of the measurement of embedding")
    parser.add_argument("--real", nargs="+", default=[], help="labelled files, as `scoop evaluate` takes them")
    asked = parser.parse_args()
    if asked.embed:
        await embedding(asked.embed)
    if asked.real:
        await real_recall(asked.real)
    if asked.grow_to:
        await curve(asked.grow_to)


if __name__ == "__main__":
    asyncio.run(main())
