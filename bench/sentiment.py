"""Mentions scored a second on one core, without and with the sentence encoder.

python bench/sentiment.py FILE...

FILEs are labelled texts, as `scoop evaluate --task sentiment` takes them. Rates are per second of CPU time.
"""

import sys
import time

from common import figure
from scoop.core.sentiment import Embed, SentimentTarget, scoring
from scoop.embedders import local
from scoop.evaluation import datasets, sentiment

BATCH = 500
WITH_ENCODER = 200  # texts; the encoder takes most of the time


def rate(targets: list[SentimentTarget], embed: Embed | None) -> float:
    scoring.score(targets[:10], embed=embed)  # loads the head
    began = time.process_time()
    for at in range(0, len(targets), BATCH):
        scoring.score(targets[at : at + BATCH], embed=embed)
    return len(targets) / (time.process_time() - began)


def main() -> None:
    for file in sys.argv[1:]:
        targets = [sentiment.target_of(row) for row in sentiment.rows(file)]
        name = datasets.set_name(file)
        figure("scored mentions without encoder", rate(targets, None), "1/s", set=name)
        figure("scored mentions with encoder", rate(targets[:WITH_ENCODER], local.encode), "1/s", set=name)


if __name__ == "__main__":
    main()
