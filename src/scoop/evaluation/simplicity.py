"""Measures of simplified text: SARI and BLEU against references, as the usual tools compute them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

ORDERS = (1, 2, 3, 4)  # words of an n-gram

Ngrams = Counter[tuple[str, ...]]

_SIGNS = re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])")
_MARK_AFTER = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE = re.compile(r"([.,])([^0-9])")
_DASH = re.compile(r"([0-9])(-)")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Simplified:
    """A text, what became of it, and what people made of it."""

    source: str
    output: str
    references: Sequence[str]


def tokens(text: str) -> list[str]:
    """The tokens of mteval-13a, in small letters."""
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    text = _MARK_AFTER.sub(r"\1 \2 ", _SIGNS.sub(r" \1 ", f" {text} "))
    return _DASH.sub(r"\1 \2 ", _MARK_BEFORE.sub(r" \1 \2", text)).lower().split()


def _ngrams(words: Sequence[str], order: int) -> Ngrams:
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def sari(rows: Sequence[Simplified]) -> dict[str, float]:
    """Corpus SARI in percent, with its parts: the F1 of the n-grams that were added, kept and deleted."""
    operations = ("add", "keep", "delete")
    by_order = [_operations(rows, order) for order in ORDERS]
    figures = {name: 100 * sum(one[name] for one in by_order) / len(ORDERS) for name in operations}
    return {"sari": round(sum(figures.values()) / 3, 2), **{name: round(figures[name], 2) for name in operations}}


def _operations(rows: Sequence[Simplified], order: int) -> dict[str, float]:
    sums = {name: [0, 0, 0] for name in ("add", "keep", "delete")}
    for row in rows:
        for name, counts in _counts(row, order).items():
            sums[name] = [total + count for total, count in zip(sums[name], counts, strict=True)]
    return {name: _f1(*counts) for name, counts in sums.items()}


def _counts(row: Simplified, order: int) -> dict[str, tuple[int, int, int]]:
    """For each operation: how many n-grams are right, how many the output has, how many the references have."""
    source, output = _ngrams(tokens(row.source), order), _ngrams(tokens(row.output), order)
    gold: Ngrams = Counter()
    for reference in row.references:
        gold.update(_ngrams(tokens(reference), order))
    times = len(row.references)
    many = Counter({gram: count * times for gram, count in source.items()})
    written = Counter({gram: count * times for gram, count in output.items()})
    added, wanted = set(output) - set(source), set(gold) - set(source)
    kept, to_keep = many & written, many & gold
    gone, to_go = many - written, many - gold
    return {
        "add": (len(added & set(gold)), len(added), len(wanted)),
        "keep": ((kept & to_keep).total(), kept.total(), to_keep.total()),
        "delete": ((gone & to_go).total(), gone.total(), to_go.total()),
    }


def _f1(right: int, given: int, wanted: int) -> float:
    return 2 * right / (given + wanted) if right else 0.0


def bleu(rows: Sequence[Simplified]) -> float:
    """Corpus BLEU in percent."""
    length = nearest = 0
    hits, totals = [0] * len(ORDERS), [0] * len(ORDERS)
    for row in rows:
        written = tokens(row.output)
        references = [tokens(one) for one in row.references]
        length += len(written)
        nearest += min((abs(len(one) - len(written)), len(one)) for one in references)[1]
        for at, order in enumerate(ORDERS):
            own, best = _ngrams(written, order), Ngrams()
            for one in references:
                best |= _ngrams(one, order)
            hits[at] += (own & best).total()
            totals[at] += own.total()
    if not all(hits):
        return 0.0
    penalty = min(1.0, exp(1 - nearest / length))
    return round(100 * penalty * exp(sum(log(a / b) for a, b in zip(hits, totals, strict=True)) / len(ORDERS)), 2)
