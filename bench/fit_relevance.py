"""Fit the model of how relevant an article is to a topic.

OMP_NUM_THREADS=1 python bench/fit_relevance.py FILE... --interests FILE [--write]

It prints the figures of each set by models that saw no article of their fold, and by models that saw no article and no
topic of the set; with --write it fits the shipped model to all of them. FILEs are sets of articles with their topics,
as `scoop evaluate --task interests` takes them. The odds are stretched, so that a score of 70 is right as often as
docs/design/relevance.md says. Also needs scikit-learn.
"""

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fit_links import arrays
from scoop.core.relevance import model, names, scoring
from scoop.core.relevance.features import FEATURES
from scoop.evaluation import datasets, interests
from scoop.evaluation.interests import ArticleSet, InterestRow

MODEL = Path(model.__file__).with_name("model.npz")
FOLDS = 4
FALLING = ("rank",)
FREE = ("length", "related_known")
OF_RELATED_WORDS = [at for at, name in enumerate(FEATURES) if name.startswith("related_")]
SETTINGS = {
    "max_iter": 120, "learning_rate": 0.06, "max_leaf_nodes": 8, "max_depth": 4, "min_samples_leaf": 60,
    "l2_regularization": 10, "random_state": 0,
}  # fmt: skip
ENGLISH = "en"
SEVENTY_AT = 1.4  # log odds of the trees that become 70; see docs/design/relevance.md
STEEPNESS = 1.5  # keeps the scores of sure matches where they were

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A set of articles with the features of every article and topic, and which of them are relevant."""

    name: str
    articles: ArticleSet
    rows: Sequence[InterestRow]
    table: Array
    labels: Array
    folds: Array
    weight: float


def without_related_words(table: Array) -> Array:
    """The table as if no topic had related words, as topics of which the program has none."""
    left: Array = table.copy()
    left[..., OF_RELATED_WORDS] = 0
    left[..., FEATURES.index("related_near")] = table[..., FEATURES.index("whole")]
    return left


def worlds(file: str, interests_file: str) -> Iterator[World]:
    """The set of a file; with topics in several languages also that with English topics only."""
    articles = interests.read(file, interests_file=interests_file)
    name = datasets.set_name(file)
    if not any(topic.by_lang for topic in articles.topics.values()):
        yield world(name, articles, None, 1.0)
        return
    yield world(name, articles, None, 0.5)
    yield world(f"{name}+{ENGLISH}", articles, ENGLISH, 0.5)


def world(name: str, articles: ArticleSet, aliases_in: str | None, weight: float) -> World:
    languages = sorted({row.lang for row in articles.rows})
    rows = [row for language in languages for row in articles.rows if row.lang == language]
    table = np.concatenate(
        [features([row for row in rows if row.lang == one], articles, aliases_in or one) for one in languages]
    )
    labels = np.array([[topic in (row.topics or ()) for topic in articles.topics] for row in rows])
    folds = np.array([zlib.crc32(str(row.id).rpartition("-")[2].encode()) % FOLDS for row in rows])
    return World(name=name, articles=articles, rows=rows, table=table, labels=labels, folds=folds, weight=weight)


def features(rows: Sequence[InterestRow], articles: ArticleSet, language: str) -> Array:
    wanted = interests.interests_of(articles.topics, language)
    texts = [interests.text_of(row) for row in rows]
    found = names.find([(text.title, text.body_text) for text in texts], names.names_of(wanted))
    return scoring.pair_features(texts, wanted, interests.vectors_of(rows, wanted), found)


def fitted(parts: Sequence[tuple[World, Array]]) -> Any:
    """The model of the rows that each world gives."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    tables = [one.table[rows].reshape(-1, len(FEATURES)) for one, rows in parts]
    table = np.concatenate([*tables, *map(without_related_words, tables)])
    labels = np.tile(np.concatenate([one.labels[rows].ravel() for one, rows in parts]), 2)
    weights = np.concatenate([np.full(one.labels[rows].size, one.weight / one.labels.size**0.5) for one, rows in parts])
    weights = np.tile(weights, 2)
    monotone = [-1 if name in FALLING else 0 if name in FREE else 1 for name in FEATURES]
    fit = HistGradientBoostingClassifier(monotonic_cst=monotone, **SETTINGS)
    return fit.fit(table, labels, sample_weight=weights / weights.mean())


def probabilities(fit: Any, table: Array) -> Array:
    found: Array = fit.predict_proba(table.reshape(-1, table.shape[2]))[:, 1].reshape(table.shape[:2])
    return found


def calibrated(found: Array) -> Array:
    odds = log(0.7 / 0.3) + STEEPNESS * (np.log(found / (1 - found)) - SEVENTY_AT)
    probabilities: Array = 1 / (1 + np.exp(-odds))
    return probabilities


def print_figures(kind: str, one: World, found: Array) -> None:
    points = np.round(100 * found, interests.DECIMALS)
    predictions = [
        {"id": row.id, "topic": topic, "score": score}
        for row, scores in zip(one.rows, points.tolist(), strict=True)
        for topic, score in zip(one.articles.topics, scores, strict=True)
    ]
    figures = interests.measure(one.articles, predictions)
    del figures["by_topic"]
    print(json.dumps({"set": one.name, "by": kind, **figures}), flush=True)


def cross_validate(every: Sequence[World]) -> None:
    by_fold = [fitted([(one, one.folds != fold) for one in every]) for fold in range(FOLDS)]
    for one in every:
        found = np.zeros(one.labels.shape)
        for fold, fit in enumerate(by_fold):
            found[one.folds == fold] = probabilities(fit, one.table[one.folds == fold])
        print_figures("articles unseen", one, calibrated(found))
    for name in sorted({one.name.partition("+")[0] for one in every}):
        others = [one for one in every if one.name.partition("+")[0] != name]
        fit = fitted([(one, np.ones(len(one.rows), dtype=bool)) for one in others])
        for one in every:
            if one.name.partition("+")[0] == name:
                print_figures("set unseen", one, calibrated(probabilities(fit, one.table)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--interests", required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    every = [one for file in given.files for one in worlds(file, given.interests)]
    cross_validate(every)
    if given.write:
        background = model.shipped().background
        fit = fitted([(one, np.ones(len(one.rows), dtype=bool)) for one in every])
        trees = {f"trees_{name}": value for name, value in arrays(fit).items()}
        trees["trees_values"] = STEEPNESS * trees["trees_values"]
        trees["trees_start"] = log(0.7 / 0.3) + STEEPNESS * (trees["trees_start"] - SEVENTY_AT)
        np.savez_compressed(MODEL, **trees, subjects=packed(background.subjects), articles=packed(background.articles))


def packed(vectors: Array) -> Array:
    """Vectors in whole numbers; lengths are lost."""
    rounded: Array = np.round(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)
    return rounded


if __name__ == "__main__":
    main()
