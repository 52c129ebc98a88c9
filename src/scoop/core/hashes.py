"""Hashes of content: equal for equal content, or close for similar content."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np
import xxhash
from numpy.typing import NDArray

from scoop.model import Item

DigestArray = NDArray[np.uint64]

SIMHASH_BITS = 64
_SIMHASH_MASK = (1 << SIMHASH_BITS) - 1
_CHANGES_AT_EVERY_SCRAPE = frozenset({"job_run_id", "scraped_at", "scrape_run_uuid"})


def sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def title_hash(normalized_title: str) -> bytes:
    return sha256(normalized_title)


def content_hash(normalized_title: str, normalized_text: str) -> bytes:
    return sha256(f"{normalized_title}\n{normalized_text}")  # unambiguous: normalized text has no line break


def payload_hash(item: Item) -> bytes:
    """SHA-256 of the item's canonical JSON, without the fields that change with every scrape."""
    metadata = {key: value for key, value in item["source_metadata"].items() if key not in _CHANGES_AT_EVERY_SCRAPE}
    return hashlib.sha256(msgspec.json.encode({**item, "source_metadata": metadata}, order="sorted")).digest()


def body_hash(normalized_text: str) -> int:
    """A hash of a text as a PostgreSQL integer."""
    return int.from_bytes(xxhash.xxh3_64_digest(normalized_text.encode()), signed=True)


@lru_cache(maxsize=1 << 17)
def digest(word: str) -> bytes:
    """The hash of a word, eight bytes."""
    return xxhash.xxh3_64_digest(word.encode())


def digests(words: Sequence[str]) -> DigestArray:
    """The hashes of words, input for simhashes and phrases."""
    return np.frombuffer(b"".join(map(digest, words)), dtype=np.uint64)


def simhash(words: DigestArray) -> int | None:
    """A simhash as a signed number: texts that share most words differ in few bits. None for no words."""
    if not len(words):
        return None
    votes = np.unpackbits(words.view(np.uint8)).reshape(-1, SIMHASH_BITS).sum(axis=0, dtype=np.uint32)
    return int.from_bytes(np.packbits(votes > len(words) // 2).tobytes(), signed=True)


def hamming(a: int, b: int) -> int:
    """The number of bits in which two simhashes differ."""
    return ((a ^ b) & _SIMHASH_MASK).bit_count()
