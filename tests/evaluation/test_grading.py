"""The tasks of the local grader: what the command prints, and the predictions that it writes."""

import json

import pytest

from builders import scoop
from lesson_articles import BODY
from scoop.errors import InputError
from scoop.evaluation import grading

WORD = {"id": "w", "sentence": "The council will assist the owners of the bridge.", "start": 17, "gold": ["help"]}
LONG = {
    "id": "s",
    "source": "The bridge was closed in March, and the town opened it again in May.",
    "refs": [["The bridge was closed in March.", "The town opened it again in May."]],
}
HARD = {
    "id": "h",
    "source": "The council will assist the owners of the bridge.",
    "refs": ["The council will help them."],
}
TEXT = {"id": "t", "text": BODY}


def a_file(folder, *rows):
    file = folder / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return str(file)


def metrics(folder, task, *rows):
    [printed] = json.loads(scoop("evaluate", "--task", task, "--json", a_file(folder, *rows)).stdout)
    return printed


def predictions(folder, task, *rows):
    out = folder / "out.jsonl"
    scoop("evaluate", "--task", task, "--predictions", str(out), a_file(folder, *rows))
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_word_is_replaced_by_the_easier_one_of_the_writers(tmp_path):
    printed = metrics(tmp_path, "substitutes", WORD)
    assert printed["right_when_replaced"] == printed["replaced"] == printed["n"] == 1


def test_a_word_without_gold_is_predicted_and_not_measured(tmp_path):
    bare = {name: value for name, value in WORD.items() if name != "gold"}
    assert predictions(tmp_path, "substitutes", bare)[0]["replacement"] == "help"
    assert metrics(tmp_path, "substitutes", bare)["n"] == 0


def test_a_sentence_that_is_split_as_editors_did_has_the_best_score(tmp_path):
    printed = metrics(tmp_path, "splitting", LONG)
    assert printed["keep"] == printed["delete"] == 100
    assert printed["sentences"] == 2


def test_the_sentences_of_a_split_are_written_in_order(tmp_path):
    assert predictions(tmp_path, "splitting", LONG) == [{"id": "s", "sentences": LONG["refs"][0]}]


def test_a_sentence_is_simplified_to_the_level_that_its_row_names(tmp_path):
    easy, free = predictions(tmp_path, "simplification", HARD, HARD | {"id": "c", "target": "C2"})
    assert easy["text"] == "The council will help the owners of the bridge."
    assert free["text"] == HARD["source"]
    assert metrics(tmp_path, "simplification", HARD)["n"] == 1


def test_lessons_are_written_for_each_level_with_rules(tmp_path):
    made = predictions(tmp_path, "lessons", TEXT)
    assert [one["level"] for one in made] == list(grading.RULED)
    assert all(one["id"] == "t" and one["text"] for one in made)


def test_the_figures_of_lessons_have_the_required_rules_and_the_advice(tmp_path):
    printed = metrics(tmp_path, "lessons", TEXT)
    assert printed["inverted"] == 0
    assert {"made", "all_rules", "no_new_fact", "lead_facts", "grammar_met", "vocabulary_met"} == set(printed["B1"])
    assert printed["B1"]["no_new_fact"] == 1.0


@pytest.mark.parametrize("task", [grading.lesson_task, grading.splitting, grading.substitution, grading.simplification])
def test_a_file_without_rows_is_refused(tmp_path, task):
    with pytest.raises(InputError, match="no rows"):
        task().read(a_file(tmp_path))
