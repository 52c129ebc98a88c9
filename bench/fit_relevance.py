"""Fit the model of how relevant an article is to a topic.

OMP_NUM_THREADS=1 python bench/fit_relevance.py FILE... --interests FILE [--write]

It prints the figures of each set by models that saw no article of their fold, and by models that saw no article and no
topic of the set; with --write it fits the shipped model to all of them. The trees are fitted to what directions say of
articles that these did not see. FILEs are sets of articles with their topics,
as `scoop evaluate --task interests` takes them. The odds are stretched, so that a score of 70 is right as often as
docs/design/relevance.md says. Also needs scikit-learn.
"""

import argparse
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fit_links import arrays
from scoop.core.relevance import model, names, scoring
from scoop.core.relevance.directions import Directions
from scoop.core.relevance.features import FEATURES
from scoop.core.relevance.related import subject_of
from scoop.evaluation import datasets, interests
from scoop.evaluation.interests import ArticleSet, InterestRow

MODEL = Path(model.__file__).with_name("model.npz")
FOLDS = 4
FALLING = ("rank",)
FREE = ("length", "related_known", "learned_known")
OF_RELATED_WORDS = [at for at, name in enumerate(FEATURES) if name.startswith("related_")]
OF_DIRECTIONS = [FEATURES.index("learned"), FEATURES.index("learned_known")]
DECAY = 0.01  # of the weights of a direction
ELSEWHERE = 0.25  # the weight of the articles of a set that does not have the subject, against one that has it
MIN_ABOUT = 10  # articles about a subject that its direction is learned from
SETTINGS = {
    "max_iter": 120, "learning_rate": 0.06, "max_leaf_nodes": 8, "max_depth": 4, "min_samples_leaf": 60,
    "l2_regularization": 10, "random_state": 0,
}  # fmt: skip
ENGLISH = "en"
SEVENTY_AT = 2.3  # log odds of the trees that become 70; see docs/design/relevance.md
STEEPNESS = 1.5  # keeps the scores of sure matches where they were

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """A set of articles with the features of every article and topic, and which of them are relevant.

    `subjects` has the common subject of each topic. `vectors` are those of the articles with a 1 at the end.
    """

    name: str
    articles: ArticleSet
    rows: Sequence[InterestRow]
    table: Array
    labels: Array
    folds: Array
    weight: float
    subjects: Sequence[str | None]
    vectors: Array

    @property
    def is_first(self) -> bool:
        """Whether it is not the same articles with other topics."""
        return "+" not in self.name

    def rows_of(self, folds: Collection[int]) -> Array:
        return np.isin(self.folds, list(folds))

    def is_about(self, subject: str) -> Array:
        """The articles of the topics that are this subject."""
        return np.asarray(self.labels[:, [one == subject for one in self.subjects]].any(axis=1))


def of_unknown_subjects(table: Array) -> Array:
    """The table as if no topic had related words or a direction; every other article only without a direction."""
    left: Array = table.copy()
    left[..., OF_DIRECTIONS] = 0
    left[::2, :, OF_RELATED_WORDS] = 0
    left[::2, :, FEATURES.index("related_near")] = table[::2, :, FEATURES.index("whole")]
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
    wanted = interests.interests_of(articles.topics, aliases_in or languages[0])
    vectors = interests.vectors_of(rows, wanted).articles.astype(np.float64)
    return World(
        name=name,
        articles=articles,
        rows=rows,
        table=table,
        labels=labels,
        folds=folds,
        weight=weight,
        subjects=[subject_of(topic) for topic in wanted.topics],
        vectors=np.column_stack([vectors, np.ones(len(rows))]),
    )


def features(rows: Sequence[InterestRow], articles: ArticleSet, language: str) -> Array:
    wanted = interests.interests_of(articles.topics, language)
    texts = [interests.text_of(row) for row in rows]
    found = names.find([(text.title, text.body_text) for text in texts], names.names_of(wanted))
    return scoring.pair_features(texts, wanted, interests.vectors_of(rows, wanted), found)


@cache
def squares(one: World, fold: int) -> tuple[Array, Array, int]:
    """The products of the vectors of a fold with each other, their sum and their number."""
    vectors = one.vectors[one.folds == fold]
    return vectors.T @ vectors, vectors.sum(axis=0), len(vectors)


def learned(every: Sequence[World], folds: Collection[int]) -> Directions:
    """The directions of all subjects that enough articles of these folds are about."""
    firsts = [one for one in every if one.is_first]
    about = {
        subject: sum(int((one.is_about(subject) & one.rows_of(folds)).sum()) for one in firsts)
        for subject in sorted({subject for one in firsts for subject in one.subjects if subject})
    }
    subjects = tuple(subject for subject, count in about.items() if count >= MIN_ABOUT)
    found = np.array([direction(subject, firsts, folds) for subject in subjects], dtype=np.float32)
    return Directions(subjects=subjects, weights=found[:, :-1], offsets=found[:, -1])


def direction(subject: str, firsts: Sequence[World], folds: Collection[int]) -> Array:
    """Ridge regression to 1 for the articles about a subject and -1 for others; both weigh the same in each set."""
    knowing = sum(subject in one.subjects for one in firsts)
    matrix, target = np.diag([DECAY * knowing] * (firsts[0].vectors.shape[1] - 1) + [0.0]), 0.0
    for one in firsts:
        parts = [squares(one, fold) for fold in folds]
        own = one.vectors[one.is_about(subject) & one.rows_of(folds)]
        trust = 0.5 if subject in one.subjects else 0.5 * ELSEWHERE
        weight = trust / max(1, len(own))
        other_weight = trust / (sum(count for _, _, count in parts) - len(own))
        of_own, sum_of_own = own.T @ own, own.sum(axis=0)
        matrix = matrix + weight * of_own + other_weight * (sum(part for part, _, _ in parts) - of_own)
        target = target + weight * sum_of_own - other_weight * (sum(part for _, part, _ in parts) - sum_of_own)
    found: Array = np.linalg.solve(matrix, target)
    return found


def with_directions(one: World, found: Directions, folds: Collection[int]) -> Array:
    """The features of the rows of these folds, with what the directions say."""
    rows = one.rows_of(folds)
    table: Array = one.table[rows].copy()
    row = {subject: at for at, subject in enumerate(found.subjects)}
    known = [(topic, row[subject]) for topic, subject in enumerate(one.subjects) if subject in row]
    table[..., OF_DIRECTIONS] = 0
    for topic, at in known:
        table[:, topic, OF_DIRECTIONS[0]] = one.vectors[rows, :-1] @ found.weights[at] + found.offsets[at]
        table[:, topic, OF_DIRECTIONS[1]] = 1
    return table


def fitted(every: Sequence[World], folds: Collection[int]) -> tuple[Any, Directions]:
    """The trees of the rows of these folds, and the directions; the trees saw only directions of other folds."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    parts = []
    for fold in folds:
        others = learned(every, [one for one in folds if one != fold])
        parts += [(one, with_directions(one, others, [fold]), one.labels[one.folds == fold]) for one in every]
    tables = [table.reshape(-1, len(FEATURES)) for _, table, _ in parts]
    unknown = [of_unknown_subjects(table).reshape(-1, len(FEATURES)) for _, table, _ in parts]
    labels = np.tile(np.concatenate([labels.ravel() for _, _, labels in parts]), 2)
    weights = np.concatenate([np.full(labels.size, one.weight / one.labels.size**0.5) for one, _, labels in parts])
    weights = np.tile(weights, 2)
    monotone = [-1 if name in FALLING else 0 if name in FREE else 1 for name in FEATURES]
    fit = HistGradientBoostingClassifier(monotonic_cst=monotone, **SETTINGS)
    fit.fit(np.concatenate([*tables, *unknown]), labels, sample_weight=weights / weights.mean())
    return fit, learned(every, folds)


def probabilities(fit: Any, table: Array) -> Array:
    found: Array = fit.predict_proba(table.reshape(-1, table.shape[2]))[:, 1].reshape(table.shape[:2])
    return found


def calibrated(found: Array, table: Array) -> Array:
    odds = log(0.7 / 0.3) + STEEPNESS * (np.log(found / (1 - found)) - SEVENTY_AT)
    probabilities: Array = 1 / (1 + np.exp(-model.raised(odds, table)))
    return probabilities


def print_figures(kind: str, one: World, found: Array) -> None:
    """Print the figures of a set, and of each of its languages if there are several."""
    points = np.round(100 * found, interests.DECIMALS)
    predictions = [
        {"id": row.id, "topic": topic, "score": score}
        for row, scores in zip(one.rows, points.tolist(), strict=True)
        for topic, score in zip(one.articles.topics, scores, strict=True)
    ]
    languages = sorted({row.lang for row in one.rows})
    for spoken in [languages, *([language] for language in languages if len(languages) > 1)]:
        articles = replace(one.articles, rows=[row for row in one.articles.rows if row.lang in spoken])
        figures = interests.measure(articles, predictions)
        del figures["by_topic"]
        print(json.dumps({"set": one.name, "lang": ",".join(spoken), "by": kind, **figures}), flush=True)


def cross_validate(every: Sequence[World]) -> None:
    by_fold = [fitted(every, [one for one in range(FOLDS) if one != fold]) for fold in range(FOLDS)]
    for one in every:
        found = np.zeros(one.labels.shape)
        for fold, (fit, known) in enumerate(by_fold):
            found[one.folds == fold] = scored(one, fit, known, [fold])
        print_figures("articles unseen", one, found)
    for name in sorted({one.name.partition("+")[0] for one in every}):
        fit, known = fitted([one for one in every if one.name.partition("+")[0] != name], range(FOLDS))
        for one in every:
            if one.name.partition("+")[0] == name:
                print_figures("set unseen", one, scored(one, fit, known, range(FOLDS)))


def scored(one: World, fit: Any, known: Directions, folds: Collection[int]) -> Array:
    """The probabilities of the rows of these folds as the program shows them."""
    table = with_directions(one, known, folds)
    return calibrated(probabilities(fit, table), table)


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
        fit, known = fitted(every, range(FOLDS))
        trees = {f"trees_{name}": value for name, value in arrays(fit).items()}
        trees["trees_values"] = STEEPNESS * trees["trees_values"]
        trees["trees_start"] = log(0.7 / 0.3) + STEEPNESS * (trees["trees_start"] - SEVENTY_AT)
        np.savez_compressed(
            MODEL,
            **trees,
            subjects=packed(background.subjects),
            articles=packed(background.articles),
            directions_subjects=np.array(known.subjects),
            directions_weights=known.weights.astype(np.float16),
            directions_offsets=known.offsets,
        )


def packed(vectors: Array) -> Array:
    """Vectors in whole numbers; lengths are lost."""
    rounded: Array = np.round(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)
    return rounded


if __name__ == "__main__":
    main()
