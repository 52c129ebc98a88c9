"""Search for events by words, by meaning, and by corrected spelling; the same for every interface."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scoop.core import embedding_text, highlights, suggestions
from scoop.core import search as core
from scoop.core.highlights import HighlightSpan
from scoop.core.search import ParsedQuery, Query, RankedEvent, RankedStory, SearchMethod
from scoop.embedders import Embedder
from scoop.errors import Retry
from scoop.model import Story
from scoop.store import embeddings
from scoop.store import search as store
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.reads import event_summaries
from scoop.store.reads import events as event_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads.event_summaries import EventSummary
from scoop.store.reads.events import LanguageOf

FEW_STORIES = 3  # found by words; with fewer, corrections of the spelling are searched as well
EMBED_TIMEOUT = timedelta(seconds=2)  # a reader should not wait longer
MIN_SHARE_OF_BEST = 0.7  # of the best cosine; documents below it are about something else
MAX_BY_MEANING = 30  # stories
MAX_OFFSET = 500
MAX_OTHER_STORIES = 20  # of an event, below its best one
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
    """An event and its story that matches best, with the matches marked.

    `headline` is the title of the event, as every interface shows it; `title` and `passage` are those of the story.
    `other_stories` are the next ones of the `matching_story_count` stories that match; there are none in a search for
    single stories.
    """

    event: EventSummary
    story: Story
    score: float
    found_by: list[SearchMethod]
    headline: list[HighlightSpan]
    title: list[HighlightSpan]
    passage: list[HighlightSpan]
    matching_story_count: int
    other_stories: list[Story]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page of about `total_estimate` events, or single stories if these were searched; `is_capped`: there are more.

    `corrections` are words that were searched beside those that no title has; `hints` say why there are few results.
    """

    items: list[SearchHit] = field(default_factory=list)
    total_estimate: int = 0
    is_capped: bool = False
    corrections: dict[str, list[str]] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    took_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchReader:
    """When somebody searches, and in which language they read the events of a collection."""

    now: datetime
    language_of: LanguageOf


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
    conn: Connection,
    query: Query,
    *,
    now: datetime,
    vector: QueryVector | None = None,
    language_of: LanguageOf | None = None,
) -> SearchResult:
    """The events, or single stories, that match a query, the best first; with a `vector` also those near in meaning.

    With `language_of`, events have the best headline and the summary in the language of the reader.
    """
    began = time.perf_counter()
    reader = _SearchReader(now=now, language_of=language_of or (lambda _collection: ""))
    parsed = core.parse_query(query.text)
    if parsed.is_empty and (parsed.excluded or not parsed.fields):
        return SearchResult(hints=[*parsed.hints, NO_SEARCHABLE_WORD if query.text.strip() else NO_WORDS])
    try:
        narrowed = core.narrow_query(query, parsed)
    except ValueError as error:
        return SearchResult(hints=[str(error)])
    if problem := await _filter_problem(conn, narrowed):
        return SearchResult(hints=[problem])
    if parsed.is_empty:
        result = await _list_latest(conn, narrowed, parsed, reader)
    else:
        result = await _search(conn, narrowed, parsed, vector, reader)
    hints = [*parsed.hints, *([TOO_MANY_WORDS] if parsed.is_cut else []), *result.hints]
    return replace(result, hints=hints, took_ms=round((time.perf_counter() - began) * 1000))


async def _filter_problem(conn: Connection, query: Query) -> str | None:
    """Why no story can pass the filters of a query, if so."""
    for facet in core.query_facets(query) or ():
        if not facet.isprintable() or await store.list_unknown_facets(conn, [facet]):
            kind, name = facet[0], facet[2:]
            return f"No story has the {KINDS[kind]} {name!r}{_alternatives(name, await store.list_facets(conn, kind))}"
    if query.topic and (not query.topic.isprintable() or await store.find_topic_id(conn, query.topic) is None):
        return f"There is no topic {query.topic!r}."
    if query.since and query.until and query.since >= query.until:
        return "The last day is before the first."
    return None


def _alternatives(name: str, names: Sequence[str]) -> str:
    """The end of a sentence about an unknown name: the nearest one, or the first that exist."""
    shown = ", ".join(names[:SHOWN_NAMES]) + (", …" if len(names) > SHOWN_NAMES else "")
    return suggestions.question(name, names) or (f"; there are: {shown}." if names else ".")


async def _list_latest(conn: Connection, query: Query, parsed: ParsedQuery, reader: _SearchReader) -> SearchResult:
    """The latest stories that pass the filters of a query without words."""
    topic_id = await store.find_topic_id(conn, query.topic) if query.topic else None
    try:
        async with store.time_limit(conn):
            latest, is_capped = await store.list_latest(
                conn, query, core.time_ranges(query, now=reader.now), topic_id=topic_id
            )
    except store.SearchTimeout as error:
        return SearchResult(hints=[str(error)])
    stories = [RankedStory(story_id=story_id, document_id=document_id, score=0.0) for story_id, document_id in latest]
    return replace(await _page(conn, query, stories, parsed, {}, reader), is_capped=is_capped)


async def _search(
    conn: Connection, query: Query, parsed: ParsedQuery, vector: QueryVector | None, reader: _SearchReader
) -> SearchResult:
    language = query.language and core.primary_language(query.language.lower())
    languages = [language] if language else await store.list_facets(conn, "l")
    search = _Search(
        query=query,
        parsed=parsed,
        forms=await _forms(conn, [*parsed.words, *parsed.excluded_words], languages),
        topic_id=await store.find_topic_id(conn, query.topic) if query.topic else None,
        now=reader.now,
    )
    found = await _find_by_words(conn, search, languages)
    if vector is not None and vector.vector is None:
        found.hints.append(EMBEDDER_TIMEOUT)
    elif vector is not None and not found.rankings.get("spelling"):  # a mistyped word means something else
        found.rankings["meaning"] = await _find_by_meaning(
            conn, search, vector, has_many=len(found.rankings.get("words", ())) >= FEW_STORIES
        )
    stories = core.fuse_rankings(found.rankings)
    return replace(
        await _page(conn, query, stories, parsed, found.forms, reader),
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


async def _find_by_meaning(
    conn: Connection, search: _Search, query_vector: QueryVector, *, has_many: bool
) -> store.RankedIds:
    """The stories that are near in meaning; `has_many`: words found several, so the query is not nonsense."""
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
            floor = await _least_cosine(conn, model, is_known=has_many or await _has_known_words(conn, search))
    except store.SearchTimeout:
        return []
    best = max((cosine for *_, cosine in near), default=0.0)
    least = max(floor, MIN_SHARE_OF_BEST * best)
    return [(story_id, document_id) for story_id, document_id, cosine in near if cosine >= least][:MAX_BY_MEANING]


async def _has_known_words(conn: Connection, search: _Search) -> bool:
    """Whether documents have more than half of the words of a query: otherwise it may be nonsense."""
    words = search.parsed.words
    known = await store.list_known_words(
        conn, {word: core.word_tsquery(word, search.forms.__getitem__) for word in words}
    )
    return len(known) * 2 > len(words)


async def _least_cosine(conn: Connection, model: EmbeddingModel, *, is_known: bool) -> float:
    documents = 0 if is_known else await store.count_embedded(conn, model)
    return core.least_cosine(model.model_name, has_known_words=is_known, documents=documents)


async def _page(
    conn: Connection,
    query: Query,
    stories: Sequence[RankedStory],
    parsed: ParsedQuery,
    forms: Forms,
    reader: _SearchReader,
) -> SearchResult:
    """A page of results; stories are grouped before it is cut, so that no event is on two pages."""
    event_id_by_story = await event_reads.event_ids_of_stories(conn, [story.story_id for story in stories])
    arrange = core.list_singly if query.by_story else core.group_by_event
    results = arrange(stories, event_id_by_story)
    shown = results[query.offset : query.offset + query.limit]
    return SearchResult(items=await _hits(conn, shown, parsed, forms, reader), total_estimate=len(results))


async def _hits(
    conn: Connection, ranked: Sequence[RankedEvent], parsed: ParsedQuery, forms: Forms, reader: _SearchReader
) -> list[SearchHit]:
    """The events with the words of the query marked in their titles, and in title and passage of their best stories."""
    best = [event.stories[0] for event in ranked]
    listed = [story.story_id for event in ranked for story in event.stories[: 1 + MAX_OTHER_STORIES]]
    events = await _summaries(conn, [event.event_id for event in ranked], reader)
    stories = await story_reads.stories_by_id(conn, listed)
    texts = await store.get_texts(conn, [story.document_id for story in best], characters=highlights.MAX_TEXT)
    titles: list[EventSummary | Story] = [*events.values()]
    titles += [stories[story.story_id] for story in best if story.story_id in stories]
    marked = await _marked_words(
        conn,
        [
            *((titled.language, titled.title) for titled in titles),
            *((text.language, text.body_text) for text in texts.values()),
        ],
        {form for word in parsed.words for form in forms[word]},
    )

    def hit(found: RankedEvent) -> SearchHit:
        first = found.stories[0]
        event, story, text = events[found.event_id], stories[first.story_id], texts[first.document_id]

        def is_marked(language: str) -> Callable[[str], bool]:
            primary = core.primary_language(language)
            return lambda word: (primary, word) in marked

        others = found.stories[1 : 1 + MAX_OTHER_STORIES]
        return SearchHit(
            event=event,
            story=story,
            score=first.score,
            found_by=found.found_by,
            headline=highlights.highlight(event.title, is_marked(event.language)),
            title=highlights.highlight(story.title, is_marked(story.language)),
            passage=highlights.best_passage(text.body_text, is_marked(text.language)),
            matching_story_count=len(found.stories),
            other_stories=[stories[other.story_id] for other in others if other.story_id in stories],
        )

    return [
        hit(found)
        for found, first in zip(ranked, best, strict=True)
        if found.event_id in events and first.story_id in stories and first.document_id in texts
    ]


async def _summaries(conn: Connection, event_ids: Sequence[int], reader: _SearchReader) -> dict[int, EventSummary]:
    events = list((await event_reads.events_by_id(conn, event_ids)).values())
    led = await event_reads.in_language(conn, events, reader.language_of)
    return {event.event_id: event for event in await event_summaries.summarize(conn, led, now=reader.now)}


async def _marked_words(
    conn: Connection, texts: Iterable[tuple[str, str]], query_forms: Collection[str]
) -> set[tuple[str, str]]:
    """The words to mark in texts, each text given with its language: those that share a form with the query."""
    candidates = {
        (core.primary_language(language), word)
        for language, text in texts
        for word in highlights.candidate_words(text, query_forms)
    }
    return {
        (language, word)
        for (language, word), stem in (await store.get_stems(conn, candidates)).items()
        if stem in query_forms or core.begins_with_any(word, query_forms)
    }
