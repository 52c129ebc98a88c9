"""The level of labelled sentences, and the order of versions of one article, must not get worse."""

from pathlib import Path

import pytest

from scoop.evaluation import levels

SETS = Path(__file__).with_name("levels")


def figures(name):
    rows = levels.rows(str(SETS / f"{name}.jsonl.gz"))
    return levels.metrics(rows, {row.id: levels.predict(row) for row in rows})


@pytest.mark.parametrize(("figure", "least"), [("accuracy", 0.82), ("kappa", 0.87), ("macro_f1", 0.74)])
def test_sentences_have_the_level_that_teachers_gave_them(figure, least):
    assert figures("sentences")[figure] >= least


def test_the_openings_of_versions_are_in_order():
    assert figures("openings")["in_order"] >= 0.93
