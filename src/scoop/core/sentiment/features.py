"""Hashed features of texts: words and runs of characters, by their place around the target."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

BITS = 18
RUNS = (2, 3, 4, 5)  # characters
RUNS_OF_KOREAN = (6, 7, 8)  # its syllables are taken apart: about three of them
NEGATION_SCOPE = 4  # words
NEAR_PAIR = 8  # words from the target
_WORD_EDGES, _SIGN_EDGES = (0, 1, 2, 4, 7, 13), (0, 1, 8, 25, 80)  # distances from the target at which a zone begins
_TARGET = "\x01"

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|0+(?:[.,]0+)*%?|[!?]+|[:;=8][-']?[)(dp/\\|\][]|<3|[^\w\s]")
_HANGUL, _JAMO = re.compile("[\uac00-\ud7a3]"), (0x1100, 0x11FF)
_DIGIT = str.maketrans(dict.fromkeys("123456789", "0"))
_NEGATIONS = (
    "not no never none nobody nothing neither nor without cannot can't don't doesn't didn't won't wouldn't isn't wasn't"
    " aren't weren't couldn't shouldn't hasn't haven't hadn't ain't hardly barely nicht kein keine keinen keinem keiner"
    " nie niemals nichts ohne kaum не ни нет без никогда ne pas jamais aucun aucune sans rien nunca jamás ningún sin"
    " nada non mai senza niente não nem sem"
)
NEGATIONS = frozenset(_NEGATIONS.split())

Hashes = NDArray[np.uint32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage around its target; without one all of it is on the left."""

    left: str
    right: str = ""
    has_target: bool = False


@dataclass(frozen=True, slots=True)
class HashedRows:
    """The features of some texts: feature `buckets[n]` belongs to the text `rows[n]`."""

    buckets: NDArray[np.int32]
    rows: Numbers
    scales: NDArray[np.float32]  # one over the root of the number of features, by text


def hashed(pieces: Sequence[Piece], clauses: Sequence[Piece]) -> HashedRows:
    """The features of pieces and of the clauses in them: words, pairs and negated words, and runs of characters."""
    parts = [*_features(pieces, 0), *_features([one for one in clauses if one.has_target], 1)]
    clause_rows = np.flatnonzero([one.has_target for one in clauses])
    rows = np.concatenate([clause_rows[own] if salt else own for _, own, salt in parts])
    counts = np.bincount(rows, minlength=len(pieces))
    buckets = np.concatenate([_bucket(hashes, salt) for hashes, _, salt in parts])
    return HashedRows(buckets, rows, (1 / np.sqrt(np.maximum(counts, 1))).astype(np.float32))


def _features(pieces: Sequence[Piece], salt: int) -> Iterator[tuple[Hashes, Numbers, int]]:
    plain = [Piece(_plain(one.left), _plain(one.right), one.has_target) for one in pieces]
    for hashes, rows in (*_word_features(plain), *_sign_features(plain)):
        yield hashes, rows, salt


def _plain(content: str) -> str:
    plain = content.lower().translate(_DIGIT).replace("’", "'")
    return normalize("NFD", plain) if _HANGUL.search(plain) else plain  # an ending may be half a syllable of Korean


def _word_features(pieces: Sequence[Piece]) -> Iterator[tuple[Hashes, Numbers]]:
    words: list[int] = []
    negated: list[bool] = []
    counts, targets = [], []
    for one in pieces:
        tokens = _TOKEN.findall(one.left)
        targets.append(len(tokens) if one.has_target else -1)
        if one.has_target:
            tokens += [_TARGET, *_TOKEN.findall(one.right)]
        counts.append(len(tokens))
        words += map(_word_hash, tokens)
        negated += _negated(tokens)
    hashes, rows, distances = _places(words, counts, targets)
    marked = np.array(negated, dtype=bool)
    yield hashes, rows
    yield _mixed(hashes[marked], 7), rows[marked]
    together = rows[:-1] == rows[1:]
    pairs = _mixed(hashes[:-1] * np.uint32(31) + hashes[1:], 11)[together]
    yield pairs, rows[:-1][together]
    zones = _zones(distances, _WORD_EDGES)
    placed = zones != 0
    yield _mixed(hashes, 13 + np.sign(zones))[placed], rows[placed]
    yield _mixed(hashes, 29 + zones)[placed], rows[placed]
    near = placed[:-1][together] & (np.abs(distances[:-1][together]) <= NEAR_PAIR)
    yield _mixed(pairs, 53 + np.sign(zones[:-1][together]))[near], rows[:-1][together][near]


def _sign_features(pieces: Sequence[Piece]) -> Iterator[tuple[Hashes, Numbers]]:
    joined = [f"{one.left}{_TARGET}{one.right}" if one.has_target else one.left for one in pieces]
    signs = np.frombuffer("".join(joined).encode("utf-32-le", "replace"), dtype=np.uint32)
    counts = [len(one) for one in joined]
    targets = [len(one.left) if one.has_target else -1 for one in pieces]
    codes, rows, distances = _places(signs, counts, targets)
    hashes = codes * np.uint32(2654435761)
    is_korean = (codes >= _JAMO[0]) & (codes <= _JAMO[1])
    for length in (*RUNS, *(RUNS_OF_KOREAN if is_korean.any() else ())):
        hashes = hashes[:-1] * np.uint32(16777619) ^ codes[length - 1 :]
        together = rows[: len(hashes)] == rows[length - 1 :]
        if length in RUNS_OF_KOREAN:
            together &= is_korean[: len(hashes)]
        run, own = _mixed(hashes[together], 101 + length), rows[: len(hashes)][together]
        yield run, own
        first, last = distances[: len(hashes)][together], distances[length - 1 :][together]
        zones = _zones(np.where(last < 0, last, first), _SIGN_EDGES)
        placed = ((last < 0) | (first > 0)) & (zones != 0)
        yield _mixed(run, 211 + zones)[placed], own[placed]


def _places(
    values: Sequence[int] | Hashes, counts: Sequence[int], targets: Sequence[int]
) -> tuple[Hashes, Numbers, Numbers]:
    """The values with their text, and their distance from its target: negative before it, 0 without one."""
    rows = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    target = np.repeat(np.asarray(targets), counts)
    distances = np.where(target < 0, 0, np.arange(len(rows)) - np.repeat(starts, counts) - target)
    return np.asarray(values, dtype=np.uint32), rows, distances


def _zones(distances: Numbers, edges: tuple[int, ...]) -> Numbers:
    """Rings around the target, negative before it; 0 is the target, or all where there is none."""
    zones: Numbers = np.sign(distances) * (np.searchsorted(edges, np.abs(distances), side="right") - 1)
    return zones


def _negated(tokens: Sequence[str]) -> Iterator[bool]:
    left = 0
    for token in tokens:
        if token in NEGATIONS:
            left = NEGATION_SCOPE + 1
        elif not token[0].isalnum() and token != _TARGET:
            left = 0
        left = max(0, left - 1)
        yield left > 0 and token not in NEGATIONS


@lru_cache(maxsize=1 << 17)
def _word_hash(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "replace"))


def _mixed(hashes: Hashes, salt: int | Numbers) -> Hashes:
    mixed = hashes ^ (np.asarray(salt).astype(np.int64) * 2246822519 & 0xFFFFFFFF).astype(np.uint32)
    spread: Hashes = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(2246822519)
    return spread


def _bucket(hashes: Hashes, salt: int) -> NDArray[np.int32]:
    salted = hashes ^ np.uint32(salt * 0x9E3779B9)
    mixed = (salted ^ (salted >> np.uint32(13))) * np.uint32(3266489917)
    buckets: NDArray[np.int32] = (mixed >> np.uint32(32 - BITS)).astype(np.int32)
    return buckets
