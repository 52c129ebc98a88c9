"""The tasks of `scoop evaluate --task`: how each reads rows, predicts and measures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Predictions = Mapping[str | int, Mapping[str, Any]]
"""Predictions by the id of their row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """Options of the command that only some tasks use."""

    interests_file: str | None = None
    set_name: str | None = None
    aliases_in: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTask:
    """Reads a file, predicts what it holds, and measures the predictions."""

    read: Callable[[str], Any]
    predict: Callable[[Any], list[dict[str, Any]]]
    measure: Callable[[Any, Sequence[Mapping[str, Any]]], dict[str, Any]]


def _summaries(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import summaries

    return _by_row(summaries.rows, summaries.predict, summaries.metrics)


def _claims(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import claims

    return _by_row(claims.rows, claims.predict, claims.metrics)


def _interests(options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import interests

    return interests.task(options.interests_file, set_name=options.set_name, aliases_in=options.aliases_in)


def _by_row(
    rows: Callable[[str], Sequence[Any]],
    predict: Callable[[Any], dict[str, Any]],
    metrics: Callable[[Sequence[Any], Predictions], dict[str, Any]],
) -> EvaluationTask:
    """A task with one prediction for each row; a row and a prediction have an `id`."""
    return EvaluationTask(
        read=rows,
        predict=lambda read: [predict(row) for row in read],
        measure=lambda read, predictions: metrics(read, {one["id"]: one for one in predictions}),
    )


TASKS: Mapping[str, Callable[[TaskOptions], EvaluationTask]] = {
    "claims": _claims,
    "interests": _interests,
    "summaries": _summaries,
}
"""The tasks by name; each is imported when it is used."""
