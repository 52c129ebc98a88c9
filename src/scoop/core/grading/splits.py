"""Splits: the ways in which a clause becomes two sentences that say the same."""

from collections.abc import Callable, Iterator

from scoop.core.grading import boundary_splits, noun_splits, verb_splits
from scoop.core.grading.clauses import Clause
from scoop.core.grading.parts import Split

MIN_TOKENS = 4  # of each part

Rule = Callable[[Clause], Iterator[Split]]

RULES: tuple[Rule, ...] = (
    verb_splits.coordinated,
    noun_splits.relative,
    noun_splits.participles,
    noun_splits.appositions,
    noun_splits.ages,
    noun_splits.roles,
    verb_splits.subordinate,
    verb_splits.at_marks,
)


LOOSE_RULES: tuple[Rule, ...] = (
    boundary_splits.cuts,
    boundary_splits.sequels,
    noun_splits.last_relative,
    noun_splits.last_participle,
)
"""Rules for a sentence that stays whole: they are right less often."""


def splits(clause: Clause) -> list[Split]:
    """All single splits of a clause."""
    return _by(RULES, clause)


def loose_splits(clause: Clause) -> list[Split]:
    """All splits of a sentence by all rules."""
    return _by((*RULES, *LOOSE_RULES), clause)


def _by(rules: tuple[Rule, ...], clause: Clause) -> list[Split]:
    return [one for rule in rules for one in rule(clause) if _is_long_enough(one)]


def _is_long_enough(split: Split) -> bool:
    return split.rule == "age" or all(
        sum(one.tree.tokens[at].pos != "PUNCT" for at in one.places) + len(one.lead) >= MIN_TOKENS
        for one in (split.first, split.second)
    )
