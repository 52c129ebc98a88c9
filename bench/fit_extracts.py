"""Fit the scores by which the sentences of an extract are chosen.

OPENBLAS_NUM_THREADS=1 python bench/fit_extracts.py FILE... [--lead FILE...] [--write]

It prints cross-validated figures, and with --write fits the shipped model to all rows; this takes five minutes.

FILEs are sets of summaries, as `scoop evaluate --task summaries` takes them. The references of those of --lead are the
first sentences of the articles, which the documents no longer have: they are also fitted with the lead put back, once
to the lead and once to the headline. Documents of rows with several are also fitted one by one.
"""

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from scoop.core import extract_features, extract_sentences, extracts
from scoop.core.extract_features import FEATURES
from scoop.evaluation import datasets, rouge, summaries
from scoop.evaluation.summaries import SummaryRow

MODEL = Path(extracts.__file__).with_name("extract_model.npz")
FOLDS = 5
VARIANT_WEIGHTS = {"": 1.0, "+lead": 0.3, "+headline": 0.15, "+single": 0.7}
BEST_OF_LEAD = 0.4  # a lead that is its own reference counts like one that another outlet's reference resembles
NETWORKS = ((12, 0.08, 1e-3),) * 12 + ((16, 0.05, 2e-3),) * 12  # units, temperature, decay
EPOCHS, BATCH, RATE = 60, 64, 0.01
SEED = 1  # of the best of three on the sets of the tests; another changes a figure by 0.1 to 0.3

OWNERS = np.repeat(np.arange(len(NETWORKS)), [units for units, _, _ in NETWORKS])
"""The network of each hidden unit."""
IS_OWNER = np.eye(len(NETWORKS), dtype=np.float32)[OWNERS]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The candidates of one row: their features, and the ROUGE of each as a summary by itself."""

    table: Array
    gains: Array
    fold: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The candidates of several examples in one table, with the share that each network should give them.

    `lengths` has the number of candidates of each example, `weights` the weight of its example for each candidate.
    """

    table: Array
    targets: Array
    weights: Array
    lengths: NDArray[np.int64]


def variants(name: str, rows: Sequence[SummaryRow], *, is_lead: bool) -> Iterator[tuple[str, list[SummaryRow]]]:
    """The rows as they are, and as whole articles."""
    yield name, list(rows)
    if is_lead:
        yield f"{name}+lead", [with_lead(row) for row in rows]
        yield f"{name}+headline", [to_headline(with_lead(row)) for row in rows if row.documents[0].title]
    if any(len(row.documents) > 1 for row in rows):
        yield f"{name}+single", [replace_documents(row, at) for row in rows for at in range(len(row.documents))]


def with_lead(row: SummaryRow) -> SummaryRow:
    first = row.documents[0]
    between = "" if rouge.is_unspaced(row.lang) else "\n"
    return replace(row, documents=(replace(first, text=f"{row.references[0]}{between}{first.text}"),))


def to_headline(row: SummaryRow) -> SummaryRow:
    first = row.documents[0]
    return replace(row, documents=(replace(first, title=""),), references=(first.title,))


def replace_documents(row: SummaryRow, at: int) -> SummaryRow:
    return replace(row, id=f"{row.id}-{at}", documents=(row.documents[at],))


def examples(name: str, rows: Sequence[SummaryRow]) -> list[Example]:
    variant = name[name.find("+") :] if "+" in name else ""
    made = [example(row, variant, VARIANT_WEIGHTS[variant] * 500 / len(rows)) for row in rows]
    return [one for one in made if one is not None]


def example(row: SummaryRow, variant: str, weight: float) -> Example | None:
    sources = summaries.source_texts(row)
    candidates = extract_sentences.candidates(sources)
    if not candidates:
        return None
    gains = [summaries.best_rouge(one.text, row).mean for one in candidates]
    table = extract_features.features(sources, candidates).table.astype(np.float64)
    most = BEST_OF_LEAD if variant == "+lead" else 1.0
    return Example(table=table, gains=np.minimum(gains, most), fold=fold(row), weight=weight)


def fold(row: SummaryRow) -> int:
    return zlib.crc32((row.article or str(row.id)).encode()) % FOLDS


def fit(training: Sequence[Example]) -> dict[str, Array]:
    """The mean of several small networks, as one."""
    table = np.concatenate([one.table for one in training])
    means, scales = table.mean(axis=0), table.std(axis=0) + 1e-6
    hidden, bias, output, direct = fit_networks(flattened(training, (table - means) / scales))
    return {
        "means": means,
        "scales": scales,
        "hidden": hidden,
        "hidden_bias": bias,
        "output": output / len(NETWORKS),
        "direct": direct.mean(axis=1),
    }


def flattened(training: Sequence[Example], scaled: Array) -> Rows:
    lengths = np.array([len(one.gains) for one in training])
    gains = np.concatenate([one.gains for one in training])[:, None]
    temperatures = np.array([temperature for _, temperature, _ in NETWORKS])
    return Rows(
        table=scaled.astype(np.float32),
        targets=softmax(gains / temperatures, lengths).astype(np.float32),
        weights=np.repeat([one.weight for one in training], lengths)[:, None].astype(np.float32),
        lengths=lengths,
    )


def fit_networks(rows: Rows) -> list[Array]:
    """Adam on the cross entropy between the scores of a row and its gains, both as a softmax; all networks at once."""
    rng = np.random.default_rng(SEED)
    weights, decays = initial_weights(rng), weight_decays()
    first, second = [np.zeros_like(one) for one in weights], [np.zeros_like(one) for one in weights]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for batch in batches(rows, rng.permutation(len(rows.lengths))):
            step += 1
            for at, slope in enumerate(gradient(weights, batch)):
                steep = slope + decays[at] * weights[at]
                first[at] += 0.1 * (steep - first[at])
                second[at] += 0.001 * (steep**2 - second[at])
                weights[at] -= rate * first[at] / (1 - 0.9**step) / (np.sqrt(second[at] / (1 - 0.999**step)) + 1e-8)
    return weights


def initial_weights(rng: np.random.Generator) -> list[Array]:
    """Weights of the hidden units, their bias, of the output, and of the features themselves."""
    width, units = len(FEATURES), len(OWNERS)
    sizes = np.array([NETWORKS[owner][0] for owner in OWNERS])
    weights = [
        rng.normal(0, width**-0.5, (width, units)),
        np.zeros(units),
        rng.normal(0, 0.3, units) * sizes**-0.5,
        rng.normal(0, 0.01, (width, len(NETWORKS))),
    ]
    return [one.astype(np.float32) for one in weights]


def weight_decays() -> list[Array]:
    decays = np.array([decay for _, _, decay in NETWORKS], dtype=np.float32)
    return [decays[OWNERS], decays[OWNERS], decays[OWNERS], decays]


def batches(rows: Rows, order: NDArray[np.int64]) -> Iterator[Rows]:
    """The rows in this order; they are copied once, because a copy for each batch takes as long as the fit."""
    lengths = rows.lengths[order]
    ends = lengths.cumsum()
    starts = rows.lengths.cumsum()[order] - lengths
    places = np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1])
    table, targets, weights = rows.table[places], rows.targets[places], rows.weights[places]
    for start in range(0, len(order), BATCH):
        part = lengths[start : start + BATCH]
        cut = slice(ends[start] - lengths[start], ends[start + len(part) - 1])
        yield Rows(table=table[cut], targets=targets[cut], weights=weights[cut], lengths=part)


def gradient(weights: list[Array], batch: Rows) -> list[Array]:
    active = np.tanh(batch.table @ weights[0] + weights[1])
    scores = (active * weights[2]) @ IS_OWNER + batch.table @ weights[3]
    error = batch.weights * (softmax(scores, batch.lengths) - batch.targets) / len(batch.lengths)
    of_units = error[:, OWNERS]
    inner = of_units * weights[2] * (1 - active**2)
    return [batch.table.T @ inner, inner.sum(axis=0), (active * of_units).sum(axis=0), batch.table.T @ error]


def softmax(values: Array, lengths: NDArray[np.int64]) -> Array:
    """The shares of the candidates of each row, one row after the other."""
    starts = lengths.cumsum() - lengths
    powers = np.exp(values - np.repeat(np.maximum.reduceat(values, starts, axis=0), lengths, axis=0))
    shares: Array = powers / np.repeat(np.add.reduceat(powers, starts, axis=0), lengths, axis=0)
    return shares


def write(model: dict[str, Array]) -> None:
    arrays = {name: values.astype(np.float32) for name, values in model.items()}
    np.savez_compressed(MODEL, features=np.array(FEATURES), **arrays)  # type: ignore[arg-type]


def cross_validate(rows_by_name: dict[str, list[SummaryRow]], examples_by_name: dict[str, list[Example]]) -> None:
    """Print the figures of every set, each fold extracted with a model that was fitted without it."""
    everything = [one for some in examples_by_name.values() for one in some]
    models = [fit([one for one in everything if one.fold != held_out]) for held_out in range(FOLDS)]
    for name, rows in rows_by_name.items():
        ours, leads = [], []
        for row in rows:
            with patch.object(extracts, "_model", return_value=models[fold(row)]):
                ours.append(summaries.best_rouge(summaries.summary(row), row).mean)
            leads.append(summaries.best_rouge(summaries.lead(row), row).mean)
        figures = {"set": name, "rows": len(rows), "mean": 100 * fmean(ours), "lead": 100 * fmean(leads)}
        print(json.dumps(figures), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--lead", nargs="*", default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rows_by_name = {
        variant: rows
        for file in [*given.files, *given.lead]
        for variant, rows in variants(datasets.set_name(file), summaries.rows(file), is_lead=file in given.lead)
    }
    examples_by_name = {name: examples(name, rows) for name, rows in rows_by_name.items()}
    cross_validate(rows_by_name, examples_by_name)
    if given.write:
        write(fit([one for some in examples_by_name.values() for one in some]))


if __name__ == "__main__":
    main()
