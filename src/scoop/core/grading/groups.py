"""Groups: the statements of each source sentence for a level, with what they need to be understood."""

import re
from collections.abc import Container, Iterator, Sequence

from scoop.core.grading import introductions, notes, orphans, tenses
from scoop.core.grading.selection import Group
from scoop.core.grading.soundness import word_count
from scoop.core.grading.sources import ParsedSentence
from scoop.core.grading.statements import statement, statements
from scoop.core.grading.trees import Tree
from scoop.core.levels import facts
from scoop.core.levels.rules import RULES, Level

NOTE = 0.3  # of the importance of its sentence: a note is for want of better
GROUPS = 3  # of each source
OPENING = 5  # sentences, whose events are the news: later ones may tell what led to it, years ago
_VERB = re.compile(" (?:is|spoke|speaks) ")
FILLER = -0.2  # for a lesson that is too short without it


def groups(level: Level, sources: Sequence[ParsedSentence], *, is_whole: bool = False) -> list[Group]:
    """An empty group for the introduction, then three of each source: what it states, notes on its people, fillers.

    `is_whole`: only sentences that are longer than the level allows are split and shortened.
    """
    found = [Group(source=0, statements=(), importance=0.0)]
    named: set[str] = set()
    for at, source in enumerate(sources):
        stated = _stated(level, sources, at, is_whole=is_whole)
        every = dict.fromkeys(text for text in _notes(source, level) if text not in named)
        telling = [text for text in every if not notes.is_filler(text) and not _is_said(text, stated)]
        named.update(telling, map(_subject, telling))
        said = named | {word for one in stated.statements for word in one.text.rstrip(".").split()}
        fillers = _fillers([text for text in every if notes.is_filler(text)], level, source, said)
        named.update(map(_subject, fillers))
        found += [stated, _noted(telling, at, NOTE * source.importance), _noted(fillers, at, FILLER)]
    return found


def _is_said(text: str, stated: Group) -> bool:
    """Whether a statement has the subject of a note and what it says of it."""
    subject, _, said = text.rstrip(".").partition(" is ")
    words = said.removeprefix("a ").removeprefix("an ").removesuffix(" years old").lower()
    return any(
        text == one.text or (words and subject in one.text and words in one.text.lower()) for one in stated.statements
    )


def _fillers(texts: Sequence[str], level: Level, source: ParsedSentence, named: Container[str]) -> list[str]:
    """One filler for each new person, at A1: longer sentences need none, and the lead has an introduction."""
    if level != "A1" or source.is_lead:
        return []
    return list({_subject(text): text for text in reversed(texts) if _subject(text) not in named}.values())


def _noted(texts: Sequence[str], at: int, importance: float) -> Group:
    return Group(source=at, statements=tuple(map(statement, texts)), importance=importance)


def _subject(note: str) -> str:
    """The last name that a note begins with."""
    return _VERB.split(note)[0].split()[-1]


def introduction(level: Level, sources: Sequence[ParsedSentence], lesson: str) -> Group:
    """The group of sentences with the names of the lead that a lesson does not have; of all, if it is too short."""
    is_short = word_count(lesson) < RULES[level].words[0]
    trees = [tree for one in sources if one.is_lead or is_short for tree in one.trees]
    return Group(source=0, statements=introductions.introduction(level, trees, lesson), importance=0.0)


def lead_facts(sources: Sequence[ParsedSentence]) -> frozenset[str]:
    """The names and numbers of the lead, in small letters."""
    named = facts.lead_facts(sources[0].document.body_text)
    return frozenset(one.lower().replace("’", "'").removesuffix("'s") for one in named)


def _notes(source: ParsedSentence, level: Level) -> Iterator[str]:
    for tree in _trees(source, level):
        yield from notes.notes(tree, level)


def _trees(source: ParsedSentence, level: Level) -> Sequence[Tree]:
    """The sentences to use; at a level without a past, what they tell is in the present where that stays true."""
    if not source.is_narrative or not all(map(_is_ended, source.trees[:-1])):
        return ()
    if "past" in RULES[level].forms:
        return source.trees
    is_opening = source.candidate.place < OPENING
    return [tenses.in_present(tree, tenses.EVENTS if is_opening else tenses.REPORTS) for tree in source.trees]


def _is_ended(tree: Tree) -> bool:
    """Whether a sentence has its end, and the parser did not break it: "to make Dr No"."""
    return tree.tokens[-1].pos == "PUNCT"


def _stated(level: Level, sources: Sequence[ParsedSentence], at: int, *, is_whole: bool) -> Group:
    source = sources[at]
    follows = at > 0 and source.candidate.follows and sources[at - 1].candidate.place == source.candidate.place - 1
    before = [tree for one in sources[max(0, at - 3) : at] for tree in one.trees] if follows else []
    found = [one for tree in _trees(source, level) for one in statements(tree, level, is_whole=is_whole)]
    opened = orphans.resolved(source.trees[0], before, found, level) if found else []
    return Group(
        source=at,
        statements=tuple(opened if opened is not None else found),
        importance=source.importance,
        is_lead=source.is_lead,
        needs=GROUPS * at - 2 if opened is None and follows else None,
        is_usable=opened is not None or follows,
    )
