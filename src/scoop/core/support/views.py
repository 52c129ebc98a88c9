"""A claim beside its evidence, as all checks see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scoop.core.support import CitedClaim, alignment
from scoop.core.support.alignment import Gap, WordRun
from scoop.core.support.passages import Bigram, Sources, Term
from scoop.core.support.tokens import Tokens

BREAK = "\n"  # around every passage of the evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """`has_left[i]` says that token i has the same left neighbour in the evidence; `has_right[i]` the right one.

    The first and the last token have a BREAK as neighbour, as the passages of the evidence do.
    """

    claim: CitedClaim
    tokens: Tokens
    places: dict[str, list[int]]
    sources: Sources
    passages: tuple[int, ...]
    evidence: list[str]
    vocabulary: frozenset[str]
    bigrams: frozenset[Bigram]
    has_left: list[bool]
    has_right: list[bool]
    runs: list[WordRun]
    gaps: list[Gap]
    terms: set[Term]
    passage_terms: list[set[Term]]

    def indexes(self, kinds: str) -> list[int]:
        """The places of the claim's tokens of these kinds."""
        return [at for kind in kinds for at in self.places.get(kind, ())]

    def written(self, at: int) -> str:
        """A token as the claim writes it."""
        return self.claim.text[self.tokens.starts[at] : self.tokens.ends[at]]


def view(claim: CitedClaim, tokens: Tokens, terms: set[Term], sources: Sources, passages: Sequence[int]) -> View:
    evidence = _evidence(sources, sorted(passages))
    bigrams = frozenset(pairwise(evidence))
    pairs = [pair in bigrams for pair in pairwise([BREAK, *tokens.texts, BREAK])]
    found = alignment.runs(tokens.texts, evidence)
    return View(
        claim=claim,
        tokens=tokens,
        places=_places(tokens),
        sources=sources,
        passages=tuple(passages),
        evidence=evidence,
        vocabulary=frozenset(evidence),
        bigrams=bigrams,
        has_left=pairs[:-1],
        has_right=pairs[1:],
        runs=found,
        gaps=alignment.gaps(found),
        terms=terms,
        passage_terms=[sources.sentences[number].terms for number in passages],
    )


def _places(tokens: Tokens) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, kind in enumerate(tokens.kinds):
        places.setdefault(kind, []).append(at)
    return places


def _evidence(sources: Sources, passages: Sequence[int]) -> list[str]:
    joined: list[str] = [BREAK]
    for number in passages:
        sentence = sources.sentences[number]
        joined += sentence.tokens.texts[sentence.first : sentence.last]
        joined.append(BREAK)
    return joined
