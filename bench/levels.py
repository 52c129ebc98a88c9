"""How many texts of the length of a lesson a core measures in a second.

OPENBLAS_NUM_THREADS=1 python bench/levels.py [--seconds 5]
"""

import argparse
import random
import time

from common import figure
from scoop.core.levels import measure, vocabulary

WORDS, SENTENCE_WORDS, TEXTS = 150, 15, 40


def texts(chance: random.Random) -> list[str]:
    """Texts of frequent words, all different."""
    words = [word for word in vocabulary.forms() if vocabulary.look_up(word).zipf > 4]
    return [
        " ".join(
            " ".join(chance.choices(words, k=SENTENCE_WORDS)).capitalize() + "." for _ in range(WORDS // SENTENCE_WORDS)
        )
        for _ in range(TEXTS)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    made = texts(random.Random(1))
    measure.measure(made[0])  # loads the model
    began, done = time.process_time(), 0
    while time.process_time() - began < seconds:
        measure.measure(made[done % TEXTS])
        done += 1
    figure("measured texts", done / (time.process_time() - began), "texts/s and core", words=WORDS)


if __name__ == "__main__":
    main()
