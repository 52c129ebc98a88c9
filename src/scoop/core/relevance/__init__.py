"""Relevance: how well articles match interests, without a language model. `scoring.score()` decides."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredText:
    """An article to score; `language` is a code such as "ja", or "und"."""

    title: str
    body_text: str
    language: str = "und"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """The parts of a score; they add up to it."""

    topic_match: int
    concreteness: int
    practicality: int
    depth: int

    @property
    def total(self) -> int:
        return self.topic_match + self.concreteness + self.practicality + self.depth


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEvaluation:
    """The evaluation of an article by the local scorer.

    `topic_scores` has every topic of the interests. `untuned_score` and `untuned_topic_scores` are those without the
    reader's labels. `is_ai_generated` is an estimate that changes no score.
    """

    score: int
    parts: ScoreParts
    matching_topics: tuple[str, ...]
    topic_scores: Mapping[str, int]
    untuned_score: int
    untuned_topic_scores: Mapping[str, int]
    reasoning: str
    is_ai_generated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestVectors:
    """Vectors of length 1 of the local embedder.

    There is a row for each article, and one for each of `scoring.texts_to_embed(interests)`.
    """

    articles: Vectors
    interests: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceLabel:
    """A thumb up or down for an article, with the scores that it had without labels."""

    is_wanted: bool
    untuned_topic_scores: Mapping[str, int]
    untuned_score: int
