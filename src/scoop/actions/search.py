"""Search for stories by words, by meaning, and by corrected spelling; the same for every interface."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scoop.core import embedding_text, highlights
from scoop.core import search as core
from scoop.core.highlights import HighlightSpan
from scoop.core.search import ParsedQuery, Query, RankedStory, SearchMethod
from scoop.embedders import Embedder
from scoop.errors import Retry
from scoop.model import Story
from scoop.store import embeddings
from scoop.store import search as store
from scoop.store.db import Connection
from scoop.store.reads import stories as story_reads

FEW_STORIES = 3  # found by words; with fewer, corrections of the spelling are searched as well
EMBED_TIMEOUT = timedelta(seconds=2)  # a reader should not wait longer
MIN_COSINE = {"use-multilingual": 0.15}  # by model: nonsense queries reach 0.11
MIN_SHARE_OF_BEST = 0.7  # of the best cosine; documents below it are about something else
MAX_BY_MEANING = 30  # stories
MAX_OFFSET = 500
SHOWN_NAMES = 8  # of collections, sources or languages, after an unknown one

NO_WORDS = "Type some words."
NO_SEARCHABLE_WORD = "The query has no word to search for."
EMBEDDER_TIMEOUT = "Only words were searched, not meaning: the embedder did not answer in time."
TOO_MANY_WORDS = f"Only the first {core.MAX_WORDS} words were searched for."
KINDS = {"c": "collection", "s": "source", "l": "language"}

Forms = Mapping[str, Collection[str]]
"""For each word the forms under which it may be indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """A query as a vector of a model; `vector` is None if the embedder did not answer in time."""

    model_name: str
    model_version: str
    vector: Sequence[float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A story, the methods that found it, and its title and a passage with the hits marked."""

    story: Story
    score: float
    found_by: list[SearchMethod]
    title: list[HighlightSpan]
    passage: list[HighlightSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page of about `total_estimate` stories; `is_capped`: there are more.

    `corrections` are words that were searched beside those that no title has; `hints` say why there are few results.
    """

    items: list[SearchHit] = field(default_factory=list)
    total_estimate: int = 0
    is_capped: bool = False
    corrections: dict[str, list[str]] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    took_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """A parsed query with all that its statements need."""

    query: Query
    parsed: ParsedQuery
    forms: Forms
    topic_id: int | None
    now: datetime

    def with_forms(self, forms: Forms) -> "_Search":
        return replace(self, forms=forms)

    @property
    def word_query(self) -> store.WordQuery:
        return store.WordQuery(
            index_tsquery=core.index_tsquery(self.parsed, self.forms.__getitem__),
            tsquery=core.tsquery(self.parsed, self.forms.__getitem__),
            topic_id=self.topic_id,
            has_phrases=self.parsed.has_phrases,
        )


@dataclass(slots=True)
class _Found:
    """The stories that each method found, and what to tell the reader about it."""

    forms: Forms
    rankings: dict[SearchMethod, store.RankedIds] = field(default_factory=dict)
    corrections: dict[str, list[str]] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    is_capped: bool = False


async def embed_query(embedder: Embedder, query: Query, *, within: timedelta = EMBED_TIMEOUT) -> QueryVector | None:
    """The query as a vector; None for a query that has a quoted phrase, which is not searched by meaning."""
    parsed = core.parse_query(query.text)
    if parsed.is_empty or parsed.is_literal:
        return None
    try:
        vectors = await asyncio.wait_for(embedder.embed([parsed.plain]), within.total_seconds())
        vector = vectors[0].tolist()
    except (Retry, TimeoutError):
        vector = None
    version = embedding_text.with_recipe(embedder.model.version)
    return QueryVector(model_name=embedder.model.name, model_version=version, vector=vector)


async def search_stories(
    conn: Connection, query: Query, *, now: datetime, vector: QueryVector | None = None
) -> SearchResult:
    """The stories that match a query, the best first; with a `vector` also those that are near in meaning."""
    began = time.perf_counter()
    parsed = core.parse_query(query.text)
    if parsed.is_empty:
        return SearchResult(hints=[NO_SEARCHABLE_WORD if query.text.strip() else NO_WORDS])
    if problem := await _filter_problem(conn, query):
        return SearchResult(hints=[problem])
    result = await _search(conn, query, parsed, vector, now=now)
    hints = [*([TOO_MANY_WORDS] if parsed.is_cut else []), *result.hints]
    return replace(result, hints=hints, took_ms=round((time.perf_counter() - began) * 1000))


async def _filter_problem(conn: Connection, query: Query) -> str | None:
    """Why no story can pass the filters of a query, if so."""
    for facet in core.query_facets(query) or ():
        if not facet.isprintable() or await store.list_unknown_facets(conn, [facet]):
            kind, name = facet[0], facet[2:]
            names = await store.list_facets(conn, kind)
            shown = ", ".join(names[:SHOWN_NAMES]) + (", …" if len(names) > SHOWN_NAMES else "")
            return f"No story has the {KINDS[kind]} {name!r}{f'; there are: {shown}' if names else ''}."
    if query.topic and (not query.topic.isprintable() or await store.find_topic_id(conn, query.topic) is None):
        return f"There is no topic {query.topic!r}."
    if query.since and query.until and query.since >= query.until:
        return "The last day is before the first."
    return None


async def _search(
    conn: Connection, query: Query, parsed: ParsedQuery, vector: QueryVector | None, *, now: datetime
) -> SearchResult:
    language = query.language and core.primary_language(query.language.lower())
    languages = [language] if language else await store.list_facets(conn, "l")
    search = _Search(
        query=query,
        parsed=parsed,
        forms=await _forms(conn, [*parsed.words, *parsed.excluded_words], languages),
        topic_id=await store.find_topic_id(conn, query.topic) if query.topic else None,
        now=now,
    )
    found = await _find_by_words(conn, search, languages)
    if vector is not None and vector.vector is None:
        found.hints.append(EMBEDDER_TIMEOUT)
    elif vector is not None and not found.rankings.get("spelling"):  # a mistyped word means something else
        found.rankings["meaning"] = await _find_by_meaning(conn, search.with_forms(found.forms), vector)
    ranked = core.fuse_rankings(found.rankings)
    return SearchResult(
        items=await _hits(conn, ranked[query.offset : query.offset + query.limit], parsed, found.forms),
        total_estimate=len(ranked),
        is_capped=found.is_capped,
        corrections=found.corrections if found.rankings.get("spelling") else {},
        hints=found.hints,
    )


async def _find_by_words(conn: Connection, search: _Search, languages: Sequence[str]) -> _Found:
    """Search by words; where these find few stories, by corrected words as well."""
    found = _Found(forms=search.forms)
    ranges = core.time_ranges(search.query, now=search.now)
    try:
        async with store.time_limit(conn):
            by_words, found.is_capped = await store.rank_by_words(
                conn, search.word_query, search.query, ranges, now=search.now
            )
            found.rankings["words"] = by_words
            if len(by_words) < FEW_STORIES and not search.parsed.is_literal:
                found.corrections = await store.suggest_corrections(conn, search.parsed.words)
            if found.corrections:
                found.forms = await _with_corrections(conn, search.forms, found.corrections, languages)
                corrected = search.with_forms(found.forms)
                by_spelling, _ = await store.rank_by_words(
                    conn, corrected.word_query, search.query, ranges, now=search.now
                )
                found.rankings["spelling"] = [pair for pair in by_spelling if pair not in by_words]
    except store.SearchTimeout as error:
        found.hints.append(str(error))
    return found


async def _forms(conn: Connection, words: Sequence[str], languages: Sequence[str]) -> Forms:
    stems = await store.get_stems(conn, [(language, word) for word in words for language in languages])
    return {word: {core.strip_accents(word), *(stems[language, word] for language in languages)} for word in words}


async def _with_corrections(
    conn: Connection, forms: Forms, corrections: Mapping[str, Sequence[str]], languages: Sequence[str]
) -> Forms:
    """The forms of each word, together with those of its corrections."""
    corrected = await _forms(conn, [word for words in corrections.values() for word in words], languages)
    return {
        word: {*own, *(form for correction in corrections.get(word, ()) for form in corrected[correction])}
        for word, own in forms.items()
    }


async def _find_by_meaning(conn: Connection, search: _Search, query_vector: QueryVector) -> store.RankedIds:
    model = await embeddings.find(conn, query_vector.model_name, query_vector.model_version)
    vector = query_vector.vector
    if model is None or vector is None or len(vector) != model.dimensions:
        return []
    excluded = core.excluded_tsquery(search.parsed, search.forms.__getitem__)
    try:
        async with store.time_limit(conn):
            near = await store.rank_by_meaning(
                conn, model, vector, search.query, excluded=excluded, topic_id=search.topic_id
            )
    except store.SearchTimeout:
        return []
    best = max((cosine for *_, cosine in near), default=0.0)
    least = max(MIN_COSINE.get(model.model_name, 0.0), MIN_SHARE_OF_BEST * best)
    return [(story_id, document_id) for story_id, document_id, cosine in near if cosine >= least][:MAX_BY_MEANING]


async def _hits(conn: Connection, ranked: Sequence[RankedStory], parsed: ParsedQuery, forms: Forms) -> list[SearchHit]:
    """The stories with the words of the query marked in their titles and passages."""
    stories = await story_reads.stories_by_id(conn, [story.story_id for story in ranked])
    texts = await store.get_texts(conn, [story.document_id for story in ranked], characters=highlights.MAX_TEXT)
    query_forms = {form for word in parsed.words for form in forms[word]}
    candidates = {
        (core.primary_language(language), word)
        for language, text in (
            *((story.language, story.title) for story in stories.values()),
            *((text.language, text.body_text) for text in texts.values()),
        )
        for word in highlights.candidate_words(text, query_forms)
    }
    marked = {
        (language, word)
        for (language, word), stem in (await store.get_stems(conn, candidates)).items()
        if stem in query_forms or core.begins_with_any(word, query_forms)
    }

    def hit(found: RankedStory) -> SearchHit:
        story, text = stories[found.story_id], texts[found.document_id]
        in_title, in_body = core.primary_language(story.language), core.primary_language(text.language)
        return SearchHit(
            story=story,
            score=found.score,
            found_by=found.found_by,
            title=highlights.highlight(story.title, lambda word: (in_title, word) in marked),
            passage=highlights.best_passage(text.body_text, lambda word: (in_body, word) in marked),
        )

    return [hit(found) for found in ranked if found.story_id in stories and found.document_id in texts]
