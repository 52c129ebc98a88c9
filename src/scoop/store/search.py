"""What stories are found by: the words of their documents, and their meaning."""

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
STATEMENT_TIMEOUT = timedelta(milliseconds=1500)  # for one statement of a search
MAX_RANKED = 600  # documents that are ranked, the newest that have the words: a tenth of a millisecond each
MAX_PHRASE_CANDIDATES = 2_000  # that are looked at where words must stand beside each other
MAX_NEAREST = 100  # documents of a collection that are nearest in meaning
MAX_COLLECTIONS = 30  # that are searched by meaning when none is named
MAX_SIMILAR = 200  # words that share a key with a mistyped one
MAX_FACETS = 500  # of one kind that are shown

RankedIds = list[tuple[int, int]]
"""Stories, the best first, each with the document that speaks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchableDocument:
    """A document as it is found by its words."""

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
    """A document as people read it."""

    document_id: int
    title: str
    body_text: str
    language: str


class SearchTimeout(InputError):
    pass


# What the stage writes


async def load_documents(conn: Connection, ids: Sequence[int]) -> list[SearchableDocument]:
    return [SearchableDocument(**row) for row in await conn.fetch(SQL["readings"], ids)]


async def get_stems(conn: Connection, asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The stem of each language and word, where PostgreSQL has a stemmer of the language; without accents."""
    known = [(language, word) for language, word in asked if language in search.STEMMERS]
    dictionaries = [f"pg_catalog.{search.STEMMERS[language]}_stem" for language, _ in known]
    rows = await conn.fetch(SQL["stems"], dictionaries, [word for _, word in known]) if known else []
    stemmed = {pair: search.strip_accents(row["stem"]) for pair, row in zip(known, rows, strict=True)}
    return {pair: stemmed.get(pair) or search.strip_accents(pair[1]) for pair in asked}


async def put_rows(conn: Connection, made: Sequence[SearchIndexRow]) -> None:
    await conn.execute(
        SQL["put"],
        [each.document_id for each in made],
        [each.seen_at for each in made],
        [msgspec.json.encode(each.facets).decode() for each in made],
        [each.tokens for each in made],
    )


async def list_missing_words(conn: Connection, words: Collection[str]) -> list[str]:
    return [row["word"] for row in await conn.fetch(SQL["unknown_words"], list(words))] if words else []


async def put_words(conn: Connection, words: Sequence[str]) -> None:
    if words:
        await conn.execute(SQL["put_words"], words, _keys(words))


def _keys(words: Sequence[str]) -> list[str]:
    """The keys of each word, as an array is written."""
    return [f"{{{','.join(map(str, spelling.deletion_keys(word)))}}}" for word in words]


async def put_facets(conn: Connection, facets: Iterable[str]) -> None:
    await conn.execute(SQL["put_facets"], list(facets))


# What a search reads


@asynccontextmanager
async def time_limit(conn: Connection) -> AsyncIterator[None]:
    """Statements inside take no longer than a reader waits, or end as TooSlow; afterwards all is as it was before."""
    settings = conn.transaction()
    await settings.start()
    try:
        await conn.execute(SQL["be_quick"], str(STATEMENT_TIMEOUT // timedelta(milliseconds=1)))
        yield
    except db.Canceled as error:
        raise SearchTimeout("This search takes too long. Use rarer words, or a shorter time.") from error
    finally:
        await settings.rollback()  # nothing was written, and the settings go with it


async def list_facets(conn: Connection, kind: str) -> list[str]:
    """The names of all collections (c), sources (s) or languages (l) that there are documents of."""
    return [row["facet"][2:] for row in await conn.fetch(SQL["facets"], kind, [], MAX_FACETS)]


async def list_unknown_facets(conn: Connection, asked: Sequence[str]) -> list[str]:
    known = {row["facet"] for row in await conn.fetch(SQL["facets"], None, asked, len(asked))}
    return [facet for facet in asked if facet not in known]


async def find_topic_id(conn: Connection, slug: str) -> int | None:
    found: int | None = await conn.fetchval(SQL["topic"], slug)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class WordQuery:
    """What is sought by words: as far as an index can tell, and as it must stand."""

    outline: str
    expression: str
    topic_id: int | None
    has_phrases: bool

    @property
    def most(self) -> int:
        """In how many documents it is looked for."""
        return MAX_PHRASE_CANDIDATES if self.has_phrases else MAX_RANKED


async def rank_by_words(
    conn: Connection, sought: WordQuery, query: Query, stretches: Sequence[TimeRange], *, now: datetime
) -> tuple[RankedIds, bool]:
    """The stories of the newest documents that have the words, and whether there may be more of them."""
    wanted = search.query_facets(query)
    ids: list[int] = []
    for stretch in stretches:
        rows = await conn.fetch(
            SQL["newest"],
            sought.outline,
            wanted,
            stretch.marks,
            stretch.start,
            stretch.end,
            sought.topic_id,
            sought.most - len(ids),
        )
        ids += [row["document_id"] for row in rows]
        if len(ids) == sought.most:
            break
    is_certain = not sought.has_phrases
    ranked = await conn.fetch(SQL["ranked"], ids, sought.expression, now, MAX_RANKED, is_certain) if ids else []
    return [(row["story_id"], row["document_id"]) for row in ranked], len(ids) == sought.most


async def rank_by_meaning(
    conn: Connection,
    model: EmbeddingModel,
    vector: Sequence[float],
    query: Query,
    *,
    excluded: str | None,
    topic_id: int | None,
) -> list[tuple[int, int, float]]:
    """The stories that are nearest in meaning, each with the document that is, and its cosine."""
    collections = [query.collection] if query.collection else (await list_facets(conn, "c"))[:MAX_COLLECTIONS]
    wanted = [facet for facet in search.query_facets(query) or () if not facet.startswith("c:")] or None
    rows = await conn.fetch(
        SQL["nearest"],
        vector,
        model.model_name,
        model.model_version,
        model.dimensions,
        collections,
        wanted,
        query.since,
        query.until,
        MAX_NEAREST,
        excluded,
        topic_id,
    )
    return [(row["story_id"], row["document_id"], row["cosine"]) for row in rows]


async def suggest_corrections(conn: Connection, words: Sequence[str]) -> dict[str, list[str]]:
    """For words that no title has those that may have been meant."""
    asked = [word for word in words if spelling.can_be_mistyped(word)]
    if not asked:
        return {}
    rows = await conn.fetch(SQL["neighbours_in_spelling"], asked, _keys(asked), MAX_SIMILAR)
    candidates: dict[str, list[str]] = {}
    for row in rows:
        candidates.setdefault(row["word"], []).append(row["candidate"])
    found = {word: spelling.closest_words(word, near) for word, near in candidates.items()}
    return {word: near for word, near in found.items() if near}


async def get_texts(conn: Connection, ids: Sequence[int], *, characters: int) -> Mapping[int, SearchText]:
    return {row["document_id"]: SearchText(**row) for row in await conn.fetch(SQL["texts"], ids, characters)}
