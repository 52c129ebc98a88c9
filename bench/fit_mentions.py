"""Fit the model that tells ambiguous names of tools from ordinary words.

python bench/fit_mentions.py FOLDER [--write]

FOLDER has the sets mentions, aliases and boundaries with their tools, and texts of developers, news and social media.
It prints precision, recall and F1 of each set by models that saw none of the names of the fold, and none of the rows,
without context words and with those of context_words.txt; with --write it fits the shipped model to all rows. Also
needs scikit-learn.
"""

import argparse
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
OWN, WORDS = (Path(__file__).with_name(f"{name}.txt") for name in ("ambiguous_names", "context_words"))
TECHNICAL, OTHER = ("senti4sd", "premo", "mentions"), ("newsmtsc", "goemotions", "sentfin", "graded")
FOLDS = 5
PENALTY = 1.0
WEIGHTS = {"mentions": 0.5, "aliases": 1.0, "boundaries": 1.0, "own": 1.0}

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An occurrence of an ordinary name, and whether it means the tool; None if it counts as neither.

    `near` is the number of context words near it, if its tool has those of WORDS.
    """

    set: str
    name: str
    row: str
    is_tool: bool | None
    dense: Array
    neighbours: list[int]
    near: int


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


@cache
def words_by_name() -> dict[str, tuple[str, ...]]:
    """The context words of WORDS by the name of their tool."""
    lines = [line.partition(": ") for line in WORDS.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {name: tuple(words.split(", ")) for name, _, words in lines}


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
    words = words_by_name().get(one.alias.folded, ())
    return Example(
        set=name, name=one.alias.folded, row=str(row.id), is_tool=None if ignored else is_tool, dense=dense,
        neighbours=neighbours, near=context.count_context_words(row.text, (start, end), words, one.alias.folded),
    )  # fmt: skip


def table_of(every: list[Example]) -> Array:
    table = np.zeros((len(every), len(every[0].dense) + (1 << context.NEIGHBOUR_BITS)), dtype=np.float32)
    for number, one in enumerate(every):
        table[number, : len(one.dense)] = one.dense
        for bucket in one.neighbours:
            table[number, len(one.dense) + bucket] += 1
    return table


def used_rows(every: list[Example], own: Array) -> tuple[Array, Array, Array]:
    """The numbers of the labelled examples among these, with their labels and weights."""
    used = np.array([number for number in np.flatnonzero(own) if every[number].is_tool is not None])
    labels = np.array([bool(every[number].is_tool) for number in used])
    return used, labels, np.array([WEIGHTS[every[number].set] for number in used])


def fitted(every: list[Example], own: Array) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    used, labels, weights = used_rows(every, own)
    fit = make_pipeline(MaxAbsScaler(), LogisticRegression(C=1 / PENALTY, max_iter=500))
    return fit.fit(table_of(every)[used], labels, logisticregression__sample_weight=weights)


def fitted_bonus(every: list[Example], own: Array, margins: Array) -> float:
    """What a context word adds to a margin of a model that did not see the example: it must not change the rest."""
    from sklearn.linear_model import LogisticRegression

    used, labels, weights = used_rows(every, own)
    table = np.column_stack([margins[used], [every[number].near for number in used]])
    margin, near = LogisticRegression(C=1 / PENALTY, fit_intercept=False).fit(table, labels, weights).coef_[0]
    return float(near / margin)


def unseen_margins(every: list[Example], own: Array, folds: Array) -> Array:
    """The margin of each of these examples by a model that did not see its fold."""
    table, found = table_of(every), np.zeros(len(every))
    for fold in np.unique(folds):
        inside = own & (folds == fold)
        if inside.any():
            found[inside] = fitted(every, own & (folds != fold)).decision_function(table[inside])
    return found


def folds_of(every: list[Example], by: str, salt: str = "") -> Array:
    return np.array([zlib.crc32(f"{salt}{getattr(one, by)}".encode()) % FOLDS for one in every])


def cross_validate(every: list[Example], by: str) -> None:
    everyone, folds, inner = np.ones(len(every), dtype=bool), folds_of(every, by), folds_of(every, by, salt="bonus")
    plain, bonus = unseen_margins(every, everyone, folds), np.zeros(len(every))
    for fold in range(FOLDS):
        seen = folds != fold
        bonus[~seen] = fitted_bonus(every, seen, unseen_margins(every, seen, inner))
    near = np.array([one.near for one in every])
    for has_words, margins in ((False, plain), (True, plain + bonus * near)):
        for name in SETS:
            print(json.dumps(figures(every, margins, name) | {"unseen": by, "context_words": has_words}), flush=True)


def figures(every: list[Example], margins: Array, name: str) -> dict[str, Any]:
    counts = Counter(
        (one.is_tool, bool(margin > 0)) for one, margin in zip(every, margins, strict=True) if one.set == name
    )
    right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
    f1 = 2 * right / max(1, 2 * right + wrong + missed)
    return {
        "set": name,
        "ordinary": right + missed,
        "f1": round(f1, 4),
        "false": wrong,
        "missed": missed,
        "left_out": counts[False, False],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    technical, capital = word_tables(given.folder)
    empty = np.zeros(0, dtype=np.float32)
    model = ContextModel(
        technical=technical.tolist(), capital=capital.tolist(), weights=empty, neighbours=empty, bias=0.0, bonus=0.0
    )
    every = list(examples(given.folder, model))
    cross_validate(every, "name")
    cross_validate(every, "row")
    if given.write:
        everyone = np.ones(len(every), dtype=bool)
        fit = fitted(every, everyone)
        margins = unseen_margins(every, everyone, folds_of(every, "name"))
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
            bonus=np.float32(fitted_bonus(every, everyone, margins)),
        )


if __name__ == "__main__":
    main()
