"""The levels A1 to C2, and the rules that a lesson of each must meet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Level = Literal["A1", "A2", "B1", "B2", "C1", "C2"]
LEVELS: tuple[Level, ...] = get_args(Level)

Form = Literal["past", "future", "modal", "perfect", "passive"]
"""A form of the verb beyond the present; a level may allow it."""

TOLERANCE = 0.2  # of the total length
LONGEST = 1.25  # times the longest usual sentence; every sentence must be shorter


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRules:
    """What a lesson of a level may have; `sentence_words` is None where sentences are free.

    `connectives` are the words that may begin a clause, `hardest` is the highest level of its usual words.
    """

    sentence_words: tuple[int, int] | None
    words: tuple[int, int]
    forms: frozenset[Form]
    connectives: frozenset[str]
    hardest: Level
    kept_facts: float

    @property
    def least_words(self) -> int:
        return round(self.words[0] * (1 - TOLERANCE))

    @property
    def most_words(self) -> int:
        return round(self.words[1] * (1 + TOLERANCE))

    @property
    def longest_sentence(self) -> int | None:
        return int(self.sentence_words[1] * LONGEST) if self.sentence_words else None


_A2_CONNECTIVES = frozenset({"because", "when"})
_B1_CONNECTIVES = _A2_CONNECTIVES | {"if", "that", "who", "before", "after", "until", "since", "where", "as"}
_B2_CONNECTIVES = _B1_CONNECTIVES | {"which", "while", "although", "though", "unless", "whose", "whether"}
CLAUSE_WORDS = _B2_CONNECTIVES | {"whereas", "whereby", "wherein", "lest", "albeit", "whenever", "wherever", "why"}
"""Words that begin a dependent clause."""
_ALL_FORMS: frozenset[Form] = frozenset(get_args(Form))

RULES: Mapping[Level, LevelRules] = {
    "A1": LevelRules(
        sentence_words=(5, 8),
        words=(60, 80),
        forms=frozenset(),
        connectives=frozenset(),
        hardest="A2",
        kept_facts=0.6,
    ),
    "A2": LevelRules(
        sentence_words=(8, 12),
        words=(80, 120),
        forms=frozenset({"past"}),
        connectives=_A2_CONNECTIVES,
        hardest="B1",
        kept_facts=0.7,
    ),
    "B1": LevelRules(
        sentence_words=(12, 18),
        words=(120, 180),
        forms=frozenset({"past", "future", "modal"}),
        connectives=_B1_CONNECTIVES,
        hardest="B2",
        kept_facts=0.8,
    ),
    "B2": LevelRules(
        sentence_words=(15, 22),
        words=(150, 220),
        forms=_ALL_FORMS,
        connectives=_B2_CONNECTIVES,
        hardest="C1",
        kept_facts=0.85,
    ),
    "C1": LevelRules(
        sentence_words=None, words=(180, 260), forms=_ALL_FORMS, connectives=CLAUSE_WORDS, hardest="C2", kept_facts=0.85
    ),
    "C2": LevelRules(
        sentence_words=None, words=(200, 300), forms=_ALL_FORMS, connectives=CLAUSE_WORDS, hardest="C2", kept_facts=0.85
    ),
}
