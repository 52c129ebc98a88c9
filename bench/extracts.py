"""How many documents and events a core extracts a summary from in a second.

OPENBLAS_NUM_THREADS=1 python bench/extracts.py [--seconds 5]

A second thread of OpenBLAS waits actively for the first: its time would count, and halve the events.
The documents have 1,000 words, made up, with the frequencies of real ones; an event has ten of them.
"""

import argparse
import random
import time
from collections.abc import Sequence

from common import figure
from scoop.core import extracts
from scoop.core.briefs import SourceText

WORDS = 1_000
SENTENCE_WORDS = 22
DOCUMENTS = 40
EVENT = 10  # documents
VOCABULARY = 8_000


def documents(chance: random.Random) -> list[SourceText]:
    syllables = [first + second for first in "bdfglmnprstv" for second in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(VOCABULARY)]
    frequencies = [1 / rank for rank in range(1, VOCABULARY + 1)]
    return [
        SourceText(
            document_id=number,
            title=" ".join(chance.choices(words, frequencies, k=8)),
            body_text="\n".join(
                " ".join(chance.choices(words, frequencies, k=SENTENCE_WORDS)).capitalize() + "."
                for _ in range(WORDS // SENTENCE_WORDS)
            ),
            language="en",
            publisher=f"paper {number % EVENT}",
        )
        for number in range(DOCUMENTS)
    ]


def per_second(batches: Sequence[Sequence[SourceText]], seconds: float) -> float:
    extracts.extract(batches[0], max_sentences=5)  # loads the model
    began, done = time.process_time(), 0
    while time.process_time() - began < seconds:
        extracts.extract(batches[done % len(batches)], max_sentences=5, max_characters=900)
        done += 1
    return done / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    made = documents(random.Random(1))
    figure("extracts of documents", per_second([[one] for one in made], seconds), "documents/s and core", words=WORDS)
    events = [made[start : start + EVENT] for start in range(0, DOCUMENTS, EVENT)]
    figure("extracts of events", per_second(events, seconds), "events/s and core", documents=EVENT)


if __name__ == "__main__":
    main()
