"""Sources prepared for comparison, and the search for the passages that a claim rests on."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum, log

from scoop.core import sentences, signals
from scoop.core.briefs import SourceText
from scoop.core.support.tokens import SIGN, Tokens, tokenize
from scoop.model import Citation

MAX_PASSAGES = 4  # sentences that a claim may rest on; summaries join two or three
LEAST_GAIN = 0.08  # of the weight of the claim's terms, for one more sentence
MAX_POSTINGS = 400  # sentences with a term; a more frequent one says nothing about where to look
MAX_TOKENS = 160  # of a sentence; a longer one is cut, so that text without full stops costs no more
STEM = 5  # characters that two forms of a word share

_ASIDE = re.compile(r"[(（][^()（）\n]{1,200}[)）]")

Bigram = tuple[str, str]
Term = str | Bigram


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSentence:
    """A sentence of a source: its range, and its tokens as a range of those of the whole source."""

    document_id: int
    language: str
    start: int
    end: int
    tokens: Tokens
    first: int
    last: int
    terms: set[Term]

    def citation(self) -> Citation:
        return Citation(document_id=self.document_id, start=self.start, end=self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All sources of a call: sentences, where each term is, and the words and neighbours of all.

    `ranges` has the sentences of each document, `joined` all tokens, `written` all text in lower case.
    """

    sentences: tuple[SourceSentence, ...]
    ranges: dict[int, tuple[int, int]]
    postings: dict[Term, list[int]]
    vocabulary: frozenset[str]
    stems: frozenset[str]
    bigrams: frozenset[Bigram]
    joined: str
    written: str
    languages: frozenset[str]


def prepare(sources: Sequence[SourceText]) -> Sources:
    """The sources as sentences and indexes; a title counts as a sentence without a passage."""
    found: list[SourceSentence] = []
    ranges: dict[int, tuple[int, int]] = {}
    for source in sources:
        own = _sentences_of(source)
        ranges[source.document_id] = (len(found), len(found) + len(own))
        found += own
    parts = [sentence.tokens.texts[sentence.first : sentence.last] for sentence in found]
    postings: dict[Term, list[int]] = {}
    for number, sentence in enumerate(found):
        for term in sentence.terms:
            postings.setdefault(term, []).append(number)
    titles = [tokenize(source.title, source.language).texts for source in sources]
    vocabulary = frozenset(token for part in (*parts, *titles) for token in part)
    return Sources(
        sentences=tuple(found),
        ranges=ranges,
        postings=postings,
        vocabulary=vocabulary,
        stems=frozenset(token[:STEM] for token in vocabulary if len(token) >= STEM),
        bigrams=frozenset(pair for part in (*parts, *titles) for pair in pairwise(part)),
        joined=" ".join(["", *(token for part in (*parts, *titles, *_without_asides(sources)) for token in part), ""]),
        written="\n".join(f"{source.title}\n{source.body_text}\n{source.url or ''}" for source in sources).lower(),
        languages=frozenset(source.language[:2].lower() for source in sources),
    )


def _without_asides(sources: Sequence[SourceText]) -> list[list[str]]:
    """The tokens of the texts that have brackets, without these: a quotation may leave an aside out."""
    shorter = [(source, _ASIDE.sub("", source.body_text)) for source in sources]
    return [tokenize(text, source.language).texts for source, text in shorter if len(text) < len(source.body_text)]


def _sentences_of(source: SourceText) -> list[SourceSentence]:
    tokens = tokenize(source.body_text, source.language)
    found, first, count = [], 0, len(tokens.texts)
    for start, end in sentences.split(source.body_text, source.language):
        while first < count and tokens.starts[first] < start:
            first += 1
        last = first
        while last < count and tokens.starts[last] < end:
            last += 1
        for at in range(first, last, MAX_TOKENS):
            to = min(at + MAX_TOKENS, last)
            begin, stop = start if at == first else tokens.starts[at], end if to == last else tokens.ends[to - 1]
            found.append(
                SourceSentence(
                    document_id=source.document_id,
                    language=source.language,
                    start=begin,
                    end=stop,
                    tokens=tokens,
                    first=at,
                    last=to,
                    terms=terms(tokens, at, to),
                )
            )
        first = last
    return found


def terms(tokens: Tokens, first: int, last: int) -> set[Term]:
    """What a sentence is found by: informative words, numbers, and pairs of characters of unspaced scripts."""
    texts, kinds = tokens.texts[first:last], tokens.kinds[first:last]
    words = {text for text, kind in zip(texts, kinds, strict=True) if kind != SIGN and is_informative(text)}
    pairs = {(texts[at], texts[at + 1]) for at in range(len(texts) - 1) if kinds[at] == SIGN and kinds[at + 1] == SIGN}
    return words | pairs


@lru_cache(maxsize=1 << 17)
def is_informative(word: str) -> bool:
    return word[0] == "#" or bool(signals.informative_terms([word]))


def search(claim_terms: set[Term], sources: Sources) -> list[int]:
    """The sentences of all sources that cover most of the claim's terms, best first."""
    places: dict[int, list[tuple[Term, float]]] = {}
    weights = []
    for term in claim_terms:
        posting = sources.postings.get(term, ())
        weight = log(1 + len(sources.sentences) / (len(posting) or 1))
        weights.append(weight)
        for number in posting[:MAX_POSTINGS]:
            places.setdefault(number, []).append((term, weight))
    return _cover(places, fsum(weights))


def search_cited(claim_terms: set[Term], sources: Sources, cited: Sequence[int]) -> list[int]:
    """The cited sentences; the best of them if there are too many."""
    if len(cited) <= MAX_PASSAGES:
        return list(cited)
    places = {number: [(term, 1.0) for term in sources.sentences[number].terms & claim_terms] for number in cited}
    return _cover(places, float(len(claim_terms)))


def cited_sentences(citations: Sequence[Citation], sources: Sources) -> list[int]:
    """The sentences that overlap the cited ranges."""
    found: dict[int, None] = {}
    for citation in citations:
        if citation.start >= citation.end:
            continue
        first, last = sources.ranges.get(citation.document_id, (0, 0))
        at = bisect_right(sources.sentences, citation.start, first, last, key=lambda sentence: sentence.end)
        while at < last and sources.sentences[at].start < citation.end:
            found[at] = None
            at += 1
    return list(found)


def _cover(places: dict[int, list[tuple[Term, float]]], total: float) -> list[int]:
    """Greedy choice: each sentence adds most of the weight that is still uncovered.

    The terms come from sets, whose order changes with the process: `fsum` gives one result for every order.
    """
    chosen: list[int] = []
    covered: set[Term] = set()
    while len(chosen) < MAX_PASSAGES:
        gains = {
            number: fsum(weight for term, weight in found if term not in covered)
            for number, found in places.items()
            if number not in chosen
        }
        best = max(gains, key=lambda number: (gains[number], -number), default=None)
        if best is None or gains[best] <= (LEAST_GAIN * total if chosen else 0):
            break
        chosen.append(best)
        covered |= {term for term, _ in places[best]}
    return chosen
