"""Sentiment towards a target, or of a whole text: `scoring.score()` decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

TextKind = Literal["news", "headline", "developer", "social", "review", "report", "unknown"]
SentimentLabel = Literal["positive", "neutral", "negative"]
Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]

POSITIVE_AT, NEGATIVE_AT = 0.05, -0.05  # SPEC: the compound score from which a text is positive or negative


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentTarget:
    """A text to score towards the words at [start, end), or as a whole if these are None.

    `language` is a code such as "ja", or "und"; `kind` is what is known of the source (see `kinds.kind_of`).
    """

    text: str
    language: str = "und"
    kind: TextKind = "unknown"
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentScore:
    """A score from -1 to 1 with its label; `confidence` is the probability of the label."""

    compound: float
    label: SentimentLabel
    confidence: float
    method: str
    version: str


def label_of(compound: float) -> SentimentLabel:
    """The label of a score, by the rule of the product."""
    if compound >= POSITIVE_AT:
        return "positive"
    return "negative" if compound <= NEGATIVE_AT else "neutral"
