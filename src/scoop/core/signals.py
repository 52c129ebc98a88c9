"""What documents are compared by: their weighty words, names, numbers and phrases, packed small."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from scoop.core import hashes, text

Words = NDArray[np.uint32]
Weights = NDArray[np.float32]

LEAD_WORDS = 80
BODY_WORDS = 650
BODY_CHARACTERS = 4_000  # in which names are looked for
NUMBER_CHARACTERS = 1_500
MAX_TERMS = 160
MAX_NAMES = 64
MAX_NUMBERS = 32
PHRASE = 5  # words
MAX_PHRASE_WORDS = 10_000
SKETCH = 128
INDEXED_SKETCH = 32  # finds all pairs that share 40 % of their phrases in the sets of tests/quality

_NAME = re.compile(r"(?<![.!?:\"\u201c]\s)(?<!\n)(?<!\A)\b[^\W\d_a-z][\w'\u2019-]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s")
_MIN_STEM = 3
_PRIMES = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5],
                   dtype=np.uint64)  # fmt: skip
_LEXICON_BITS = 17
_LEXICON_STEP = 16  # weights are kept as whole numbers of sixteenths
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The signs of one document. Words are hashes, sorted; weights go with the words before them."""

    title: Words
    title_weights: Weights
    lead: Words
    lead_weights: Weights
    body: Words
    body_weights: Weights
    names: Words
    name_weights: Weights
    title_numbers: Words
    numbers: Words
    sketch: Words

    def packed(self) -> bytes:
        arrays = [getattr(self, name) for name in _NAMES]
        lengths = np.array([_FORMAT, *map(len, arrays)], dtype=np.uint16)
        return b"".join([lengths.tobytes(), *(_small(array).tobytes() for array in arrays)])


_NAMES = tuple(Signals.__slots__)
_KINDS = tuple(np.dtype(np.float16 if name.endswith("weights") else np.uint32) for name in _NAMES)
_HEADER_BYTES = 2 * (len(_NAMES) + 1)


def _small(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array.astype(np.float16) if array.dtype == np.float32 else array


def unpacked(packed: bytes) -> Signals:
    lengths = np.frombuffer(packed, dtype=np.uint16, count=len(_NAMES) + 1)[1:]
    found: dict[str, NDArray[np.generic]] = {}
    at = _HEADER_BYTES
    for name, kind, length in zip(_NAMES, _KINDS, lengths.tolist(), strict=True):
        array = np.frombuffer(packed, dtype=kind, count=length, offset=at)
        found[name] = array.astype(np.float32) if kind == np.float16 else array
        at += length * kind.itemsize
    return Signals(**found)  # type: ignore[arg-type]


def of(title: str, body: str) -> Signals:
    """The signs of a document, from its texts as written."""
    title_words, body_words = text.words(text.normalized(title)), text.words(text.normalized(body))
    title_terms, body_terms = _terms(title_words), _terms(body_words[:BODY_WORDS])
    named = _weighted(_hashed(_names(f"{title}\n{body[:BODY_CHARACTERS]}")), most=MAX_NAMES, unit=False)
    heading = _weighted(title_terms, most=MAX_TERMS)
    lead = _weighted([*title_terms, *body_terms[:LEAD_WORDS]], most=MAX_TERMS)
    whole = _weighted([*title_terms, *body_terms], most=MAX_TERMS)
    return Signals(
        title=heading[0], title_weights=heading[1], lead=lead[0], lead_weights=lead[1], body=whole[0],
        body_weights=whole[1], names=named[0], name_weights=named[1], title_numbers=_hashed_numbers(title),
        numbers=_hashed_numbers(f"{title}\n{body[:NUMBER_CHARACTERS]}"), sketch=phrases(body_words)[:SKETCH],
    )  # fmt: skip


def phrases(words: Sequence[str]) -> Words:
    """The hashes of all runs of five words, sorted, each once."""
    words = words[:MAX_PHRASE_WORDS]
    if len(words) < PHRASE:
        return np.empty(0, dtype=np.uint32)
    hashed = np.frombuffer(b"".join(map(hashes.digest, words)), dtype=np.uint64)
    count = len(words) - PHRASE + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place, prime in enumerate(_PRIMES):
        mixed = (mixed ^ hashed[place : place + count]) * prime
    return np.unique((mixed >> np.uint64(32)).astype(np.uint32))


def containment(one: Words, other: Words) -> float:
    """Which share of the shorter text's phrases the longer one has too."""
    shorter = min(len(one), len(other))
    return len(np.intersect1d(one, other, assume_unique=True)) / shorter if shorter else 0.0


def indexed(phrases: Words) -> list[int]:
    """The phrases that an index holds: the smallest, in order, as PostgreSQL's integers."""
    return [phrase - (1 << 31) for phrase in phrases[:INDEXED_SKETCH].tolist()]


def weighty(words: Iterable[str]) -> frozenset[int]:
    """The stems of the words that say something."""
    found = np.array(_terms(words), dtype=np.uint32)
    return frozenset(found[weight(found) > 0].tolist())


@lru_cache(maxsize=1 << 17)
def _term(word: str) -> int:
    return _word_hash(_stem(word))


def _word_hash(word: str) -> int:
    return int.from_bytes(hashes.digest(word)[:4], "little")


def _terms(words: Iterable[str]) -> list[int]:
    return [_term(word) for word in words]


def _hashed(words: Iterable[str]) -> list[int]:
    return [_word_hash(word) for word in words]


def _stem(word: str) -> str:
    """The word without an English ending: enough to see that two texts speak of the same."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word[: -len(ending)]
    return word


def _weighted(terms: Sequence[int], *, most: int, unit: bool = True) -> tuple[Words, Weights]:
    """The terms that say something, with their weights; the weightiest where there are too many."""
    words, counts = np.unique(np.array(terms, dtype=np.uint32), return_counts=True)
    weights = weight(words)
    if unit:
        weights = weights * (1 + np.log(counts.astype(np.float32)))
    chosen = np.flatnonzero(weights > 0)
    if len(chosen) > most:
        chosen = np.sort(chosen[np.argsort(-weights[chosen], kind="stable")[:most]])
    length = float(np.sqrt((weights[chosen] ** 2).sum())) if unit else 1.0
    return words[chosen], (weights[chosen] / (length or 1.0)).astype(np.float32)


def weight(words: Words) -> Weights:
    """How much a word says: nothing for those that stand in every text, most for those that are rare."""
    found: Weights = _lexicon()[words & np.uint32((1 << _LEXICON_BITS) - 1)]
    return found


@cache
def _lexicon() -> Weights:
    stored = np.frombuffer(files(__package__).joinpath("lexicon.bin").read_bytes(), dtype=np.uint8)
    return (stored / _LEXICON_STEP).astype(np.float32)


def _names(written: str) -> set[str]:
    """Words with a capital letter where the sentence does not ask for one."""
    return {found.lower().removesuffix("'s").removesuffix("\u2019s").rstrip("s") for found in _NAME.findall(written)}


def numbers(written: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(written)[: 4 * MAX_NUMBERS])


def _hashed_numbers(written: str) -> Words:
    found = map(_word_hash, numbers(written))
    return np.array(sorted(found)[:MAX_NUMBERS], dtype=np.uint32)
