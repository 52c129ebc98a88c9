"""Fit the model that tells ambiguous names of tools from ordinary words.

python bench/fit_mentions.py FOLDER [--write]

FOLDER has the sets mentions, aliases and boundaries with their tools, and texts of developers, news and social media.
It prints precision, recall and F1 of each set by models that saw none of the names of the fold, and none of the rows;
with --write it fits the shipped model to all rows. Also needs scikit-learn.
"""

import argparse
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core.mentions import ToolNames, context, folding, matcher
from scoop.core.mentions.context import ContextModel
from scoop.core.mentions.occurrences import Occurrence
from scoop.evaluation import datasets, mentions
from scoop.evaluation.mentions import MentionRow

SETS = ("mentions", "aliases", "boundaries", "own")
OWN = Path(__file__).with_name("ambiguous_names.txt")
TECHNICAL, OTHER = ("senti4sd", "premo", "mentions"), ("newsmtsc", "goemotions", "sentfin", "graded")
FOLDS = 5
PENALTY = 1.0
WEIGHTS = {"mentions": 0.5, "aliases": 1.0, "boundaries": 1.0, "own": 1.0}

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An occurrence of an ordinary name, and whether it means the tool; None if it counts as neither."""

    set: str
    name: str
    row: str
    is_tool: bool | None
    dense: Array
    neighbours: list[int]


def texts(folder: Path, name: str) -> list[str]:
    with datasets.opened(str(folder / f"{name}.dev.jsonl.gz")) as stream:
        return list(dict.fromkeys(json.loads(line)["text"] for line in stream))


def word_tables(folder: Path) -> tuple[Array, Array]:
    """How technical each word is, and how often it has a capital letter inside a sentence, as log odds times 32."""
    size = 1 << context.WORD_BITS
    seen = np.ones((2, size))
    capitals = np.ones((2, size))
    for number, names in enumerate((OTHER, TECHNICAL)):
        for content in (content for name in names for content in texts(folder, name)):
            words = context._WORD.findall(content)
            for word in {word.lower() for word in words}:
                seen[number, context._bucket(word, context.WORD_BITS)] += 1
            for word in re.findall(r"(?<=[a-z,] )[^\W\d_]+", content):
                capitals[int(word[0].isupper()), context._bucket(word.lower(), context.WORD_BITS)] += 1
    technical = np.log(seen[1] / seen[1].sum()) - np.log(seen[0] / seen[0].sum())
    capital = np.log(capitals[1] / capitals[0])
    return (np.clip(np.round(32 * table), -127, 127).astype(np.int8) for table in (technical, capital))  # type: ignore[return-value]


def own_examples(model: ContextModel) -> Iterator[Example]:
    """The sentences of OWN: each has one name in brackets, written as the tool writes it if it means the tool."""
    for number, line in enumerate(OWN.read_text("utf-8").splitlines()):
        sign, _, marked = line.partition(" ")
        if sign not in "+-":
            continue
        start, end = marked.index("["), marked.index("]") - 1
        text = marked.replace("[", "").replace("]", "")
        name = text[start:end]
        tool = ToolNames(tool_id="tool", name=name if name == "make" else name[0].upper() + name[1:])
        prepared = matcher.build([tool])
        folded = folding.fold(text)
        every = prepared.occurrences(folded)
        row = MentionRow(id=f"own-{number}", text=text, mentions=((start, end, "tool"),) if sign == "+" else ())
        for one in every:
            if one.alias.is_ordinary and one.start == start:
                yield example("own", row, folded, one, every, model)


def examples(folder: Path, model: ContextModel) -> Iterator[Example]:
    yield from own_examples(model)
    for name in SETS[:-1]:
        prepared = matcher.build(mentions.tools(str(folder / f"{name}.tools.jsonl.gz")))
        for row in mentions.rows(str(folder / f"{name}.dev.jsonl.gz")):
            folded = folding.fold(row.text)
            every = prepared.occurrences(folded)
            for one in every:
                if one.alias.is_ordinary:
                    yield example(name, row, folded, one, every, model)


def example(name: str, row: Any, folded: Any, one: Occurrence, every: Any, model: ContextModel) -> Example:
    start, end = matcher.place(row.text, folded, one)
    tool = one.alias.tool.tool_id
    is_tool = (start, end, tool) in (row.mentions or ())
    ignored = not is_tool and any(first < end and start < last for first, last in row.ignore)
    dense, neighbours = context.features_of(model, row.text, (start, end), one, every)
    return Example(
        set=name, name=one.alias.folded, row=str(row.id), is_tool=None if ignored else is_tool, dense=dense,
        neighbours=neighbours,
    )  # fmt: skip


def table_of(every: list[Example]) -> Array:
    table = np.zeros((len(every), len(every[0].dense) + (1 << context.NEIGHBOUR_BITS)), dtype=np.float32)
    for number, one in enumerate(every):
        table[number, : len(one.dense)] = one.dense
        for bucket in one.neighbours:
            table[number, len(one.dense) + bucket] += 1
    return table


def fitted(every: list[Example], own: Array) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    used = [number for number in np.flatnonzero(own) if every[number].is_tool is not None]
    table = table_of(every)[used]
    labels = np.array([bool(every[number].is_tool) for number in used])
    weights = np.array([WEIGHTS[every[number].set] for number in used])
    fit = make_pipeline(MaxAbsScaler(), LogisticRegression(C=1 / PENALTY, max_iter=500))
    return fit.fit(table, labels, logisticregression__sample_weight=weights)


def cross_validate(every: list[Example], by: str) -> None:
    folds = np.array([zlib.crc32(getattr(one, by).encode()) % FOLDS for one in every])
    table, found = table_of(every), np.zeros(len(every))
    for fold in range(FOLDS):
        found[folds == fold] = fitted(every, folds != fold).decision_function(table[folds == fold])
    for name in SETS:
        counts = Counter(
            (one.is_tool, bool(score > 0)) for one, score in zip(every, found, strict=True) if one.set == name
        )
        right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
        f1 = 2 * right / max(1, 2 * right + wrong + missed)
        print(
            json.dumps(
                {
                    "set": name,
                    "unseen": by,
                    "ordinary": right + missed,
                    "f1": round(f1, 4),
                    "false": wrong,
                    "missed": missed,
                    "left_out": counts[False, False],
                }
            ),
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    technical, capital = word_tables(given.folder)
    empty = np.zeros(0, dtype=np.float32)
    model = ContextModel(technical=technical, capital=capital, weights=empty, neighbours=empty, bias=0.0)
    every = list(examples(given.folder, model))
    cross_validate(every, "name")
    cross_validate(every, "row")
    if given.write:
        fit = fitted(every, np.ones(len(every), dtype=bool))
        scales, logistic = fit[0].scale_, fit[1]
        weights = logistic.coef_[0] / scales
        width = len(every[0].dense)
        np.savez_compressed(
            Path(context.__file__).with_name("context.npz"),
            technical=technical,
            capital=capital,
            weights=weights[:width].astype(np.float32),
            neighbours=weights[width:].astype(np.float32),
            bias=np.float32(logistic.intercept_[0]),
        )


if __name__ == "__main__":
    main()
