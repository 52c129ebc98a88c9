"""Levels are measured as by the program that the shared sets come with: the nearer of two labels counts."""

import json

import pytest

from builders import scoop
from scoop.errors import InputError
from scoop.evaluation import levels

ROWS = [
    {"id": "a", "text": "The cat sleeps in the house.", "level": "A1"},
    {"id": "b", "text": "The council closed the bridge.", "level": "A2", "levels": ["A2", "B1"]},
    {"id": "c", "text": "Structural integrity deteriorated.", "level": "C1"},
]
VERSIONS = [
    {"id": f"{article}-{level}", "text": "The cat sleeps.", "article": article, "level": level}
    for article in ("x", "y")
    for level in ("elementary", "intermediate", "advanced")
]


def a_file(folder, rows):
    file = folder / "texts.dev.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return str(file)


def test_the_nearer_of_two_labels_counts(tmp_path):
    rows = levels.rows(a_file(tmp_path, ROWS))
    predictions = {
        "a": {"level": "A2", "score": 1.2},
        "b": {"level": "B1", "score": 2.1},
        "c": {"level": "C1", "score": 4.0},
    }
    figures = levels.metrics(rows, predictions)
    assert figures["accuracy"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["adjacent"] == 1.0
    assert figures["macro_f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["kappa"] == pytest.approx(0.9231, abs=1e-4)
    assert figures["spearman"] == 1.0


def test_a_row_without_a_prediction_counts_as_wrong(tmp_path):
    figures = levels.metrics(levels.rows(a_file(tmp_path, ROWS)), {"a": {"level": "A1", "score": 0.1}})
    assert figures["missing"] == 2
    assert figures["accuracy"] == pytest.approx(1 / 3, abs=1e-4)


def test_versions_with_equal_scores_are_not_in_order(tmp_path):
    rows = levels.rows(a_file(tmp_path, VERSIONS))
    predictions = {row.id: {"score": levels.READING_LEVELS.index(row.level)} for row in rows}
    predictions["y-advanced"] = {"score": 1}
    figures = levels.metrics(rows, predictions)
    assert figures["in_order"] == 0.5
    assert figures["pairs_in_order"] == pytest.approx(5 / 6, abs=1e-4)
    assert figures["accuracy"] is None


def test_a_level_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(InputError, match="'B3' is none of A1"):
        levels.rows(a_file(tmp_path, [{"id": "a", "text": "A cat.", "level": "B3"}]))


def test_the_command_writes_a_prediction_for_each_row_also_without_gold(tmp_path):
    out = tmp_path / "out.jsonl"
    rows = [*({"id": row["id"], "text": row["text"]} for row in ROWS), VERSIONS[0]]
    scoop("evaluate", "--task", "levels", "--predictions", str(out), a_file(tmp_path, rows))
    predictions = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["id"] for one in predictions] == ["a", "b", "c", "x-elementary"]
    assert predictions[0]["level"] in {"A1", "A2"}
    assert "level" not in predictions[3]
