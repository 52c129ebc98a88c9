"""How well documents are folded and grouped, on articles that people have labelled: a drop fails."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoop.cli.progress import Silent
from scoop.config import Config
from scoop.evaluation import datasets, measure

SETS = Path(__file__).with_name("stories")


@pytest.mark.parametrize(
    ("name", "coverage_b_cubed_f1", "coverage_pairwise_f1"), [("ecb", 0.93, 0.90), ("meantime", 0.99, 0.99)]
)
async def test_labelled_stories_are_found_again(name, coverage_b_cubed_f1, coverage_pairwise_f1):
    documents = datasets.documents(str(SETS / f"{name}.jsonl.gz"), None, now=datetime(2026, 11, 16, tzinfo=UTC))
    measured = await measure.measure(
        Config(), name, documents, shuffles=0, errors=0, stop=asyncio.Event(), report=Silent()
    )
    assert measured.merge.pairwise_precision >= 0.99
    assert measured.coverage.b_cubed_f1 >= coverage_b_cubed_f1
    assert measured.coverage.pairwise_f1 >= coverage_pairwise_f1
