"""Fit the models of reading levels, and print cross-validated figures.

python bench/fit_levels.py --sentences FILE --counts FILE --versions FILE... [--write]

--sentences are labelled sentences and --versions the same articles at several levels, as `scoop evaluate --task levels`
takes them. --counts are counts of labelled texts: `sentence_lengths`, `letters`, `syllables`, `long_words`, `names`,
`commas`, `questions`, `clause_words`, `by_list`, `unlisted` and `level`. Also needs scikit-learn.
The shipped model is that of CEFR-SP (Wiki-Auto), of counts of the CEFR levelled texts, and of OneStopEnglish.
"""

import argparse
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core.levels import features, reading
from scoop.core.levels import scores as models
from scoop.core.levels.reading import ReadSentence
from scoop.core.levels.rules import LEVELS
from scoop.evaluation import datasets, levels
from scoop.evaluation.levels import LevelRow

MODEL = Path(models.__file__).with_name("model.npz")
FOLDS = 7
GAMMA, CENTRES, KERNEL_DECAY = 0.006, 400, 0.05  # of the Gaussian kernels
DECAYS = np.logspace(0, 3, 7)  # of the linear model of sentences; one is chosen by cross-validation
ORDINAL_DECAY = 1.0
ORDER_STRENGTH = 0.005  # the inverse of the regularisation of the order: it has more features than articles
CALIBRATED_SHARE = 0.5  # of the calibrated score in the mixed one, where the order's is 1; both in standard deviations
COMMON = 60  # texts: a word of as many versions has a weight of its own
FIRST_CUTS = np.array([0.5, 1.25, 2.25, 3.2, 4.3])
STEPS = (0.3, 0.1, 0.05)

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A text of several that say the same."""

    row: LevelRow
    sentences: list[ReadSentence]
    counts: Array
    raw: Array


# Sentences


def sentence_table(rows: Sequence[LevelRow]) -> Array:
    return np.concatenate([measured_as_one(row.text) for row in rows])


def measured_as_one(text: str) -> Array:
    return np.array([features.of_sentence(reading.joined(reading.read(text)), text)], dtype=np.float32)


def labels_of(rows: Sequence[LevelRow]) -> list[list[int]]:
    return [[LEVELS.index(one) for one in row.levels or (row.level,)] for row in rows]


def fit_sentences(table: Array, targets: Array) -> dict[str, Array]:
    """A linear model, and one of Gaussian kernels around some of the sentences, on the same scaled features."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge, RidgeCV

    means, scales = table.mean(axis=0), table.std(axis=0) + 1e-6
    scaled = (table - means) / scales
    linear = RidgeCV(DECAYS).fit(scaled, targets)
    kernels = Nystroem(gamma=GAMMA, n_components=CENTRES, random_state=0).fit(scaled)
    curved = Ridge(KERNEL_DECAY).fit(kernels.transform(scaled), targets)
    return {
        "sentence_means": means,
        "sentence_scales": scales,
        "sentence_weights": linear.coef_,
        "sentence_bias": np.array(linear.intercept_ + curved.intercept_),
        "sentence_centres": kernels.components_.astype(np.float16),
        "sentence_gamma": np.array(GAMMA),
        "kernel_weights": kernels.normalization_.T @ curved.coef_,
    }


def as_float32(arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name: one if one.dtype.kind == "U" else one.astype(np.float32) for name, one in arrays.items()}


def out_of_fold(table: Array, targets: Array, folds: Array) -> Array:
    scores = np.zeros(len(table))
    for fold in np.unique(folds):
        fitted = as_float32(fit_sentences(table[folds != fold], targets[folds != fold]))
        scores[folds == fold] = models.raw_sentence_scores(table[folds == fold], fitted)
    return scores


def fit_cuts(scores: Array, labels: Sequence[Sequence[int]]) -> Array:
    """The cuts between levels that give the best accuracy and macro-F1, by coordinate search."""
    cuts = FIRST_CUTS.copy()
    best = quality(scores, labels, cuts)
    for step in np.repeat(STEPS, 3):
        for at in range(len(cuts)):
            for moved in (cuts[at] - step, cuts[at] + step):
                tried = cuts.copy()
                tried[at] = moved
                if (np.diff(tried) > 0).all() and (value := quality(scores, labels, tried)) > best:
                    best, cuts = value, tried
    return cuts


def quality(scores: Array, labels: Sequence[Sequence[int]], cuts: Array) -> float:
    predicted = np.searchsorted(cuts, scores)
    nearest = np.array(
        [min(some, key=lambda label: abs(label - one)) for some, one in zip(labels, predicted, strict=True)]
    )
    right = [(predicted == level) & (nearest == level) for level in range(len(LEVELS))]
    sizes = [(predicted == level).sum() + (nearest == level).sum() for level in range(len(LEVELS))]
    f1 = [2 * hits.sum() / size for hits, size in zip(right, sizes, strict=True) if size]
    return float((predicted == nearest).mean() + 0.5 * np.mean(f1))


def cross_validate_sentences(rows: Sequence[LevelRow], table: Array, targets: Array) -> Array:
    """Print figures with cuts that are fitted without the fold too; give the scores of all rows."""
    folds = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    scores, labels = out_of_fold(table, targets, folds), labels_of(rows)
    predictions: dict[str | int, dict[str, Any]] = {}
    for fold in range(FOLDS):
        cuts = fit_cuts(scores[folds != fold], [one for one, at in zip(labels, folds, strict=True) if at != fold])
        for at in np.flatnonzero(folds == fold).tolist():
            level = LEVELS[int(np.searchsorted(cuts, scores[at]))]
            predictions[rows[at].id] = {"level": level, "score": float(scores[at])}
    print(json.dumps({"set": "sentences", **levels.metrics(rows, predictions)}), flush=True)
    return scores


# Texts


def counted(file: str) -> tuple[Array, Array]:
    """The features of counted texts, and the numbers of their levels."""
    with datasets.opened(file) as stream:
        rows = [json.loads(line) for line in stream]
    table = [
        features.of_counts(
            row["sentence_lengths"],
            letters=row["letters"],
            syllables=row["syllables"],
            long_words=row["long_words"],
            by_level=[row["by_list"][level] for level in LEVELS],
            unlisted=row["unlisted"],
            names=row["names"],
            commas=row["commas"],
            questions=row["questions"],
            clauses=row["clause_words"],
        )
        for row in rows
    ]
    return np.array(table), np.array([LEVELS.index(row["level"]) for row in rows])


def fit_ordinal(table: Array, numbers: Array) -> tuple[Array, Array]:
    """Proportional odds: the weights of the features as they are, and the cuts between levels."""
    from scipy.optimize import minimize

    means, scales = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled, width = (table - means) / scales, table.shape[1]

    def cuts_of(values: Array) -> Array:
        return np.cumsum(np.concatenate([values[width : width + 1], np.exp(values[width + 1 :])]))

    def loss(values: Array) -> float:
        edges = np.concatenate([[-1e3], cuts_of(values), [1e3]])
        scores = scaled @ values[:width]
        below = [1 / (1 + np.exp(np.clip(scores - edges[numbers + more], -500, 500))) for more in (0, 1)]
        likelihood = np.log(np.maximum(below[1] - below[0], 1e-9)).sum()
        return float(ORDINAL_DECAY * (values[:width] ** 2).sum() - likelihood)

    start = np.concatenate([np.zeros(width), [-4], np.full(len(LEVELS) - 2, np.log(2))])
    fitted = minimize(loss, start, method="L-BFGS-B").x
    weights = fitted[:width] / scales
    return weights, cuts_of(fitted) + means @ weights


def cross_validate_texts(table: Array, numbers: Array) -> None:
    folds = np.random.default_rng(0).permutation(len(table)) % FOLDS
    rows = [LevelRow(id=at, text="", level=LEVELS[number]) for at, number in enumerate(numbers)]
    predictions: dict[str | int, dict[str, Any]] = {}
    for fold in range(FOLDS):
        weights, cuts = fit_ordinal(table[folds != fold], numbers[folds != fold])
        for at in np.flatnonzero(folds == fold):
            score = float(table[at] @ weights)
            predictions[int(at)] = {"level": LEVELS[int(np.searchsorted(cuts, score))], "score": score}
    print(json.dumps({"set": "texts", **levels.metrics(rows, predictions)}), flush=True)


# Order


def versions(file: str, fitted: Mapping[str, Any]) -> Iterator[Version]:
    for row in levels.rows(file):
        sentences = reading.read(row.text)
        table = np.array([features.of_sentence(one, row.text) for one in sentences], dtype=np.float32)
        yield Version(
            row=row,
            sentences=sentences,
            counts=np.array(features.of_text(sentences, row.text), dtype=np.float32),
            raw=models.raw_sentence_scores(table, fitted),
        )


def common_words(texts: Sequence[Version]) -> list[str]:
    occurrences = Counter(
        word
        for version in texts
        for word in {token.word.form for sentence in version.sentences for token in sentence.tokens}
    )
    return sorted(word for word, count in occurrences.items() if count >= COMMON)


def fit_order(texts: Sequence[Version], table: Array) -> Array:
    """Weights by which the harder of two versions has the higher score."""
    from sklearn.linear_model import LogisticRegression

    by_article: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, version in enumerate(texts):
        by_article[version.row.article].append((place(version), at))
    pairs = [
        (low, high)
        for some in by_article.values()
        for (first, low), (second, high) in combinations(sorted(some), 2)
        if first != second
    ]
    scales = table.std(axis=0) + 1e-9
    differences = np.array([(table[high] - table[low]) / scales for low, high in pairs])
    fitted = LogisticRegression(C=ORDER_STRENGTH, fit_intercept=False, max_iter=3_000).fit(
        np.concatenate([differences, -differences]), np.repeat([1, 0], len(differences))
    )
    weights: Array = fitted.coef_[0] / scales
    return weights


def place(version: Version) -> int:
    return levels.READING_LEVELS.index(version.row.level)


def mixed(order: Array, calibrated: Array) -> dict[str, Array]:
    """The order on the scale of the calibrated score, with a part of that."""
    spread, share = calibrated.std() / order.std(), CALIBRATED_SHARE
    together = order * spread + share * calibrated
    slope = np.polyfit(together, calibrated, 1)
    return {
        "mixed_order": np.array(slope[0] * spread),
        "mixed_text": np.array(slope[0] * share),
        "mixed_bias": np.array(slope[1]),
    }


def cross_validate_order(
    sets: Mapping[str, Sequence[Version]], fitted: Mapping[str, Any], table_of: Callable[[Sequence[Version]], Array]
) -> None:
    """Print the figures of every set of versions, each article by weights that were fitted without it."""
    everything = [version for some in sets.values() for version in some]
    table, folds = table_of(everything), np.array([fold(version.row.article) for version in everything])
    calibrated = np.array([version.counts @ fitted["text_weights"] for version in everything])
    scores = np.zeros(len(everything))
    for at in range(FOLDS):
        training = [version for version, one in zip(everything, folds, strict=True) if one != at]
        weights = fit_order(training, table[folds != at])
        mix = mixed(table[folds != at] @ weights, calibrated[folds != at])
        held = folds == at
        scores[held] = mix["mixed_order"] * (table[held] @ weights) + mix["mixed_text"] * calibrated[held]
    start = 0
    for name, some in sets.items():
        own = scores[start : start + len(some)]
        start += len(some)
        predictions = {version.row.id: {"score": float(one)} for version, one in zip(some, own, strict=True)}
        figures = levels.metrics([version.row for version in some], predictions)
        print(json.dumps({"set": name, **{key: figures[key] for key in ("in_order", "pairs_in_order")}}), flush=True)


def fold(article: str) -> int:
    return zlib.crc32(article.encode()) % FOLDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", required=True)
    parser.add_argument("--counts", required=True)
    parser.add_argument("--versions", nargs="+", required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()

    rows = levels.rows(given.sentences)
    table = sentence_table(rows)
    targets = np.array([np.mean(some) for some in labels_of(rows)])
    scores = cross_validate_sentences(rows, table, targets)
    fitted = {**fit_sentences(table, targets), "sentence_cuts": fit_cuts(scores, labels_of(rows))}

    counts, numbers = counted(given.counts)
    cross_validate_texts(counts, numbers)
    fitted["text_weights"], fitted["text_cuts"] = fit_ordinal(counts, numbers)

    sets = {datasets.set_name(file): list(versions(file, as_float32(fitted))) for file in given.versions}
    everything = [version for some in sets.values() for version in some]
    fitted["order_words"] = np.array(common_words(everything))
    single = as_float32(fitted)

    def table_of(texts: Sequence[Version]) -> Array:
        return np.array([models.order_features(one.sentences, one.counts, one.raw, single) for one in texts])

    cross_validate_order(sets, fitted, table_of)
    table = table_of(everything)
    fitted["order_weights"] = fit_order(everything, table)
    calibrated = np.array([version.counts @ fitted["text_weights"] for version in everything])
    fitted |= mixed(table @ fitted["order_weights"], calibrated)
    if given.write:
        write(fitted)


def write(fitted: Mapping[str, Array]) -> None:
    kept = {name: one if one.dtype == np.float16 else as_float32({name: one})[name] for name, one in fitted.items()}
    named = {
        "sentence_features": np.array(features.SENTENCE_FEATURES),
        "count_features": np.array(features.COUNT_FEATURES),
    }
    np.savez_compressed(MODEL, **named, **kept)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
