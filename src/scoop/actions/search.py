"""Search: stories by words, by meaning, and by words that were typed wrongly; one function for every door."""

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

FEW_STORIES = 3  # stories by words, below which somebody may have mistyped
EMBED_TIMEOUT = timedelta(seconds=2)  # with whoever embeds what is sought; no reader waits longer
MIN_COSINE = {
    "use-multilingual": 0.15
}  # cosine below which a document has nothing to do with a query: nonsense has 0.11
MIN_SHARE_OF_BEST = 0.7  # of the best cosine; what is farther off is about something else
MAX_BY_MEANING = 30  # stories by meaning
MAX_OFFSET = 500
SHOWN_NAMES = 8  # of collections and the like, to whom names one that is none

NO_WORDS = "Type some words."
NO_SEARCHABLE_WORD = "There is no word in this to search for."
EMBEDDER_TIMEOUT = "Only words were searched for: what finds the same in other words did not answer in time."
TOO_MANY_WORDS = f"Only the first {core.MAX_WORDS} words were searched for."
KINDS = {"c": "collection", "s": "source", "l": "language"}

Forms = Mapping[str, Collection[str]]
"""For each word the forms under which it may be indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """What is sought as a vector, and by which model; none where the embedder did not answer in time."""

    model_name: str
    model_version: str
    vector: Sequence[float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A story that was found, by which ways, and its title and a passage in pieces, with what was sought marked."""

    story: Story
    score: float
    found_by: list[SearchMethod]
    title: list[HighlightSpan]
    passage: list[HighlightSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search gives: a part of `total_estimate` stories, of which there are more where `is_capped`.

    `corrections` are the words that were sought beside those that no title has; `hints` say why there is so little.
    """

    items: list[SearchHit] = field(default_factory=list)
    total_estimate: int = 0
    is_capped: bool = False
    corrections: dict[str, list[str]] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    took_ms: int = 0


async def embed_query(embedder: Embedder, query: Query, *, patience: timedelta = EMBED_TIMEOUT) -> QueryVector | None:
    """What is sought as a vector; None where exactly these words are sought."""
    sought = core.parse_query(query.text)
    if sought.is_empty or sought.is_literal:
        return None
    try:
        vectors = await asyncio.wait_for(embedder.embed([sought.plain]), patience.total_seconds())
        vector = vectors[0].tolist()
    except (Retry, TimeoutError):
        vector = None
    version = embedding_text.with_recipe(embedder.model.version)
    return QueryVector(model_name=embedder.model.name, model_version=version, vector=vector)


async def search_stories(
    conn: Connection, query: Query, *, now: datetime, meaning: QueryVector | None = None
) -> SearchResult:
    """The stories that a query finds, the best first; with a `meaning` also those that say it in other words."""
    began = time.perf_counter()
    sought = core.parse_query(query.text)
    if sought.is_empty:
        return SearchResult(hints=[NO_SEARCHABLE_WORD if query.text.strip() else NO_WORDS])
    if trouble := await _trouble(conn, query):
        return SearchResult(hints=[trouble])
    found = await _found(conn, query, sought, meaning, now=now)
    hints = [*([TOO_MANY_WORDS] if sought.is_cut else []), *found.hints]
    return replace(found, hints=hints, took_ms=round((time.perf_counter() - began) * 1000))


async def _trouble(conn: Connection, query: Query) -> str | None:
    """Why nothing can be found among the stories that are asked for."""
    for facet in core.query_facets(query) or ():
        if not facet.isprintable() or await store.list_unknown_facets(conn, [facet]):
            kind, name = facet[0], facet[2:]
            there = await store.list_facets(conn, kind)
            some = ", ".join(there[:SHOWN_NAMES]) + (", …" if len(there) > SHOWN_NAMES else "")
            return f"No story has the {KINDS[kind]} {name!r}{f'; there are: {some}' if there else ''}."
    if query.topic and (not query.topic.isprintable() or await store.find_topic_id(conn, query.topic) is None):
        return f"There is no topic {query.topic!r}."
    if query.since and query.until and query.since >= query.until:
        return "The last day lies before the first."
    return None


async def _found(
    conn: Connection, query: Query, sought: ParsedQuery, meaning: QueryVector | None, *, now: datetime
) -> SearchResult:
    topic_id = await store.find_topic_id(conn, query.topic) if query.topic else None
    languages = (
        [core.primary_language(query.language.lower())] if query.language else await store.list_facets(conn, "l")
    )
    forms = await _forms(conn, [*sought.words, *sought.excluded_words], languages)
    ways: dict[SearchMethod, store.RankedIds] = {}
    corrections: dict[str, list[str]] = {}
    hints: list[str] = []
    is_capped = False
    try:
        async with store.time_limit(conn):
            stretches = core.time_ranges(query, now=now)
            asked = _sought(sought, forms, topic_id)
            ways["words"], is_capped = await store.rank_by_words(conn, asked, query, stretches, now=now)
            if len(ways["words"]) < FEW_STORIES and not sought.is_literal:
                corrections = await store.suggest_corrections(conn, sought.words)
            if corrections:
                forms = await _with(conn, forms, corrections, languages)
                asked = _sought(sought, forms, topic_id)
                spelled, _ = await store.rank_by_words(conn, asked, query, stretches, now=now)
                ways["spelling"] = [pair for pair in spelled if pair not in ways["words"]]
    except store.SearchTimeout as error:
        hints.append(str(error))
    if meaning is not None and meaning.vector is None:
        hints.append(EMBEDDER_TIMEOUT)
    elif meaning is not None and not ways.get("spelling"):  # what was mistyped means something else
        excluded = core.excluded_tsquery(sought, forms.__getitem__)
        ways["meaning"] = await _near(conn, query, meaning, excluded=excluded, topic_id=topic_id)
    ranked = core.fuse_rankings(ways)
    part = ranked[query.offset : query.offset + query.limit]
    return SearchResult(
        items=await _hits(conn, part, sought, forms),
        total_estimate=len(ranked),
        is_capped=is_capped,
        corrections=corrections if ways.get("spelling") else {},
        hints=hints,
    )


def _sought(sought: ParsedQuery, forms: Forms, topic_id: int | None) -> store.WordQuery:
    return store.WordQuery(
        outline=core.index_tsquery(sought, forms.__getitem__),
        expression=core.tsquery(sought, forms.__getitem__),
        topic_id=topic_id,
        has_phrases=sought.has_phrases,
    )


async def _forms(conn: Connection, words: Sequence[str], languages: Sequence[str]) -> Forms:
    stems = await store.get_stems(conn, [(language, word) for word in words for language in languages])
    return {word: {core.strip_accents(word), *(stems[language, word] for language in languages)} for word in words}


async def _with(
    conn: Connection, forms: Forms, corrections: Mapping[str, Sequence[str]], languages: Sequence[str]
) -> Forms:
    """The forms, together with those of what may have been meant."""
    meant = await _forms(conn, [near for found in corrections.values() for near in found], languages)
    return {
        word: {*known, *(form for near in corrections.get(word, ()) for form in meant[near])}
        for word, known in forms.items()
    }


async def _near(
    conn: Connection, query: Query, meaning: QueryVector, *, excluded: str | None, topic_id: int | None
) -> store.RankedIds:
    model = await embeddings.find(conn, meaning.model_name, meaning.model_version)
    if model is None or meaning.vector is None or len(meaning.vector) != model.dimensions:
        return []
    try:
        async with store.time_limit(conn):
            near = await store.rank_by_meaning(conn, model, meaning.vector, query, excluded=excluded, topic_id=topic_id)
    except store.SearchTimeout:
        return []
    least = max(
        MIN_COSINE.get(model.model_name, 0.0), MIN_SHARE_OF_BEST * max((cosine for *_, cosine in near), default=0.0)
    )
    return [(story_id, document_id) for story_id, document_id, cosine in near if cosine >= least][:MAX_BY_MEANING]


async def _hits(conn: Connection, part: Sequence[RankedStory], sought: ParsedQuery, forms: Forms) -> list[SearchHit]:
    """The stories with what was sought marked in them."""
    stories = await story_reads.stories_by_id(conn, [each.story_id for each in part])
    texts = await store.get_texts(conn, [each.document_id for each in part], characters=highlights.MAX_TEXT)
    sought_forms = {form for word in sought.words for form in forms[word]}
    asked = {
        (core.primary_language(language), word)
        for language, text in (
            *((story.language, story.title) for story in stories.values()),
            *((text.language, text.body_text) for text in texts.values()),
        )
        for word in highlights.candidate_words(text, sought_forms)
    }
    stems = await store.get_stems(conn, asked)
    marked = {
        pair for pair, stem in stems.items() if stem in sought_forms or core.begins_with_any(pair[1], sought_forms)
    }

    def hit(each: RankedStory) -> SearchHit:
        story, text = stories[each.story_id], texts[each.document_id]
        in_title, in_body = core.primary_language(story.language), core.primary_language(text.language)
        return SearchHit(
            story=story,
            score=each.score,
            found_by=each.found_by,
            title=highlights.highlight(story.title, lambda word: (in_title, word) in marked),
            passage=highlights.best_passage(text.body_text, lambda word: (in_body, word) in marked),
        )

    return [hit(each) for each in part if each.story_id in stories and each.document_id in texts]
