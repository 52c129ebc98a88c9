"""Why a text has its level, in words for learners and teachers."""

from collections import Counter
from collections.abc import Sequence

from scoop.core.levels import grammar, vocabulary
from scoop.core.levels.reading import ReadSentence
from scoop.core.levels.rules import LEVELS, RULES, Form, Level

SHOWN = 5  # words
HARD: Level = "B2"  # from which on a word is called hard
BEYOND_SIMPLE: tuple[Form, ...] = ("perfect", "passive", "modal")


def of(sentences: Sequence[ReadSentence]) -> list[str]:
    return [_of_lengths(sentences), _of_words(sentences), *_of_clauses(sentences)]


def _of_lengths(sentences: Sequence[ReadSentence]) -> str:
    lengths = [len(sentence.tokens) for sentence in sentences]
    mean = sum(lengths) / len(lengths)
    return f"A sentence has {mean:.0f} words on average, as at {_usual_level(mean)}; the longest has {max(lengths)}."


def _usual_level(mean: float) -> str:
    """The first level whose rules allow sentences of this mean length."""
    for level in LEVELS:
        allowed = RULES[level].sentence_words
        if allowed and mean <= allowed[1] + 0.5:
            return level
    return "C1 or C2"


def _of_words(sentences: Sequence[ReadSentence]) -> str:
    words = [
        token.text.lower()
        for sentence in sentences
        for token in sentence.tokens
        if not token.is_name and not token.is_number
    ]
    hard = [word for word in words if vocabulary.estimated_level(word) >= HARD]
    if not hard:
        return f"No word is {HARD} or harder."
    rarest = sorted(dict.fromkeys(hard), key=lambda word: vocabulary.look_up(word).zipf)[:SHOWN]
    return f"{len(hard)} of {len(words)} words are {HARD} or harder, such as {', '.join(rarest)}."


def _of_clauses(sentences: Sequence[ReadSentence]) -> list[str]:
    clauses = [token.word.form for sentence in sentences for token in grammar.clause_words(sentence)]
    forms = Counter(found.form for sentence in sentences for found in grammar.forms(sentence))
    lines = []
    if clauses:
        named = ", ".join(dict.fromkeys(clauses[: 2 * SHOWN]))
        counted = "One dependent clause begins" if len(clauses) == 1 else f"{len(clauses)} dependent clauses begin"
        lines.append(f"{counted} with {named}.")
    beyond = [form for form in BEYOND_SIMPLE if forms[form]]
    if beyond:
        lines.append(
            "Verb forms beyond the simple ones: " + ", ".join(f"{forms[form]} {form}" for form in beyond) + "."
        )
    return lines
