"""The fitted model of relevance: the score of each topic for each article, and what vectors are compared with."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from math import log1p

import numpy as np
from numpy.typing import NDArray

from scoop.core.boosting import Trees, trees_of
from scoop.core.relevance.directions import Directions
from scoop.core.relevance.features import FEATURES
from scoop.core.relevance.names import WHOLE
from scoop.core.relevance.similarity import Background, Table

Odds = NDArray[np.float64]
LIMIT = 1e-6  # no probability is nearer to 0 or 1: odds stay finite
# An article that names a topic in its title and again is about it, also if the topic has no rivals to be compared with.
NAMED_AT = 1.6  # log odds: 83 points
# The sets that decide what 70 points are have directions for nearly all topics. Other topics keep the bar of the time
# before directions: with the one of the sets, a third of the articles that the demo's curator found relevant were lost.
WITHOUT_DIRECTION = 1.35  # log odds
ORDER_OF_NAMED = 0.01  # of their own log odds: keeps these articles in order, and never takes them below 80
TWICE = log1p(1.5)  # mentions; one of them may be less sure than a whole word


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceModel:
    """The trees, and what their features are computed from."""

    trees: Trees
    background: Background
    directions: Directions

    def log_odds(self, features: Table) -> Odds:
        """The logarithm of the odds that an article is relevant to a topic, by article and topic."""
        rows, topics, width = features.shape
        probabilities = self.trees.probabilities(features.reshape(rows * topics, width)).reshape(rows, topics)
        bounded = np.clip(probabilities.astype(np.float64), LIMIT, 1 - LIMIT)
        odds: Odds = np.log(bounded / (1 - bounded))
        return raised(odds, features)


def raised(odds: Odds, features: Table) -> Odds:
    """The log odds of the trees, raised for topics without a direction and where an article names the topic twice."""
    shifted: Odds = odds + WITHOUT_DIRECTION * (features[..., FEATURES.index("learned_known")] == 0)
    return np.where(_is_named_twice(features), np.maximum(shifted, NAMED_AT + ORDER_OF_NAMED * shifted), shifted)


def _is_named_twice(features: Table) -> NDArray[np.bool_]:
    """Where the title has the topic itself as a whole word, and the title or the text names it once more."""
    in_title, count = (features[..., FEATURES.index(name)] for name in ("named_itself", "count"))
    return (in_title >= WHOLE) & (count > TWICE)


def points(log_odds: Odds) -> NDArray[np.int64]:
    """The scores from 0 to 100 of log odds."""
    rounded: NDArray[np.int64] = np.round(exact_points(log_odds)).astype(np.int64)
    return rounded


def exact_points(log_odds: Odds) -> NDArray[np.float64]:
    """The scores before they are rounded: most articles have nearly 0 for most topics, and still an order."""
    exact: NDArray[np.float64] = 100 / (1 + np.exp(-log_odds))
    return exact


@cache
def shipped() -> RelevanceModel:
    stored = files(__package__).joinpath("model.npz").read_bytes()
    with np.load(BytesIO(stored), allow_pickle=False) as arrays:
        background = Background(subjects=_unpacked(arrays["subjects"]), articles=_unpacked(arrays["articles"]))
        directions = Directions(
            subjects=tuple(arrays["directions_subjects"].tolist()),
            weights=arrays["directions_weights"].astype(np.float32),
            offsets=arrays["directions_offsets"],
        )
        return RelevanceModel(trees=trees_of(arrays, "trees_"), background=background, directions=directions)


def _unpacked(stored: NDArray[np.int8]) -> Table:
    """Vectors of length 1 from their rounded form."""
    vectors = stored.astype(np.float32)
    unit: Table = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
