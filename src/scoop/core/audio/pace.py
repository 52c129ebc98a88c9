"""How slowly a voice reads a level, and how long it pauses."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPace:
    """`speed` is a share of the voice's own; `pause_ms` follows each sentence."""

    speed: float
    pause_ms: int


NORMAL = ReadingPace(speed=1.0, pause_ms=350)
PACE_BY_LEVEL: Mapping[str, ReadingPace] = {
    "A1": ReadingPace(speed=0.8, pause_ms=700),
    "A2": ReadingPace(speed=0.85, pause_ms=600),
    "B1": ReadingPace(speed=0.9, pause_ms=500),
    "B2": ReadingPace(speed=0.95, pause_ms=400),
    "C1": NORMAL,
    "C2": NORMAL,
}
"""Beginners follow 100 to 120 words a minute, where the voices speak 150 to 170."""
