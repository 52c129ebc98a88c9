"""One text under many titles: what it means for stories, and what it costs."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

from builders import an_item, ingest, run_all
from builders import partition as stories_of
from scoop import worker
from scoop.cli.progress import Silent
from scoop.core import documents, hashes, text, titles
from scoop.model import Arrival
from scoop.stage_names import StageName
from scoop.stages import dedup
from scoop.stages.stage import Worker
from scoop.store import db, work
from scoop.store import documents as documents_store
from scoop.store.work import Subject

WALL = (
    "We and our partners store and access information on a device, such as cookies, and process personal data, such as "
    "unique identifiers, for personalised advertising and content, measurement, audience research and development of "
    "services. With your permission we may use precise geolocation and identification through scanning."
)
REPORT = (
    "The old bridge over the Lenn stays closed until spring. Engineers found rust in two cables and want every strand "
    "to be checked twice before the first lorry may cross it again, the council of Ostburg said. Shopkeepers on the "
    "eastern bank fear for the Christmas trade, since half of their customers used to walk over from the station."
)
SUBJECTS = "Minister Harbour Ferry Goalkeeper Orchestra Volcano Vaccine Tariff Satellite Glacier".split()  # noqa: SIM905
VERBS = "resigns returns wins loses opens closes falls rises begins ends".split()  # noqa: SIM905
CROWD, NEWCOMERS = 20_000, 1_000
COLLECTION = "world_news"


def a_copy(number, title, body):
    """An item of a publisher of its own."""
    host = f"paper{number}.example"
    return an_item(number, source=f"paper{number}", title=title, canonical_url=f"https://{host}/a", body_text=body)


def walled(count):
    """Articles behind one notice; their titles share words with each other but not with the notice."""
    return [
        a_copy(number, f"{SUBJECTS[number % 10]} {VERBS[number // 10 % 10]} in {SUBJECTS[number // 7 % 10]} row", WALL)
        for number in range(count)
    ]


async def fold(database, portions):
    for portion in portions:
        await ingest(database, portion)
        await run_all(database)
    return await stories_of(database)


async def test_articles_behind_one_notice_are_a_story_each(database):
    items = walled(40)
    assert await fold(database, [items]) == {frozenset({item["source_item_id"]}) for item in items}


async def test_what_was_joined_before_a_text_turned_out_to_be_a_notice_is_judged_again(database):
    items = walled(40)
    alone = {frozenset({item["source_item_id"]}) for item in items}
    assert await fold(database, [items[:5], items[5:15], items[15:]]) == alone


async def test_articles_behind_one_notice_are_an_event_each(database):
    items = walled(40)
    await fold(database, [items[:5], items[5:15], items[15:]])
    async with database.connection() as conn:
        sizes = await conn.fetch("SELECT story_count FROM events WHERE status = 'active'")
    assert [row["story_count"] for row in sizes] == [1] * len(items)


async def test_an_article_under_many_titles_that_it_mentions_is_one_story(database):
    subjects = ("Bridge", "Engineers", "Council", "Shopkeepers", "Rust")
    items = [a_copy(number, f"{subjects[number % 5]}: edition {'x' * number} of today", REPORT) for number in range(40)]
    assert await fold(database, [items[:20], items[20:]]) == {frozenset(item["source_item_id"] for item in items)}


def crowd_documents():
    """Documents of one notice under 20,000 titles; only what differs is computed for each."""
    item = a_copy(0, "Minister resigns in harbour row", WALL)
    arrival = Arrival(
        raw_arrival_id=1,
        collection=COLLECTION,
        source=item["source"],
        source_item_id="0",
        fetched_at=datetime(2026, 11, 15, tzinfo=UTC),
        raw_payload=item,
    )
    first = documents.document(arrival)
    for number in range(1, CROWD + 1):
        title = f"{SUBJECTS[number % 10]} {VERBS[number // 10 % 10]} in row {number:x}q"
        normalized = text.normalized(title)
        url = f"https://paper{number}.example/a"
        yield replace(
            first,
            raw_arrival_id=number,
            source=f"paper{number}",
            source_item_id=str(number),
            article_id=documents.article_id(url),
            canonical_url=url,
            canonical_url_hash=hashes.sha256(url),
            title=title,
            normalized_title=normalized,
            source_domain=f"paper{number}.example",
            publisher_family=f"paper{number}",
            title_simhash=hashes.simhash(hashes.digests(text.words(normalized))),
            title_hash=hashes.title_hash(normalized),
            content_hash=hashes.content_hash(normalized, first.normalized_text),
            headline=titles.headline(title),
        )


ARRIVALS = """
INSERT INTO raw_arrivals (raw_arrival_id, run_id, collection, source, source_item_id, raw_payload, payload_hash)
OVERRIDING SYSTEM VALUE SELECT number, 1, $2, 'paper' || number, number, '{}', sha256(number::text::bytea)
FROM generate_series(1, $1) AS number
"""
STORIES = """
WITH opened AS (
    INSERT INTO stories (story_id, coverage_id, collection, canonical_title, representative_document_id, first_seen_at,
        last_seen_at, sources, publisher_families)
    SELECT document_id, document_id, collection, title, document_id, seen_at, seen_at, ARRAY[source],
        ARRAY[publisher_family]
    FROM documents WHERE document_id <= $1 RETURNING *
), events_opened AS (
    INSERT INTO events (event_id, event_uuid, collection, lead_story_id, first_seen_at, last_seen_at, developed_at,
        sources, publisher_families)
    SELECT story_id, story_uuid, collection, story_id, first_seen_at, last_seen_at, now(), sources, publisher_families
    FROM opened
)
INSERT INTO story_members (story_id, document_id, match_type) SELECT story_id, story_id, 'seed' FROM opened
"""


async def test_a_thousand_of_twenty_thousand_articles_behind_one_notice_are_judged_in_one_batch(database):
    placed = CROWD - NEWCOMERS
    async with database.connection() as conn:
        await conn.execute("SET session_replication_role = replica")  # no foreign key checks: the rows are consistent
        await conn.execute(ARRIVALS, CROWD, COLLECTION)
        columns = ("document_id", *documents_store.COLUMNS)
        records = (
            (document.raw_arrival_id, *(getattr(document, name) for name in documents_store.COLUMNS))
            for document in crowd_documents()
        )
        await db.copy(conn, "documents", columns=columns, records=records)
        await conn.execute(STORIES, placed)
        await conn.execute("SELECT setval('stories_story_id_seq', $1)", CROWD)
        await conn.execute("RESET session_replication_role")
        await work.enqueue(conn, "dedup", [Subject(number, COLLECTION) for number in range(placed + 1, CROWD + 1)])
        member = Worker(await work.register_worker(conn), conn)
        await worker.drain(dedup.stage(then=()), member, stop=asyncio.Event(), report=Silent())
        opened = await conn.fetchval("SELECT count(*) FROM story_members WHERE match_type = 'seed'")
    assert opened == CROWD
    # About 3 seconds on a free core. When every search read the whole crowd, the batch outlived its lease.
    assert member.batch_sizes == {StageName.DEDUP: dedup.stage(then=()).batch}
