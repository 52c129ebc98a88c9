"""The alignment of a claim with its evidence: equal runs of tokens, and what differs between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

MAX_PLACES = 24  # of one token that are tried; bounds the cost for texts of one word
LONG_RUN = 3  # tokens of an anchor; shorter runs are often chance
NEAR = 14  # tokens of the evidence that a rewriting may leave out between two anchors


@dataclass(frozen=True, slots=True)
class WordRun:
    """Equal tokens: from `at` in the claim, from `place` in the evidence."""

    at: int
    place: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What two neighbouring anchors have between them: tokens of the claim, and of the evidence (None if far apart)."""

    first: int
    last: int
    skipped: tuple[int, int] | None


def runs(claim: Sequence[str], evidence: Sequence[str]) -> list[WordRun]:
    """Equal runs from left to right, each the longest from its first token on."""
    places: dict[str, list[int]] = {}
    for place, token in enumerate(evidence):
        places.setdefault(token, []).append(place)
    found, at, expected = [], 0, -1
    while at < len(claim):
        candidates = places.get(claim[at])
        if candidates is None:
            at += 1
            continue
        run = _longest(claim, evidence, at, candidates[:MAX_PLACES], expected)
        found.append(run)
        at, expected = at + run.length, run.place + run.length
    return found


def _longest(claim: Sequence[str], evidence: Sequence[str], at: int, places: Sequence[int], expected: int) -> WordRun:
    best, best_rank = WordRun(at, places[0], 0), (0, 0)
    for place in places:
        length, most = 1, min(len(claim) - at, len(evidence) - place)
        while length < most and claim[at + length] == evidence[place + length]:
            length += 1
        rank = (length, -abs(place - expected))
        if best.length == 0 or rank > best_rank:
            best, best_rank = WordRun(at, place, length), rank
    return best


def gaps(found: Sequence[WordRun]) -> list[Gap]:
    """The gaps between anchors, in the order of the claim."""
    anchors = [run for run in found if run.length >= LONG_RUN]
    between = []
    for one, other in pairwise(anchors):
        end, place = one.at + one.length, one.place + one.length
        skipped = (place, other.place) if 0 <= other.place - place <= NEAR else None
        if end < other.at or skipped is None or skipped[0] < skipped[1]:
            between.append(Gap(first=end, last=other.at, skipped=skipped))
    return between
