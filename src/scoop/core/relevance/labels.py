"""How the thumbs of a reader move scores: by bounded steps, for each topic and for all."""

from collections.abc import Sequence
from math import fsum

import numpy as np

from scoop.core.relevance import RelevanceLabel
from scoop.core.relevance.model import Odds

PRIOR = 4.0  # labels that say nothing: one label moves a score by a fifth of what many do
STRENGTH = 3.0  # log odds for each unit of mean surprise
MAX_SHIFT = 1.5  # log odds: 70 becomes 34 or 91 at most
OVERALL = 0.3  # of the surprise of an article counts for every topic


def shifts(labels: Sequence[RelevanceLabel], topics: Sequence[str]) -> Odds:
    """What labels add to the log odds of each topic.

    A label surprises by the difference between what the reader said and the score; it counts for the topics of its
    article by their scores. The sums are exact, so that the order of labels does not matter.
    """
    overall = _shrunk([(1.0, _surprise(label, label.untuned_score)) for label in labels])
    own = [
        _shrunk(
            [
                (label.untuned_topic_scores[topic] / 100, _surprise(label, label.untuned_topic_scores[topic]))
                for label in labels
                if topic in label.untuned_topic_scores
            ]
        )
        for topic in topics
    ]
    mixed = STRENGTH * (np.array(own, dtype=np.float64) + OVERALL * overall)
    bounded: Odds = np.clip(mixed, -MAX_SHIFT, MAX_SHIFT)
    return bounded


def _surprise(label: RelevanceLabel, score: int) -> float:
    return float(label.is_wanted) - score / 100


def _shrunk(weighted: Sequence[tuple[float, float]]) -> float:
    """The mean surprise, drawn towards 0 where few labels speak."""
    return fsum(weight * surprise for weight, surprise in weighted) / (fsum(weight for weight, _ in weighted) + PRIOR)
