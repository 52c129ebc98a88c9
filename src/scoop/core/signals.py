"""The signals by which documents are compared: informative words, names, numbers and phrases, packed small."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from scoop.core import hashes, text
from scoop.core.hashes import DigestArray

WordIds = NDArray[np.uint32]
Weights = NDArray[np.float32]

LEAD_WORDS = 80
BODY_WORDS = 650
BODY_CHARACTERS = 4_000  # searched for names
NUMBER_CHARACTERS = 1_500
MAX_TERMS = 160
MAX_NAMES = 64
MAX_NUMBERS = 32
PHRASE = 5  # words
MAX_PHRASE_WORDS = 10_000
SKETCH = 128
INDEXED_SKETCH = 32  # finds all of 660 pairs that share 40 % of their phrases in four sets of news; 24 miss one

NAME = re.compile(r"(?<![.!?:\"\u201c]\s)(?<!\n)(?<!\A)\b[^\W\d_a-z][\w'\u2019-]+")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s")
_MIN_STEM = 3
_PRIMES = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5],
    dtype=np.uint64,
)
_HALF = np.uint64(32)  # bits: the upper half of a product is mixed better
_LEXICON_BITS = 17
_LEXICON_STEP = 16  # weights are kept as whole numbers of sixteenths
_FORMAT = 1


KINDS = ("title", "lead", "body", "names", "title_numbers", "numbers", "sketch")
"""The kinds of words of a document; those of the first four have weights."""
_WEIGHTED = 4
# Salts keep equal words of two kinds apart. Phrases have none: the order of a sketch gives its range.
_SALTS = np.array([0x3C6EF372, 0x1B873593, 0xCC9E2D51, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0], dtype=np.uint32)
TITLE_TO_LEAD = np.bitwise_xor(*_SALTS[:2])
"""Turns the hash of a word of a title into that of the same word of a lead, and back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The signals of a document: hashes of words, one kind after the other, their weights, and the count of each kind.

    The weights of title, lead and body are vectors of length 1; a name has the root of its weight, so that the product
    of two is the weight; all others weigh 1.
    """

    words: WordIds
    weights: Weights
    lengths: tuple[int, ...]

    def of_kind(self, kind: str) -> tuple[WordIds, Weights]:
        """The words of one kind, without their salt, and their weights."""
        at = KINDS.index(kind)
        part = slice(sum(self.lengths[:at]), sum(self.lengths[: at + 1]))
        return self.words[part] ^ _SALTS[at], self.weights[part]

    def packed(self) -> bytes:
        weights = self.weights[: sum(self.lengths[:_WEIGHTED])].astype(np.float16)
        return np.array([_FORMAT, *self.lengths], dtype=np.uint16).tobytes() + self.words.tobytes() + weights.tobytes()


_HEADER = 1 + len(KINDS)  # numbers of two bytes


def unpack(packed: bytes) -> Signals:
    lengths = np.frombuffer(packed, dtype=np.uint16, count=_HEADER)[1:].tolist()
    words = np.frombuffer(packed, dtype=np.uint32, count=sum(lengths), offset=2 * _HEADER)
    weights = np.ones(len(words), dtype=np.float32)
    weights[: sum(lengths[:_WEIGHTED])] = np.frombuffer(packed, dtype=np.float16, offset=2 * _HEADER + words.nbytes)
    return Signals(words=words, weights=weights, lengths=tuple(lengths))


def extract(title: str, body: str) -> Signals:
    """The signals of a document, from its title and body as written."""
    title_words, body_words = text.words(text.normalized(title)), text.words(text.normalized(body))
    title_terms, body_terms = _terms(title_words), _terms(body_words[:BODY_WORDS])
    names, name_weights = _weighted(_hashed(_names(f"{title}\n{body[:BODY_CHARACTERS]}")), most=MAX_NAMES, unit=False)
    weighted = (
        _weighted(title_terms, most=MAX_TERMS),
        _weighted([*title_terms, *body_terms[:LEAD_WORDS]], most=MAX_TERMS),
        _weighted([*title_terms, *body_terms], most=MAX_TERMS),
        (names, np.sqrt(name_weights)),
    )
    plain = (
        _hashed_numbers(title),
        _hashed_numbers(f"{title}\n{body[:NUMBER_CHARACTERS]}"),
        phrases(hashes.digests(body_words))[:SKETCH],
    )
    words = [*(ids for ids, _ in weighted), *plain]
    weights = [*(values for _, values in weighted), *(np.ones(len(ids), dtype=np.float32) for ids in plain)]
    lengths = tuple(map(len, words))
    salted = np.bitwise_xor(np.concatenate(words), np.repeat(_SALTS, lengths))
    return Signals(words=salted, weights=np.concatenate(weights), lengths=lengths)


def phrases(words: DigestArray) -> WordIds:
    """The hashes of all runs of five words, sorted, without duplicates."""
    words = words[:MAX_PHRASE_WORDS]
    if len(words) < PHRASE:
        return np.empty(0, dtype=np.uint32)
    count = len(words) - PHRASE + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place, prime in enumerate(_PRIMES):
        mixed ^= words[place : place + count]
        mixed *= prime
    mixed >>= _HALF
    ids = mixed.astype(np.uint32)
    ids.sort()
    return ids[np.concatenate(([True], ids[1:] != ids[:-1]))]  # np.unique() takes twice as long for short arrays


def containment(one: WordIds, other: WordIds) -> float:
    """The share of the shorter text's phrases that are in the longer one."""
    shorter = min(len(one), len(other))
    return len(np.intersect1d(one, other, assume_unique=True)) / shorter if shorter else 0.0


def index_phrases(phrases: WordIds) -> list[int]:
    """The phrases to index: the smallest, in order, as signed integers for PostgreSQL."""
    return [phrase - (1 << 31) for phrase in phrases[:INDEXED_SKETCH].tolist()]


def informative_terms(words: Iterable[str]) -> frozenset[int]:
    """The stems of informative words."""
    return frozenset(term for word in words if (term := _informative_term(word)) is not None)


@lru_cache(maxsize=1 << 17)
def _term(word: str) -> int:
    return _word_hash(_stem(word))


@lru_cache(maxsize=1 << 17)
def _informative_term(word: str) -> int | None:
    term = _term(word)
    return term if weight(np.array([term], dtype=np.uint32))[0] > 0 else None


def _word_hash(word: str) -> int:
    return int.from_bytes(hashes.digest(word)[:4], "little")


def _terms(words: Iterable[str]) -> list[int]:
    return [_term(word) for word in words]


def _hashed(words: Iterable[str]) -> list[int]:
    return [_word_hash(word) for word in words]


def _stem(word: str) -> str:
    """The word without an English ending: enough to compare texts."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word[: -len(ending)]
    return word


def _weighted(terms: Sequence[int], *, most: int, unit: bool = True) -> tuple[WordIds, Weights]:
    """The informative terms with their weights; the heaviest if there are too many."""
    words, counts = np.unique(np.array(terms, dtype=np.uint32), return_counts=True)
    weights = weight(words)
    if unit:
        weights = weights * (1 + np.log(counts.astype(np.float32)))
    chosen = np.flatnonzero(weights > 0)
    if len(chosen) > most:
        chosen = np.sort(chosen[np.argsort(-weights[chosen], kind="stable")[:most]])
    length = float(np.sqrt((weights[chosen] ** 2).sum())) if unit else 1.0
    return words[chosen], (weights[chosen] / (length or 1.0)).astype(np.float32)


def weight(words: WordIds) -> Weights:
    """The weight of words: 0 for those in every text, most for rare ones."""
    weights: Weights = _lexicon()[words & np.uint32((1 << _LEXICON_BITS) - 1)]
    return weights


@cache
def _lexicon() -> Weights:
    stored = np.frombuffer(files(__package__).joinpath("lexicon.bin").read_bytes(), dtype=np.uint8)
    return (stored / _LEXICON_STEP).astype(np.float32)


def _names(written: str) -> set[str]:
    """Words with a capital letter that do not begin a sentence."""
    return {name.lower().removesuffix("'s").removesuffix("\u2019s").rstrip("s") for name in NAME.findall(written)}


def numbers(written: str) -> frozenset[str]:
    return frozenset(NUMBER.findall(written)[: 4 * MAX_NUMBERS])


def _hashed_numbers(written: str) -> WordIds:
    ids = map(_word_hash, numbers(written))
    return np.array(sorted(ids)[:MAX_NUMBERS], dtype=np.uint32)
