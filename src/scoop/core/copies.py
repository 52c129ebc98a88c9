"""Copies: when two documents are the same article although nothing of them is equal."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import hashes, links, signals, text, titles
from scoop.core.dedup import MIN_CONTENT_TOKENS, Signal
from scoop.core.signals import Signals, Words

COPIED = 0.4  # share of the shorter body's phrases: one story in 323 of 323 cases
PERHAPS_COPIED = 0.2  # as a sample tells it
MIN_PHRASES = 10
LOOK_ALIKE = 0.2  # overlap of two titles from which on their numbers are compared
WINDOW = timedelta(days=30)
TALKATIVE = 40  # words of a body from which on it must speak for a merge by title
MIN_SHARED_BODY = 0.08  # beside the title


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A document as the search for copies sees it; `publisher` is empty and `published_at` None where unknown."""

    document_id: int
    story_id: int | None
    title: str
    title_simhash: int | None
    published_at: datetime | None
    publisher: str
    words: int
    signals: Signals


def are_apart(one: Article, other: Article) -> bool:
    """Whether two look-alikes are two stories for sure: of one publisher, or with other numbers in their titles."""
    if one.publisher and one.publisher == other.publisher:
        return True
    ours, theirs = set(one.signals.title_numbers.tolist()), set(other.signals.title_numbers.tolist())
    return ours != theirs and titles.overlap(*_normalized(one, other)) >= LOOK_ALIKE and bool(ours) and bool(theirs)


def is_near_in_time(one: Article, other: Article, window: timedelta) -> bool:
    """An unknown date neither joins nor parts."""
    if one.published_at is None or other.published_at is None:
        return True
    return abs(one.published_at - other.published_at) <= window


def may_be_copies(one: Article, other: Article) -> bool:
    """Whether it is worth comparing the texts."""
    return (
        not are_apart(one, other)
        and is_near_in_time(one, other, WINDOW)
        and links.sketched_containment(one.signals.sketch, other.signals.sketch) >= PERHAPS_COPIED
    )


def copied(ours: Words, theirs: Words) -> float | None:
    """How much of the shorter body is in the longer one; nothing where that makes no copy."""
    if min(len(ours), len(theirs)) < MIN_PHRASES:
        return None
    share = signals.containment(ours, theirs)
    return share if share >= COPIED else None


def same_headline(one: Article, other: Article) -> tuple[Signal, float] | None:
    """Which title rule says that two documents are one article, and how strongly."""
    if are_apart(one, other) or not is_near_in_time(one, other, titles.WINDOW):
        return None
    if titles.terms(one.title) != titles.terms(other.title) or not _bodies_agree(one, other):
        return None
    ours, theirs = _normalized(one, other)
    if min(len(ours.split()), len(theirs.split())) < titles.MIN_WORDS and not _is_unspaced(ours):
        return None
    if set(one.signals.title_numbers.tolist()) != set(other.signals.title_numbers.tolist()):
        return None
    if one.title_simhash is not None and other.title_simhash is not None:
        bits = hashes.hamming(one.title_simhash, other.title_simhash)
        if bits <= titles.MAX_BITS:
            return "lexical_simhash", 1 - bits / hashes.SIMHASH_BITS
    share = titles.overlap(ours, theirs)
    return ("lexical_overlap", share) if share >= titles.MIN_OVERLAP else None


def _normalized(one: Article, other: Article) -> tuple[str, str]:
    return text.normalized(titles.bare(one.title)), text.normalized(titles.bare(other.title))


def _is_unspaced(title: str) -> bool:
    """Whether the title is of a script without spaces, and long enough to say something."""
    return len(text.words(title)) >= 2 * titles.MIN_WORDS


def _bodies_agree(one: Article, other: Article) -> bool:
    """Two long bodies under one headline must speak of the same; short ones cannot object."""
    if min(one.words, other.words) < max(TALKATIVE, MIN_CONTENT_TOKENS):
        return True
    return links.shared_beside_title(one.signals, other.signals) >= MIN_SHARED_BODY
