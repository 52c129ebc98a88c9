"""Scores articles by interests: names, meaning and the rubric, tuned by the labels of a reader."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoop.core.interests import Interests
from scoop.core.relevance import (
    InterestVectors,
    LocalEvaluation,
    RelevanceLabel,
    ScoredText,
    directions,
    related,
    rubric,
    word_matches,
)
from scoop.core.relevance import model as relevance_model
from scoop.core.relevance.features import Wording, features
from scoop.core.relevance.labels import shifts
from scoop.core.relevance.names import Occurrences, TopicName, find, names_of
from scoop.core.relevance.reasons import reasoning
from scoop.core.relevance.similarity import Table, compare
from scoop.core.relevance.topic_texts import layout, texts

MATCHES_AT = 50  # the score from which on an article matches a topic: it is more probable than not
TOGETHER = 256  # articles that are compared at once; bounds the memory


def texts_to_embed(interests: Interests) -> list[str]:
    """The texts of the interests whose vectors `score` needs, in order."""
    return texts(interests)


def score(
    articles: Sequence[ScoredText],
    interests: Interests,
    vectors: InterestVectors,
    labels: Sequence[RelevanceLabel] = (),
    *,
    language: str = "",
) -> list[LocalEvaluation]:
    """The evaluation of each article, in order; its reasoning is in this language, if there are phrases in it."""
    topics = [interest.topic for interest in interests.topics]
    names, added = names_of(interests), shifts(labels, topics)
    evaluations = []
    for start in range(0, len(articles), TOGETHER):
        part = articles[start : start + TOGETHER]
        found = find([(article.title, article.body_text) for article in part], names)
        near = InterestVectors(articles=vectors.articles[start : start + TOGETHER], interests=vectors.interests)
        untuned = _model().log_odds(pair_features(part, interests, near, found))
        rows = zip(part, relevance_model.points(untuned), relevance_model.points(untuned + added), strict=True)
        named = _named(found, names, interests)
        evaluations += [_evaluation(*row, topics, who, language) for row, who in zip(rows, named, strict=True)]
    return evaluations


def topic_points(
    articles: Sequence[ScoredText], interests: Interests, vectors: InterestVectors
) -> Iterator[NDArray[np.float64]]:
    """The score of each article for every topic, before it is rounded."""
    names = names_of(interests)
    for start in range(0, len(articles), TOGETHER):
        part = articles[start : start + TOGETHER]
        near = InterestVectors(articles=vectors.articles[start : start + TOGETHER], interests=vectors.interests)
        found = find([(article.title, article.body_text) for article in part], names)
        yield from relevance_model.exact_points(_model().log_odds(pair_features(part, interests, near, found)))


def pair_features(
    articles: Sequence[ScoredText], interests: Interests, vectors: InterestVectors, found: Occurrences
) -> Table:
    """The features of every article and topic."""
    places = layout(interests)
    near = compare(vectors.articles, vectors.interests, places, _model().background)
    wording = Wording(
        found=found, matches=word_matches.find(articles, interests), related=related.find(articles, interests)
    )
    learned = directions.find(vectors.articles, interests, _model().directions)
    return features(articles, wording, near, learned, places.starts - np.arange(len(places.starts)))


def _model() -> relevance_model.RelevanceModel:
    return relevance_model.shipped()


def _named(found: Occurrences, names: Sequence[TopicName], interests: Interests) -> list[dict[str, list[str]]]:
    """The names that occur in each article, by topic."""
    owners = [interest.topic for interest in interests.topics for _ in range(len(interest.aliases) + 1)]
    by_article: list[dict[str, list[str]]] = [{} for _ in found.count]
    for row, column in np.argwhere((found.title > 0) | (found.count > 0)).tolist():
        by_article[row].setdefault(owners[column], []).append(names[column].written)
    return by_article


def _evaluation(
    article: ScoredText,
    untuned: NDArray[np.int64],
    tuned: NDArray[np.int64],
    topics: Sequence[str],
    named: Mapping[str, Sequence[str]],
    language: str,
) -> LocalEvaluation:
    measured = rubric.quality(article.title, article.body_text)
    scores, before = dict(zip(topics, tuned.tolist(), strict=True)), dict(zip(topics, untuned.tolist(), strict=True))
    parts = rubric.parts(max(scores.values()), measured)
    matching = tuple(
        sorted((topic for topic in topics if scores[topic] >= MATCHES_AT), key=lambda topic: (-scores[topic], topic))
    )
    is_ai_written = rubric.is_ai_written(article.title, article.body_text)
    return LocalEvaluation(
        score=parts.total,
        parts=parts,
        matching_topics=matching,
        topic_scores=scores,
        untuned_score=rubric.parts(max(before.values()), measured).total,
        untuned_topic_scores=before,
        reasoning=reasoning(matching, scores, named, measured, is_ai_written=is_ai_written, language=language),
        is_ai_generated=is_ai_written,
    )
