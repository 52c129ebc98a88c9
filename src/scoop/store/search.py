"""The search index: words, facets and spellings of documents, and the statements of a search."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from scoop.core import search, spelling
from scoop.core.search import Query, TimeRange
from scoop.errors import InputError
from scoop.store import db
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel

SQL = db.blocks(__name__)
STATEMENT_TIMEOUT = timedelta(milliseconds=1500)
MAX_RANKED = 600  # documents, the newest that have the words: ranking takes 0.1 ms each
MAX_PHRASE_CANDIDATES = 2_000  # documents that are checked for a phrase
MAX_NEAREST = 100  # documents of a collection, by meaning
MAX_COLLECTIONS = 30  # searched by meaning when none is named
MAX_COUNTED = 100_000  # embedded documents
MAX_SIMILAR = 200  # words that share a deletion key with a mistyped one
MAX_FACETS = 500  # of one kind

RankedIds = list[tuple[int, int]]
"""Stories, the best first, each with its best document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchableDocument:
    """A document as the index stage reads it."""

    document_id: int
    collection: str
    source: str
    language: str
    seen_at: datetime
    normalized_title: str
    normalized_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexRow:
    document_id: int
    seen_at: datetime
    facets: Sequence[str]
    tokens: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchText:
    """A document as a result shows it."""

    document_id: int
    title: str
    body_text: str
    language: str


class SearchTimeout(InputError):
    pass


# The index


async def load_documents(conn: Connection, ids: Sequence[int]) -> list[SearchableDocument]:
    return [SearchableDocument(**row) for row in await conn.fetch(SQL["readings"], ids)]


async def get_stems(conn: Connection, words: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The stem of each word in its language, without accents; the word itself where there is no stemmer."""
    stemmable = [(language, word) for language, word in words if language in search.STEMMERS]
    dictionaries = [f"pg_catalog.{search.STEMMERS[language]}_stem" for language, _ in stemmable]
    rows = await conn.fetch(SQL["stems"], dictionaries, [word for _, word in stemmable]) if stemmable else []
    stemmed = {pair: search.strip_accents(row["stem"]) for pair, row in zip(stemmable, rows, strict=True)}
    return {pair: stemmed.get(pair) or search.strip_accents(pair[1]) for pair in words}


async def put_rows(conn: Connection, rows: Sequence[SearchIndexRow]) -> None:
    await conn.execute(
        SQL["put"],
        [row.document_id for row in rows],
        [row.seen_at for row in rows],
        [msgspec.json.encode(row.facets).decode() for row in rows],
        [row.tokens for row in rows],
    )


async def list_missing_words(conn: Connection, words: Collection[str]) -> list[str]:
    return [row["word"] for row in await conn.fetch(SQL["unknown_words"], list(words))] if words else []


async def put_words(conn: Connection, words: Sequence[str]) -> None:
    if words:
        await conn.execute(SQL["put_words"], words, _keys(words))


def _keys(words: Sequence[str]) -> list[str]:
    """The deletion keys of each word, as array literals."""
    return [f"{{{','.join(map(str, spelling.deletion_keys(word)))}}}" for word in words]


async def put_facets(conn: Connection, facets: Iterable[str]) -> None:
    await conn.execute(SQL["put_facets"], list(facets))


# A search


@asynccontextmanager
async def time_limit(conn: Connection) -> AsyncIterator[None]:
    """Limit the time of the statements inside; SearchTimeout if one exceeds it. The settings end with the block."""
    settings = conn.transaction()
    await settings.start()
    try:
        await conn.execute(SQL["be_quick"], str(STATEMENT_TIMEOUT // timedelta(milliseconds=1)))
        yield
    except db.Canceled as error:
        raise SearchTimeout("The search took too long. Use rarer words or a shorter period.") from error
    finally:
        await settings.rollback()  # ends the settings; nothing was written


async def list_facets(conn: Connection, kind: str) -> list[str]:
    """The collections (c), sources (s) or languages (l) of the indexed documents."""
    return [row["facet"][2:] for row in await conn.fetch(SQL["facets"], kind, [], MAX_FACETS)]


async def list_unknown_facets(conn: Connection, facets: Sequence[str]) -> list[str]:
    existing = {row["facet"] for row in await conn.fetch(SQL["facets"], None, facets, len(facets))}
    return [facet for facet in facets if facet not in existing]


async def find_topic_id(conn: Connection, slug: str) -> int | None:
    topic_id: int | None = await conn.fetchval(SQL["topic"], slug)
    return topic_id


@dataclass(frozen=True, slots=True, kw_only=True)
class WordQuery:
    """A search by words: `index_tsquery` finds candidates, `tsquery` also checks phrases."""

    index_tsquery: str
    tsquery: str
    topic_id: int | None
    has_phrases: bool

    @property
    def most(self) -> int:
        """How many candidates are read."""
        return MAX_PHRASE_CANDIDATES if self.has_phrases else MAX_RANKED


async def rank_by_words(
    conn: Connection, words: WordQuery, query: Query, ranges: Sequence[TimeRange], *, now: datetime
) -> tuple[RankedIds, bool]:
    """The stories of the newest documents that have the words, and whether there may be more."""
    ids = await _newest_documents(conn, words.index_tsquery, query, ranges, topic_id=words.topic_id, most=words.most)
    is_certain = not words.has_phrases
    ranked = await conn.fetch(SQL["ranked"], ids, words.tsquery, now, MAX_RANKED, is_certain) if ids else []
    return [(row["story_id"], row["document_id"]) for row in ranked], len(ids) == words.most


async def list_latest(
    conn: Connection, query: Query, ranges: Sequence[TimeRange], *, topic_id: int | None
) -> tuple[RankedIds, bool]:
    """The stories of the newest documents that pass the filters, the latest first, and whether there may be more."""
    ids = await _newest_documents(conn, None, query, ranges, topic_id=topic_id, most=MAX_RANKED)
    rows = await conn.fetch(SQL["latest"], ids) if ids else []
    return [(row["story_id"], row["document_id"]) for row in rows], len(ids) == MAX_RANKED


async def _newest_documents(
    conn: Connection,
    tsquery: str | None,
    query: Query,
    ranges: Sequence[TimeRange],
    *,
    topic_id: int | None,
    most: int,
) -> list[int]:
    facets = search.query_facets(query)
    ids: list[int] = []
    for period in ranges:
        rows = await conn.fetch(
            SQL["newest"], tsquery, facets, period.facets, period.start, period.end, topic_id, most - len(ids)
        )
        ids += [row["document_id"] for row in rows]
        if len(ids) == most:
            break
    return ids


async def list_known_words(conn: Connection, tsquery_by_word: Mapping[str, str]) -> list[str]:
    """Which of these words documents have."""
    rows = await conn.fetch(SQL["known_words"], list(tsquery_by_word), list(tsquery_by_word.values()))
    return [row["word"] for row in rows]


async def count_embedded(conn: Connection, model: EmbeddingModel) -> int:
    """How many documents a model has embedded, at most MAX_COUNTED."""
    return int(await conn.fetchval(SQL["embedded"], model.model_name, model.model_version, MAX_COUNTED))


async def rank_by_meaning(
    conn: Connection,
    model: EmbeddingModel,
    vector: Sequence[float],
    query: Query,
    *,
    excluded: str | None,
    topic_id: int | None,
) -> list[tuple[int, int, float]]:
    """The stories that are nearest in meaning, each with its nearest document and the cosine."""
    collections = [query.collection] if query.collection else (await list_facets(conn, "c"))[:MAX_COLLECTIONS]
    facets = [facet for facet in search.query_facets(query) or () if not facet.startswith("c:")] or None
    rows = await conn.fetch(
        SQL["nearest"],
        vector,
        model.model_name,
        model.model_version,
        model.dimensions,
        collections,
        facets,
        query.since,
        query.until,
        MAX_NEAREST,
        excluded,
        topic_id,
    )
    return [(row["story_id"], row["document_id"], row["cosine"]) for row in rows]


async def suggest_corrections(conn: Connection, words: Sequence[str]) -> dict[str, list[str]]:
    """Similar words of titles, for each word that no title has."""
    mistyped = [word for word in words if spelling.can_be_mistyped(word)]
    if not mistyped:
        return {}
    rows = await conn.fetch(SQL["similar_words"], mistyped, _keys(mistyped), MAX_SIMILAR)
    candidates: dict[str, list[str]] = {}
    for row in rows:
        candidates.setdefault(row["word"], []).append(row["candidate"])
    closest = {word: spelling.closest_words(word, similar) for word, similar in candidates.items()}
    return {word: similar for word, similar in closest.items() if similar}


async def get_texts(conn: Connection, ids: Sequence[int], *, characters: int) -> Mapping[int, SearchText]:
    return {row["document_id"]: SearchText(**row) for row in await conn.fetch(SQL["texts"], ids, characters)}
