"""The task `claims`: judge labelled claims, and measure how well the judgements agree with the labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scoop.core.briefs import SourceText
from scoop.core.item_stream import split_items
from scoop.core.support import CitedClaim, Support
from scoop.core.support.verdicts import judge
from scoop.embedders import local
from scoop.errors import InputError
from scoop.evaluation import datasets
from scoop.evaluation.tasks import Predictions
from scoop.model import Citation

SHOWN_ERRORS = 14  # kinds of errors, the most frequent first
ENOUGH = 0.5  # of a score
KEEP, PRECISION = 0.8, 0.95  # the points of the curve that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A claim with its sources; an empty `claim_lang` is `lang`, and a row without `supported` is not measured.

    `support` has sets of lines of the first source, each of which is enough.
    """

    id: str | int
    lang: str
    sources: tuple[str, ...]
    claim: str
    claim_lang: str = ""
    supported: bool | None = None
    error: str | None = None
    support: tuple[tuple[int, ...], ...] | None = None
    article: str = ""


def rows(file: str) -> list[ClaimRow]:
    """The rows of a file: one JSON object per line, plain or gzip."""
    with datasets.opened(file) as stream:
        read: list[ClaimRow] = [datasets.decoded(piece, ClaimRow) for piece in split_items(stream)]
        if not read:
            raise InputError("the file has no rows")
    return read


def claim_of(row: ClaimRow) -> CitedClaim:
    return CitedClaim(text=row.claim, language=row.claim_lang or row.lang)


def sources_of(row: ClaimRow) -> list[SourceText]:
    """The sources of a row; the number of a source is its document_id."""
    return [
        SourceText(document_id=number, title="", body_text=text, language=row.lang, publisher="")
        for number, text in enumerate(row.sources)
    ]


def judge_row(row: ClaimRow, *, cited: tuple[Citation, ...] = ()) -> Support:
    """The judgement of a row by the signs; the local embedder compares languages."""
    return judge([replace(claim_of(row), cited=cited)], sources_of(row), embed=local.encode)[0]


def prediction(row: ClaimRow, support: Support) -> dict[str, Any]:
    """A judgement as scoring programs read it."""
    return {
        "id": row.id,
        "supported": support.is_supported,
        "score": support.score,
        "findings": list(support.findings),
        "passages": [[passage.document_id, passage.start, passage.end] for passage in support.passages],
    }


def metrics(rows: Sequence[ClaimRow], by_id: Predictions) -> dict[str, Any]:
    """How well predictions agree with the labels; a claim without a prediction counts as rejected."""
    rows = [row for row in rows if row.supported is not None]
    passes = [_passes(by_id.get(row.id, {})) for row in rows]
    kept = _ratio(
        sum(passed and bool(row.supported) for passed, row in zip(passes, rows, strict=True)), _count(rows, True)
    )
    caught = _ratio(
        sum(not passed and not row.supported for passed, row in zip(passes, rows, strict=True)), _count(rows, False)
    )
    right = [bool(row.supported) for passed, row in zip(passes, rows, strict=True) if passed]
    rejected = [not row.supported for passed, row in zip(passes, rows, strict=True) if not passed]
    return {
        "n": len(rows),
        "unsupported": _count(rows, False),
        "missing": sum(row.id not in by_id for row in rows),
        "balanced_accuracy": _rounded(None if kept is None or caught is None else (kept + caught) / 2),
        "unsupported_precision": _rounded(_ratio(sum(rejected), len(rejected))),
        "unsupported_recall": _rounded(caught),
        "published_precision": _rounded(_ratio(sum(right), len(right))),
        "kept": _rounded(kept),
        "caught": _caught_by_error(rows, passes),
        **_asked(rows, by_id),
        **_curve(rows, by_id),
        **_passage_recall(rows, by_id),
    }


def _asked(rows: Sequence[ClaimRow], by_id: Predictions) -> dict[str, int]:
    """How many claims a model was asked about, if one is set."""
    asked = [bool(by_id.get(row.id, {}).get("asked_model")) for row in rows]
    return {"asked_model": sum(asked)} if any(asked) else {}


def _passes(prediction: Mapping[str, Any]) -> bool:
    if "supported" in prediction:
        return bool(prediction["supported"])
    return float(prediction.get("score", float("-inf"))) >= ENOUGH


def _count(rows: Sequence[ClaimRow], supported: bool) -> int:
    return sum(row.supported == supported for row in rows)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _caught_by_error(rows: Sequence[ClaimRow], passes: Sequence[bool]) -> dict[str, tuple[float, int]]:
    """The share of each kind of error that is caught, and the number of rows of the kind."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for row, passed in zip(rows, passes, strict=True):
        if not row.supported:
            kinds[row.error or "unknown"].append(not passed)
    most = sorted(kinds.items(), key=lambda kind: -len(kind[1]))[:SHOWN_ERRORS]
    return {kind: (round(sum(caught) / len(caught), 4), len(caught)) for kind, caught in most}


def _curve(rows: Sequence[ClaimRow], by_id: Predictions) -> dict[str, float | None]:
    """The area under the ROC curve, and two points of the curve of precision and kept claims."""
    if not any("score" in prediction for prediction in by_id.values()):
        return {}
    pairs = [(float(by_id.get(row.id, {}).get("score", float("-inf"))), bool(row.supported)) for row in rows]
    positives = _count(rows, True)
    precision_at_keep, best_kept, passed, right = None, 0.0, 0, 0
    for score in sorted({score for score, _ in pairs}, reverse=True):
        passed += sum(one == score for one, _ in pairs)
        right += sum(supported for one, supported in pairs if one == score)
        if right / passed >= PRECISION and positives:
            best_kept = max(best_kept, right / positives)
        if precision_at_keep is None and positives and right / positives >= KEEP:
            precision_at_keep = right / passed
    return {
        "auc": _rounded(_auc(pairs)),
        "published_precision_at_keep_80": _rounded(precision_at_keep),
        "kept_at_precision_95": _rounded(best_kept),
    }


def _auc(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """The probability that a supported claim scores above another; equal scores count half."""
    scores, labels = np.array([score for score, _ in pairs]), np.array([label for _, label in pairs], dtype=bool)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _passage_recall(rows: Sequence[ClaimRow], by_id: Predictions) -> dict[str, float | None]:
    """The share of supported claims whose passages hold a full set of labelled lines, and the mean of their lines."""
    named = [row for row in rows if row.support and row.supported]
    if not named or not any("passages" in prediction for prediction in by_id.values()):
        return {}
    lines = [_lines(row, by_id.get(row.id, {})) for row in named]
    hits = sum(any(set(one) <= own for one in row.support or ()) for row, own in zip(named, lines, strict=True))
    return {
        "passage_recall": _rounded(hits / len(named)),
        "passage_lines": round(sum(map(len, lines)) / len(named), 2),
    }


def _lines(row: ClaimRow, prediction: Mapping[str, Any]) -> set[int]:
    """The lines of the first source that the passages touch."""
    text, lines = row.sources[0], set[int]()
    for source, start, end in prediction.get("passages", ()):
        if source == 0:
            lines |= set(range(text[:start].count("\n"), text[: max(start, end - 1)].count("\n") + 1))
    return lines
