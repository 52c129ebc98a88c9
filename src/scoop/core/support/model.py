"""The fitted model of support: the probability that a claim follows from its evidence, and where it is enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from scoop.core.boosting import Table, Trees, trees_of
from scoop.core.support import across, attribution, company, dates, links, names, negation, numbers, quotes, wording
from scoop.core.support.signs import Signs
from scoop.core.support.views import View
from scoop.model import FindingKind

CHECKS = (numbers, dates, names, negation, attribution, quotes, links, wording, company)
FINDING_KINDS: Sequence[FindingKind] = (
    "number", "date", "name", "negation", "speaker", "quotation", "link", "wording", "wording",
)  # fmt: skip
FEATURES = tuple(name for check in CHECKS for name in check.FEATURES)
# Signs that decide alone: of the training sets, 3 % of the supported claims have one, and 38 % of the others.
VETOES = {"numbers_missing": 1, "quotes_missing": 1, "links_missing": 1, "negations_left_out": 1}
COPY_VETOES = {
    "negations_alone": 1,
    "values_swapped": 1,
    "speakers_missing": 2,
}  # in a copy of the source, with a change
COPY = 0.6  # of the claim's tokens are in runs of the evidence
# The probability from which on a claim is supported, by language, from the cross-validated figures of
# bench/fit_support.py. English is the strictest, because its sets have the hardest claims; others are not measured.
THRESHOLDS = {"en": 0.82, "de": 0.70, "ja": 0.70, "zh": 0.47}
OTHER_THRESHOLD = 0.82
ACROSS_THRESHOLD = 0.55
VETOED = 0.25  # the most that a claim with an invented number, quotation or link scores


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportModel:
    """Trees for claims in the language of their source, and for those in another."""

    within: Trees
    across: Trees

    def scores(self, rows: Sequence[Signs], languages: Sequence[str]) -> list[float]:
        """Scores of claims in the language of the source; 0.5 is enough."""
        table = _table(rows, len(FEATURES))
        is_vetoed = vetoed(table).tolist()
        found = [
            score_of(float(probability), threshold_of(language))
            for probability, language in zip(self.within.probabilities(table), languages, strict=True)
        ]
        return [min(score, VETOED) if veto else score for score, veto in zip(found, is_vetoed, strict=True)]

    def scores_across(self, rows: Sequence[Signs]) -> list[float]:
        """Scores of claims in another language than the source; 0.5 is enough."""
        table = _table(rows, len(across.FEATURES))
        missing = (table[:, across.FEATURES.index("numbers_missing")] > 0).tolist()
        found = [score_of(float(probability), ACROSS_THRESHOLD) for probability in self.across.probabilities(table)]
        return [min(score, VETOED) if veto else score for score, veto in zip(found, missing, strict=True)]


def signs(view: View) -> Signs:
    """All checks of a claim."""
    found = [check.check(view) for check in CHECKS]
    values = tuple(value for one in found for value in one.values)
    findings = tuple(finding for one in found for finding in one.findings)
    kinds = (kind for kind, one in zip(FINDING_KINDS, found, strict=True) if one.findings)
    return Signs(values, findings, next(kinds, "passage"))


def vetoed(table: Table) -> NDArray[np.bool_]:
    """Which rows have a sign that decides alone."""
    return _has_any(table, VETOES) | (_is_copy(table) & _has_any(table, COPY_VETOES))


def is_decisive(signs: Signs) -> bool:
    """Whether a claim has a veto, or is mostly a copy of its evidence."""
    table = _table([signs], len(FEATURES))
    return bool((vetoed(table) | _is_copy(table))[0])


def _is_copy(table: Table) -> NDArray[np.bool_]:
    return np.asarray(table[:, FEATURES.index("in_long_runs")] >= COPY)


def _has_any(table: Table, least: Mapping[str, int]) -> NDArray[np.bool_]:
    columns = [FEATURES.index(name) for name in least]
    return np.asarray(np.any(table[:, columns] >= list(least.values()), axis=1))


def threshold_of(language: str) -> float:
    return THRESHOLDS.get(language[:2].lower(), OTHER_THRESHOLD)


def score_of(probability: float, threshold: float) -> float:
    """The probability on a scale on which the threshold is 0.5."""
    if probability < threshold:
        return 0.5 * probability / threshold
    return 0.5 + 0.5 * (probability - threshold) / (1 - threshold)


@cache
def load() -> SupportModel:
    stored = files(__package__).joinpath("model.npz").read_bytes()
    with np.load(BytesIO(stored), allow_pickle=False) as arrays:
        return SupportModel(within=trees_of(arrays, "within_"), across=trees_of(arrays, "across_"))


def _table(rows: Sequence[Signs], width: int) -> Table:
    return np.array([row.values for row in rows], dtype=np.float32).reshape(len(rows), width)
