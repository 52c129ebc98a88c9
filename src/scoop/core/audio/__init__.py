"""Speech: what a voice says, when each sentence and word is spoken, and the recording made of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
"""Sound between -1 and 1, one channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWord:
    """A word of a sentence: its characters from `start` to before `end`, and when they are spoken."""

    start: int
    end: int
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenSentence:
    """The sound of one sentence; `words` are timed from its beginning, and empty if the voice does not time them."""

    samples: Samples
    sample_rate: int
    words: tuple[TimedWord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedSentence:
    """A sentence of a recording; all times are from the beginning of the recording."""

    text: str
    start_ms: int
    end_ms: int
    words: tuple[TimedWord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A text as MP3, with the time of each sentence."""

    mp3: bytes
    duration_ms: int
    sentences: tuple[TimedSentence, ...]
