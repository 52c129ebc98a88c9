"""Fit the heads of sentiment.

OMP_NUM_THREADS=1 python bench/fit_sentiment.py FOLDER --cache FILE [--write] [--head NAME]...

FOLDER has the labelled sets SET.dev.jsonl.gz. It prints the figures of each set by models that saw no document (`doc`)
of the fold, with and without the sentence encoder; with --write it fits the shipped heads to all rows. FILE keeps the
vectors of texts between runs. Also needs scikit-learn.
"""

import argparse
import json
import pickle
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core.sentiment import features, heads, scoring, valences, views
from scoop.core.sentiment.heads import VectorModel
from scoop.core.sentiment.scoring import DIMENSIONS
from scoop.core.sentiment.views import TargetView
from scoop.embedders import local
from scoop.evaluation import datasets, sentiment
from scoop.evaluation.sentiment import SentimentRow

SETS = {
    "news-en-target": ("newsmtsc",),
    "headline-en-target": ("sentfin",),
    "developer-en": ("senti4sd", "premo"),
    "social-en": ("goemotions",),
    "graded-en": ("graded",),
    "news-de-target": ("gerntsa",),
    "news-ru-target": ("rusentne",),
    "report-ja-target": ("chabsa",),
    "social-zh-target": ("diaasq",),
    "review-ko": ("nsmc",),
    "pooled-en-target": ("newsmtsc", "sentfin"),
    "pooled-en": ("senti4sd", "premo", "goemotions", "graded"),
    "pooled": (
        "newsmtsc", "sentfin", "senti4sd", "premo", "goemotions", "graded", "gerntsa", "rusentne", "chabsa", "diaasq",
        "nsmc",
    ),
}  # fmt: skip
CLASSES = ("negative", "neutral", "positive")
FOLDS = 5
BATCH = 64
SVM = {"C": 1.0, "max_iter": 60, "tol": 1e-2, "random_state": 0}
RIDGE, RIDGE_OF_TARGETS = 8.0, 20.0  # heads with targets have more views
LEVELS = 15  # of the root of a weight on either side of zero: more of them gave the same figures
STACK = {"C": 1.0, "solver": "newton-cholesky"}
BALANCE = 0.5  # 0 is the shares of the rows, 1 the same weight for each class
# Heads that learn from other sets, too, with the penalty of their own rows; the other heads gained nothing.
SHARING = {"news-de-target": 200.0, "news-ru-target": 50.0}
BORROWED = {  # heads whose regressions of the vectors give more parts; the other heads without targets gained nothing
    "social-en": ("developer-en", "graded-en", "review-ko"),
    "graded-en": ("developer-en", "social-en", "review-ko"),
}
# The main directions whose products a head reads, too: what two of them mean together, as a kernel would tell.
PRODUCTS = {"news-en-target": 128, "social-zh-target": 128, "review-ko": 64}
RIDGE_OF_PRODUCTS = 11.0
LINEAR_SHARE, PRODUCT_SHARE = 2.0, 4.0  # of the kernel of a head with products
SPARE, PASSES = 16, 3  # of the search for main directions
SHARED = 0.2  # what a row of another set counts
SHARED_VIEWS = (0, 1, 9, 10)  # the passage, the clause, and both sides of the target
BALANCES = (0.3, 0.5, 0.7)  # one of them is chosen for macro-F1

Array = NDArray[Any]
Products = tuple[Array, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a head with all that its models read."""

    head: str
    sets: Array
    labels: Array
    folds: Array
    words: Any
    valences: Array
    vectors: Array
    graded: Array
    borrowed: Array


def rows_of(head: str, folder: Path, cache: dict[str, Array]) -> Rows:
    read = [(name, row, doc) for name in SETS[head] for row, doc in labelled(folder / f"{name}.dev.jsonl.gz")]
    seen = seen_by(head, [row for _, row, _ in read])
    pieces, clauses = [one.piece for one in seen], [one.clause for one in seen]
    return Rows(
        head=head,
        sets=np.array([name for name, _, _ in read]),
        labels=labels_of([row for _, row, _ in read]),
        folds=np.array([zlib.crc32(doc.encode()) % FOLDS for _, _, doc in read]),
        words=None if head.startswith(heads.POOLED) else matrix(features.hashed(pieces, clauses)),
        valences=valences.table(list(zip(pieces, clauses, strict=True)), is_english="-en" in head),
        vectors=vectors_of(seen, cache),
        graded=np.array([np.nan if row.score is None else row.score for _, row, _ in read]),
        borrowed=borrowed_models(head, folder, cache),
    )


def seen_by(head: str, rows: Sequence[SentimentRow]) -> list[TargetView]:
    targets = map(sentiment.target_of, rows)
    return [views.around_target(one) if head.endswith("-target") else views.whole(one) for one in targets]


def vectors_of(seen: Sequence[TargetView], cache: dict[str, Array]) -> Array:
    fill(cache, views.distinct(one.texts() for one in seen))
    return scoring.vectors_of(seen, lambda texts: np.stack([cache[text] for text in texts]).astype(np.float32))


def labels_of(rows: Sequence[SentimentRow]) -> Array:
    return np.array([CLASSES.index(str(row.label)) for row in rows])


def labelled(file: Path) -> list[tuple[SentimentRow, str]]:
    with datasets.opened(str(file)) as stream:
        docs = [json.loads(line)["doc"] for line in stream]
    return list(zip(sentiment.rows(str(file)), docs, strict=True))


def fill(cache: dict[str, Array], texts: Sequence[str]) -> None:
    new = sorted((text for text in texts if text not in cache), key=len)
    for at in range(0, len(new), BATCH):
        cache |= zip(new[at : at + BATCH], local.encode(new[at : at + BATCH]).astype(np.float16), strict=True)


def matrix(hashed: features.HashedRows) -> Any:
    from scipy.sparse import csr_matrix

    values = hashed.scales[hashed.rows]
    shape = len(hashed.scales), 1 << features.BITS
    table = csr_matrix((values, (hashed.rows, hashed.buckets)), shape=shape, dtype=np.float32)
    table.sum_duplicates()
    return table


def telling(is_seen: Any, is_own: Array) -> Array:
    """How well each bucket tells a class from the others: its log odds (naive Bayes), with a mean square of one."""
    own, other = (np.asarray(is_seen[rows].sum(axis=0)).ravel() for rows in (is_own, ~is_own))
    odds = np.log((own + 1) / (own + 1).sum()) - np.log((other + 1) / (other + 1).sum())
    found: Array = (np.abs(odds) / np.sqrt(np.mean(odds[own + other > 0] ** 2))).astype(np.float32)
    return found


def class_weights(labels: Array, balance: float = BALANCE) -> dict[int, float]:
    """Rare classes weigh more, but not as much as all others together: a neutral class of 3 % is mostly noise."""
    counts = np.maximum(np.bincount(labels, minlength=len(CLASSES)), 1)
    return dict(enumerate(((len(labels) / (len(CLASSES) * counts)) ** balance).tolist()))


def word_model(table: Any, labels: Array) -> tuple[Array, Array]:
    """A linear SVM for each class, of buckets that weigh what they tell about it: roots, their step and a bias."""
    from scipy.sparse import diags
    from sklearn.svm import LinearSVC

    is_seen, weights, biases = table > 0, [], []
    for one in range(len(CLASSES)):
        is_own = labels == one
        by_bucket = telling(is_seen, is_own)
        fit = LinearSVC(**SVM).fit(table @ diags(by_bucket), is_own, sample_weight=weights_of(labels))
        weights.append(fit.coef_[0] * by_bucket)
        biases.append(fit.intercept_[0])
    table = np.array(weights).T
    step = np.abs(table).max() / LEVELS**2
    roots = np.round(np.sign(table) * np.sqrt(np.abs(table) / step)).astype(np.int8)
    return roots, np.stack([np.full(len(CLASSES), step), biases]).astype(np.float32)


def products_of(vectors: Array, labels: Array) -> Products:
    """What a ridge regression to the classes is solved from; the products of several sets add up."""
    table, weights = with_ones(vectors), weights_of(labels)
    weighted = table * weights[:, None]
    return weighted.T @ table, weighted.T @ signs_of(labels)


def with_ones(vectors: Array) -> Array:
    return np.hstack([vectors, np.ones((len(vectors), 1), dtype=np.float32)])


def signs_of(labels: Array) -> Array:
    signs: Array = np.eye(len(CLASSES), dtype=np.float32)[labels] * 2 - 1
    return signs


def weights_of(labels: Array) -> Array:
    by_class = class_weights(labels)
    return np.array([by_class[label] for label in labels.tolist()], dtype=np.float32)


def shared_columns() -> Array:
    starts = np.array(SHARED_VIEWS)[:, None] * DIMENSIONS
    return (starts + np.arange(DIMENSIONS)).ravel()


def products_of_others(head: str, folder: Path, cache: dict[str, Array]) -> Products | None:
    """The products of the sets of other heads with targets, if the head learns from them."""
    if head not in SHARING:
        return None
    others = [
        (other, name)
        for other, names in SETS.items()
        if not other.startswith(heads.POOLED) and other.endswith("-target")
        for name in names
        if name not in SETS[head]
    ]
    found = []
    for other, name in others:
        rows = [row for row, _ in labelled(folder / f"{name}.dev.jsonl.gz")]
        found.append(products_of(vectors_of(seen_by(other, rows), cache)[:, shared_columns()], labels_of(rows)))
    return np.sum([squares for squares, _ in found], axis=0), np.sum([sums for _, sums in found], axis=0)


def encoder_model(head: str, vectors: Array, labels: Array, others: Products | None) -> VectorModel:
    """A regression of the own rows, of products, too, or beside it one of the rows of all sets."""
    if head in PRODUCTS:
        return product_model(vectors, labels, PRODUCTS[head])
    if others is None:
        return linear_model(ridge(vectors, labels, RIDGE_OF_TARGETS if head.endswith("-target") else RIDGE))
    own = ridge(vectors, labels, SHARING[head])
    used = shared_columns()
    squares, sums = products_of(vectors[:, used], labels)
    shared = np.zeros_like(own)
    shared[[*used, -1]] = solved(squares + SHARED * others[0], sums + SHARED * others[1], RIDGE)
    return linear_model(np.hstack([own, shared]))


def linear_model(linear: Array) -> VectorModel:
    none = np.zeros((0, 0), dtype=np.float32)
    return VectorModel(linear=linear, directions=none, products=none)


def product_model(vectors: Array, labels: Array, count: int) -> VectorModel:
    """A regression with a kernel, of the vectors and of the products of their main directions, as weights of both."""
    scale = np.float32((vectors.shape[1] / DIMENSIONS) ** -0.5)  # all views together have a length of one
    directions = rounded(main_directions(vectors, count) * scale)
    found = vectors @ directions
    kernel = 1 + LINEAR_SHARE * scale**2 * (vectors @ vectors.T) + PRODUCT_SHARE * (found @ found.T) ** 2
    shares = np.linalg.solve(kernel + np.diag(RIDGE_OF_PRODUCTS / weights_of(labels)), signs_of(labels))
    return VectorModel(
        linear=np.vstack([LINEAR_SHARE * scale**2 * (vectors.T @ shares), shares.sum(axis=0)]),
        directions=directions,
        products=np.stack([PRODUCT_SHARE * (found.T * own) @ found for own in shares.T]),
    )


def main_directions(vectors: Array, count: int) -> Array:
    """The directions in which the vectors differ most, from a random start that becomes better with each pass."""
    start = np.random.default_rng(0).standard_normal((vectors.shape[1], count + SPARE)).astype(np.float32)
    for _ in range(PASSES):
        start = np.linalg.qr(vectors.T @ (vectors @ start))[0]
    order = np.linalg.svd(vectors @ start, full_matrices=False)[2]
    found: Array = start @ order.T[:, :count]
    return found


def rounded(directions: Array) -> Array:
    steps = steps_of(directions)
    found: Array = np.round(directions / steps) * steps
    return found


def steps_of(directions: Array) -> Array:
    """The step of the whole numbers as which each direction is stored."""
    steps: Array = (np.abs(directions).max(axis=0) / 127).astype(np.float32) if directions.size else np.zeros(0)
    return steps


def borrowed_models(head: str, folder: Path, cache: dict[str, Array]) -> Array:
    """The regressions of the vectors of other heads side by side."""
    found: list[Array] = []
    for other in BORROWED.get(head, ()):
        rows = [row for name in SETS[other] for row, _ in labelled(folder / f"{name}.dev.jsonl.gz")]
        found.append(ridge(vectors_of(seen_by(other, rows), cache), labels_of(rows), RIDGE))
    return np.hstack(found) if found else np.zeros((0, 0), dtype=np.float32)


def ridge(vectors: Array, labels: Array, penalty: float) -> Array:
    """The ridge regression; from the rows instead of the columns if there are fewer, with the same result."""
    if vectors.shape[1] < len(vectors):
        return solved(*products_of(vectors, labels), penalty)
    table = with_ones(vectors)
    squares = table @ table.T + np.diag(penalty / weights_of(labels))
    found: Array = table.T @ np.linalg.solve(squares, signs_of(labels))
    return found


def solved(squares: Array, sums: Array, penalty: float) -> Array:
    weights: Array = np.linalg.solve(squares + penalty * np.eye(len(squares), dtype=np.float32), sums)
    return weights


def stacked(parts: Array, labels: Array, folds: Array) -> Array:
    """The regression of the parts, with the balance of classes that is best on unseen folds."""
    return regression(parts, labels, max(BALANCES, key=lambda one: unseen_f1(parts, labels, folds, one)))


def unseen_f1(parts: Array, labels: Array, folds: Array, balance: float) -> float:
    from sklearn.metrics import f1_score

    guess = np.zeros(len(labels))
    for fold in np.unique(folds):
        other, own = folds != fold, folds == fold
        combined = regression(parts[other], labels[other], balance)
        guess[own] = heads.probabilities(combined, [parts[own]]).argmax(axis=1)
    return float(f1_score(labels, guess, average="macro"))


def regression(parts: Array, labels: Array, balance: float) -> Array:
    """The multinomial regression of the parts, without their scales; the last row is the intercept."""
    from sklearn.linear_model import LogisticRegression

    mean, spread = parts.mean(axis=0), parts.std(axis=0) + 1e-6
    fit = LogisticRegression(**STACK, class_weight=class_weights(labels, balance)).fit((parts - mean) / spread, labels)
    weights = fit.coef_ / spread
    return np.vstack([weights.T, fit.intercept_ - weights @ mean])


def unseen_margins(rows: Rows, others: Products | None) -> tuple[Array, Array]:
    """The margins by words and by vectors, of models that saw no document of the fold."""
    words, vectors = np.zeros((len(rows.labels), 3)), np.zeros((len(rows.labels), 3 if others is None else 6))
    for fold in range(FOLDS):
        other, own = rows.folds != fold, rows.folds == fold
        if rows.words is not None:
            roots, scale = word_model(rows.words[other], rows.labels[other])
            words[own] = rows.words[own] @ heads.signed_squares(roots) * scale[0] + scale[1]
        vectors[own] = encoder_model(rows.head, rows.vectors[other], rows.labels[other], others).margins(
            rows.vectors[own]
        )
    return words, vectors


def parts_of(rows: Rows, words: Array, vectors: Array) -> dict[str, Array]:
    own = [rows.valences] if rows.words is None else [words, rows.valences]
    borrowed = [rows.vectors @ rows.borrowed[:-1] + rows.borrowed[-1]] if rows.borrowed.size else []
    return {"with encoder": np.hstack([*own, vectors, *borrowed]), "without encoder": np.hstack(own)}


def print_figures(head: str, how: str, parts: Array, rows: Rows) -> None:
    from sklearn.metrics import accuracy_score, f1_score

    found = np.zeros((len(parts), 3))
    for fold in range(FOLDS):
        other, own = rows.folds != fold, rows.folds == fold
        combined = stacked(parts[other], rows.labels[other], rows.folds[other])
        found[own] = heads.probabilities(combined, [parts[own]])
    for name in dict.fromkeys(rows.sets):
        own = rows.sets == name
        real, guess = rows.labels[own], found[own].argmax(axis=1)
        figures = {"macro_f1": f1_score(real, guess, average="macro"), "accuracy": accuracy_score(real, guess)}
        if not np.isnan(rows.graded[own]).any():
            figures["pearson"] = np.corrcoef(found[own, 2] - found[own, 0], rows.graded[own])[0, 1]
        rounded = {key: round(float(value), 4) for key, value in figures.items()}
        print(json.dumps({"head": head, "set": name, "how": how, **rounded}), flush=True)


def whole_encoder(rows: Rows, others: Products | None) -> VectorModel:
    own = encoder_model(rows.head, rows.vectors, rows.labels, others)
    return replace(own, linear=np.hstack([own.linear, rows.borrowed])) if rows.borrowed.size else own


def write(head: str, rows: Rows, others: Products | None, parts: dict[str, Array]) -> None:
    used, values, scale = np.zeros(0, np.uint8), np.zeros((0, 3), np.int8), np.zeros((2, 3), np.float32)
    if rows.words is not None:
        roots, scale = word_model(rows.words, rows.labels)
        is_used = (roots != 0).any(axis=1)
        used, values = np.packbits(is_used), roots[is_used]
    encoder = whole_encoder(rows, others)
    steps = steps_of(encoder.directions)
    np.savez_compressed(
        Path(heads.__file__).with_name("models") / f"{head}.npz",
        used=used,
        values=values,
        scale=scale,
        encoder=encoder.linear.astype(np.float16),
        directions=np.round(encoder.directions / steps).astype(np.int8),
        steps=steps,
        products=encoder.products.astype(np.float16),
        combined=stacked(parts["with encoder"], rows.labels, rows.folds).astype(np.float32),
        combined_without_encoder=stacked(parts["without encoder"], rows.labels, rows.folds).astype(np.float32),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--head", action="append", choices=list(SETS))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    cache = pickle.loads(given.cache.read_bytes()) if given.cache.exists() else {}
    for head in given.head or SETS:
        rows = rows_of(head, given.folder, cache)
        others = products_of_others(head, given.folder, cache)
        given.cache.write_bytes(pickle.dumps(cache))
        parts = parts_of(rows, *unseen_margins(rows, others))
        for how, table in parts.items():
            print_figures(head, how, table, rows)
        if given.write:
            write(head, rows, others, parts)


if __name__ == "__main__":
    main()
