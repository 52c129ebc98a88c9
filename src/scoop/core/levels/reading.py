"""The words, sentences and counts of a text from which its level is computed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoop.core import sentences
from scoop.core.levels import vocabulary
from scoop.core.levels.vocabulary import Word

_LETTER = "A-Za-z0-9\u00c0-\u024f"
TOKEN = re.compile(rf"[{_LETTER}]+(?:['’.,-][{_LETTER}]+)*")
"""A word, or a number; as most readability tools count them."""
_VOWELS = re.compile("[aeiouy]+")
SAMPLE_CHARACTERS = 500  # that show whether a text is in capitals
MIN_LINES = 4  # of a poem, a list or a table
_STOPS = frozenset(".!?\"”’')…")
_SILENT_ED = re.compile("[^td]ed$")
_SPOKEN_E = ("le", "ee", "ie", "oe", "ye")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordToken:
    """A word of a text as written, with its place and its entry in the vocabulary."""

    text: str
    start: int
    word: Word
    is_name: bool
    is_number: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadSentence:
    """A sentence: the range of its characters, and its words. It is equal to itself only, so that caches are quick."""

    start: int
    end: int
    tokens: tuple[WordToken, ...]


def read(text: str) -> list[ReadSentence]:
    """The sentences that have a word."""
    shouts = is_shouted(text)
    return [one for one in _sentences(text, shouts=shouts) if one.tokens]


def is_shouted(text: str) -> bool:
    """Whether the text is in capitals, which then are no signs of names."""
    sample = text[:SAMPLE_CHARACTERS]
    return sum(map(str.isupper, sample)) > sum(map(str.islower, sample))


def _sentences(text: str, *, shouts: bool) -> list[ReadSentence]:
    return [
        ReadSentence(start=start, end=end, tokens=_tokens(text, start, end, shouts=shouts))
        for start, end in sentences.split(text, "en")
    ]


def _tokens(text: str, start: int, end: int, *, shouts: bool) -> tuple[WordToken, ...]:
    matches = list(TOKEN.finditer(text, start, end))
    return tuple(_token(match, is_first=at == 0, shouts=shouts) for at, match in enumerate(matches))


def _token(match: re.Match[str], *, is_first: bool, shouts: bool) -> WordToken:
    written = match[0]
    word = vocabulary.look_up(written)
    is_number = written[0].isdigit()
    is_capital = written[0].isupper() and not shouts and word.form.split("'")[0] != "i"
    is_name = is_capital and (not is_first or _is_only_name(word))
    return WordToken(text=written, start=match.start(), word=word, is_name=is_name, is_number=is_number)


def _is_only_name(word: Word) -> bool:
    """Whether a first word is a name: the vocabulary has it in no word class."""
    return not word.senses and word.zipf < 6


@lru_cache(maxsize=1 << 14)
def syllables(form: str) -> int:
    """The syllables of a word in small letters, by its vowels."""
    count = len(_VOWELS.findall(form))
    if form.endswith("e") and not form.endswith(_SPOKEN_E) and count > 1:
        count -= 1
    if count > 1 and _SILENT_ED.search(form):
        count -= 1
    return max(1, count)


def joined(some: Sequence[ReadSentence]) -> ReadSentence:
    """All words as one sentence."""
    tokens = tuple(token for sentence in some for token in sentence.tokens)
    return ReadSentence(start=some[0].start, end=some[-1].end, tokens=tokens)


def has_open_lines(text: str, some: Sequence[ReadSentence]) -> bool:
    """Whether most sentences end with their line and not with a full stop."""
    is_open = [text[one.end - 1] not in _STOPS and text[one.end : one.end + 1] in {"", "\n"} for one in some]
    return len(some) >= MIN_LINES and sum(is_open) > len(some) / 2


def flesch_kincaid(some: Sequence[ReadSentence]) -> float:
    """The Flesch-Kincaid grade: years of school."""
    tokens = [token for sentence in some for token in sentence.tokens]
    if not tokens:
        return 0.0
    spoken = sum(syllables(token.word.form) for token in tokens)
    return 0.39 * len(tokens) / len(some) + 11.8 * spoken / len(tokens) - 15.59
