"""Sentences with their dependency trees: what a parser gives, and how the rules look at it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
VERBS = frozenset({"VERB", "AUX"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedToken:
    """A word or mark: its part of speech (Universal and Penn), its relation to `head`, and where it is in the text.

    `head` is a place in the sentence, that of the token itself for a root; `start` and `end` are characters of the
    text that was parsed; `has_space` says that white space follows.
    """

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    has_space: bool


Parse = Callable[[Sequence[str]], Sequence[Sequence[Sequence[ParsedToken]]]]
"""Gives the sentences of each text, as tokens with dependencies."""


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A parsed sentence."""

    tokens: tuple[ParsedToken, ...]

    @cached_property
    def root(self) -> int:
        return next((at for at, token in enumerate(self.tokens) if token.head == at), 0)

    @cached_property
    def _children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.tokens]
        for at, token in enumerate(self.tokens):
            if token.head != at:
                found[token.head].append(at)
        return found

    def children(self, at: int, *deps: str) -> list[int]:
        """The dependents of a token, of these relations if any are given."""
        found = self._children[at]
        return [child for child in found if self.tokens[child].dep in deps] if deps else found

    def child(self, at: int, *deps: str) -> int | None:
        return next(iter(self.children(at, *deps)), None)

    def subtree(self, at: int) -> frozenset[int]:
        """A token and everything that depends on it."""
        return self._subtrees[at]

    @cached_property
    def _subtrees(self) -> list[frozenset[int]]:
        found: list[frozenset[int]] = [frozenset()] * len(self.tokens)
        for at in self._upwards():
            found[at] = frozenset([at]).union(*(found[child] for child in self._children[at]))
        return found

    def _upwards(self) -> list[int]:
        """All tokens, dependents before their heads."""
        order = [at for at, token in enumerate(self.tokens) if token.head == at]
        for at in order:
            order.extend(self._children[at])
        return order[::-1]

    def ancestors(self, at: int) -> Iterator[int]:
        while self.tokens[at].head != at:
            at = self.tokens[at].head
            yield at

    def subject(self, verb: int) -> int | None:
        """The subject of a verb; that of the verb it is joined to, if it has none."""
        own = self.child(verb, *SUBJECTS)
        token = self.tokens[verb]
        if own is None and token.dep == "conj" and self.tokens[token.head].pos in VERBS:
            return self.subject(token.head)
        return own

    def is_finite(self, verb: int) -> bool:
        """Whether a verb has a tense, by itself or by an auxiliary."""
        return any(
            self.tokens[at].tag in ("VBD", "VBZ", "VBP", "MD") for at in (verb, *self.children(verb, *AUXILIARIES))
        )

    def is_past(self, verb: int) -> bool:
        """Whether a clause is in the past tense."""
        first = min((verb, *self.children(verb, *AUXILIARIES)), key=lambda at: (self.tokens[at].tag not in _TENSED, at))
        return self.tokens[first].tag == "VBD"


_TENSED = ("VBD", "VBZ", "VBP", "MD")
