"""The task `levels`: the measured level and score of labelled texts and sentences, against their levels."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from scoop.core.item_stream import split_items
from scoop.core.levels import measure
from scoop.core.levels.rules import LEVELS
from scoop.errors import InputError
from scoop.evaluation import datasets

READING_LEVELS = ("elementary", "intermediate", "advanced")

Predictions = Mapping[str | int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """A text or a sentence; `levels` has the labels of several raters, `article` joins the versions of one article.

    `level` is A1 to C2, or elementary, intermediate or advanced; without gold it is empty.
    """

    id: str | int
    text: str
    level: str = ""
    levels: tuple[str, ...] = ()
    article: str = ""


def rows(file: str) -> list[LevelRow]:
    with datasets.opened(file) as stream:
        read: list[LevelRow] = [datasets.decoded(piece, LevelRow) for piece in split_items(stream)]
    if not read:
        raise InputError(f"{file}: the file has no rows")
    for row in read:
        unknown = [one for one in _labels(row) if one not in (*LEVELS, *READING_LEVELS)]
        if unknown:
            raise InputError(f"{file}: row {row.id}: the level {unknown[0]!r} is none of {', '.join(LEVELS)}")
    return read


def predict(row: LevelRow) -> dict[str, Any]:
    """The level and the score of a row; only the score of a version, whose levels may be other ones."""
    measured = measure.measure(row.text)
    level = {} if measured.level is None or row.article else {"level": measured.level}
    return {"id": row.id, **level, "score": round(measured.score, 4)}


def metrics(labelled: Sequence[LevelRow], predictions: Predictions) -> dict[str, Any]:
    """How near the levels of the rows with gold are, and whether versions of an article are in order."""
    gold = [row for row in labelled if row.level or row.levels]
    rated = [row for row in gold if _labels(row)[0] in LEVELS]
    missing = sum(row.id not in predictions for row in gold)
    return {**_agreement(rated, predictions), **_order(gold, predictions), "n": len(gold), "missing": missing}


def _labels(row: LevelRow) -> tuple[str, ...]:
    return row.levels or ((row.level,) if row.level else ())


def _agreement(rated: Sequence[LevelRow], predictions: Predictions) -> dict[str, Any]:
    """Of two labels the nearer one counts; a row that is not measured counts as wrong."""
    names = ("accuracy", "adjacent", "macro_f1", "kappa", "spearman")
    if not rated:
        return dict.fromkeys(names)
    pairs = [_pair(row, predictions.get(row.id, {}).get("level")) for row in rated]
    known = [(gold, level) for gold, level in pairs if level is not None]
    figures = (
        sum(gold == level for gold, level in pairs) / len(pairs),
        sum(abs(gold - level) <= 1 for gold, level in known) / len(pairs),
        _macro_f1(pairs),
        _kappa(known),
        _spearman(rated, predictions),
    )
    return {name: round(figure, 4) for name, figure in zip(names, figures, strict=True)}


def _pair(row: LevelRow, predicted: str | None) -> tuple[int, int | None]:
    labels = sorted(LEVELS.index(label) for label in LEVELS if label in _labels(row))
    if predicted not in LEVELS:
        return labels[0], None
    level = LEVELS.index(predicted)
    return min(labels, key=lambda label: abs(label - level)), level


def _macro_f1(pairs: Sequence[tuple[int, int | None]]) -> float:
    """The mean F1 of the levels that occur in the gold."""
    right = Counter(gold for gold, level in pairs if gold == level)
    golds, levels = Counter(gold for gold, _ in pairs), Counter(level for _, level in pairs)
    return sum(2 * right[one] / (golds[one] + levels[one]) for one in golds) / len(golds)


def _kappa(pairs: Sequence[tuple[int, int]]) -> float:
    """Cohen's kappa with quadratic weights."""
    golds, levels = Counter(gold for gold, _ in pairs), Counter(level for _, level in pairs)
    observed = sum((gold - level) ** 2 for gold, level in pairs)
    expected = sum(golds[a] * levels[b] * (a - b) ** 2 for a in golds for b in levels) / max(1, len(pairs))
    return 1 - observed / expected if expected else 0.0


def _spearman(rated: Sequence[LevelRow], predictions: Predictions) -> float:
    scored = [row for row in rated if "score" in predictions.get(row.id, {})]
    if len(scored) < 2:
        return 0.0
    golds = [np.mean([LEVELS.index(label) for label in LEVELS if label in _labels(row)]) for row in scored]
    ranks = np.array([_ranks(golds), _ranks([predictions[row.id]["score"] for row in scored])])
    return float(np.corrcoef(ranks)[0, 1]) if ranks.std(axis=1).all() else 0.0


def _ranks(values: Sequence[Any]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """The ranks of values; equal ones share the mean of theirs."""
    _, places, counts = np.unique(np.array(values, dtype=np.float64), return_inverse=True, return_counts=True)
    return np.asarray((counts.cumsum() - (counts - 1) / 2)[places])


def _order(gold: Sequence[LevelRow], predictions: Predictions) -> dict[str, Any]:
    """The share of articles whose versions are strictly in order, and of their pairs; null without articles."""
    by_article: dict[str, dict[int, float | None]] = defaultdict(dict)
    for row in gold:
        if row.article:
            by_article[row.article][_place(row)] = predictions.get(row.id, {}).get("score")
    versions = [[scores[place] for place in sorted(scores)] for scores in by_article.values() if len(scores) > 1]
    if not versions:
        return {"in_order": None, "pairs_in_order": None}
    pairs = [
        low is not None and high is not None and low < high for scores in versions for low, high in _all_pairs(scores)
    ]
    in_order = [
        all(low is not None and high is not None and low < high for low, high in pairwise(scores))
        for scores in versions
    ]
    return {
        "in_order": round(sum(in_order) / len(in_order), 4),
        "pairs_in_order": round(sum(pairs) / len(pairs), 4),
    }


def _place(row: LevelRow) -> int:
    label = _labels(row)[0]
    return READING_LEVELS.index(label) if label in READING_LEVELS else LEVELS.index(label)


def _all_pairs(scores: Sequence[float | None]) -> list[tuple[float | None, float | None]]:
    return [(low, high) for at, low in enumerate(scores) for high in scores[at + 1 :]]
