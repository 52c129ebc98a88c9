"""Measures a curator: look-ups in a memory of a million URLs, local scoring, and what a run with known articles costs.

python bench/curators.py                       a million remembered URLs; a minute or two
python bench/curators.py --remembered 100000

Look-ups of 500 URLs are one query; the figure beside it is the time of 500 queries of one URL. Scoring is that of a
batch, with and without the vectors of the articles; evaluation is what the local writer does for one article after the
other, also with the summary, with the vectors that the desk has and without them. All in one thread.
"""

import argparse
import asyncio
import importlib
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import structlog

from common import figure, fresh_database
from scoop.core.briefs import Order, SourceText
from scoop.core.embedding_text import embedding_text
from scoop.core.interests import Interest, Interests
from scoop.core.relevance import InterestVectors, ScoredText, scoring
from scoop.embedders import local
from scoop.store import curators, evaluations
from scoop.store.db import Connection, Database
from scoop.store.evaluations import CandidateArticle
from scoop.writers import local as local_writer

TESTS = Path(__file__).parents[1] / "tests"

LOOKED_UP = 500
ROUNDS = 9
ARTICLES = 200
KNOWN_ARTICLES = 180
SUBJECTS = ("PostgreSQL", "Go", "Keyboards", "bridges", "ferries", "libraries", "batteries", "satellites")
INTERESTS = Interests(
    topics=tuple(Interest(topic=subject, aliases=(f"{subject} today", f"new {subject}")) for subject in SUBJECTS)
)
# A memory: half of it was posted, half rejected; the first URLs are those of the documents.
REMEMBER = """
INSERT INTO evaluations (topic_id, url, url_hash, article_title, state, reason, relevance_score, evaluated_at,
    notified_at)
SELECT $1, url, sha256(url::bytea), 'Note ' || number,
    CASE WHEN number % 2 = 0 THEN 'notified' ELSE 'rejected' END::evaluation_state,
    CASE WHEN number % 2 = 1 THEN 'low_relevance' END, 50, now(), CASE WHEN number % 2 = 0 THEN now() END
FROM generate_series(1, $2::int) AS number
CROSS JOIN LATERAL (SELECT 'https://tribune.example/archive/note-' || number AS url) AS addresses
"""
PLACES = "SELECT story_id FROM stories WHERE status = 'active' ORDER BY story_id LIMIT $1"


def _curating() -> Any:
    """The curator of the tests, whose modules are found by their names."""
    sys.path += [str(TESTS), str(TESTS / "newsstand")]
    return importlib.import_module("curating")


curating = _curating()


async def measure_lookups(database: Database, topic_id: int, remembered: int) -> None:
    """The time of one look-up of 500 URLs, and of 500 look-ups of one; a quarter is known by story, one not at all."""
    async with database.connection() as conn:
        await conn.execute(REMEMBER, topic_id, remembered)
        await conn.execute("ANALYZE evaluations")
        hashes = await conn.fetch(
            "SELECT url_hash FROM evaluations WHERE article_title LIKE 'Note %' ORDER BY md5(article_title) LIMIT $1",
            LOOKED_UP // 2,
        )
        places = await conn.fetch(PLACES, LOOKED_UP // 4)
        by_url = [_candidate(row["url_hash"], places[0]["story_id"] - 1) for row in hashes]
        by_story = [_candidate(_unknown_url(place["story_id"]), place["story_id"]) for place in places]
        unknown = [_candidate(_unknown_url(-each), -each) for each in range(1, LOOKED_UP // 4 + 1)]
        asked = [*by_url, *by_story, *unknown]
        batch, found = await _timed(lambda: evaluations.list_known(conn, topic_id, asked))
        single, _ = await _timed(lambda: _look_up_singly(conn, topic_id, asked))
    figure("curators.lookup_500", 1_000 * batch, "ms", remembered=remembered, known=len(found))
    figure("curators.lookup_share", batch / single, "of 500 single look-ups", single_ms=round(1_000 * single, 1))


def _unknown_url(number: int) -> bytes:
    return sha256(f"unknown {number}".encode()).digest()


def _candidate(url_hash: bytes, story_id: int) -> CandidateArticle:
    return CandidateArticle(
        story_id=story_id,
        document_id=0,
        article_title="Note",
        url=None,
        url_hash=url_hash,
        content_problem=None,
        characters=1_000,
    )


async def _look_up_singly(conn: Connection, topic_id: int, asked: Sequence[CandidateArticle]) -> set[bytes]:
    return {url_hash for each in asked for url_hash in await evaluations.list_known(conn, topic_id, [each])}


async def _timed(work: Callable[[], Awaitable[set[bytes]]]) -> tuple[float, set[bytes]]:
    """The median of the seconds that some rounds take, and what the last one gave."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        result = await work()
        seconds.append(time.perf_counter() - began)
    return median(seconds), result


def measure_scoring() -> None:
    """Articles a second and core: the score of a batch, and the whole evaluation, with vectors and without."""
    orders = [_order(number) for number in range(ARTICLES)]
    documents = [order.documents[0] for order in orders]
    articles = [ScoredText(title=each.title, body_text=each.body_text) for each in documents]
    written = [embedding_text(each.title, each.body_text) for each in documents]
    local.encode(written[:1])  # loads the weights
    interests = local_writer.interest_vectors(INTERESTS)
    began = time.process_time()
    vectors = InterestVectors(articles=local.encode(written), interests=interests)
    embedded = time.process_time()
    scoring.score(articles, INTERESTS, vectors)
    scored = time.process_time()
    for order, vector in zip(orders, vectors.articles, strict=True):
        local_writer.evaluate(_with_vector(order, tuple(vector.tolist())))
    evaluated = time.process_time()
    for order in orders:
        local_writer.evaluate(order)
    embedded_and_evaluated = time.process_time()
    for name, seconds in (
        ("curators.score", scored - embedded),
        ("curators.embed_and_score", scored - began),
        ("curators.evaluate_locally", evaluated - scored),
        ("curators.embed_and_evaluate_locally", embedded_and_evaluated - evaluated),
    ):
        share = round(seconds / (embedded - began), 2)
        figure(name, ARTICLES / seconds, "articles/s/core", topics=len(SUBJECTS), of_the_time_of_vectors=share)


def _with_vector(order: Order, vector: tuple[float, ...]) -> Order:
    (document,) = order.documents
    return replace(order, documents=(replace(document, vector=vector),))


def _order(number: int) -> Order:
    subject = SUBJECTS[number % len(SUBJECTS)]
    document = SourceText(
        document_id=number,
        title=f"{subject} in practice, note {number}",
        body_text=f"{subject} is used in note{number}. {curating.LONG} The end of note{number}.",
        language="en",
        publisher="tribune",
    )
    return Order(kind="evaluation", language="", documents=(document,), interests=INTERESTS)


async def measure_runs(database: Database, folder: Path, remembered: int) -> None:
    """The requests of a run of 200 articles, of which half of the 180 known ones have another address than before."""
    async with curating.a_curator(database, folder) as desk:
        known = [curating.a_post_about(number, "Go") for number in range(KNOWN_ARTICLES)]
        await desk.evaluate(known)
        before = len(desk.desk.calls)
        moved = [_moved(number) for number in range(KNOWN_ARTICLES // 2)]
        new = [curating.a_post_about(number, "Go") for number in range(KNOWN_ARTICLES, ARTICLES)]
        began = time.perf_counter()
        await desk.evaluate([*moved, *known[KNOWN_ARTICLES // 2 :], *new])
        seconds = time.perf_counter() - began
        figure(
            "curators.evaluations", len(desk.desk.calls) - before, "requests", articles=ARTICLES, known=KNOWN_ARTICLES
        )
        figure("curators.run", seconds, "s", articles=ARTICLES, first_requests=before)
        async with database.connection() as conn:
            curator = await curators.by_slug(conn, curating.SLUG)
        await measure_lookups(database, curator.topic_id, remembered)


def _moved(number: int) -> dict[str, Any]:
    """The article of a number under another address."""
    address = {"source_item_id": f"copy-{number}", "canonical_url": f"https://mirror.example/copy-{number}"}
    article: dict[str, Any] = curating.a_post_about(number, "Go", source="mirror")
    return article | address


async def measure(remembered: int) -> None:
    async with fresh_database() as (folder, database):
        await measure_runs(database, folder, remembered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remembered", type=int, default=1_000_000)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    measure_scoring()
    asyncio.run(measure(options.remembered))


if __name__ == "__main__":
    main()
