"""The fitted models of levels, made by bench/fit_levels.py: of a sentence, and of a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core.levels import features
from scoop.core.levels.reading import ReadSentence
from scoop.core.levels.rules import LEVELS, Level

Array = NDArray[np.float32]
Arrays = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScore:
    """The level of a text, by counts that were calibrated on labelled texts; the score also compares finer."""

    level: Level
    score: float


def raw_sentence_scores(table: Array, model: Arrays | None = None) -> Array:
    """Scores of sentences, a row of features each: the mean of a linear model and of one with Gaussian kernels."""
    model = model or arrays()
    scaled = (table - model["sentence_means"]) / model["sentence_scales"]
    centres = model["sentence_centres"]
    distances = (scaled**2).sum(axis=1)[:, None] - 2 * scaled @ centres.T + (centres**2).sum(axis=1)
    kernels = np.exp(-model["sentence_gamma"] * distances)
    scores: Array = (
        scaled @ model["sentence_weights"] + kernels @ model["kernel_weights"] + model["sentence_bias"]
    ) / 2
    return scores


def sentence_scores(raw: Array) -> Array:
    """Scores from 0 to 6."""
    return on_scale(raw, arrays()["sentence_cuts"])


def text_score(sentences: Sequence[ReadSentence], text: str, raw: Array) -> TextScore:
    """The score of a text whose sentences have these raw scores."""
    model = arrays()
    counts = np.array(features.of_text(sentences, text), dtype=np.float32)
    calibrated = float(counts @ model["text_weights"])
    order = float(order_features(sentences, counts, raw, model) @ model["order_weights"])
    mixed = calibrated * model["mixed_text"] + order * model["mixed_order"] + model["mixed_bias"]
    level = LEVELS[int(np.searchsorted(model["text_cuts"], calibrated))]
    return TextScore(level=level, score=float(on_scale(np.array([mixed]), model["text_cuts"])[0]))


def order_features(sentences: Sequence[ReadSentence], counts: Array, raw: Array, model: Arrays) -> Array:
    """The features that tell versions of one article apart: counts, scores of sentences, shares of single words."""
    lengths = np.array([len(sentence.tokens) for sentence in sentences])
    words = features.of_words(sentences, model["order_words"].tolist())
    return np.array([*counts, raw.mean(), (raw * lengths).sum() / lengths.sum(), *words], dtype=np.float32)


def on_scale(raw: NDArray[Any], cuts: Array) -> Array:
    """Raw scores as numbers from 0 to 6 whose whole part is the level between the cuts."""
    first, last = cuts[1] - cuts[0], cuts[-1] - cuts[-2]
    edges = np.concatenate([[cuts[0] - first], cuts, [cuts[-1] + last]])
    return np.asarray(np.interp(raw, edges, np.arange(len(edges))), dtype=np.float32)


def level_of(score: float) -> Level:
    """The level of a score from 0 to 6."""
    return LEVELS[min(int(score), len(LEVELS) - 1)]


@cache
def arrays() -> dict[str, Any]:
    with files(__package__).joinpath("model.npz").open("rb") as stream, np.load(stream) as stored:
        loaded: dict[str, Any] = {name: stored[name] for name in stored.files}
    if (loaded["sentence_features"].tolist(), loaded["count_features"].tolist()) != (
        list(features.SENTENCE_FEATURES),
        list(features.COUNT_FEATURES),
    ):
        raise ValueError("model.npz was fitted to other features: run bench/fit_levels.py")
    return {name: one.astype(np.float32) if one.dtype.kind == "f" else one for name, one in loaded.items()}
