"""Decides when two documents are the same article although neither URL nor text is equal."""

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
PERHAPS_COPIED = 0.1  # by a sample of 32 phrases
MIN_PHRASES = 10
MANY_PHRASES = 40  # in longer texts one of the titles may be about another part
LOOK_ALIKE = 0.2  # overlap of two titles above which their numbers must be equal
WINDOW = timedelta(days=30)
LONG_BODY_WORDS = 40  # longer bodies must agree before equal titles merge them
MIN_SHARED_BODY = 0.08  # beside the title
UNRELATED_TITLES = 10  # of one body; 17 of 2,851 labelled articles mention no informative word of their title
MAX_COMPARED_PER_STORY = 5  # documents, those with the most in common first


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyCandidate:
    """A document as the search for copies sees it; `publisher` is empty and `published_at` None if unknown."""

    document_id: int
    story_id: int | None
    title: str
    title_simhash: int | None
    published_at: datetime | None
    publisher: str
    words: int
    sketch: tuple[int, ...]  # a sample of the body's phrases, the smallest first
    body_hash: int | None = None


CandidatePair = tuple[CopyCandidate, CopyCandidate]
SameHeadline = tuple[CandidatePair, Signal, float]


def shortlist(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
    """The pairs that may be copies by their samples, those with the most in common first.

    A document is compared with only a few documents of a story, however many that has.
    """
    shares = [
        (share, pair)
        for pair in pairs
        if (share := sketched_share(pair[0].sketch, pair[1].sketch)) >= PERHAPS_COPIED
        and not are_apart(*pair)
        and is_near_in_time(*pair, WINDOW)
    ]
    return _few_of_each_story(pair for _, pair in sorted(shares, key=lambda each: (-each[0], _ids(each[1]))))


def same_headlines(pairs: Iterable[CandidatePair]) -> list[SameHeadline]:
    """The pairs that a title rule matches, with the rule and its score; a few of each story."""
    matched = {_ids(pair): (pair, *rule) for pair in sorted(pairs, key=_ids) if (rule := same_headline(*pair))}
    return [matched[_ids(pair)] for pair in _few_of_each_story(pair for pair, *_ in matched.values())]


def _ids(pair: CandidatePair) -> tuple[int, int]:
    return pair[0].document_id, pair[1].document_id


def _few_of_each_story(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
    """The first pairs of each document with each story; two documents without a story are one pair."""
    kept: list[CandidatePair] = []
    seen: Counter[tuple[int, ...]] = Counter()
    for one, other in pairs:
        is_placed = other.story_id is not None
        place = (one.document_id, other.story_id or 0) if is_placed else (0, *sorted(_ids((one, other))))
        seen[place] += 1
        if seen[place] <= (MAX_COMPARED_PER_STORY if is_placed else 1):
            kept.append((one, other))
    return kept


def are_apart(one: CopyCandidate, other: CopyCandidate) -> bool:
    """Whether two similar documents are surely two stories: one publisher, or different numbers in their titles."""
    if one.publisher and one.publisher == other.publisher:
        return True
    ours, theirs = titles.heading(one.title), titles.heading(other.title)
    if not ours.numbers or not theirs.numbers or ours.numbers == theirs.numbers:
        return False
    return titles.overlap(ours, theirs) >= LOOK_ALIKE


def is_near_in_time(one: CopyCandidate, other: CopyCandidate, window: timedelta) -> bool:
    """Whether two dates are within the window; an unknown date is near any."""
    if one.published_at is None or other.published_at is None:
        return True
    return abs(one.published_at - other.published_at) <= window


def sketched_share(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The containment estimated from two samples of the smallest phrases, up to the end of the denser one."""
    if not one or not other:
        return 0.0
    denser, sparser = sorted((one, other), key=itemgetter(-1))
    shorter = min(len(denser), bisect_right(sparser, denser[-1]))
    return len({*one}.intersection(other)) / shorter if shorter else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseText:
    """A text as the search for copies sees it: its phrases and its informative words."""

    phrases: WordIds
    terms: frozenset[int]


def phrase_text(normalized_text: str) -> PhraseText:
    words = text.words(normalized_text)
    return PhraseText(phrases=signals.phrases(hashes.digests(words)), terms=signals.informative_terms(words))


def copied_share(one: CopyCandidate, other: CopyCandidate, ours: PhraseText, theirs: PhraseText) -> float | None:
    """The share of the shorter body that is in the longer one; None if that does not make it a copy.

    Text that neither title mentions is boilerplate (a notice, a newsletter sign-up), not a copied article.
    """
    shorter = min(len(ours.phrases), len(theirs.phrases))
    if shorter < MIN_PHRASES:
        return None
    our_title, their_title = titles.heading(one.title).terms, titles.heading(other.title).terms
    are_mentioned = (bool(our_title & theirs.terms), bool(their_title & ours.terms))
    if not our_title & their_title and not (all if shorter < MANY_PHRASES else any)(are_mentioned):
        return None
    share = signals.containment(ours.phrases, theirs.phrases)
    return share if share >= COPIED else None


def is_boilerplate(body: PhraseText, its_titles: Iterable[str]) -> bool:
    """Whether a body is a notice instead of an article: it mentions nothing of many titles that it is under."""
    unrelated = {terms for title in its_titles if (terms := titles.heading(title).terms)}
    return sum(not terms & body.terms for terms in unrelated) >= UNRELATED_TITLES


def same_headline(one: CopyCandidate, other: CopyCandidate) -> tuple[Signal, float] | None:
    """The title rule by which two documents are one article, and its score; their bodies may still disagree."""
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


def have_long_bodies(one: CopyCandidate, other: CopyCandidate) -> bool:
    """Whether both bodies are long enough to contradict a merge by title."""
    return min(one.words, other.words) >= LONG_BODY_WORDS


def bodies_agree(one: Signals, other: Signals) -> bool:
    """Whether two long bodies share informative words besides those of their titles, and their figures."""
    return links.shared_beside_title(one, other) >= MIN_SHARED_BODY and not links.have_other_figures(one, other)
