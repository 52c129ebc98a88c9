"""Labelled claims are read, judged and measured."""

import gzip
import json

import pytest

from scoop.errors import InputError
from scoop.evaluation import claims
from scoop.evaluation.claims import ClaimRow

LABELS = [
    (True, None, ((0,),)),
    (True, None, ((0, 1), (2,))),
    (True, None, None),
    (True, None, ((1,),)),
    (False, "number", None),
    (False, "number", None),
    (False, "name", None),
    (False, None, None),
]
PREDICTIONS = [
    {"id": "r0", "score": 0.9, "supported": True, "passages": [[0, 0, 3]]},
    {"id": "r1", "score": 0.8, "supported": True, "passages": [[0, 0, 2]]},
    {"id": "r2", "score": 0.3, "supported": False, "passages": []},
    {"id": "r4", "score": 0.9, "supported": True, "passages": [[0, 4, 9]]},
    {"id": "r5", "score": 0.2, "supported": False, "passages": []},
    {"id": "r6", "score": 0.5, "supported": True, "passages": []},
    {"id": "r7", "score": 0.1, "supported": False, "passages": [[1, 0, 3]]},
]
# Made with an independent implementation of the same definitions.
EXPECTED = {
    "n": 8,
    "unsupported": 4,
    "missing": 1,
    "balanced_accuracy": 0.5,
    "unsupported_precision": 0.5,
    "unsupported_recall": 0.5,
    "published_precision": 0.5,
    "kept": 0.5,
    "caught": {"number": (0.5, 2), "name": (0.0, 1), "unknown": (1.0, 1)},
    "auc": 0.5312,
    "published_precision_at_keep_80": 0.5,
    "kept_at_precision_95": 0.0,
    "passage_recall": 0.3333,
    "passage_lines": 0.67,
}


def _row(number: int, supported: bool, error: str | None, support: tuple[tuple[int, ...], ...] | None) -> ClaimRow:
    return ClaimRow(
        id=f"r{number}",
        lang="en",
        claim_lang="en",
        sources=("one\ntwo\nthree",),
        claim="x",
        supported=supported,
        error=error,
        support=support,
    )


ROWS = [_row(number, *label) for number, label in enumerate(LABELS)]


def test_metrics_agree_with_their_definition():
    assert claims.metrics(ROWS, {one["id"]: one for one in PREDICTIONS}) == EXPECTED


def test_a_claim_passes_by_its_score_if_there_is_no_decision():
    scores = {one["id"]: {"score": one["score"]} for one in PREDICTIONS}
    measured = claims.metrics(ROWS, scores)
    assert measured == {name: value for name, value in EXPECTED.items() if not name.startswith("passage")}


def test_a_row_is_judged_in_the_language_of_its_claim():
    text = "The port closed two terminals on Monday. Repairs take 14 weeks."
    true = ClaimRow(id=1, lang="en", sources=("Snow fell.", text), claim="Repairs take 14 weeks.")
    false = ClaimRow(id=2, lang="en", claim_lang="de", sources=(text,), claim="Die Reparatur dauert 19 Wochen.")
    passed, rejected = (claims.prediction(row, claims.judge_row(row)) for row in (true, false))
    assert (passed["id"], passed["supported"], rejected["supported"]) == (1, True, False)
    assert passed["passages"] == [[1, text.index("Repairs"), len(text)]]
    assert "the number 19 is not in the source" in rejected["findings"]


def test_rows_without_a_label_are_not_measured(tmp_path):
    file = tmp_path / "claims.jsonl.gz"
    row = {"id": "a", "lang": "en", "claim_lang": "en", "sources": ["Snow fell."], "claim": "Snow fell."}
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    assert claims.metrics(claims.rows(str(file)), {})["n"] == 0


def test_a_line_that_is_no_claim_is_named(tmp_path):
    file = tmp_path / "claims.jsonl"
    file.write_text('\n{"id": "a"}\n')
    with pytest.raises(InputError, match=r"claims.jsonl: line 2: .*missing required field"):
        claims.rows(str(file))
