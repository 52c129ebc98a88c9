"""Texts in pieces, so that what was sought can be marked where it stands."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from scoop.core import search, text

PASSAGE_CHARACTERS = 260
BEFORE = 60  # characters that lead up to the first hit of a passage
MAX_TEXT = 20_000  # characters of a body in which a passage is sought
SHARED_START = 2  # letters that a word and its stem have in common, in all languages that are stemmed

_RUN = re.compile(r"[\w\u0300-\u036f'\u2019]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HighlightSpan:
    """A stretch of a text, and whether it is what was sought."""

    text: str
    is_hit: bool


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int


def candidate_words(whole: str, forms: Collection[str]) -> set[str]:
    """The words of a text whose stem may be one of these forms: those that begin alike."""
    starts = tuple(form[:SHARED_START] for form in forms)
    found = {word for run in set(_RUN.findall(whole)) for word in _words(run)}
    return {word for word in found if search.strip_accents(word).startswith(starts)}


def highlight(whole: str, is_hit: Callable[[str], bool]) -> list[HighlightSpan]:
    """The whole text, with its hits marked."""
    return _pieces(whole, 0, len(whole), list(_places(whole, is_hit)))


def best_passage(body: str, is_hit: Callable[[str], bool]) -> list[HighlightSpan]:
    """The stretch of a text that holds most hits, or its beginning where there are none."""
    whole = text.one_line(body[:MAX_TEXT])
    places = list(_places(whole, is_hit))
    start, end = _around(whole, places)
    pieces = _pieces(whole, start, end, places)
    if start > 0:
        pieces.insert(0, HighlightSpan(text="… ", is_hit=False))
    return [*pieces, HighlightSpan(text=" …", is_hit=False)] if end < len(whole) else pieces


def _around(whole: str, places: Sequence[_Place]) -> tuple[int, int]:
    start, room = 0, _room(whole)
    if places and places[-1].end > room:
        best = max(places, key=lambda first: (_held(places, first.start - BEFORE, room), -first.start))
        start = _begin(whole, max(0, best.start - BEFORE), best.start)
    return start, start + len(text.truncated(whole[start:], room))


def _room(whole: str) -> int:
    """How many characters a passage may have: those of scripts without spaces are wide, and say more."""
    sample = whole[:PASSAGE_CHARACTERS]
    is_wide = not sample.isascii() and search.count_unspaced(sample) > len(sample) // 2
    return PASSAGE_CHARACTERS // 2 if is_wide else PASSAGE_CHARACTERS


def _held(places: Sequence[_Place], start: int, room: int) -> int:
    return sum(start <= each.start and each.end <= start + room for each in places)


def _begin(whole: str, start: int, latest: int) -> int:
    """After the next space, unless the hit would be cut off."""
    space = whole.find(" ", start, latest)
    return space + 1 if start and space >= 0 else start


def _places(whole: str, is_hit: Callable[[str], bool]) -> Iterator[_Place]:
    """Where hits stand; of unspaced script, the pairs of signs that are hits, joined."""
    for run in _RUN.finditer(whole):
        words = _words(run[0])
        if len(words) == 1:
            if is_hit(words[0]):
                yield _Place(*run.span())
        else:
            yield from _inside(run[0], run.start(), words, is_hit)


def _inside(run: str, offset: int, words: Sequence[str], is_hit: Callable[[str], bool]) -> Iterator[_Place]:
    lowered, at = text.normalized(run), 0
    if len(lowered) != len(run):  # a sign that is two when normalized: places cannot be told
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
                yield _Place(offset + open_at, offset + open_end)
            open_at = start
        open_end = start + len(word)
    if open_at >= 0:
        yield _Place(offset + open_at, offset + open_end)


def _words(run: str) -> list[str]:
    if run.isascii() and run.isalnum():
        return [run.lower()[: search.MAX_LENGTH]]  # as below, of most words at a tenth of the cost
    return search.tokenize(text.normalized(run))


def _pieces(whole: str, start: int, end: int, places: Sequence[_Place]) -> list[HighlightSpan]:
    pieces: list[HighlightSpan] = []
    at = start
    for place in places:
        if place.start < at or place.end > end:
            continue
        pieces.append(HighlightSpan(text=whole[at : place.start], is_hit=False))
        pieces.append(HighlightSpan(text=whole[place.start : place.end], is_hit=True))
        at = place.end
    pieces.append(HighlightSpan(text=whole[at:end], is_hit=False))
    return [piece for piece in pieces if piece.text]
