"""The timeline of a story: a lane for each publisher, a tick for each document."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from scoop.store.reads.stories import StoryMember
from scoop.web import labels

SHORTEST = timedelta(minutes=1)  # a shorter story has no timeline
LANES = 6  # colours that a reader can distinguish; the other publishers share the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A document; `at` is its position from 0 to 1."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A publisher, or all others; `number` is that of its colour."""

    number: int
    name: str
    ticks: list[Tick]


def lane_by_family(members: Sequence[StoryMember]) -> dict[str, int]:
    """The lane of each publisher: those with most documents have their own, in order of appearance."""
    counts = Counter(member.publisher_family for member in members)
    if len(counts) <= LANES:
        return {family: number for number, family in enumerate(counts, start=1)}
    own = {family for family, _ in counts.most_common(LANES - 1)}
    numbers = {family: number for number, family in enumerate((family for family in counts if family in own), start=1)}
    return {family: numbers.get(family, LANES) for family in counts}


def lanes(members: Sequence[StoryMember]) -> list[Lane]:
    """The lanes from the first document to the last; none if all appeared within a minute."""
    if not members or members[-1].seen_at - members[0].seen_at < SHORTEST:
        return []
    start, length = members[0].seen_at, members[-1].seen_at - members[0].seen_at
    number_by_family = lane_by_family(members)
    ticks: dict[int, list[Tick]] = {number: [] for number in sorted(set(number_by_family.values()))}
    for member in members:
        label = labels.outlet_name(member.source, member.source_name)
        tick = Tick(at=(member.seen_at - start) / length, label=label)
        ticks[number_by_family[member.publisher_family]].append(tick)
    return [
        Lane(
            number=number,
            name=_name([family for family, lane in number_by_family.items() if lane == number]),
            ticks=lane_ticks,
        )
        for number, lane_ticks in ticks.items()
    ]


def _name(families: Sequence[str]) -> str:
    return labels.publisher_name(families[0]) if len(families) == 1 else f"{len(families):,} others"
