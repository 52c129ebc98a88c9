"""Summaries are measured by ROUGE, equal to the last digit to the program that the shared sets come with."""

import gzip
import json

import pytest

from builders import scoop
from scoop.errors import InputError
from scoop.evaluation import rouge, summaries

ROWS = [
    {
        "id": "a",
        "lang": "en",
        "sentences": 2,
        "documents": [
            {
                "title": "Bridge closed",
                "text": "The old bridge over the Lenn stays closed. Mr. Berg of the U.S. Navy found rust in 2 cables. A"
                " ferry runs.",
            }
        ],
        "references": [
            "The Lenn bridge stays closed: rust was found.",
            "A ferry runs over the Lenn. The bridge is closed.",
        ],
    },
    {
        "id": "b",
        "lang": "ja",
        "sentences": 1,
        "documents": [{"title": "橋", "text": "レン川の橋は閉鎖された。議会は「春まで。」と述べた。"}],
        "references": ["レン川の古い橋が春まで閉鎖。"],
    },
    {
        "id": "c",
        "lang": "de",
        "sentences": 3,
        "documents": [{"title": "", "text": "Am 3. Oktober bleibt die Brücke zu. Die Fähre fährt."}],
        "references": ["Die Brücke bleibt am 3. Oktober zu."],
    },
]
PREDICTIONS = {
    "a": "Mr. Berg of the U.S. Navy found rust in 2 cables. The old bridge over the Lenn stays closed. A ferry runs.",
    "b": "レン川の橋は閉鎖された。議会は「春まで。」と述べた。",
}
MEASURED = {
    "rouge1": 36.11, "rouge2": 17.25, "rougeL": 28.97, "rougeLsum": 31.35, "mean": 28.24, "mean_ci95": [0.0, 51.01],
    "copied": 0.667, "tokens": 10.3, "n": 3, "missing": 1,
}  # fmt: skip


def written(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_rouge_is_equal_to_the_last_digit():
    one = rouge.rouge(PREDICTIONS["a"], ROWS[0]["references"][0], "en")
    assert one == rouge.Rouge(
        rouge1=0.4516129032258065, rouge2=0.13793103448275862, rougeL=0.25806451612903225, rougeLsum=0.3225806451612903
    )
    other = rouge.rouge(PREDICTIONS["b"], ROWS[1]["references"][0], "ja")
    assert other == rouge.Rouge(
        rouge1=0.588235294117647, rouge2=0.37499999999999994, rougeL=0.47058823529411764, rougeLsum=0.588235294117647
    )


def test_metrics_are_means_over_the_rows_and_a_missing_prediction_counts_as_nothing(tmp_path):
    rows = summaries.rows(written(tmp_path / "rows.ndjson", ROWS))
    assert summaries.metrics(rows, {name: {"summary": text} for name, text in PREDICTIONS.items()}) == MEASURED


def test_rows_without_gold_are_predicted_and_not_measured(tmp_path):
    bare = [{key: value for key, value in row.items() if key != "references"} for row in ROWS]
    rows = summaries.rows(written(tmp_path / "bare.ndjson", bare))
    predictions = {row.id: summaries.predict(row) for row in rows}
    assert all(one["summary"] for one in predictions.values())
    assert summaries.metrics(rows, predictions)["mean"] is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"documents": [{"title": "x"}]}, "text"), ({"sentences": "3"}, "sentences"), ({"lang": None}, "lang")],
)
def test_an_error_names_the_file_the_line_and_the_field(tmp_path, change, problem):
    with pytest.raises(InputError, match=rf"rows\.ndjson: line 2: .*{problem}"):
        summaries.rows(written(tmp_path / "rows.ndjson", [ROWS[0], ROWS[1] | change]))


def test_a_file_without_rows_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no rows"):
        summaries.rows(written(tmp_path / "rows.ndjson", []))


def test_the_command_measures_plain_and_gzipped_files(tmp_path):
    plain = written(tmp_path / "rows.ndjson", ROWS)
    zipped = tmp_path / "zipped.jsonl.gz"
    zipped.write_bytes(gzip.compress((tmp_path / "rows.ndjson").read_bytes()))
    done = scoop("evaluate", "--task", "summaries", "--json", plain, str(zipped))
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert [one.pop("set") for one in measured] == ["rows", "zipped"]
    assert measured[0] == measured[1]
    assert measured[0]["n"] == 3


def test_the_command_writes_one_prediction_a_row(tmp_path):
    out = tmp_path / "out.ndjson"
    done = scoop("evaluate", "--task", "summaries", "--predictions", str(out), written(tmp_path / "r.ndjson", ROWS))
    assert done.returncode == 0, done.stderr
    assert [set(json.loads(line)) for line in out.read_text().splitlines()] == [{"id", "summary"}] * 3


def test_the_command_reports_a_bad_file_and_measures_the_others(tmp_path):
    good, bad = written(tmp_path / "good.ndjson", ROWS), written(tmp_path / "bad.ndjson", [{"id": 1}])
    done = scoop("evaluate", "--task", "summaries", "--json", bad, good)
    assert done.returncode == 1
    assert "bad.ndjson: line 1" in done.stderr
    assert [one["set"] for one in json.loads(done.stdout)] == ["good"]


def test_predictions_without_a_task_are_refused(tmp_path):
    done = scoop("evaluate", "--predictions", "out", written(tmp_path / "rows.ndjson", ROWS))
    assert done.returncode == 2
    assert "--task" in done.stderr
