"""The levels, lemmas and frequencies of English words.

The table `words.tsv.gz` is made by bench/build_words.py; `words.LICENSE.md` names its sources.
"""

import gzip
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, cast

from scoop.core.levels.rules import LEVELS, Level

WordClass = Literal["noun", "verb", "adjective", "adverb", "other"]

BY_FREQUENCY: tuple[tuple[float, Level], ...] = ((5.0, "B1"), (4.3, "B2"), (2.8, "C1"))
"""The level of a word of no list, such as website, from a Zipf frequency on; rarer ones are C2."""

_CLASSES: Mapping[str, WordClass] = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb", "o": "other"}
_TENTHS = 10  # the table has whole numbers
_ENDING = re.compile(r"['’](?:s|re|ve|ll|d|m)?$|n['’]t$")
_CONTRACTED = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "be"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense:
    """A word class of a form, with its lemma and the level of a list; no list has most words."""

    word_class: WordClass
    lemma: str
    level: Level | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A form; `zipf` is the logarithm of its occurrences in a thousand million words, 0 if it is unknown."""

    form: str
    zipf: float
    senses: tuple[Sense, ...]


@lru_cache(maxsize=1 << 14)
def look_up(word: str) -> Word:
    """A form in any case; a contraction is looked up by its first part, `well-known` by its last."""
    form = word.lower().replace("’", "'")
    for known in _spellings(form):
        zipf, *senses = _table().get(known, "").split("\t")
        if senses:
            return Word(form=form, zipf=int(zipf) / _TENTHS, senses=tuple(_sense(one, known) for one in senses))
    zipf = _table().get(form, "0").partition("\t")[0]
    return Word(form=form, zipf=int(zipf) / _TENTHS, senses=())


def _spellings(form: str) -> Iterator[str]:
    """The forms under which the table may have a word, the best first."""
    yield form
    yield _CONTRACTED.get(form) or _ENDING.sub("", form)
    yield form.rpartition("-")[2]


def _sense(stored: str, form: str) -> Sense:
    level = stored[1:3]
    return Sense(
        word_class=_CLASSES[stored[0]],
        lemma=stored[3:] or form,
        level=None if level == "--" else cast(Level, level),
    )


@lru_cache(maxsize=1 << 14)
def word_level(word: str, word_class: WordClass | None = None) -> Level | None:
    """The level of a word by the lists: the lowest, or that of a word class; None if no list has it."""
    levels = [
        sense.level
        for sense in look_up(word).senses
        if sense.level and (word_class is None or sense.word_class == word_class)
    ]
    return min(levels, default=None)


@lru_cache(maxsize=1 << 14)
def estimated_level(word: str, word_class: WordClass | None = None) -> Level:
    """The level of a word; by its base form or its frequency if no list has it."""
    return word_level(word, word_class) or word_level(word) or _by_frequency(look_up(word))


def _by_frequency(word: Word) -> Level:
    bases = [sense.lemma for sense in word.senses if sense.lemma != word.form]
    listed = [level for base in bases if (level := word_level(base))]
    if listed:
        return min(listed)
    most = max([word.zipf, *(look_up(base).zipf for base in bases)])
    return next((level for least, level in BY_FREQUENCY if most >= least), "C2")


def lemmas(word: str, word_class: WordClass | None = None) -> tuple[str, ...]:
    """The base forms of a word, without duplicates; the word itself if it is unknown."""
    entry = look_up(word)
    known = [sense.lemma for sense in entry.senses if word_class is None or sense.word_class == word_class]
    return tuple(dict.fromkeys(known)) or (entry.form,)


def rank(level: Level) -> int:
    """0 for A1 to 5 for C2."""
    return LEVELS.index(level)


def forms() -> Collection[str]:
    """All words of the table, in small letters."""
    return _table().keys()


@cache
def _table() -> dict[str, str]:
    stored = gzip.decompress(files(__package__).joinpath("words.tsv.gz").read_bytes()).decode()
    rows = (line.partition("\t") for line in stored.split("\n"))
    return {form: rest for form, _, rest in rows}
