"""Planted errors are caught and true sentences pass, on articles that the model of support was not fitted to."""

from pathlib import Path

import pytest

from scoop.evaluation import claims

ROWS = claims.rows(str(Path(__file__).with_name("claims") / "planted.jsonl.gz"))
LEAST_PRECISION = {"en": 0.97, "ja": 0.97}
LEAST_KEPT = {"en": 0.95, "ja": 0.90}
CERTAIN = ("number", "quote", "url")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nearly_all_that_passes_is_true_and_nearly_all_that_is_true_passes(language):
    rows = [row for row in ROWS if row.lang == language]
    measured = claims.metrics(rows, {row.id: claims.prediction(row, claims.judge_row(row)) for row in rows})
    assert len(rows) > 80
    assert measured["published_precision"] >= LEAST_PRECISION[language], measured
    assert measured["kept"] >= LEAST_KEPT[language], measured
    assert {kind: caught for kind, (caught, _) in measured["caught"].items() if kind in CERTAIN} == dict.fromkeys(
        CERTAIN, 1.0
    )
