"""The dictionary of tapped words: lemma, word class, level and definition.

The table `definitions.tsv.gz` is made by bench/build_definitions.py from WordNet; `definitions.LICENSE.md` has its
licence.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from scoop.core.levels import vocabulary
from scoop.core.levels.vocabulary import WordClass
from scoop.model import Level

MAX_WORD = 60  # characters
_LETTERS: dict[WordClass, str] = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryEntry:
    """A meaning of a word; the definition is empty if the dictionary does not have it."""

    word: str
    lemma: str
    word_class: str
    level: Level
    definition: str


def look_up(word: str) -> list[DictionaryEntry]:
    """The meanings of a word as it is in a text, those with a definition first; one without any if it is unknown."""
    form = _EDGES.sub("", word)[:MAX_WORD]
    found = list(dict.fromkeys(_entries(form)))
    unknown = DictionaryEntry(
        word=form, lemma=form.lower(), word_class="", level=vocabulary.estimated_level(form), definition=""
    )
    return sorted(found, key=lambda entry: not entry.definition) or [unknown]


def _entries(form: str) -> Iterator[DictionaryEntry]:
    senses = vocabulary.look_up(form).senses
    for sense in senses:
        yield _entry(form, sense.lemma, sense.word_class)
    if not senses:
        for lemma in dict.fromkeys((form.lower(), form.lower().removesuffix("s"))):
            entries = (_entry(form, lemma, word_class) for word_class in _LETTERS)
            yield from (entry for entry in entries if entry.definition)


def _entry(form: str, lemma: str, word_class: WordClass) -> DictionaryEntry:
    return DictionaryEntry(
        word=form,
        lemma=lemma,
        word_class=word_class,
        level=vocabulary.estimated_level(form, word_class),
        definition=_definitions().get((lemma, _LETTERS.get(word_class, "")), ""),
    )


@cache
def _definitions() -> dict[tuple[str, str], str]:
    stored = gzip.decompress(files(__package__).joinpath("definitions.tsv.gz").read_bytes()).decode()
    rows = (line.split("\t") for line in stored.splitlines())
    return {(lemma, letter): definition for lemma, letter, definition in rows}
