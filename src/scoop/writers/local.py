"""The local writer: extracts and rules instead of a model."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from scoop.core import embedding_text, extracts, text
from scoop.core.briefs import MAX_PROMPT_TOKENS, Order, Prompt, SourceText, evaluation, lesson, summary
from scoop.core.curation import parts_by_name
from scoop.core.extracts import ExtractedSentence
from scoop.core.grading import lessons as grading
from scoop.core.grading.lessons import GradedLesson
from scoop.core.interests import Interests
from scoop.core.levels.rules import Level
from scoop.core.plugin_types import PluginOptions
from scoop.core.relevance import InterestVectors, ScoredText, Vectors, scoring
from scoop.core.rendering import common
from scoop.embedders import local as embedder
from scoop.errors import Reject
from scoop.fetch.client import Client
from scoop.parsers import english
from scoop.writers import Prices, Reply

SCORER = "relevance-2"  # the model of evaluations
GRADER = "grader-1"  # that of lessons
MODEL = {
    "model_name": embedder.Local.model.name,
    "model_version": embedding_text.with_recipe(embedder.Local.model.version),
}
"""The vectors that the scorer was fitted to."""
KEPT_LESSONS = 32  # documents whose lessons are kept: their levels are asked for one after another
MAX_CHARACTERS = 900
MAX_SENTENCES = 4
SHORT_SENTENCES = 3  # of a short source, and of a paragraph
SPARE = 2  # sentences more, since those with links or code are left out: they would not be published
SHORT_WORDS = 250  # of all bodies together: three sentences are a third of it


class LocalWriter:
    """Summaries, evaluations and lessons without a model: the sentences of the documents that say most, word for word,
    the relevance of an article by words, figures and meaning, and English that is simplified by rules.

    No service, no key, no cost. It writes in the language of the documents: it does not translate.
    """

    name = "local"
    access = "cli"
    waits = False
    provider = "local"
    model = "extract-1"
    endpoint = "local"
    prices = Prices()
    max_prompt_tokens = MAX_PROMPT_TOKENS

    class Options(PluginOptions, frozen=True, kw_only=True):
        """It has no options."""

    def __init__(self, _options: Options, _client: Client) -> None:
        """It needs neither."""

    async def write(self, order: Order, _prompt: Prompt) -> Reply:
        if order.kind == "evaluation":
            return Reply(text=await asyncio.to_thread(evaluate, order), model=SCORER)
        if order.kind == "lesson":
            return Reply(text=await asyncio.to_thread(_simplified, order), model=GRADER)
        if order.kind != "summary":
            raise Reject(f"the local writer writes no {order.kind}: set another writer in [tasks.{order.kind}]")
        chosen = await asyncio.to_thread(_extracted, _in_one_language(order))
        if not chosen:
            raise Reject("no document has a text to take sentences from")
        return Reply(text=_reply(order.documents, chosen), model=self.model)


def _in_one_language(order: Order) -> list[SourceText]:
    """The documents in the language that is asked for; if there are none, those in the language of the first."""
    fitting = [one for one in order.documents if _primary(one.language) == _primary(order.language)]
    return fitting or [
        one for one in order.documents if _primary(one.language) == _primary(order.documents[0].language)
    ]


def _primary(language: str) -> str:
    return language.split("-")[0].lower()


def _extracted(documents: Sequence[SourceText]) -> list[ExtractedSentence]:
    read = "\n".join(document.body_text[: MAX_CHARACTERS * SHORT_SENTENCES] for document in documents)
    is_short = text.word_count(read) < SHORT_WORDS
    most = SHORT_SENTENCES if is_short else MAX_SENTENCES
    chosen = extracts.extract(documents, max_sentences=most + SPARE, max_characters=MAX_CHARACTERS)
    return [sentence for sentence in chosen if not summary.FOREIGN.search(sentence.text)][:most]


def _reply(documents: Sequence[SourceText], chosen: Sequence[ExtractedSentence]) -> str:
    body_by_id = {document.document_id: document.body_text for document in documents}
    lines = [
        {"text": one.text, "document": one.document_id, "quote": body_by_id[one.document_id][one.start : one.end]}
        for one in chosen
    ]
    first = len(lines) if len(lines) <= SHORT_SENTENCES else (len(lines) + 1) // 2
    paragraphs = [part for part in (lines[:first], lines[first:]) if part]
    return json.dumps({"paragraphs": paragraphs}, ensure_ascii=False)


def evaluate(order: Order) -> str:
    """The evaluation of the article of an order for its interests, as a model would reply."""
    assert order.interests is not None  # noqa: S101 - an evaluation without interests has no material
    (document,) = order.documents
    article = ScoredText(title=document.title, body_text=document.body_text, language=document.language)
    vectors = InterestVectors(articles=_article_vector(document), interests=interest_vectors(order.interests))
    (scored,) = scoring.score([article], order.interests, vectors, order.labels, language=order.language)
    reply = {
        "score": scored.score,
        "parts": parts_by_name(scored.parts),
        "matching_topics": scored.matching_topics,
        "summary": evaluation.quoted_summary(document),
        "reasoning": common.cut(scored.reasoning, evaluation.MAX_REASONING),
        "is_ai_generated": scored.is_ai_generated,
        "is_estimate": True,
    }
    return json.dumps(reply, ensure_ascii=False)


def _article_vector(document: SourceText) -> Vectors:
    """The vector that the desk has of an article, or a new one: making it takes longer than all else."""
    if document.vector is not None:
        return np.array([document.vector], dtype=np.float32)
    return embedder.encode([embedding_text.embedding_text(document.title, document.body_text)])


def _simplified(order: Order) -> str:
    """The lesson of an order, as a model would reply."""
    level = lesson.level_of(order)
    graded = _graded(order.documents).get(level)
    if graded is None:
        raise Reject(f"the article gives no lesson of level {level}: its text is too short or too simple")
    body_by_id = {document.document_id: document.body_text for document in order.documents}
    lines = []
    for sentence in graded.sentences:
        cited = sentence.citations[0]
        quote = body_by_id[cited.document_id][cited.start : cited.end]
        lines.append({"text": sentence.text, "document": cited.document_id, "quote": quote})
    return json.dumps({"lesson": lines}, ensure_ascii=False)


@lru_cache(maxsize=KEPT_LESSONS)
def _graded(documents: tuple[SourceText, ...]) -> Mapping[Level, GradedLesson]:
    """The lessons of all levels: they are made together, because parsing takes longest and none may be easier than one
    below it.
    """
    return grading.grade(documents, parse=english.parse)


@lru_cache(maxsize=16)
def interest_vectors(interests: Interests) -> Vectors:
    """The vectors of interests that the local scorer needs; kept, as they take longer than the score of an article."""
    return embedder.encode(scoring.texts_to_embed(interests))
