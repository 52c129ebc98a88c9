"""The task `sentiment`: score labelled texts, and measure how well the labels agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean
from typing import Any, get_args

from scoop.core.item_stream import split_items
from scoop.core.sentiment import SentimentLabel, SentimentTarget, TextKind, scoring
from scoop.embedders import local
from scoop.errors import InputError
from scoop.evaluation import datasets
from scoop.evaluation.tasks import EvaluationTask

LABELS: tuple[SentimentLabel, ...] = get_args(SentimentLabel)
MIN_PAIRS = 2  # of a correlation


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentRow:
    """A text with the target that the label is about, at `span`; a row without `label` is not measured."""

    id: str | int
    text: str
    language: str = "und"
    kind: TextKind = "unknown"
    target: str | None = None
    span: tuple[int, int] | None = None
    label: SentimentLabel | None = None
    score: float | None = None


def task() -> EvaluationTask:
    return EvaluationTask(read=rows, predict=predict, measure=measure)


def rows(file: str) -> list[SentimentRow]:
    """The rows of a file: one JSON object per line, plain or gzip."""
    with datasets.opened(file) as stream:
        read: list[SentimentRow] = [datasets.decoded(piece, SentimentRow) for piece in split_items(stream)]
        if not read:
            raise InputError("the file has no rows")
        for line, row in enumerate(read, start=1):
            _check_span(row, line)
    return read


def _check_span(row: SentimentRow, line: int) -> None:
    if row.span is not None and not 0 <= row.span[0] < row.span[1] <= len(row.text):
        raise InputError(f"line {line}: span: {list(row.span)} is not a range of the text")


def target_of(row: SentimentRow) -> SentimentTarget:
    """What is scored: the span, else the first place of the target, else the text."""
    start, end = row.span or (None, None)
    if row.span is None and row.target and (found := row.text.find(row.target)) >= 0:
        start, end = found, found + len(row.target)
    return SentimentTarget(text=row.text, language=row.language, kind=row.kind, start=start, end=end)


def predict(rows: Sequence[SentimentRow]) -> list[dict[str, Any]]:
    """The label and score of each row; the local embedder gives the vectors."""
    scored = scoring.score([target_of(row) for row in rows], embed=local.encode)
    return [
        {"id": row.id, "label": one.label, "score": round(one.compound, 4), "confidence": round(one.confidence, 4)}
        for row, one in zip(rows, scored, strict=True)
    ]


def measure(rows: Sequence[SentimentRow], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How well predictions agree with the labels; a row without a prediction counts as wrong."""
    by_id = {one["id"]: one for one in predictions}
    labelled = [row for row in rows if row.label is not None]
    pairs = Counter((row.label, by_id.get(row.id, {}).get("label")) for row in labelled)
    classes = {label: _class_figures(pairs, label) for label in LABELS if any(row.label == label for row in labelled)}
    return {
        "n": len(labelled),
        "macro_f1": _mean([figures["f1"] for figures in classes.values()]),
        "accuracy": _ratio(sum(pairs[label, label] for label in LABELS), len(labelled)),
        "f1_pn": _mean([classes[label]["f1"] if label in classes else 0.0 for label in ("positive", "negative")]),
        "balanced_recall": _mean([figures["recall"] for figures in classes.values()]),
        "classes": classes,
        "confusion": {
            gold: {str(own): pairs[gold, own] for own in (*LABELS, None) if pairs[gold, own]} for gold in classes
        },
        **_agreement(labelled, by_id),
    }


def _class_figures(pairs: Mapping[tuple[Any, Any], int], label: SentimentLabel) -> dict[str, float]:
    hits = pairs.get((label, label), 0)
    predicted = sum(count for (_, own), count in pairs.items() if own == label)
    gold = sum(count for (real, _), count in pairs.items() if real == label)
    precision, recall = _ratio(hits, predicted), _ratio(hits, gold)
    return {"precision": precision, "recall": recall, "f1": _ratio(2 * hits, predicted + gold), "n": gold}


def _agreement(rows: Sequence[SentimentRow], by_id: Mapping[Any, Mapping[str, Any]]) -> dict[str, float]:
    """The correlation with graded scores, if there are any."""
    pairs = [(row.score, by_id[row.id]["score"]) for row in rows if row.score is not None and row.id in by_id]
    if len(pairs) < MIN_PAIRS:
        return {}
    gold, own = zip(*pairs, strict=True)
    try:
        return {"pearson": round(correlation(gold, own), 4)}
    except StatisticsError:  # all scores are equal
        return {}


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 4) if values else 0.0
