"""Documents become findable by their words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scoop.core import search, spelling
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import search as store
from scoop.store.db import Connection
from scoop.store.search import Indexed, IndexedText
from scoop.store.work import Subject

MAX_STEMS = 200_000  # that are remembered; a word and its stem take some 200 bytes

StemsByLanguage = Mapping[str, Mapping[str, str]]
"""For each language the stem of each word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizedDocument:
    """A document with the words of its title and its body."""

    reading: IndexedText
    title: Sequence[str]
    body: Sequence[str]

    @property
    def language(self) -> str:
        return search.primary(self.reading.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBatch:
    documents: Sequence[TokenizedDocument]
    stems: StemsByLanguage
    new_words: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedBatch:
    indexed: Sequence[Indexed]
    facets: Sequence[str]
    new_words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Indexing:
    """Indexes documents; it asks the database for each stem only once, as long as it remembers them."""

    stems: dict[str, dict[str, str]] = field(default_factory=dict)

    async def load(self, conn: Connection, ids: Sequence[int]) -> IndexBatch:
        told = [_told(reading) for reading in await store.readings(conn, ids)]
        await self._learn(conn, told)
        words = {search.folded(word) for each in told for word in each.title if spelling.can_be_mistyped(word)}
        return IndexBatch(documents=told, stems=self.stems, new_words=await store.unknown_words(conn, words))

    async def _learn(self, conn: Connection, told: Sequence[TokenizedDocument]) -> None:
        if sum(map(len, self.stems.values())) > MAX_STEMS:
            self.stems.clear()
        unknown: set[tuple[str, str]] = set()
        for each in told:
            known = self.stems.setdefault(each.language, {})
            unknown.update((each.language, word) for word in {*each.title, *each.body}.difference(known))
        for (language, word), stem in (await store.stems(conn, unknown)).items():
            self.stems[language][word] = stem


def _told(reading: IndexedText) -> TokenizedDocument:
    return TokenizedDocument(
        reading=reading,
        title=search.tokens(reading.normalized_title),
        body=search.tokens(reading.normalized_text)[: search.MAX_BODY_WORDS],
    )


async def index(case: IndexBatch) -> Outcome[IndexedBatch]:
    indexed = [_indexed(told, case.stems) for told in case.documents]
    facets = {
        facet
        for told in case.documents
        for facet in search.facets_of(told.reading.collection, told.reading.source, told.reading.language)
    }
    return Outcome(output=IndexedBatch(indexed=indexed, facets=sorted(facets), new_words=case.new_words))


def _indexed(told: TokenizedDocument, stems: StemsByLanguage) -> Indexed:
    reading = told.reading
    facets = search.facets_of(reading.collection, reading.source, reading.language)
    return Indexed(
        document_id=reading.document_id,
        seen_at=reading.seen_at,
        facets=[*facets, *search.marks_of(reading.seen_at)],
        tokens=search.vector(told.title, told.body, stems[told.language]),
    )


async def save(conn: Connection, made: IndexedBatch) -> list[Subject]:
    await store.put(conn, made.indexed)
    await store.put_words(conn, made.new_words)
    await store.put_facets(conn, made.facets)
    return []


def stage() -> Stage[IndexBatch, IndexedBatch]:
    return Stage(name=StageName.INDEX, load=Indexing().load, work=index, save=save, batch=500)
