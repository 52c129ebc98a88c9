"""Parts: what all splits need to take a part out of a clause and to name its subject again."""

from dataclasses import dataclass, replace

from scoop.core.grading import mentions
from scoop.core.grading.clauses import Clause
from scoop.core.grading.trees import AUXILIARIES, VERBS, Tree

_EDGE_MARKS = frozenset({",", ";", ":", "-", "–", "—", "--", "("})
_CLOSING = frozenset({",", ")", "-", "–", "—", "--"})


@dataclass(frozen=True, kw_only=True)
class Split:
    """Two sentences instead of one, and the rule that found them."""

    rule: str
    first: Clause
    second: Clause


def divided(clause: Clause, part: frozenset[int]) -> tuple[Clause, tuple[int, ...]]:
    """The clause without a part and the marks that set it off, and the part's places."""
    places = tuple(at for at in clause.places if at in part)
    rest = [at for at in clause.places if at not in part]
    tokens = clause.tree.tokens
    if places:
        before = [at for at in rest if at < places[0]]
        after = [at for at in rest if at > places[-1]]
        while before and tokens[before[-1]].text in _EDGE_MARKS:
            before.pop()
        while after and tokens[after[0]].text in _EDGE_MARKS and (before == [] or tokens[after[0]].text in _CLOSING):
            after.pop(0)
        rest = before + after
    return replace(clause, places=tuple(rest)), places


def mention(tree: Tree, noun: int) -> tuple[str, bool]:
    """How a new sentence names a noun, and whether that is plural."""
    plural = mentions.is_plural(tree, noun)
    name = mentions.pronoun(tree, noun)
    return (name or mentions.noun_phrase(tree, noun)), plural or name == "they"


def fronted(clause: Clause, places: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The phrase that opens a part without a subject, and the rest: "in 1864 [was part of the army]"."""
    tree, first = clause.tree, places[0]
    phrase = tuple(at for at in places if at in tree.subtree(first))
    rest = places[len(phrase) :]
    while rest and tree.tokens[rest[0]].text == ",":
        rest = rest[1:]
    is_phrase = tree.tokens[first].dep == "prep" and places[: len(phrase)] == phrase
    if not is_phrase or not rest or tree.tokens[rest[0]].pos not in (*VERBS, "ADV"):
        return (), places
    text = replace(clause, places=phrase, head=first, lead=(), tails={}, report=None).text.removesuffix(".")
    return (f"{text[0].lower()}{text[1:]},",), rest


def agrees(tree: Tree, verb: int, *, plural: bool) -> bool:
    """Whether the form of a verb fits the number of a subject: not "it hope"."""
    first = min((verb, *tree.children(verb, *AUXILIARIES)))
    return tree.tokens[first].tag != ("VBZ" if plural else "VBP") or tree.tokens[first].text == "have"


def is_quoted(clause: Clause, at: int) -> bool:
    """Whether a place is between quotation marks: the words of others are not rewritten."""
    marks = [place for place in clause.places if clause.tree.tokens[place].text in ('"', "“", "”", "''", "``")]
    return sum(place < at for place in marks) % 2 == 1


def taken_out(clause: Clause, places: tuple[int, ...], head: int, lead: tuple[str, ...]) -> Clause:
    swaps = {at: word for at, word in clause.swaps.items() if at in places}
    report = replace(clause.report, words=clause.report.again) if clause.report else None
    return replace(
        clause, places=places, head=head, lead=lead, swaps=swaps, tails={}, report=report, rank=clause.rank + 1
    )


def is_set_off(clause: Clause, part: frozenset[int]) -> bool:
    tree, first, last = clause.tree, min(part), max(part)
    is_first = first == clause.places[0] and last + 1 < len(tree.tokens) and tree.tokens[last + 1].text == ","
    return is_first or (first > 0 and tree.tokens[first - 1].text in (",", ";", "-", "–", "—", "--", "("))


def governing_verb(tree: Tree, at: int) -> int:
    return next((one for one in tree.ancestors(at) if tree.tokens[one].pos in VERBS and tree.is_finite(one)), tree.root)
