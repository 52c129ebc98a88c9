"""Copies: when two documents are the same article although nothing of them is equal."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from scoop.core import hashes, links, signals, text, titles
from scoop.core.dedup import Signal
from scoop.core.signals import Signals, WordIds

COPIED = 0.37  # share of the shorter body's phrases; 0.4 where words are split otherwise than in core/text.py
PERHAPS_COPIED = 0.1  # as a sample of 32 phrases tells it
MIN_PHRASES = 10
MANY_PHRASES = 40  # from which on one of the titles may be about another part
LOOK_ALIKE = 0.2  # overlap of two titles from which on their numbers are compared
WINDOW = timedelta(days=30)
TALKATIVE = 40  # words of a body from which on it must speak for a merge by title
MIN_SHARED_BODY = 0.08  # beside the title
MOST_OF_A_STORY = 5  # of its documents are compared with a new one, those with the most in common first


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyCandidate:
    """A document as the search for copies sees it; `publisher` is empty and `published_at` None where unknown."""

    document_id: int
    story_id: int | None
    title: str
    title_simhash: int | None
    published_at: datetime | None
    publisher: str
    words: int
    sketch: tuple[int, ...]  # a sample of the body's phrases, the smallest first


CandidatePair = tuple[CopyCandidate, CopyCandidate]
SameHeadline = tuple[CandidatePair, Signal, float]


def shortlist(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
    """The pairs that may be copies by their samples; of each story those with the most in common with a document.

    However many documents a story has, a new one is compared with a few.
    """
    found = [
        (share, pair)
        for pair in pairs
        if (share := sketched_share(pair[0].sketch, pair[1].sketch)) >= PERHAPS_COPIED
        and not are_apart(*pair)
        and is_near_in_time(*pair, WINDOW)
    ]
    return _few_of_each_story(pair for _, pair in sorted(found, key=lambda each: (-each[0], _ids(each[1]))))


def same_headlines(pairs: Iterable[CandidatePair]) -> list[SameHeadline]:
    """The pairs that a title rule takes for one article, by which rule and how strongly; a few of each story."""
    told = {_ids(pair): (pair, *found) for pair in sorted(pairs, key=_ids) if (found := same_headline(*pair))}
    return [told[_ids(pair)] for pair in _few_of_each_story(pair for pair, *_ in told.values())]


def _ids(pair: CandidatePair) -> tuple[int, int]:
    return pair[0].document_id, pair[1].document_id


def _few_of_each_story(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
    """Of each document's pairs with a story the first ones; two documents without a story make one pair."""
    kept: list[CandidatePair] = []
    seen: Counter[tuple[int, ...]] = Counter()
    for one, other in pairs:
        is_placed = other.story_id is not None
        place = (one.document_id, other.story_id or 0) if is_placed else (0, *sorted(_ids((one, other))))
        seen[place] += 1
        if seen[place] <= (MOST_OF_A_STORY if is_placed else 1):
            kept.append((one, other))
    return kept


def are_apart(one: CopyCandidate, other: CopyCandidate) -> bool:
    """Whether two look-alikes are two stories for sure: of one publisher, or with other numbers in their titles."""
    if one.publisher and one.publisher == other.publisher:
        return True
    ours, theirs = titles.heading(one.title), titles.heading(other.title)
    if not ours.numbers or not theirs.numbers or ours.numbers == theirs.numbers:
        return False
    return titles.overlap(ours, theirs) >= LOOK_ALIKE


def is_near_in_time(one: CopyCandidate, other: CopyCandidate, window: timedelta) -> bool:
    """An unknown date neither joins nor parts."""
    if one.published_at is None or other.published_at is None:
        return True
    return abs(one.published_at - other.published_at) <= window


def sketched_share(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The containment as two samples of the smallest phrases tell it: as far as the denser one reaches."""
    if not one or not other:
        return 0.0
    denser, sparser = sorted((one, other), key=itemgetter(-1))
    shorter = min(len(denser), bisect_right(sparser, denser[-1]))
    return len({*one}.intersection(other)) / shorter if shorter else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseText:
    """A text as the search for copies sees it: its phrases, and the words that say something."""

    phrases: WordIds
    terms: frozenset[int]


def body(normalized_text: str) -> PhraseText:
    words = text.words(normalized_text)
    return PhraseText(phrases=signals.phrases(hashes.digests(words)), terms=signals.weighty(words))


def copied(one: CopyCandidate, other: CopyCandidate, ours: PhraseText, theirs: PhraseText) -> float | None:
    """How much of the shorter body is in the longer one; nothing where that makes no copy.

    What no title speaks of is no article but what stands around one: a notice, a newsletter, the names of networks.
    """
    shorter = min(len(ours.phrases), len(theirs.phrases))
    if shorter < MIN_PHRASES:
        return None
    our_title, their_title = titles.heading(one.title).terms, titles.heading(other.title).terms
    are_spoken_of = (bool(our_title & theirs.terms), bool(their_title & ours.terms))
    if not our_title & their_title and not (all if shorter < MANY_PHRASES else any)(are_spoken_of):
        return None
    share = signals.containment(ours.phrases, theirs.phrases)
    return share if share >= COPIED else None


def same_headline(one: CopyCandidate, other: CopyCandidate) -> tuple[Signal, float] | None:
    """Which title rule says that two documents are one article, and how strongly, unless their bodies disagree."""
    ours, theirs = titles.heading(one.title), titles.heading(other.title)
    if ours.terms != theirs.terms or ours.numbers != theirs.numbers or not (ours.is_telling and theirs.is_telling):
        return None
    if are_apart(one, other) or not is_near_in_time(one, other, titles.WINDOW):
        return None
    if one.title_simhash is not None and other.title_simhash is not None:
        bits = hashes.hamming(one.title_simhash, other.title_simhash)
        if bits <= titles.MAX_BITS:
            return "lexical_simhash", 1 - bits / hashes.SIMHASH_BITS
    share = titles.overlap(ours, theirs)
    return ("lexical_overlap", share) if share >= titles.MIN_OVERLAP else None


def are_talkative(one: CopyCandidate, other: CopyCandidate) -> bool:
    """Whether both bodies are long enough to object to a merge by title."""
    return min(one.words, other.words) >= TALKATIVE


def bodies_agree(one: Signals, other: Signals) -> bool:
    """Two long bodies under one headline must speak of the same."""
    return links.shared_beside_title(one, other) >= MIN_SHARED_BODY
