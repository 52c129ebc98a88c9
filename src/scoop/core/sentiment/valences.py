"""Sums of the word valences of VADER, with negations.

With a target: of the whole text, of the clause, before and after the target. Without one: of the whole text, of its
first and last sentence, and of the best and the worst one.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from scoop.core.sentiment import passages
from scoop.core.sentiment.features import NEGATIONS, Piece

COLUMNS = 9
NEAR = 80  # characters before and after a target
_SCOPE = 4  # words after a negation
_TURN = -0.74  # VADER: what a negation makes of a valence
_ALPHA = 15  # VADER: a sum s becomes s / sqrt(s * s + 15)
_TOKEN = re.compile(r"[a-z'\-]+|[:;=8][-']?[)(dp/\\|\][]|<3")


def table(pieces: Sequence[tuple[Piece, Piece]], *, is_english: bool) -> NDArray[np.float32]:
    """A row for each piece and its clause: positive and negative sums of four parts, and the sum of the whole."""
    if not is_english:  # VADER has English words only
        return np.zeros((len(pieces), COLUMNS), dtype=np.float32)
    sums = np.array([_row(piece, clause) for piece, clause in pieces], dtype=np.float32).reshape(-1, COLUMNS)
    scaled: NDArray[np.float32] = sums / np.sqrt(sums * sums + np.float32(_ALPHA))
    return scaled


def _row(piece: Piece, clause: Piece) -> list[float]:
    if not piece.has_target:
        return _row_of_text(piece.left)
    before, after = _sums(piece.left), _sums(piece.right)
    near = [*_sums(piece.left[-NEAR:]), *_sums(piece.right[:NEAR])]
    own = _sums(f"{clause.left} {clause.right}")
    whole = before[0] + after[0], before[1] + after[1]
    return [*whole, *own, *near, sum(whole)]


def _row_of_text(content: str) -> list[float]:
    whole = _sums(content)
    parts = [_sums(one) for one in passages.rough_sentences(content)]
    best, worst = max(positive for positive, _ in parts), min(negative for _, negative in parts)
    return [*whole, *parts[0], *parts[-1], best, worst, sum(whole)]


def _sums(content: str) -> tuple[float, float]:
    positive = negative = 0.0
    left = 0
    valences = _valences()
    for token in _TOKEN.findall(content.lower()):
        if token in NEGATIONS:
            left = _SCOPE
        valence = valences.get(token, 0.0) * (_TURN if left > 0 else 1)
        left -= 1
        positive += max(valence, 0.0)
        negative += min(valence, 0.0)
    return positive, negative


@cache
def _valences() -> dict[str, float]:
    return dict(SentimentIntensityAnalyzer().lexicon)
