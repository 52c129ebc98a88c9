"""A lesson as a page shows it: sentences with their times, words that can be tapped, and the hard ones among them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoop.core.audio import TimedSentence, TimedWord
from scoop.core.levels import vocabulary
from scoop.model import LEVELS, Level

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A piece of a sentence: a word, or what is between two; `start_ms` if a voice timed it."""

    text: str
    is_word: bool
    is_hard: bool = False
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """A sentence; its times are None until there is a recording."""

    text: str
    pieces: tuple[TextPiece, ...]
    start_ms: int | None = None
    end_ms: int | None = None


def mark(texts: Sequence[str], level: Level, recorded: Sequence[TimedSentence] = ()) -> list[MarkedSentence]:
    """The sentences of a lesson with their words; times are used only if they are those of the same sentences."""
    timed = recorded if [sentence.text for sentence in recorded] == list(texts) else ()
    return [_mark(text, level, timed[place] if timed else None) for place, text in enumerate(texts)]


def words(texts: Iterable[str]) -> list[str]:
    """The different words of sentences, in the order and the case in which they are met."""
    return list(dict.fromkeys(match.group() for text in texts for match in _WORD.finditer(text)))


def hard_words(sentences: Iterable[MarkedSentence]) -> dict[str, str]:
    """The hard words of a lesson in their order, each with the first sentence that has it."""
    found: dict[str, str] = {}
    for sentence in sentences:
        for piece in sentence.pieces:
            if piece.is_hard:
                found.setdefault(piece.text, sentence.text)
    return found


def _mark(text: str, level: Level, timed: TimedSentence | None) -> MarkedSentence:
    words = timed.words if timed else ()
    return MarkedSentence(
        text=text,
        pieces=tuple(_pieces(text, level, words)),
        start_ms=timed.start_ms if timed else None,
        end_ms=timed.end_ms if timed else None,
    )


def _pieces(text: str, level: Level, words: Sequence[TimedWord]) -> Iterator[TextPiece]:
    place = 0
    for match in _WORD.finditer(text):
        if match.start() > place:
            yield TextPiece(text=text[place : match.start()], is_word=False)
        time = next((word for word in words if word.start <= match.start() < word.end), None)
        yield TextPiece(
            text=match.group(),
            is_word=True,
            is_hard=_is_hard(match.group(), level, begins=not match.start()),
            start_ms=time.start_ms if time else None,
            end_ms=time.end_ms if time else None,
        )
        place = match.end()
    if place < len(text):
        yield TextPiece(text=text[place:], is_word=False)


def _is_hard(word: str, level: Level, *, begins: bool) -> bool:
    """Whether a word is above a level; names are not."""
    if word[0].isupper() and not (begins and vocabulary.look_up(word).senses):
        return False
    return LEVELS.index(vocabulary.estimated_level(word)) > LEVELS.index(level)
