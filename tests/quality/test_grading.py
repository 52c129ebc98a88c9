"""What the local grader makes of labelled words, sentences and articles must not get worse."""

from functools import cache
from pathlib import Path

import pytest

from scoop.evaluation import grading

SETS = Path(__file__).with_name("grading")
TASKS = {
    "lessons": grading.lesson_task,
    "simplification": grading.simplification,
    "splitting": grading.splitting,
    "substitutes": grading.substitution,
}
LEAD_FACTS = {"A1": 0.7, "A2": 0.78, "B1": 0.82, "B2": 0.88}


@cache
def figures(name):
    task = TASKS[name]()
    rows = task.read(str(SETS / f"{name}.jsonl.gz"))
    return task.measure(rows, task.predict(rows))


@pytest.mark.parametrize(("figure", "least"), [("acc1", 0.26), ("potential3", 0.36), ("right_when_replaced", 0.85)])
def test_easier_words_are_those_that_writers_chose(figure, least):
    assert figures("substitutes")[figure] >= least


def test_sentences_are_split_as_editors_split_them():
    assert figures("splitting")["sari"] >= 54
    assert figures("splitting")["sentences"] >= 1.7


def test_sentences_are_simplified_as_teachers_simplified_them():
    assert figures("simplification")["sari"] >= 33.5
    assert figures("simplification")["grade"] <= 10


@pytest.mark.parametrize("level", grading.RULED)
def test_lessons_meet_the_rules_of_their_level_and_keep_what_happened(level):
    made = figures("lessons")[level]
    assert made["made"] == made["all_rules"] == made["no_new_fact"] == 1.0
    assert made["lead_facts"] >= LEAD_FACTS[level]


def test_no_lesson_is_easier_than_that_of_the_level_below():
    assert figures("lessons")["inverted"] == 0
