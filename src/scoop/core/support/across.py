"""Claims in another language than their source: meaning by vectors, and what needs no translation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.core.support import CitedClaim, Embed
from scoop.core.support.lexicon import words_of
from scoop.core.support.passages import Sources, SourceSentence
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import DATE, NAME, NEGATION, NUMBER, SPELLED, Tokens
from scoop.model import FindingKind

Vectors = NDArray[np.float32]

FEATURES = (
    "cosine", "second_cosine", "mean_cosine", "numbers", "numbers_missing", "numbers_elsewhere", "spelled_missing",
    "dates_missing", "dates_elsewhere", "names", "names_missing", "names_elsewhere", "negations", "negations_of_best",
    "negations_differ", "length_ratio", "passages", "source_is_unspaced", "claim_is_unspaced",
)  # fmt: skip
MAX_SENTENCES = 240  # of all sources that are embedded; a longer text costs no more
MAX_CHARACTERS = 400  # of a sentence that are embedded
PASSAGES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The sentences of the sources that have vectors, by their numbers."""

    numbers: tuple[int, ...]
    vectors: Vectors


def embed_sentences(numbers: Sequence[int], written: Sequence[str], embed: Embed) -> Embedded:
    """The vectors of the sentences with these numbers; `written` has the text of each."""
    return Embedded(numbers=tuple(numbers), vectors=embed([text[:MAX_CHARACTERS] for text in written]))


def nearest(vector: Vectors, embedded: Embedded, among: Sequence[int]) -> tuple[list[int], list[float]]:
    """The passages of `among` that are nearest in meaning, with all cosines in falling order."""
    allowed = frozenset(among)
    pairs = [
        (float(cosine), number)
        for cosine, number in zip(embedded.vectors @ vector, embedded.numbers, strict=True)
        if number in allowed
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return [number for _, number in pairs[:PASSAGES]], [cosine for cosine, _ in pairs]


def check(
    claim: CitedClaim, tokens: Tokens, sources: Sources, passages: Sequence[int], cosines: Sequence[float]
) -> Signs:
    """The values of FEATURES, and findings about numbers, dates and names that no source has."""
    best = [sources.sentences[number] for number in passages]
    near = {token for sentence in best for token in sentence.tokens.texts[sentence.first : sentence.last]}
    digits, spelled, dates = (_of_kind(tokens, kind) for kind in (NUMBER, SPELLED, DATE))
    names = _comparable_names(tokens, best)
    places_by_kind: dict[FindingKind, list[int]] = {"number": digits, "date": dates, "name": names}
    missing = {
        kind: [at for at in places if tokens.texts[at] not in sources.vocabulary]
        for kind, places in places_by_kind.items()
    }
    values = (
        cosines[0],
        cosines[1] if len(cosines) > 1 else 0.0,
        sum(cosines) / len(cosines),
        len(digits),
        len(missing["number"]),
        _elsewhere(tokens, digits, near, sources),
        sum(tokens.texts[at] not in sources.vocabulary for at in spelled),
        len(missing["date"]),
        _elsewhere(tokens, dates, near, sources),
        len(names),
        len(missing["name"]),
        _elsewhere(tokens, names, near, sources),
        *_negation_values(tokens, best),
        len(claim.text) / max(1, sum(sentence.end - sentence.start for sentence in best[:1])),
        len(cosines),
        float(_is_unspaced(best[0].language)),
        float(_is_unspaced(claim.language)),
    )
    kinds = [kind for kind, places in missing.items() if places]
    return Signs(values, _findings(claim, tokens, missing), kinds[0] if kinds else "passage")


def _of_kind(tokens: Tokens, kind: str) -> list[int]:
    return [at for at, own in enumerate(tokens.kinds) if own == kind]


def _comparable_names(tokens: Tokens, best: Sequence[SourceSentence]) -> list[int]:
    """Names in Latin letters, if the passages are written in them: those stay the same in translation."""
    if any(_is_unspaced(sentence.language) for sentence in best):
        return []
    return [at for at in _of_kind(tokens, NAME) if at > 0 and tokens.texts[at].isascii()]


def _elsewhere(tokens: Tokens, places: Sequence[int], near: set[str], sources: Sources) -> int:
    return sum(tokens.texts[at] in sources.vocabulary and tokens.texts[at] not in near for at in places)


def _negations(sentences: Sequence[SourceSentence]) -> int:
    return sum(
        token in words_of(sentence.language).negations
        for sentence in sentences
        for token in sentence.tokens.texts[sentence.first : sentence.last]
    )


def _negation_values(tokens: Tokens, best: Sequence[SourceSentence]) -> tuple[int, int, int]:
    """The negations of the claim, those of the best passage, and whether only one of the two has any."""
    own, other = len(_of_kind(tokens, NEGATION)), _negations(best[:1])
    return own, other, abs(min(own, 1) - min(other, 1))


def _is_unspaced(language: str) -> bool:
    return language[:2].lower() in {"ja", "zh"}


def _findings(claim: CitedClaim, tokens: Tokens, missing: dict[FindingKind, list[int]]) -> tuple[str, ...]:
    return tuple(
        f"the {kind} {claim.text[tokens.starts[at] : tokens.ends[at]]} is not in the source"
        for kind, places in missing.items()
        for at in places
    )
