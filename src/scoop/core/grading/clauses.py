"""Clauses: parts of a sentence that can be sentences of their own, with the words that change."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scoop.core.grading.trees import ParsedToken, Tree
from scoop.core.levels import vocabulary

_NO_SPACE_BEFORE = re.compile(r"[.,;:!?%)\]…]|n't|'s?|'(?:re|ve|ll|d|m)|’.{0,2}", re.IGNORECASE)
_NO_SPACE_AFTER = frozenset("([$£€#")
_EDGES = frozenset({",", ";", ":", "-", "–", "—", "--", "...", "…", "."})
_REPEATED = re.compile(r"([,;:–—-])(?:\s*[,;:])+")
_BEFORE_END = re.compile(r"[\s,;:–—-]+(?=[.!?])")
_VOWEL = re.compile(
    r"(?i:(?!uni|use|usu|eur|one\b|once|u[ks]\b|ut[eo]|ubi)[aeiou]|hour|honest|honou?r|heir|8|11\b|18\b)|[FHLMNRSX](?:[A-Z]|\b)"
)


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """Who says a clause: the words before it, and those before what is said after it."""

    words: tuple[str, ...]
    again: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A sentence to be: places of the source sentence in their order, around the verb `head`.

    `lead` are words before it; `swaps` other words for some places (none: left out); `tails` words after a place.
    `report` is who says it. `rank` is 0 for what the source sentence states itself, more for what its parts state.
    `is_report` says that the sentence is news: who somebody is, is true today.
    """

    tree: Tree
    places: tuple[int, ...]
    head: int
    lead: tuple[str, ...] = ()
    swaps: Mapping[int, str] = field(default_factory=dict)
    tails: Mapping[int, str] = field(default_factory=dict)
    report: Attribution | None = None
    rank: int = 0
    is_report: bool = False

    def has(self, at: int) -> bool:
        return at in self.places

    @cached_property
    def text(self) -> str:
        """The clause as a sentence: spaces, marks, a capital, a full stop."""
        return _rendered(self)


def whole(tree: Tree, *, is_report: bool = False) -> Clause:
    return Clause(tree=tree, places=tuple(range(len(tree.tokens))), head=tree.root, is_report=is_report)


def _rendered(clause: Clause) -> str:
    words: list[tuple[str, bool]] = [(word, True) for word in _opening(clause)]
    previous: int | None = None
    for at in _trimmed(clause):
        word = clause.swaps.get(at) if at in clause.swaps else _inside(clause, at, bool(words))
        is_next = previous == at - 1 and clause.tree.tokens[at - 1].text in _written(words)
        if word:
            has_space = clause.tree.tokens[at - 1].has_space if is_next else not _NO_SPACE_BEFORE.fullmatch(word)
            _agree(words, word, is_changed=not is_next or at in clause.swaps)
            words.append((word, has_space))
        if at in clause.tails:
            words.append((clause.tails[at], True))
        previous = at
    return _finished(_joined(words))


def _inside(clause: Clause, at: int, has_words: bool) -> str:
    """A word as it is written after others: the first one of a sentence loses its capital."""
    token = clause.tree.tokens[at]
    return token.text if at or not has_words else without_capital(token)


def without_capital(token: ParsedToken) -> str:
    """The first word of a sentence as it is written inside of one; a word that no dictionary has may be a name."""
    inside = token.text[:1].lower() + token.text[1:]
    is_name = token.pos in ("PROPN", "X") or token.text == "I" or inside != token.text.lower()
    return inside if not is_name and vocabulary.look_up(inside).senses else token.text


def _opening(clause: Clause) -> tuple[str, ...]:
    if clause.report is None:
        return clause.lead
    lead = clause.lead[1:] if clause.lead[:1] == ("But",) else clause.lead
    first = clause.tree.tokens[clause.places[0]] if clause.places else None
    return (*(clause.report.words), *lead) if first else lead


def _written(words: list[tuple[str, bool]]) -> tuple[str, ...]:
    return (words[-1][0],) if words else ()


def _agree(words: list[tuple[str, bool]], follower: str, *, is_changed: bool) -> None:
    """Make the article before a new neighbour "a" or "an"."""
    if is_changed and words and words[-1][0].lower() in ("a", "an"):
        written, has_space = words[-1]
        words[-1] = (written[0] + article(follower)[1:], has_space)


def _trimmed(clause: Clause) -> tuple[int, ...]:
    places = list(clause.places)
    tokens = clause.tree.tokens
    while places and tokens[places[0]].text in _EDGES:
        places.pop(0)
    while places and (tokens[places[-1]].text in _EDGES or tokens[places[-1]].tag == "CC"):
        places.pop()
    return tuple(places)


def _joined(words: list[tuple[str, bool]]) -> str:
    text = ""
    for word, has_space in words:
        text += (" " if text and has_space and text[-1] not in _NO_SPACE_AFTER else "") + word
    return text


def _finished(text: str) -> str:
    text = _REPEATED.sub(r"\1", text.strip())
    if not text:
        return ""
    if text[-1] not in ".!?" and text[-2:] not in ('."', '!"', '?"', ".'", ".”", "!”", "?”"):
        text += "."
    text = _BEFORE_END.sub("", text)
    first = re.search(r"[^\W_]", text)
    at = first.start() if first else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


def article(follower: str) -> str:
    """ "a" or "an", as the word after it begins."""
    return "an" if _VOWEL.match(follower) else "a"
