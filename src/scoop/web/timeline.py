"""When a story was told by whom: a lane for each newsroom, a tick for each document."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from scoop.store.reads.stories import StoryMember
from scoop.web import labels

SHORTEST = timedelta(minutes=1)  # what is told within it was told at once
LANES = 6  # as many colours can be told apart; the rest of the newsrooms share the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A document at a share of the timeline's length."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A newsroom, or what is left of them; `number` is that of its colour."""

    number: int
    name: str
    ticks: list[Tick]


def lane_by_family(members: Sequence[StoryMember]) -> dict[str, int]:
    """The number of each newsroom's lane: those that tell most have one of their own, in order of appearance."""
    counts = Counter(member.publisher_family for member in members)
    if len(counts) <= LANES:
        return {family: number for number, family in enumerate(counts, start=1)}
    own = {family for family, _ in counts.most_common(LANES - 1)}
    numbers = {family: number for number, family in enumerate((each for each in counts if each in own), start=1)}
    return {family: numbers.get(family, LANES) for family in counts}


def lanes(members: Sequence[StoryMember]) -> list[Lane]:
    """The documents from the first to the last moment, by newsroom; none where all appeared at once."""
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
            ticks=each,
        )
        for number, each in ticks.items()
    ]


def _name(families: Sequence[str]) -> str:
    return labels.publisher_name(families[0]) if len(families) == 1 else f"{len(families):,} others"
