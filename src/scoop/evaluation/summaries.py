"""The task `summaries`: extracts of labelled rows, and their ROUGE against references."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from scoop.core import extracts, sentences
from scoop.core.briefs import SourceText
from scoop.core.item_stream import split_items
from scoop.errors import InputError
from scoop.evaluation import datasets, rouge
from scoop.evaluation.rouge import Rouge

ROUNDS = 300  # of the bootstrap
TAIL = 0.025  # of its means, left out at both ends
LEAD = 3  # sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDocument:
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """A row to summarise in at most `sentences` sentences; without gold it has no references."""

    id: str | int
    lang: str
    documents: tuple[SummaryDocument, ...]
    sentences: int
    references: tuple[str, ...] = ()
    article: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    rouge: Rouge
    copied: float
    tokens: int


def rows(file: str) -> list[SummaryRow]:
    with datasets.opened(file) as stream:
        read: list[SummaryRow] = [datasets.decoded(piece, SummaryRow) for piece in split_items(stream)]
        if not read:
            raise InputError("the file has no rows")
    return read


def predict(row: SummaryRow) -> dict[str, Any]:
    """The prediction as scoring programs read it."""
    return {"id": row.id, "summary": summary(row)}


def summary(row: SummaryRow) -> str:
    return _joined(row, [one.text for one in extracts.extract(source_texts(row), max_sentences=row.sentences)])


def source_texts(row: SummaryRow) -> list[SourceText]:
    """The documents of a row, each of a publisher of its own."""
    return [
        SourceText(document_id=at, title=one.title, body_text=one.text, language=row.lang, publisher=str(at))
        for at, one in enumerate(row.documents)
    ]


def lead(row: SummaryRow) -> str:
    """The first sentences of the documents in turn: what an extract must not fall below."""
    firsts = [
        [" ".join(one.text[start:end].split()) for start, end in sentences.split(one.text, row.lang)[:LEAD]]
        for one in row.documents
    ]
    in_turn = [document[place] for place in range(LEAD) for document in firsts if place < len(document)]
    return _joined(row, in_turn[: min(LEAD, row.sentences)])


def best_rouge(text: str, row: SummaryRow) -> Rouge:
    """ROUGE of a text, cut to the row's number of sentences, with the reference that it is nearest to."""
    cut = _joined(row, rouge.sentences(text, row.lang)[: row.sentences])
    figures = [rouge.rouge(cut, reference, row.lang) for reference in row.references]
    return max(figures, key=lambda one: (one.rouge1, one.rouge2))


def metrics(labelled: Sequence[SummaryRow], predictions: Mapping[str | int, Mapping[str, Any]]) -> dict[str, Any]:
    """Mean ROUGE in percent over the rows with references; null if there is none."""
    gold = [row for row in labelled if row.references]
    scored = [_scored(row, predictions.get(row.id, {}).get("summary", "")) for row in gold]
    counts = {"n": len(gold), "missing": sum(row.id not in predictions for row in gold)}
    if not scored:
        return {**dict.fromkeys((*_FIGURES, "mean_ci95", "copied", "tokens")), **counts}
    figures = {name: round(100 * sum(getattr(one.rouge, name) for one in scored) / len(scored), 2) for name in _FIGURES}
    return {
        **figures,
        "mean_ci95": _interval([one.rouge.mean for one in scored]),
        "copied": round(sum(one.copied for one in scored) / len(scored), 3),
        "tokens": round(sum(one.tokens for one in scored) / len(scored), 1),
        **counts,
    }


_FIGURES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "mean")


def _scored(row: SummaryRow, text: str) -> _Scored:
    kept = rouge.sentences(text, row.lang)[: row.sentences]
    bodies = " ".join(" ".join(rouge.tokens(one.text)) for one in row.documents)
    is_copied = [" ".join(rouge.tokens(sentence)) in bodies for sentence in kept]
    return _Scored(
        rouge=best_rouge(text, row),
        copied=fmean(is_copied) if is_copied else 0.0,
        tokens=len(rouge.tokens(_joined(row, kept))),
    )


def _interval(values: Sequence[float]) -> list[float]:
    """The 95 % interval of the mean, by a bootstrap with a fixed seed."""
    chance = random.Random(1)  # noqa: S311  # figures, not secrets
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(ROUNDS))
    return [round(100 * means[int(share * ROUNDS)], 2) for share in (TAIL, 1 - TAIL)]


def _joined(row: SummaryRow, parts: Sequence[str]) -> str:
    return ("" if rouge.is_unspaced(row.lang) else " ").join(parts)
