"""Build the table of English words with their levels, lemmas and frequencies: src/scoop/core/levels/words.tsv.gz.

pip install cefrpy wordfreq lemminflect; python bench/build_words.py [FILE of labelled words]

The labelled words are JSON lines with `word`, `pos` and `level`; they are more exact than cefrpy. A row of the table is
a form: the form, ten times its Zipf frequency, and for each word class its letter, the level, and the lemma.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from cefrpy import CEFRAnalyzer
from lemminflect import getAllLemmas
from wordfreq import top_n_list, zipf_frequency

from scoop.core.levels import vocabulary
from scoop.evaluation import datasets

TABLE = Path(vocabulary.__file__).with_name("words.tsv.gz")
FORMS = 70_000  # the most frequent ones
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2")
LAST_LISTED = 4.0  # B2: cefrpy has CEFR-J up to it, as whole numbers, and computes the rest
TAGS = {"n": ("NN", "NNS", "NNP", "NNPS"), "v": ("VB",), "a": ("JJ",), "r": ("RB",)}
OTHER_TAGS = ("IN", "DT", "PRP", "CC", "MD", "UH", "CD", "WP", "WDT", "WRB", "PDT", "TO", "EX", "RP", "PRP$")
CLASSES = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
LEMMA_CLASSES = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r", "AUX": "v"}

Labels = Mapping[tuple[str, str], str]


def read_labels(file: str | None) -> dict[tuple[str, str], str]:
    """The level of a word by the word and the letter of its class; `o` is any class but the four of CLASSES."""
    if file is None:
        return {}
    with datasets.opened(file) as stream:
        rows = [json.loads(line) for line in stream]
    labels: dict[tuple[str, str], str] = {}
    for row in rows:
        key = row["word"].lower(), CLASSES.get(row["pos"], "o")
        labels[key] = min(row["level"], labels.get(key, "C2"))
    return labels


class Levels:
    """The level of a lemma in a word class, and whether a list has it."""

    def __init__(self, labels: Labels) -> None:
        self.labels, self.analyzer = labels, CEFRAnalyzer()

    def listed(self, lemma: str, letter: str) -> str:
        """The level of a list; empty if no list has the word in this class."""
        known = self.labels.get((lemma, letter))
        if known or not self.analyzer.is_word_in_database(lemma):
            return known or ""
        tags = TAGS.get(letter, OTHER_TAGS)
        exact = [
            value
            for tag in tags
            if (value := self.analyzer.get_word_pos_level_float(lemma, tag)) is not None
            and value <= LAST_LISTED
            and value == int(value)
        ]
        return LEVELS[int(min(exact)) - 1] if exact else ""


def rows(labels: Labels) -> Iterator[str]:
    levels = Levels(labels)
    forms = {form for form in top_n_list("en", FORMS * 2, wordlist="large") if WORD.fullmatch(form)}
    common = sorted(forms, key=lambda form: (-zipf_frequency(form, "en"), form))[:FORMS]
    for form in sorted({*common, *(word for word, _ in labels if WORD.fullmatch(word))}):
        entries = sorted(set(classes_of(form, levels)))
        zipf = round(10 * zipf_frequency(form, "en"))
        yield "\t".join(
            [form, str(zipf), *("".join((letter, level or "--", lemma)) for letter, lemma, level in entries)]
        )


def classes_of(form: str, levels: Levels) -> Iterator[tuple[str, str, str]]:
    """The word classes of a form with its lemma, left out if it is the form, and the level of the lemma."""
    lemmas = {
        (LEMMA_CLASSES[tag], lemma.lower())
        for tag, found in getAllLemmas(form).items()
        if tag in LEMMA_CLASSES
        for lemma in found
    }
    if not lemmas or any(levels.listed(form, letter) for letter in TAGS):
        lemmas |= {(letter, form) for letter in TAGS if levels.labels.get((form, letter))}
    if not any(levels.listed(lemma, letter) for letter, lemma in lemmas) and levels.listed(form, "n"):
        lemmas.add(("n", form))  # Monday, son: the lexicon has no lemma, or cefrpy only the name
    for letter, lemma in lemmas:
        yield letter, "" if lemma == form else lemma, levels.listed(lemma, letter)
    other = levels.listed(form, "o")
    if other:
        yield "o", "", other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="?")
    made = "\n".join(rows(read_labels(parser.parse_args().labels)))
    TABLE.write_bytes(gzip.compress(made.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
