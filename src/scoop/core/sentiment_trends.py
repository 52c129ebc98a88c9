"""How mentions and sentiment move: velocity, changes worth marking, spikes against what is usual for the hour."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, pstdev

MAX_COMPARED = 10  # tools
MAX_DAYS = 90  # of a series
MIN_MENTIONS = 3  # fewer are no trend
MARKED_CHANGE = 0.1  # a difference of two tools or periods from which it is marked
BASELINE = timedelta(weeks=8)
MIN_WEEKS = 3  # of history before a spike is called one
MIN_SPIKE = 10  # mentions in the hour
SPIKE_DEVIATIONS = 4.0
LEAST_DEVIATION = 1.0  # of quiet hours: else a second mention would be a spike
MIN_FOR_MOVE = 20  # mentions on either side of a moved average
# "Tussock 4.2", "v1.0.3", "Tussock is released"; not "grew 3.2 %" or "raises $1.5 million".
_RELEASE = re.compile(
    r"(?<![$€£¥\d.])\bv?\d+\.\d+(?:\.\d+)*\b(?!\s*(?:%|percent|million|billion|[mb]n\b|x\b))|\breleas(?:e|es|ed)\b"
    r"|\blaunch(?:es|ed)\b|\bchangelog\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """An hour with far more mentions than the same hour of the same weekday had before."""

    hour: datetime
    mentions: int
    usual: float

    @property
    def end(self) -> datetime:
        return self.hour + timedelta(hours=1)


def velocity(mentions: int, previous: int) -> float:
    """The growth against the window before: 1 is twice as many; one previous mention is assumed at least."""
    return (mentions - previous) / max(previous, 1)


def change(current: float, before: float) -> float:
    """The relative change of a count; from nothing it is 1."""
    if not before:
        return 1.0 if current else 0.0
    return (current - before) / before


def is_marked(difference: float) -> bool:
    """Whether a difference of averages, or a relative one of counts, is marked; 0.3 - 0.2 is 0.1 here, too."""
    return round(abs(difference), 4) >= MARKED_CHANGE


def is_release(title: str) -> bool:
    """Whether a title announces a version."""
    return _RELEASE.search(title) is not None


def find_spike(mentions_by_hour: Mapping[datetime, int], hour: datetime, *, first: datetime) -> Spike | None:
    """Whether an hour has far more mentions than usual; `first` is when the tool was first mentioned."""
    mentions = mentions_by_hour.get(hour, 0)
    same = [hour - timedelta(weeks=weeks) for weeks in range(1, BASELINE // timedelta(weeks=1) + 1)]
    usual = [mentions_by_hour.get(each, 0) for each in same if each >= first]
    if mentions < MIN_SPIKE or len(usual) < MIN_WEEKS:
        return None
    mean, deviation = fmean(usual), max(LEAST_DEVIATION, pstdev(usual))
    return Spike(hour=hour, mentions=mentions, usual=mean) if mentions > mean + SPIKE_DEVIATIONS * deviation else None


def find_last_spike(mentions_by_hour: Mapping[datetime, int], hours: Sequence[datetime]) -> Spike | None:
    """The first of these hours with far more mentions than usual."""
    first = min(mentions_by_hour, default=None)
    spikes = (find_spike(mentions_by_hour, hour, first=first) for hour in hours if first is not None)
    return next((spike for spike in spikes if spike is not None), None)


def has_moved(current: float, before: float, *, mentions: int, previous: int, by: float) -> bool:
    """Whether an average moved by at least this much, if that is more than 0, on enough mentions."""
    return by > 0 and min(mentions, previous) >= MIN_FOR_MOVE and round(abs(current - before), 6) >= by
