"""Selection: which statements make a lesson of the right length that has the facts of the lead."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoop.core.grading.statements import Statement

LEAD_FACT = 3.0  # against the importance of a statement, 0 to 1
LEAD = 2.0  # for a statement of the lead
EASIER, HARDER = 12.0, 4.0  # for a grade of school below the level below, or above what the level should have
OUTSIDE = 30.0  # for a length or mean outside its range
ROUNDS = 40

Place = tuple[int, int]
"""A group and a statement in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The statements of one source sentence; `needs` is the group before without which it cannot be understood."""

    statements: tuple[Statement, ...]
    importance: float
    is_lead: bool
    lead_facts: frozenset[str]
    needs: int | None
    is_usable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Aims:
    """The words in all, the mean words a sentence, and the grades of school that a lesson should have."""

    words: tuple[int, int]
    mean: tuple[float, float]
    grades: tuple[float, float]


def select(groups: Sequence[Group], aims: Aims) -> list[Place]:
    """The best statements, in reading order; empty if there are none. A local search from nothing."""
    search = _Objective(groups, aims)
    places = [(at, one) for at, group in enumerate(groups) if group.is_usable for one in range(len(group.statements))]
    chosen: frozenset[Place] = frozenset()
    best = search.value(chosen)
    for _ in range(ROUNDS):
        moves = _moves(groups, chosen, places)
        scored = [(search.value(move), sorted(move)) for move in moves]
        if not scored or max(scored)[0] <= best:
            break
        best, kept = max(scored)
        chosen = frozenset(kept)
    return sorted(chosen)


def _moves(groups: Sequence[Group], chosen: frozenset[Place], places: Sequence[Place]) -> list[frozenset[Place]]:
    added = [chosen | _with_needs(groups, place) for place in places if place not in chosen]
    removed = [_without(groups, chosen, place) for place in chosen]
    return [*added, *removed]


def _with_needs(groups: Sequence[Group], place: Place) -> frozenset[Place]:
    """A statement with those that it goes on from."""
    group, at = place
    found = {place}
    needs = groups[group].statements[at].needs
    while needs is not None:
        found.add((group, needs))
        needs = groups[group].statements[needs].needs
    before = groups[group].needs
    if before is not None and groups[before].statements:
        found |= _with_needs(groups, (before, 0))
    return frozenset(found)


def _without(groups: Sequence[Group], chosen: frozenset[Place], place: Place) -> frozenset[Place]:
    return frozenset(one for one in chosen if place not in _with_needs(groups, one))


def grade_of(mean: float, spoken: float) -> float:
    """The Flesch-Kincaid grade of a mean of words a sentence, and of syllables a word."""
    return 0.39 * mean + 11.8 * spoken - 15.59


class _Objective:
    """How good a choice is: what it tells, and how it meets the rules."""

    def __init__(self, groups: Sequence[Group], aims: Aims) -> None:
        self._groups = groups
        self._aims = aims

    def value(self, chosen: frozenset[Place]) -> float:
        if not chosen:
            return -OUTSIDE * 10
        statements = [self._groups[group].statements[at] for group, at in chosen]
        words = sum(one.words for one in statements)
        mean, spoken = words / len(statements), sum(one.syllables for one in statements) / words
        named = frozenset[str]().union(*(one.facts for one in statements))
        worth = sum(self._worth(group) for group, _ in chosen)
        facts = LEAD_FACT * len(named & self._groups[0].lead_facts)
        return worth + facts - self._excess(words) - self._imbalance(mean) - self._misgrading(mean, spoken)

    def _worth(self, group: int) -> float:
        one = self._groups[group]
        return one.importance + (LEAD if one.is_lead else 0.0)

    def _excess(self, words: int) -> float:
        least, most = self._aims.words
        return OUTSIDE * max(0.0, (least - words) / least, (words - most) / most) * 4

    def _imbalance(self, mean: float) -> float:
        low, high = self._aims.mean
        return OUTSIDE * max(0.0, low - mean, mean - high)

    def _misgrading(self, mean: float, spoken: float) -> float:
        low, high = self._aims.grades
        grade = grade_of(mean, spoken)
        return EASIER * max(0.0, low - grade) + HARDER * max(0.0, grade - high)
