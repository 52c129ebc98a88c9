"""Titles: when two of them are the same headline, however they are typed."""

import re
from datetime import timedelta

from scoop.core import hashes, signals, text

MIN_WORDS = 5  # fewer say too little: "Morning briefing" is not one story
MAX_BITS = 3
MIN_OVERLAP = 0.88
WINDOW = timedelta(days=14)
BLOCKS = 4  # of a simhash, 16 bits each: where at most three bits differ, one block is equal

_SUFFIX = re.compile(r"\s+[-|\u2013\u2014\u00b7]\s+\S+(?:\s+\S+){0,3}\s*$")


def bare(title: str) -> str:
    """Without the name of the site that many put behind a bar or a dash."""
    found = _SUFFIX.search(title)
    return title[: found.start()] if found and len(title[: found.start()].split()) >= MIN_WORDS else title


def terms(title: str) -> frozenset[int]:
    """The words that say something, whatever their order and endings."""
    return signals.weighty(text.words(text.normalized(bare(title))))


def bands(title: str, simhash: int | None) -> list[int]:
    """What titles that may be the same share one of: a block of the simhash, or all words; as PostgreSQL's integers."""
    if simhash is None:
        return []
    blocks = [((simhash >> (16 * block)) & 0xFFFF) | block << 16 for block in range(BLOCKS)]
    said = hashes.digest(" ".join(map(str, sorted(terms(title)))))
    return [*blocks, -1 - (int.from_bytes(said[:4], "little") >> 1)]


def overlap(one: str, other: str) -> float:
    """How many of their runs of three characters two normalized titles share."""
    ours, theirs = _trigrams(one), _trigrams(other)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def _trigrams(title: str) -> set[str]:
    padded = f"  {title} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
