"""Orphans: pronouns whose noun stands in a sentence that a lesson may leave out."""

from collections.abc import Sequence

from scoop.core.grading import mentions
from scoop.core.grading.statements import Statement, statement
from scoop.core.grading.trees import SUBJECTS, Tree
from scoop.core.levels import vocabulary
from scoop.core.levels.rules import RULES, Level

PERSONAL = frozenset({"he", "she"})
RAISING = frozenset({"able", "certain", "due", "likely", "ready", "set", "sure", "unable", "unlikely"})
POINTING = frozenset({"it", "they", "this", "that", "these", "those", "its", "their", "his", "her", "such", "one"})


def resolved(tree: Tree, before: Sequence[Tree], found: Sequence[Statement], level: Level) -> list[Statement] | None:
    """The statements with a name for an orphaned pronoun; None if they need the sentence before."""
    first = _orphan(tree)
    if first is None:
        return list(found)
    if first.lower() not in PERSONAL:
        return None
    name = _only_person(before)
    text = found[0].text
    if name is None or not _may_be(name, first.lower()) or not text.startswith((first[0].upper() + first[1:] + " ",)):
        return None
    longest = RULES[level].longest_sentence
    for short in (name, name.split()[-1]):
        named = statement(f"{short[:1].upper()}{short[1:]}{text[len(first) :]}")
        if longest is None or named.words <= longest:
            return [named, *found[1:]]
    return None


def _may_be(name: str, pronoun: str) -> bool:
    """Whether a name may be that of a man, or a woman; not a name of plain words: "Nettlecombe Security"."""
    known = mentions.pronoun_by_name(name)
    has_word = any(vocabulary.look_up(word).senses for word in name.split())
    return known == pronoun or (known is None and not has_word)


def _orphan(tree: Tree) -> str | None:
    """The pronoun that comes before all nouns of a sentence."""
    for at, token in enumerate(tree.tokens):
        if token.pos in ("NOUN", "PROPN") and tree.child(at, "poss") is None:
            return None
        is_pointing = token.text.lower() in PERSONAL | POINTING and token.tag in ("PRP", "PRP$", "DT", "PDT")
        if is_pointing and token.dep != "expl" and not _is_dummy(tree, at):
            return token.text
    return None


def _is_dummy(tree: Tree, at: int) -> bool:
    """The "it" of "It is clear that"."""
    verb = tree.tokens[at].head
    if any(tree.tokens[one].lemma in RAISING for one in tree.children(verb, "acomp")):
        return False  # "It is unlikely to have an end"
    return tree.tokens[at].text.lower() == "it" and tree.child(verb, "ccomp", "csubj", "xcomp") is not None


def _only_person(before: Sequence[Tree]) -> str | None:
    """The one person who is the subject of the sentences before."""
    names = []
    for tree in before:
        for at, token in enumerate(tree.tokens):
            if token.dep in SUBJECTS and token.pos == "PROPN" and token.tag == "NNP":
                names.append(mentions.proper_name(tree, at))
    last = {name.split()[-1] for name in names}
    return max(names, key=len) if len(last) == 1 else None
