"""When each word of a sentence is spoken, where a voice reads "$3.2 billion" as five words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from scoop.core.audio import TimedWord

_WORD = re.compile(r"\S+")
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidWord:
    """A word as the voice said it."""

    text: str
    start_ms: int
    end_ms: int


def align(sentence: str, said: Sequence[SaidWord]) -> tuple[TimedWord, ...]:
    """The written words with their times; words that differ share the time of what was said in their place."""
    written = list(_WORD.finditer(sentence))
    matcher = SequenceMatcher(None, [_key(each.group()) for each in written], [_key(each.text) for each in said], False)
    timed: list[TimedWord] = []
    for _, first, last, said_first, said_last in _blocks(matcher):
        timed += _share(written[first:last], said[said_first:said_last])
    return tuple(timed)


def _key(word: str) -> str:
    return _SIGNS.sub("", word).lower() or word


def _blocks(matcher: "SequenceMatcher[str]") -> Iterator[tuple[str, int, int, int, int]]:
    """The blocks of a comparison; equal ones word by word."""
    for tag, first, last, said_first, said_last in matcher.get_opcodes():
        if tag == "equal":
            for place in range(last - first):
                yield tag, first + place, first + place + 1, said_first + place, said_first + place + 1
        else:
            yield tag, first, last, said_first, said_last


def _share(written: Sequence[re.Match[str]], said: Sequence[SaidWord]) -> Iterator[TimedWord]:
    """The time of the said words, for the written ones by their length; a word that was not said has none."""
    if not written or not said:
        return
    start, length = said[0].start_ms, said[-1].end_ms - said[0].start_ms
    total = sum(len(each.group()) for each in written)
    before = 0
    for each in written:
        after = before + len(each.group())
        yield TimedWord(
            start=each.start(),
            end=each.end(),
            start_ms=start + length * before // total,
            end_ms=start + length * after // total,
        )
        before = after
