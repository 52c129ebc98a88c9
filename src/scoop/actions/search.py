"""Search: stories by words, by meaning, and by words that were typed wrongly; one function for every door."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scoop.core import embedding_text, highlights
from scoop.core import search as core
from scoop.core.highlights import HighlightSpan
from scoop.core.search import Query, Ranked, Understood, Way
from scoop.embedders import Embedder
from scoop.errors import Retry
from scoop.model import Story
from scoop.store import embeddings
from scoop.store import search as store
from scoop.store.db import Connection
from scoop.store.reads import stories as story_reads

FEW = 3  # stories by words, below which somebody may have mistyped
PATIENCE = timedelta(seconds=2)  # with whoever embeds what is sought; no reader waits longer
NEAR = {"use-multilingual": 0.15}  # cosine below which a document has nothing to do with a query: nonsense has 0.11
NEARLY = 0.7  # of the best cosine; what is farther off is about something else
MOST_MEANT = 30  # stories by meaning
MAX_OFFSET = 500
SHOWN_NAMES = 8  # of collections and the like, to whom names one that is none

EMPTY = "Type some words."
NOTHING_SOUGHT = "There is no word in this to search for."
WITHOUT_MEANING = "Only words were searched for: what finds the same in other words did not answer in time."
CUT = f"Only the first {core.MAX_WORDS} words were searched for."
KINDS = {"c": "collection", "s": "source", "l": "language"}

Forms = Mapping[str, Collection[str]]
"""For each word the forms under which it may be indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What is sought as a vector, and by which model; none where the embedder did not answer in time."""

    model_name: str
    model_version: str
    vector: Sequence[float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A story that was found, by which ways, and its title and a passage in pieces, with what was sought marked."""

    story: Story
    score: float
    found_by: list[Way]
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


async def meaning(embedder: Embedder, query: Query, *, patience: timedelta = PATIENCE) -> Meaning | None:
    """What is sought as a vector; None where exactly these words are sought."""
    sought = core.understood(query.text)
    if sought.is_empty or sought.is_literal:
        return None
    try:
        vectors = await asyncio.wait_for(embedder.embed([sought.plain]), patience.total_seconds())
        vector = vectors[0].tolist()
    except (Retry, TimeoutError):
        vector = None
    version = embedding_text.with_recipe(embedder.model.version)
    return Meaning(model_name=embedder.model.name, model_version=version, vector=vector)


async def search(conn: Connection, query: Query, *, now: datetime, meaning: Meaning | None = None) -> SearchResult:
    """The stories that a query finds, the best first; with a `meaning` also those that say it in other words."""
    began = time.perf_counter()
    sought = core.understood(query.text)
    if sought.is_empty:
        return SearchResult(hints=[NOTHING_SOUGHT if query.text.strip() else EMPTY])
    if trouble := await _trouble(conn, query):
        return SearchResult(hints=[trouble])
    found = await _found(conn, query, sought, meaning, now=now)
    hints = [*([CUT] if sought.is_cut else []), *found.hints]
    return replace(found, hints=hints, took_ms=round((time.perf_counter() - began) * 1000))


async def _trouble(conn: Connection, query: Query) -> str | None:
    """Why nothing can be found among the stories that are asked for."""
    for facet in core.wanted_facets(query) or ():
        if not facet.isprintable() or await store.unknown_facets(conn, [facet]):
            kind, name = facet[0], facet[2:]
            there = await store.facets(conn, kind)
            some = ", ".join(there[:SHOWN_NAMES]) + (", …" if len(there) > SHOWN_NAMES else "")
            return f"No story has the {KINDS[kind]} {name!r}{f'; there are: {some}' if there else ''}."
    if query.topic and (not query.topic.isprintable() or await store.topic(conn, query.topic) is None):
        return f"There is no topic {query.topic!r}."
    if query.since and query.until and query.since >= query.until:
        return "The last day lies before the first."
    return None


async def _found(
    conn: Connection, query: Query, sought: Understood, meaning: Meaning | None, *, now: datetime
) -> SearchResult:
    topic_id = await store.topic(conn, query.topic) if query.topic else None
    languages = [core.primary(query.language.lower())] if query.language else await store.facets(conn, "l")
    forms = await _forms(conn, [*sought.words, *sought.excluded_words], languages)
    ways: dict[Way, store.RankedIds] = {}
    corrections: dict[str, list[str]] = {}
    hints: list[str] = []
    is_capped = False
    try:
        async with store.quickly(conn):
            stretches = core.stretches(query, now=now)
            asked = _sought(sought, forms, topic_id)
            ways["words"], is_capped = await store.by_words(conn, asked, query, stretches, now=now)
            if len(ways["words"]) < FEW and not sought.is_literal:
                corrections = await store.meant(conn, sought.words)
            if corrections:
                forms = await _with(conn, forms, corrections, languages)
                asked = _sought(sought, forms, topic_id)
                spelled, _ = await store.by_words(conn, asked, query, stretches, now=now)
                ways["spelling"] = [pair for pair in spelled if pair not in ways["words"]]
    except store.TooSlow as error:
        hints.append(str(error))
    if meaning is not None and meaning.vector is None:
        hints.append(WITHOUT_MEANING)
    elif meaning is not None and not ways.get("spelling"):  # what was mistyped means something else
        excluded = core.exclusion(sought, forms.__getitem__)
        ways["meaning"] = await _near(conn, query, meaning, excluded=excluded, topic_id=topic_id)
    ranked = core.fused(ways)
    part = ranked[query.offset : query.offset + query.limit]
    return SearchResult(
        items=await _hits(conn, part, sought, forms),
        total_estimate=len(ranked),
        is_capped=is_capped,
        corrections=corrections if ways.get("spelling") else {},
        hints=hints,
    )


def _sought(sought: Understood, forms: Forms, topic_id: int | None) -> store.WordQuery:
    return store.WordQuery(
        outline=core.outline(sought, forms.__getitem__),
        expression=core.expression(sought, forms.__getitem__),
        topic_id=topic_id,
        has_phrases=sought.has_phrases,
    )


async def _forms(conn: Connection, words: Sequence[str], languages: Sequence[str]) -> Forms:
    stems = await store.stems(conn, [(language, word) for word in words for language in languages])
    return {word: {core.folded(word), *(stems[language, word] for language in languages)} for word in words}


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
    conn: Connection, query: Query, meaning: Meaning, *, excluded: str | None, topic_id: int | None
) -> store.RankedIds:
    model = await embeddings.find(conn, meaning.model_name, meaning.model_version)
    if model is None or meaning.vector is None or len(meaning.vector) != model.dimensions:
        return []
    try:
        async with store.quickly(conn):
            near = await store.by_meaning(conn, model, meaning.vector, query, excluded=excluded, topic_id=topic_id)
    except store.TooSlow:
        return []
    least = max(NEAR.get(model.model_name, 0.0), NEARLY * max((cosine for *_, cosine in near), default=0.0))
    return [(story_id, document_id) for story_id, document_id, cosine in near if cosine >= least][:MOST_MEANT]


async def _hits(conn: Connection, part: Sequence[Ranked], sought: Understood, forms: Forms) -> list[SearchHit]:
    """The stories with what was sought marked in them."""
    stories = await story_reads.stories_by_id(conn, [each.story_id for each in part])
    texts = await store.texts(conn, [each.document_id for each in part], characters=highlights.MAX_TEXT)
    sought_forms = {form for word in sought.words for form in forms[word]}
    asked = {
        (core.primary(language), word)
        for language, text in (
            *((story.language, story.title) for story in stories.values()),
            *((text.language, text.body_text) for text in texts.values()),
        )
        for word in highlights.suspects(text, sought_forms)
    }
    stems = await store.stems(conn, asked)
    marked = {pair for pair, stem in stems.items() if stem in sought_forms or core.is_begun_by(pair[1], sought_forms)}

    def hit(each: Ranked) -> SearchHit:
        story, text = stories[each.story_id], texts[each.document_id]
        in_title, in_body = core.primary(story.language), core.primary(text.language)
        return SearchHit(
            story=story,
            score=each.score,
            found_by=each.found_by,
            title=highlights.highlighted(story.title, lambda word: (in_title, word) in marked),
            passage=highlights.passage(text.body_text, lambda word: (in_body, word) in marked),
        )

    return [hit(each) for each in part if each.story_id in stories and each.document_id in texts]
