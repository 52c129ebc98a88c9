"""The dictionary of tapped words: lemma, word class, level and definition.

The table `definitions.tsv.gz` is made by bench/build_definitions.py from WordNet; `definitions.LICENSE.md` has its
licence. WordNet has no pronouns, prepositions and the like: `function_words.toml` has them.
"""

import gzip
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from scoop.core.levels import vocabulary
from scoop.core.levels.vocabulary import Sense, WordClass
from scoop.model import Level

MAX_WORD = 60  # characters
MIN_OTHER_WORD = 3  # letters: "at" is also money of Laos, which nobody looks up
_LETTERS: dict[WordClass, str] = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_GENITIVE = re.compile(r"['’]s?$")
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
    """The meanings of a word as it is in a text, the likeliest first; one without a definition if it has none."""
    form = _EDGES.sub("", word)[:MAX_WORD]
    entries = list(_entries(form))
    found = _defined(entries) or _defined(_guesses(form)) or entries[:1]
    unknown = DictionaryEntry(
        word=form, lemma=form.lower(), word_class="", level=vocabulary.estimated_level(form), definition=""
    )
    return found or [unknown]


def _defined(entries: Iterable[DictionaryEntry]) -> list[DictionaryEntry]:
    return list(dict.fromkeys(entry for entry in entries if entry.definition))


def _entries(form: str) -> Iterator[DictionaryEntry]:
    senses = sorted(vocabulary.look_up(form).senses, key=lambda sense: sense.level is None)
    explained = {(entry.lemma, entry.word_class): entry for entry in _explained_entries(form, senses)}
    yield from explained.values()
    for word_class, letter in _LETTERS.items():  # a name, even one that is known as another word, as August
        if form[:1].isupper() and (form, letter) in _definitions() and (form, word_class) not in explained:
            yield _entry(form, form, word_class)
    for sense in senses:
        if not explained or (_is_other_word(sense) and (sense.lemma, sense.word_class) not in explained):
            yield from _meanings(form, sense.lemma, sense.word_class)


def _guesses(form: str) -> Iterator[DictionaryEntry]:
    """The meanings of a form without a known lemma, as of a genitive or the plural of a name."""
    singular = _GENITIVE.sub("", form.lower())
    for lemma in dict.fromkeys((singular, singular.removesuffix("s"))):
        for word_class in _LETTERS:
            yield from _meanings(form, lemma, word_class)


def _is_other_word(sense: Sense) -> bool:
    """Whether a sense is another common word with the letters of a function word, as the can of food is."""
    return sense.level is not None and len(sense.lemma) >= MIN_OTHER_WORD


def _explained_entries(form: str, senses: Sequence[Sense]) -> Iterator[DictionaryEntry]:
    """What the table of function words has of a form, or of the verb it is a form of; then of a name."""
    is_abbreviation = form.isupper() and len(form) > 1
    lemmas = () if is_abbreviation else (form.lower(), *(sense.lemma for sense in senses if sense.level))
    known = [lemma for lemma in lemmas if lemma in _explained()][:1]
    for lemma in [*known, *({form} & (_explained().keys() - known))]:
        word_class, definition = _explained()[lemma]
        level = vocabulary.estimated_level(lemma)
        yield DictionaryEntry(word=form, lemma=lemma, word_class=word_class, level=level, definition=definition)


def _meanings(form: str, lemma: str, word_class: WordClass) -> Iterator[DictionaryEntry]:
    """The definitions of a lemma; of a form with capitals, those of names and abbreviations first."""
    letter = _LETTERS.get(word_class, "")
    names = (lemma.upper() if form.isupper() else lemma.capitalize(),) if form[:1].isupper() else ()
    known = [written for written in (*names, lemma) if (written, letter) in _definitions()]
    yield from (_entry(form, written, word_class) for written in known or (lemma,))


def _entry(form: str, lemma: str, word_class: WordClass) -> DictionaryEntry:
    return DictionaryEntry(
        word=form,
        lemma=lemma,
        word_class=word_class,
        level=vocabulary.estimated_level(form, word_class),
        definition=_definitions().get((lemma, _LETTERS.get(word_class, "")), ""),
    )


@cache
def _definitions() -> Mapping[tuple[str, str], str]:
    stored = gzip.decompress(files(__package__).joinpath("definitions.tsv.gz").read_bytes()).decode()
    rows = (line.split("\t") for line in stored.splitlines())
    return {(lemma, letter): definition for lemma, letter, definition in rows}


@cache
def _explained() -> Mapping[str, tuple[str, str]]:
    """Word class and definition of the function words, and of other words that WordNet does not explain."""
    classes = tomllib.loads(files(__package__).joinpath("function_words.toml").read_text("utf-8"))
    return {word: (word_class, text) for word_class, words in classes.items() for word, text in words.items()}
