"""Compares titles: whether two of them are the same headline."""

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from scoop.core import hashes, signals, text

MIN_WORDS = 5  # shorter titles are ambiguous: "Morning briefing" is not one story
MAX_BITS = 3
MIN_OVERLAP = 0.88
WINDOW = timedelta(days=14)

_SUFFIX = re.compile(r"\s+[-|\u2013\u2014\u00b7]\s+\S+(?:\s+\S+){0,3}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A title for comparison: normalized, without the name of the site, with its significant words and numbers."""

    normalized: str
    terms: frozenset[int]
    numbers: frozenset[str]
    trigrams: frozenset[str]

    @property
    def is_telling(self) -> bool:
        """Whether it is long enough to identify one story; in scripts without spaces, by pairs of characters."""
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
    """The title without the name of the site after a bar or a dash."""
    suffix = _SUFFIX.search(title)
    return title[: suffix.start()] if suffix and len(title[: suffix.start()].split()) >= MIN_WORDS else title


def headline(title: str) -> int | None:
    """A key that titles with the same significant words share, as a PostgreSQL integer; None if there are none."""
    terms = signals.informative_terms(text.words(text.normalized(bare(title))))
    if not terms:
        return None
    return int.from_bytes(hashes.digest(" ".join(map(str, sorted(terms)))), "little", signed=True)


def overlap(one: Heading, other: Heading) -> float:
    """The share of trigrams that two titles have in common."""
    union = one.trigrams | other.trigrams
    return len(one.trigrams & other.trigrams) / len(union) if union else 0.0


def _trigrams(title: str) -> frozenset[str]:
    padded = f"  {title} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))
