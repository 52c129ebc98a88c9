"""Calibrates thresholds on people's decisions: how well the current ones do, and which would do better."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor
from typing import Literal

import numpy as np

from scoop.core import links
from scoop.core.links import Compared, LinkModel, Table

MIN_LABELS = 20  # same and apart, among those that a threshold decides: with fewer, one odd pair moves it
MERGE_PRECISION = 0.99  # a wrong merge costs an article, a wrong group only a glance
DIGITS = 4

Tier = Literal["merge", "coverage"]
TIERS: dict[str, Tier] = {"merge_at": "merge", "sure_at": "merge", "coverage_at": "coverage"}
"""The tier of each threshold, in the order of the proposals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A pair of documents that a person decided on, with its link."""

    one: Compared
    other: Compared
    signs: Table
    probability: float
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How often a tier agrees with people; None without a case."""

    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The current and proposed value of a threshold, with the effect; `missing_*` are labels still needed."""

    threshold: str
    tier: Tier
    now: float
    proposed: float
    before: Accuracy
    after: Accuracy
    missing_same: int
    missing_apart: int


def accuracy(tier: Tier, labels: Sequence[LabelledPair], fit: LinkModel) -> Accuracy:
    joined = [label.is_same for label in labels if _joins(tier, label, fit)]
    return _accuracy(sum(joined), len(joined), sum(label.is_same for label in labels))


def propose(labels: Sequence[LabelledPair], fit: LinkModel) -> list[Proposal]:
    """The best value of each threshold in turn, given the proposals before it."""
    proposals = []
    for threshold in TIERS:
        proposal = _proposal(threshold, labels, fit)
        fit = links.calibrated(fit, {threshold: proposal.proposed})
        proposals.append(proposal)
    return proposals


def _proposal(threshold: str, labels: Sequence[LabelledPair], fit: LinkModel) -> Proposal:
    tier, now = TIERS[threshold], getattr(fit, threshold)
    decided = _decided_by(threshold, labels, fit)
    same = sum(label.is_same for label in decided)
    missing_same, missing_apart = max(0, MIN_LABELS - same), max(0, MIN_LABELS - (len(decided) - same))
    proposed = now if missing_same or missing_apart else _best(threshold, decided, fit)
    return Proposal(
        threshold=threshold,
        tier=tier,
        now=now,
        proposed=proposed,
        before=accuracy(tier, labels, fit),
        after=accuracy(tier, labels, links.calibrated(fit, {threshold: proposed})),
        missing_same=missing_same,
        missing_apart=missing_apart,
    )


def _joins(tier: Tier, label: LabelledPair, fit: LinkModel) -> bool:
    if tier == "coverage":
        return label.probability >= fit.coverage_at
    return links.are_one(label.one, label.other, label.signs, fit)


def _decided_by(threshold: str, labels: Sequence[LabelledPair], fit: LinkModel) -> list[LabelledPair]:
    """The labels whose outcome depends on the threshold."""
    tier, always, never = TIERS[threshold], *(links.calibrated(fit, {threshold: value}) for value in (0.0, 1.0))
    return [label for label in labels if _joins(tier, label, never) != _joins(tier, label, always)]


def _best(threshold: str, labels: Sequence[LabelledPair], fit: LinkModel) -> float:
    """The value that does best on the labels that depend on it; of equals, the nearest to the current one."""
    now: float = getattr(fit, threshold)
    is_same = np.array([label.is_same for label in labels])
    values = np.array([_value(threshold, label) for label in labels])
    worth = _f1 if TIERS[threshold] == "coverage" else _recall_if_precise

    def score(value: float) -> tuple[float, float]:
        joins = values >= value
        reached = _accuracy(int((joins & is_same).sum()), int(joins.sum()), int(is_same.sum()))
        return worth(reached), -abs(value - now)

    return max(_candidates(threshold, sorted(set(values.tolist())), fit), key=score)


def _value(threshold: str, label: LabelledPair) -> float:
    return label.probability if threshold == "coverage_at" else links.features_by_name(label.signs)["cosine"]


def _candidates(threshold: str, values: Sequence[float], fit: LinkModel) -> list[float]:
    """The current value, and those half-way between two labels; `merge_at` stays below `sure_at`."""
    lowest = floor(values[0] * 10**DIGITS) / 10**DIGITS
    between = [round((low + high) / 2, DIGITS) for low, high in pairwise((*values, 1.0))]
    least = fit.merge_at if threshold == "sure_at" else 0.0
    most = fit.sure_at if threshold == "merge_at" else 1.0
    return [getattr(fit, threshold), *(value for value in (lowest, *between) if least <= value <= most)]


def _accuracy(hits: int, joined: int, same: int) -> Accuracy:
    return Accuracy(precision=hits / joined if joined else None, recall=hits / same if same else None)


def _f1(reached: Accuracy) -> float:
    precision, recall = reached.precision or 0.0, reached.recall or 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _recall_if_precise(reached: Accuracy) -> float:
    is_precise = reached.precision is None or reached.precision >= MERGE_PRECISION
    return (reached.recall or 0.0) if is_precise else -1.0
