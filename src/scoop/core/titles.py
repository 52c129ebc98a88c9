"""Titles: when two of them are the same headline, however they are typed."""

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from scoop.core import hashes, signals, text

MIN_WORDS = 5  # fewer say too little: "Morning briefing" is not one story
MAX_BITS = 3
MIN_OVERLAP = 0.88
WINDOW = timedelta(days=14)

_SUFFIX = re.compile(r"\s+[-|\u2013\u2014\u00b7]\s+\S+(?:\s+\S+){0,3}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A title as comparisons see it: normalized, without its site, and the words and numbers that say something."""

    normalized: str
    terms: frozenset[int]
    numbers: frozenset[str]
    trigrams: frozenset[str]

    @property
    def is_telling(self) -> bool:
        """Whether it is long enough to name one story; in scripts without spaces, by pairs of characters."""
        return len(self.normalized.split()) >= MIN_WORDS or len(text.words(self.normalized)) >= 2 * MIN_WORDS


@lru_cache(maxsize=1 << 14)
def heading(title: str) -> Heading:
    normalized = text.normalized(bare(title))
    return Heading(
        normalized=normalized,
        terms=signals.informative_terms(text.words(normalized)),
        numbers=signals.numbers(title),
        trigrams=_trigrams(normalized),
    )


def bare(title: str) -> str:
    """Without the name of the site that many put behind a bar or a dash."""
    found = _SUFFIX.search(title)
    return title[: found.start()] if found and len(title[: found.start()].split()) >= MIN_WORDS else title


def headline(title: str) -> int | None:
    """What titles that may be the same have in common, as PostgreSQL's integer; None for one that says nothing."""
    terms = signals.informative_terms(text.words(text.normalized(bare(title))))
    if not terms:
        return None
    return int.from_bytes(hashes.digest(" ".join(map(str, sorted(terms)))), "little", signed=True)


def overlap(one: Heading, other: Heading) -> float:
    """How many of their runs of three characters two titles share."""
    every = one.trigrams | other.trigrams
    return len(one.trigrams & other.trigrams) / len(every) if every else 0.0


def _trigrams(title: str) -> frozenset[str]:
    padded = f"  {title} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))
