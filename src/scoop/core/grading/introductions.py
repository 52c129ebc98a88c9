"""Introductions: first sentences with the names that a lesson would lose otherwise."""

from collections.abc import Sequence

from scoop.core.grading import mentions
from scoop.core.grading.soundness import word_count
from scoop.core.grading.statements import CALENDAR, Statement, statement
from scoop.core.grading.trees import Tree
from scoop.core.levels import reading
from scoop.core.levels.rules import RULES, Level

OPENINGS = ("This news is about", "It is also about", "It also names")


def introduction(level: Level, trees: Sequence[Tree], lesson: str) -> tuple[Statement, ...]:
    """Who and what the news is about: the names of some sentences that a lesson does not have.

    They are short for a lesson that is too short: long ones would raise its mean of words a sentence.
    """
    rules = RULES[level]
    if rules.sentence_words is None or rules.longest_sentence is None:
        return ()
    is_short = word_count(lesson) < rules.words[0]
    longest = rules.sentence_words[1] if is_short else rules.longest_sentence
    said = {match[0].lower() for match in reading.TOKEN.finditer(lesson)}
    names = dict.fromkeys(name for tree in trees for name in mentions.names(tree))
    missing = [name for name in _longest(list(names)) if name not in CALENDAR and not _words(name) <= said]
    return tuple(_sentences(missing, longest))


def _longest(names: Sequence[str]) -> list[str]:
    """The names that are no part of another one, once each."""
    once = {frozenset(_words(name)): name for name in reversed(names)}
    return [name for words, name in reversed(once.items()) if not any(words < other for other in once)]


def _words(name: str) -> set[str]:
    return {part.lower() for part in reading.TOKEN.findall(name) if part[0].isupper()}


def _sentences(names: Sequence[str], longest: int) -> list[Statement]:
    found: list[Statement] = []
    for opening in OPENINGS:
        kept = _fitting(names, longest - word_count(opening))
        if not kept:
            break
        names = [name for name in names if name not in kept]
        text = f"{opening} {', '.join(kept[:-1])}{' and ' if len(kept) > 1 else ''}{kept[-1]}."
        found.append(statement(text, needs=len(found) - 1 if found else None))
    return found


def _fitting(names: Sequence[str], room: int) -> list[str]:
    """The first names that fit a sentence; "and" is a word too."""
    kept: list[str] = []
    for name in names:
        if word_count(" ".join([*kept, name])) + (1 if kept else 0) <= room:
            kept.append(name)
    return kept
