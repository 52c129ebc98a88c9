"""The timeline of an event: a strip with a tick for each document, in the colour of its publisher."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoop.core import text
from scoop.store.reads.event_page import OutlinedDocument

SHORTEST = timedelta(minutes=1)  # a shorter event has no timeline
LANES = 6  # colours that a reader can distinguish; the other publishers share the last
WIDTH = 1000
TICK = 10  # height of a lane
STEP = 2  # ticks that are nearer are drawn as one


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A publisher, or all others; `number` is that of its colour, `path` draws its ticks."""

    number: int
    name: str
    documents: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    start: datetime
    end: datetime
    lanes: list[Lane]

    @property
    def height(self) -> int:
        return TICK * len(self.lanes)

    @property
    def width(self) -> int:
        return WIDTH


def lane_by_family(documents: Sequence[OutlinedDocument]) -> dict[str, int]:
    """The lane of each publisher: those with most documents have their own, in order of appearance."""
    counts = Counter(document.publisher_family for document in documents)
    if len(counts) <= LANES:
        return {family: number for number, family in enumerate(counts, start=1)}
    own = {family for family, _ in counts.most_common(LANES - 1)}
    numbers = {family: number for number, family in enumerate((family for family in counts if family in own), start=1)}
    return {family: numbers.get(family, LANES) for family in counts}


def strip(documents: Sequence[OutlinedDocument], names: Mapping[str, str]) -> Strip | None:
    """The strip from the first document to the last; None if all appeared within a minute. `names` are by family."""
    if not documents or documents[-1].seen_at - documents[0].seen_at < SHORTEST:
        return None
    start, end = documents[0].seen_at, documents[-1].seen_at
    number_by_family = lane_by_family(documents)
    places: dict[int, list[int]] = {number: [] for number in sorted(set(number_by_family.values()))}
    for document in documents:
        at = (document.seen_at - start) / (end - start)
        places[number_by_family[document.publisher_family]].append(round(at * WIDTH / STEP) * STEP)
    return Strip(
        start=start,
        end=end,
        lanes=[
            Lane(
                number=number,
                name=_name([family for family, lane in number_by_family.items() if lane == number], names),
                documents=len(own),
                path="".join(f"M{at} {row * TICK}v{TICK}" for at in dict.fromkeys(own)),
            )
            for row, (number, own) in enumerate(places.items())
        ],
    )


def _name(families: Sequence[str], names: Mapping[str, str]) -> str:
    if len(families) > 1:
        return f"{len(families):,} others"
    return text.one_line(names[families[0]])
