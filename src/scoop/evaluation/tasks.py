"""The tasks of `scoop evaluate --task`: how each reads rows, predicts and measures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoop.config import Config

Predictions = Mapping[str | int, Mapping[str, Any]]
"""Predictions by the id of their row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """Options of the command that only some tasks use; `config` has the writer of the task `support`."""

    interests_file: str | None = None
    set_name: str | None = None
    aliases_in: str | None = None
    tools_file: str | None = None
    max_requests: int = 1_000
    config: Config | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTask:
    """Reads a file, predicts what it holds, and measures the predictions; `describe_cost` says what a model cost."""

    read: Callable[[str], Any]
    predict: Callable[[Any], list[dict[str, Any]]]
    measure: Callable[[Any, Sequence[Mapping[str, Any]]], dict[str, Any]]
    describe_cost: Callable[[], str] = str


def _summaries(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import summaries

    return _by_row(summaries.rows, summaries.predict, summaries.metrics)


def _claims(options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import claims, judged_claims

    accounts = judged_claims.Accounts(max_requests=options.max_requests)
    return EvaluationTask(
        read=claims.rows,
        predict=lambda read: judged_claims.predict(read, options.config, accounts),
        measure=lambda read, predictions: claims.metrics(read, {one["id"]: one for one in predictions}),
        describe_cost=lambda: str(accounts) if accounts.model else "",
    )


def _interests(options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import interests

    return interests.task(options.interests_file, set_name=options.set_name, aliases_in=options.aliases_in)


def _levels(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import levels

    return _by_row(levels.rows, levels.predict, levels.metrics)


def _sentiment(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import sentiment

    return sentiment.task()


def _mentions(options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import mentions

    return mentions.task(options.tools_file)


def _substitutes(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import grading

    return grading.substitution()


def _splitting(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import grading

    return grading.splitting()


def _simplification(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import grading

    return grading.simplification()


def _lessons(_options: TaskOptions) -> EvaluationTask:
    from scoop.evaluation import grading

    return grading.lesson_task()


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
    "lessons": _lessons,
    "levels": _levels,
    "mentions": _mentions,
    "sentiment": _sentiment,
    "simplification": _simplification,
    "splitting": _splitting,
    "substitutes": _substitutes,
    "summaries": _summaries,
}
"""The tasks by name; each is imported when it is used."""
