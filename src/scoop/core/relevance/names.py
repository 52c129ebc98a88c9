"""Where the names of topics occur in articles: as words of any script, with endings, and in compounds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.core import text
from scoop.core.interests import Interests

BODY_CHARACTERS = 4_000  # searched; an article that names a topic only later is not about it
LEAD_CHARACTERS = 500
MAX_OCCURRENCES = 20  # of a name; more say nothing new
SHORT = 4  # letters: such a name is often another word in lower case, as Go and Rust are

WHOLE, INFLECTED, COMPOUND, PART, OTHER_CASE = 1.0, 0.9, 0.6, 0.5, 0.4
"""How sure an occurrence is: the whole word, with an ending, in a compound, one sign of a script without spaces, and
a short name in other case."""

_SEPARATORS = re.compile(r"[-_/|\u2010-\u2015\u00b7\u30fb\uff65]+")  # "zero-knowledge" is "zero knowledge"
_LETTERS = re.compile(r"[^\W\d_]*")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]")
_MIN_INFLECTED, _MIN_LONG, _MIN_COMPOUND = 4, 6, 5  # letters of a name
_MAX_ENDING, _MAX_LONG_ENDING = 2, 3  # letters, of a name and of a long one
_MIN_PLURAL = 5  # letters of an English name whose last "s" may be missing


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicName:
    """A name or alias of a topic: as written, and the spellings to look for."""

    written: str
    spellings: tuple[str, ...]
    needs_case: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences:
    """How surely each name occurs in the title and in the lead, and how often in the text: a row for each article."""

    title: NDArray[np.float32]
    lead: NDArray[np.float32]
    count: NDArray[np.float32]


def names_of(interests: Interests) -> list[TopicName]:
    """The names of all topics, one topic after the other, its own name first."""
    return [name_of(written) for topic in interests.topics for written in (topic.topic, *topic.aliases)]


def find(articles: Sequence[tuple[str, str]], names: Sequence[TopicName]) -> Occurrences:
    """The occurrences of names in articles, which are pairs of title and body."""
    shape = len(articles), len(names)
    title, lead, count = (np.zeros(shape, dtype=np.float32) for _ in range(3))
    for row, (written_title, body) in enumerate(articles):
        start = _searchable(written_title)
        written = f"{written_title}\n{body[:BODY_CHARACTERS]}"
        searched = f"{start}\n{_searchable(body[:BODY_CHARACTERS])}"
        for column, name in enumerate(names):
            for spelling in name.spellings:
                if spelling in searched:
                    found = _occurrences(searched, spelling)
                    trust = OTHER_CASE if name.needs_case and name.written not in written else 1.0
                    title[row, column] = max(title[row, column], trust * _best(found, 0, len(start)))
                    end = len(start) + 1 + LEAD_CHARACTERS
                    lead[row, column] = max(lead[row, column], trust * _best(found, len(start) + 1, end))
                    count[row, column] = max(count[row, column], trust * sum(sure for _, sure in found))
    return Occurrences(title=title, lead=lead, count=count)


def name_of(written: str) -> TopicName:
    plain = _searchable(written)
    spellings = [plain]
    if plain.isascii() and len(plain) >= _MIN_PLURAL and plain.endswith("s") and not plain.endswith("ss"):
        spellings.append(f"{plain[:-3]}y" if plain.endswith("ies") else plain[:-1])
    needs_case = len(plain) <= SHORT and written != written.lower()
    return TopicName(written=written, spellings=tuple(filter(None, spellings)), needs_case=needs_case)


def _searchable(written: str) -> str:
    return " ".join(_SEPARATORS.sub(" ", text.normalized(written)).split())


def _occurrences(searched: str, spelling: str) -> list[tuple[int, float]]:
    """Where a spelling occurs, and how sure each occurrence is; those that are parts of other words are left out."""
    found: list[tuple[int, float]] = []
    at = searched.find(spelling)
    while at >= 0 and len(found) < MAX_OCCURRENCES:
        if sure := _sureness(searched, at, spelling):
            found.append((at, sure))
        at = searched.find(spelling, at + len(spelling))
    return found


def _best(found: Sequence[tuple[int, float]], start: int, end: int) -> float:
    return max((sure for at, sure in found if start <= at < end), default=0.0)


def _sureness(searched: str, at: int, spelling: str) -> float:
    end = at + len(spelling)
    before, after = searched[at - 1 : at], searched[end : end + 1]
    if text.is_unspaced(spelling[0]) or text.is_unspaced(spelling[-1]):
        return _sureness_unspaced(before, spelling, after)
    begins = not before.isalnum() or text.is_unspaced(before)
    ends = (not after.isalnum() or text.is_unspaced(after)) and after not in {"+", "#"}  # C is not C++
    if begins and ends:
        return WHOLE
    letters = len(spelling) + len(_HANGUL.findall(spelling))  # a syllable sign has two letters or more
    if begins and _is_ending(searched, end, letters):
        return INFLECTED
    return COMPOUND if (begins or ends) and letters >= _MIN_COMPOUND else 0.0


def _sureness_unspaced(before: str, spelling: str, after: str) -> float:
    """Of a word of Han or kana signs: a word of katakana ends where the katakana end, others may end anywhere."""
    if len(spelling) == 1:
        return PART
    begins = not (_KATAKANA.match(before) and _KATAKANA.match(spelling[0]))
    ends = not (_KATAKANA.match(after) and _KATAKANA.match(spelling[-1]))
    return WHOLE if begins and ends else COMPOUND


def _is_ending(searched: str, end: int, letters: int) -> bool:
    """Whether the word that goes on is the name with an ending, as a plural or a case."""
    if letters < _MIN_INFLECTED:
        return False
    most = _MAX_LONG_ENDING if letters >= _MIN_LONG else _MAX_ENDING
    going_on = _LETTERS.match(searched, end, end + most + 1)
    return going_on is not None and going_on.end() - end <= most
