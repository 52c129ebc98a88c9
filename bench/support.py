"""Speed of the support check on one core, and the confidence it gives: one JSON line per figure.

make bench, or: .venv/bin/python bench/support.py

The claims are those of tests/quality/claims; those with citations cite the passages that a search gave.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from common import figure
from scoop.core.briefs import SourceText
from scoop.core.support import CitedClaim
from scoop.core.support.confidence import confidence
from scoop.core.support.verdicts import judge
from scoop.embedders import local
from scoop.evaluation import claims

FILE = Path(__file__).parents[1] / "tests/quality/claims/planted.jsonl.gz"
ROUNDS = 5  # the fastest counts, in CPU time: other programs may use the machine
REPEATED = 5  # each claim, so that a call has as many sentences as a long summary
LONG = 500_000  # characters

Calls = list[tuple[list[CitedClaim], list[SourceText]]]


def calls() -> Calls:
    """The claims of each article with its text."""
    groups: dict[str, list[claims.ClaimRow]] = defaultdict(list)
    for row in claims.rows(str(FILE)):
        groups[row.sources[0]].append(row)
    return [([claims.claim_of(row) for row in rows], claims.sources_of(rows[0])) for rows in groups.values()]


def cited(given: Calls) -> Calls:
    return [
        (
            [replace(claim, cited=support.passages) for claim, support in zip(own, judge(own, sources), strict=True)],
            sources,
        )
        for own, sources in given
    ]


def fastest(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def rate(given: Calls) -> float:
    """Sentences a second, with the preparation of the sources in each call."""
    count = sum(len(own) for own, _ in given)
    return count / fastest(lambda: [judge(own, sources) for own, sources in given])


def mean_confidence(is_used: Callable[[claims.ClaimRow], bool]) -> float:
    """The mean confidence of summaries that have the chosen sentences of one article each."""
    groups: dict[str, list[claims.ClaimRow]] = defaultdict(list)
    for row in filter(is_used, claims.rows(str(FILE))):
        groups[row.sources[0]].append(row)
    judged = [judge([claims.claim_of(row) for row in rows], claims.sources_of(rows[0])) for rows in groups.values()]
    return fmean(confidence(supports, documents=1) for supports in judged)


def main() -> None:
    plain = [(own * REPEATED, sources) for own, sources in calls()]
    figure("support: claims that cite passages", rate(cited(plain)), "sentences/s")
    figure("support: claims without citations", rate(plain), "sentences/s")
    own, sources = plain[0]
    text = (sources[0].body_text + "\n") * (LONG // len(sources[0].body_text) + 1)
    long = [replace(sources[0], body_text=text[:LONG])]
    figure("support: a source of 500,000 characters", fastest(lambda: judge(own[:1], long)), "s")
    foreign = [([replace(claim, language="de") for claim in own[:20]], sources)]
    local.encode(["load the weights"])
    count = len(foreign[0][0])
    seconds = fastest(lambda: [judge(own, sources, embed=local.encode) for own, sources in foreign])
    figure("support: claims in another language", count / seconds, "sentences/s")
    figure("support: confidence of true sentences", mean_confidence(lambda row: bool(row.supported)), "of 1")
    figure("support: confidence of sentences with errors", mean_confidence(lambda row: not row.supported), "of 1")


if __name__ == "__main__":
    main()
