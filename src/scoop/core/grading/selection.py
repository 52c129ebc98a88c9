"""Selection: which statements make a lesson of the right length that has the facts of the lead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoop.core.grading.statements import Statement
from scoop.core.levels.check import MOST_FORMS, MOST_HARD
from scoop.core.levels.rules import RULES, Level

LEAD_FACT = 5.0  # against the importance of a statement, 0 to 1
LEAD = 2.0  # for a statement of the lead
EASIER, HARDER = 12.0, 4.0  # for a grade of school below the level below, or above what the level should have
OUTSIDE = 120.0  # for a length outside its range
MISMATCHED = 480.0  # for each word of a mean outside its range: such a lesson is of no use
ADVANCED = 40.0  # for a share of sentences with forms or clauses of a higher level above the one that is allowed
TOO_HARD = 80.0  # for a share of words of a higher level above the one that is allowed
ROUNDS = 40

Place = tuple[int, int]
"""A group and a statement in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Statements of the source sentence at a place; `needs` is the group without which they cannot be understood."""

    source: int
    statements: tuple[Statement, ...]
    importance: float
    is_lead: bool = False
    needs: int | None = None
    is_usable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Aims:
    """The level of a lesson, and the words in all, mean words a sentence, grades of school and facts it should have."""

    level: Level
    words: tuple[int, int]
    mean: tuple[float, float]
    grades: tuple[float, float]
    facts: frozenset[str]


def select(groups: Sequence[Group], aims: Aims) -> list[Place]:
    """The best statements, in reading order; empty if there are none. A local search from nothing."""
    places = [(at, one) for at, group in enumerate(groups) if group.is_usable for one in range(len(group.statements))]
    bundles = {place: _with_needs(groups, place) for place in places}
    search = _Objective(groups, aims)
    chosen: frozenset[Place] = frozenset()
    best = search.value(chosen)
    for _ in range(ROUNDS):
        better = _best(search, _moves(bundles, chosen), best) or _best(search, _exchanges(bundles, chosen), best)
        if better is None:
            break
        best, chosen = better
    return sorted(chosen)


def _best(
    search: "_Objective", moves: Iterable[frozenset[Place]], least: float
) -> tuple[float, frozenset[Place]] | None:
    """The best move, if it is better than what there is."""
    value, kept = max(((search.value(move), sorted(move)) for move in moves), default=(least, []))
    return (value, frozenset(kept)) if value > least else None


def _moves(bundles: Mapping[Place, frozenset[Place]], chosen: frozenset[Place]) -> list[frozenset[Place]]:
    """Every choice with one statement more, or one less."""
    added = [chosen | bundle for place, bundle in bundles.items() if place not in chosen]
    removed = [frozenset(one for one in chosen if place not in bundles.get(one, ())) for place in chosen]
    return [*added, *removed]


def _exchanges(bundles: Mapping[Place, frozenset[Place]], chosen: frozenset[Place]) -> Iterator[frozenset[Place]]:
    """Every choice with one statement instead of another."""
    for gone in chosen:
        rest = frozenset(one for one in chosen if gone not in bundles.get(one, ()))
        yield from (rest | bundle for place, bundle in bundles.items() if place not in chosen and gone not in bundle)


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


def grade_of(mean: float, spoken: float) -> float:
    """The Flesch-Kincaid grade of a mean of words a sentence, and of syllables a word."""
    return 0.39 * mean + 11.8 * spoken - 15.59


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a statement adds to a lesson."""

    words: int
    syllables: int
    worth: float
    facts: frozenset[str]
    has_advanced_form: bool
    has_advanced_clause: bool
    hard_words: int


class _Objective:
    """How good a choice is: what it tells, and how it meets the rules."""

    def __init__(self, groups: Sequence[Group], aims: Aims) -> None:
        self._aims, rules = aims, RULES[aims.level]
        self._parts = {
            (group, at): _Part(
                words=statement.words,
                syllables=statement.syllables,
                worth=one.importance + (LEAD if one.is_lead else 0.0),
                facts=statement.facts & aims.facts,
                has_advanced_form=not statement.forms <= rules.forms,
                has_advanced_clause=not statement.connectives <= rules.connectives,
                hard_words=sum(one > rules.hardest for one in statement.word_levels),
            )
            for group, one in enumerate(groups)
            for at, statement in enumerate(one.statements)
        }

    def value(self, chosen: frozenset[Place]) -> float:
        if not chosen:
            return -OUTSIDE * 10
        parts = [self._parts[place] for place in chosen]
        words = sum([one.words for one in parts])
        mean, spoken = words / len(parts), sum([one.syllables for one in parts]) / words
        named = len(frozenset[str]().union(*[one.facts for one in parts]))
        worth = sum([one.worth for one in parts])
        faults = self._excess(words) + self._imbalance(mean) + self._misgrading(mean, spoken)
        return worth + LEAD_FACT * named - faults - _advanced(parts) - _too_hard(parts, words)

    def _excess(self, words: int) -> float:
        least, most = self._aims.words
        return OUTSIDE * max(0.0, (least - words) / least, (words - most) / most)

    def _imbalance(self, mean: float) -> float:
        low, high = self._aims.mean
        return MISMATCHED * max(0.0, low - mean, mean - high)

    def _misgrading(self, mean: float, spoken: float) -> float:
        low, high = self._aims.grades
        grade = grade_of(mean, spoken)
        return EASIER * max(0.0, low - grade) + HARDER * max(0.0, grade - high)


def _advanced(parts: Sequence[_Part]) -> float:
    """The fault of too many sentences with forms, or clauses, of a higher level."""
    forms = sum([one.has_advanced_form for one in parts])
    clauses = sum([one.has_advanced_clause for one in parts])
    return ADVANCED * sum([max(0.0, count / len(parts) - MOST_FORMS) for count in (forms, clauses)])


def _too_hard(parts: Sequence[_Part], words: int) -> float:
    """The fault of too many words of a higher level."""
    return TOO_HARD * max(0.0, sum([one.hard_words for one in parts]) / words - MOST_HARD)
