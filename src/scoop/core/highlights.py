"""Texts as spans in which the words of a query, or a cited passage, are marked."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from scoop.core import search, text

PASSAGE_CHARACTERS = 260
BEFORE = 60  # characters of context before the first hit of a passage
MAX_TEXT = 20_000  # characters of a body that are searched for a passage
PARAGRAPH_END = "\n\n"
SHARED_START = 2  # letters that a word and its stem share in every stemmed language

_RUN = re.compile(r"[\w\u0300-\u036f'\u2019]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HighlightSpan:
    """A part of a text, and whether it matches the query or is the cited passage."""

    text: str
    is_hit: bool


@dataclass(frozen=True, slots=True)
class _Range:
    start: int
    end: int


def candidate_words(whole: str, forms: Collection[str]) -> set[str]:
    """The words of a text whose stem may be one of these forms, because they begin alike."""
    starts = tuple(form[:SHARED_START] for form in forms)
    words = {word for run in set(_RUN.findall(whole)) for word in _words(run)}
    return {word for word in words if search.strip_accents(word).startswith(starts)}


def highlight(whole: str, is_hit: Callable[[str], bool]) -> list[HighlightSpan]:
    """The whole text with its hits marked."""
    return _spans(whole, 0, len(whole), list(_hits(whole, is_hit)))


def best_passage(body: str, is_hit: Callable[[str], bool]) -> list[HighlightSpan]:
    """The part of a text with most hits, or its beginning if there are none."""
    whole = text.one_line(body[:MAX_TEXT])
    hits = list(_hits(whole, is_hit))
    start, end = _bounds(whole, hits)
    spans = _spans(whole, start, end, hits)
    if start > 0:
        spans.insert(0, HighlightSpan(text="… ", is_hit=False))
    return [*spans, HighlightSpan(text=" …", is_hit=False)] if end < len(whole) else spans


def mark_passage(body: str, start: int, end: int) -> list[list[HighlightSpan]]:
    """The paragraphs of a text with the characters from `start` to `end` marked; a range outside marks nothing."""
    paragraphs, offset = [], 0
    for part in body.split(PARAGRAPH_END):
        low = min(max(start - offset, 0), len(part))
        high = min(max(end - offset, low), len(part))
        if part.strip():
            paragraphs.append(_spans(part, 0, len(part), [_Range(low, high)] if part[low:high].strip() else []))
        offset += len(part) + len(PARAGRAPH_END)
    return paragraphs


def _bounds(whole: str, hits: Sequence[_Range]) -> tuple[int, int]:
    start, room = 0, _room(whole)
    if hits and hits[-1].end > room:
        best = max(hits, key=lambda first: (_count_within(hits, first.start - BEFORE, room), -first.start))
        start = _begin(whole, max(0, best.start - BEFORE), best.start)
    return start, start + len(text.truncated(whole[start:], room))


def _room(whole: str) -> int:
    """How many characters a passage may have: those of unspaced scripts are wide and say more."""
    sample = whole[:PASSAGE_CHARACTERS]
    is_wide = not sample.isascii() and search.count_unspaced(sample) > len(sample) // 2
    return PASSAGE_CHARACTERS // 2 if is_wide else PASSAGE_CHARACTERS


def _count_within(hits: Sequence[_Range], start: int, room: int) -> int:
    return sum(start <= hit.start and hit.end <= start + room for hit in hits)


def _begin(whole: str, start: int, latest: int) -> int:
    """The position after the next space, unless that would cut the hit off."""
    space = whole.find(" ", start, latest)
    return space + 1 if start and space >= 0 else start


def _hits(whole: str, is_hit: Callable[[str], bool]) -> Iterator[_Range]:
    """The ranges of hits; in unspaced scripts adjacent pairs that are hits become one range."""
    for run in _RUN.finditer(whole):
        words = _words(run[0])
        if len(words) == 1:
            if is_hit(words[0]):
                yield _Range(*run.span())
        else:
            yield from _inside(run[0], run.start(), words, is_hit)


def _inside(run: str, offset: int, words: Sequence[str], is_hit: Callable[[str], bool]) -> Iterator[_Range]:
    lowered, at = text.normalized(run), 0
    if len(lowered) != len(run):  # a character became two when normalized: positions do not match
        return
    open_at = open_end = -1
    for word in words:
        start = lowered.find(word, at)
        if start < 0:
            return
        at = start + 1
        if not is_hit(word):
            continue
        if start > open_end:
            if open_at >= 0:
                yield _Range(offset + open_at, offset + open_end)
            open_at = start
        open_end = start + len(word)
    if open_at >= 0:
        yield _Range(offset + open_at, offset + open_end)


def _words(run: str) -> list[str]:
    if run.isascii() and run.isalnum():
        return [run.lower()[: search.MAX_LENGTH]]  # the same result at a tenth of the cost
    return search.tokenize(text.normalized(run))


def _spans(whole: str, start: int, end: int, hits: Sequence[_Range]) -> list[HighlightSpan]:
    spans: list[HighlightSpan] = []
    at = start
    for hit in hits:
        if hit.start < at or hit.end > end:
            continue
        spans.append(HighlightSpan(text=whole[at : hit.start], is_hit=False))
        spans.append(HighlightSpan(text=whole[hit.start : hit.end], is_hit=True))
        at = hit.end
    spans.append(HighlightSpan(text=whole[at:end], is_hit=False))
    return [span for span in spans if span.text]
