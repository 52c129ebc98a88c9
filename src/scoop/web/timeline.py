"""The timeline of an event: a strip with a tick for each document, in the colour of its publisher."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain

from scoop.core import text
from scoop.store.reads.event_page import OutlinedPublisher

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


def lane_by_family(outline: Sequence[OutlinedPublisher]) -> dict[str, int]:
    """The lane of each publisher: those with most documents have their own, in order of appearance."""
    counts = Counter({publisher.publisher_family: len(publisher.document_ids) for publisher in outline})
    if len(counts) <= LANES:
        return {family: number for number, family in enumerate(counts, start=1)}
    own = {family for family, _ in counts.most_common(LANES - 1)}
    numbers = {family: number for number, family in enumerate((family for family in counts if family in own), start=1)}
    return {family: numbers.get(family, LANES) for family in counts}


def strip(outline: Sequence[OutlinedPublisher], names: Mapping[str, str]) -> Strip | None:
    """The strip from the first document to the last; None if all appeared within a minute. `names` are by family."""
    start = min((publisher.seen_at[0] for publisher in outline), default=0.0)
    end = max((publisher.seen_at[-1] for publisher in outline), default=0.0)
    if end - start < SHORTEST.total_seconds():
        return None
    number_by_family = lane_by_family(outline)
    sharing: dict[int, list[OutlinedPublisher]] = {number: [] for number in sorted(set(number_by_family.values()))}
    for publisher in outline:
        sharing[number_by_family[publisher.publisher_family]].append(publisher)
    return Strip(
        start=datetime.fromtimestamp(start, UTC),
        end=datetime.fromtimestamp(end, UTC),
        lanes=[
            Lane(
                number=number,
                name=_name(publishers, names),
                documents=sum(len(publisher.document_ids) for publisher in publishers),
                path="".join(f"M{at} {row * TICK}v{TICK}" for at in _ticks(publishers, start, end)),
            )
            for row, (number, publishers) in enumerate(sharing.items())
        ],
    )


def _ticks(publishers: Sequence[OutlinedPublisher], start: float, end: float) -> list[int]:
    """Where the documents of these publishers are on the strip."""
    per_second = WIDTH / STEP / (end - start)
    seen_at = chain.from_iterable(publisher.seen_at for publisher in publishers)
    return [STEP * step for step in sorted({round((second - start) * per_second) for second in seen_at})]


def _name(publishers: Sequence[OutlinedPublisher], names: Mapping[str, str]) -> str:
    if len(publishers) > 1:
        return f"{len(publishers):,} others"
    return text.one_line(names[publishers[0].publisher_family])
