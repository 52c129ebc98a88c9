"""Extracts say what summaries by people say, as well as when the scores were pinned and better than a lead."""

from pathlib import Path
from statistics import fmean

import pytest

from scoop.evaluation import summaries

SETS = Path(__file__).with_name("summaries")
LEAST = {"ja": 26.6, "wikinews": 15.2, "stories": 29.6}  # the mean of ROUGE-1, -2 and -Lsum in percent


def rows(name: str) -> list[summaries.SummaryRow]:
    return summaries.rows(str(SETS / f"{name}.jsonl.gz"))


@pytest.mark.parametrize("name", LEAST)
def test_extracts_score_at_least_as_pinned_and_above_the_lead(name):
    labelled = rows(name)
    score = summaries.metrics(labelled, {row.id: summaries.predict(row) for row in labelled})
    lead = 100 * fmean(summaries.best_rouge(summaries.lead(row), row).mean for row in labelled)
    assert score["mean"] >= max(LEAST[name], lead)
    assert score["copied"] > 0.95
