"""Adds documents to the word index of the search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scoop.core import search, spelling
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import search as store
from scoop.store.db import Connection
from scoop.store.search import SearchableDocument, SearchIndexRow
from scoop.store.work import Subject

MAX_STEMS = 200_000  # in the cache; a word and its stem take about 200 bytes

StemsByLanguage = Mapping[str, Mapping[str, str]]
"""The stem of each word, by language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizedDocument:
    """A document with the words of its title and its body."""

    reading: SearchableDocument
    title: Sequence[str]
    body: Sequence[str]

    @property
    def language(self) -> str:
        return search.primary_language(self.reading.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBatch:
    documents: Sequence[TokenizedDocument]
    stems: StemsByLanguage
    new_words: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedBatch:
    indexed: Sequence[SearchIndexRow]
    facets: Sequence[str]
    new_words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Indexing:
    """Indexes documents; caches the stems of words, so that the database computes each only once."""

    stems: dict[str, dict[str, str]] = field(default_factory=dict)

    async def load(self, conn: Connection, ids: Sequence[int]) -> IndexBatch:
        documents = [_tokenize(reading) for reading in await store.load_documents(conn, ids)]
        await self._cache_stems(conn, documents)
        words = {
            search.strip_accents(word) for each in documents for word in each.title if spelling.can_be_mistyped(word)
        }
        return IndexBatch(documents=documents, stems=self.stems, new_words=await store.list_missing_words(conn, words))

    async def _cache_stems(self, conn: Connection, documents: Sequence[TokenizedDocument]) -> None:
        if sum(map(len, self.stems.values())) > MAX_STEMS:
            self.stems.clear()
        missing: set[tuple[str, str]] = set()
        for document in documents:
            cached = self.stems.setdefault(document.language, {})
            words = {*document.title, *document.body}.difference(cached)
            missing.update((document.language, word) for word in words)
        for (language, word), stem in (await store.get_stems(conn, missing)).items():
            self.stems[language][word] = stem


def _tokenize(reading: SearchableDocument) -> TokenizedDocument:
    return TokenizedDocument(
        reading=reading,
        title=search.tokenize(reading.normalized_title),
        body=search.tokenize(reading.normalized_text)[: search.MAX_BODY_WORDS],
    )


async def index(batch: IndexBatch) -> Outcome[IndexedBatch]:
    indexed = [_indexed(document, batch.stems) for document in batch.documents]
    readings = [document.reading for document in batch.documents]
    facets = {
        facet
        for reading in readings
        for facet in search.document_facets(reading.collection, reading.source, reading.language)
    }
    return Outcome(output=IndexedBatch(indexed=indexed, facets=sorted(facets), new_words=batch.new_words))


def _indexed(document: TokenizedDocument, stems: StemsByLanguage) -> SearchIndexRow:
    reading = document.reading
    facets = search.document_facets(reading.collection, reading.source, reading.language)
    return SearchIndexRow(
        document_id=reading.document_id,
        seen_at=reading.seen_at,
        facets=[*facets, *search.date_facets(reading.seen_at)],
        tokens=search.tsvector(document.title, document.body, stems[document.language]),
    )


async def save(conn: Connection, made: IndexedBatch) -> list[Subject]:
    await store.put_rows(conn, made.indexed)
    await store.put_words(conn, made.new_words)
    await store.put_facets(conn, made.facets)
    return []


def stage() -> Stage[IndexBatch, IndexedBatch]:
    return Stage(name=StageName.INDEX, load=Indexing().load, work=index, save=save, batch=500)
