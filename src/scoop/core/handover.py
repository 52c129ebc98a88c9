"""Comparison of an older system's digests with ours: shared stories, misses and duplicates."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import Literal

import jinja2

from scoop.core import titles
from scoop.core.digest import REMEMBERED
from scoop.core.rendering import common
from scoop.model import EntryStatus

ComparisonVerdict = Literal["shared", "told_before", "explained", "missed", "double", "extra", "uncompared"]

EXPLAINED: frozenset[EntryStatus] = frozenset({"seen", "suppressed_duplicate", "suppressed_manual"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacyItem:
    """One item of a digest that the older system posted."""

    run_date: date
    position: int
    title: str
    url: str | None
    canonical_url_hash: bytes | None
    normalized_title: str
    posted_at: datetime
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One of our documents, its story, and whether the story belongs to the topic."""

    story_id: int
    coverage_id: int
    is_of_topic: bool
    canonical_url_hash: bytes | None
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoopCandidate:
    """A candidate of our digest; one with a rank was published, a twin beside another story."""

    story_id: int
    coverage_id: int
    rank: int | None
    status: EntryStatus
    reason: str
    change: str
    title: str
    url: str | None
    is_known_to_legacy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """One date of both systems; `mode` is None if we have no digest of it."""

    run_date: date
    items: Sequence[tuple[LegacyItem, Known | None]]
    mode: Literal["live", "shadow"] | None = None
    entries: Sequence[ScoopCandidate] = ()
    told_before: Mapping[int, date]
    """When we last published an event within the days of memory, by coverage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedItem:
    """One item of a digest, its outcome in the other digest, and since when its own system repeats it."""

    title: str
    url: str | None
    story_id: int | None
    verdict: ComparisonVerdict
    note: str = ""
    repeats: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFigures:
    """How two digests compare; `overlap` is the share of its stories that ours has, or had just before."""

    legacy_items: int = 0
    legacy_stories: int = 0
    our_stories: int = 0
    overlap: int = 0
    explained: int = 0
    missed: int = 0
    extras: int = 0
    legacy_doubles: int = 0
    legacy_repeats: int = 0
    our_doubles: int = 0
    our_repeats: int = 0

    @property
    def overlap_rate(self) -> float | None:
        return self.overlap / self.legacy_stories if self.legacy_stories else None

    @property
    def legacy_duplicate_rate(self) -> float | None:
        return (self.legacy_doubles + self.legacy_repeats) / self.legacy_items if self.legacy_items else None

    @property
    def our_duplicate_rate(self) -> float | None:
        published = self.our_stories + self.our_doubles
        return (self.our_doubles + self.our_repeats) / published if published else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDay:
    run_date: date
    mode: Literal["live", "shadow"] | None
    figures: ComparisonFigures
    legacy: tuple[ComparedItem, ...]
    ours: tuple[ComparedItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverComparison:
    """The days in order, and the figures of days on which both systems have a digest."""

    topic_slug: str
    figures: ComparisonFigures
    days: tuple[ComparedDay, ...]


def placed(item: LegacyItem, by_url: Mapping[bytes, Known], titled: Iterable[Known]) -> Known | None:
    """Our document of an item: by its address, else by its headline, equal or nearly so."""
    if item.canonical_url_hash is not None and item.canonical_url_hash in by_url:
        return by_url[item.canonical_url_hash]
    alike = [(_likeness(item.title, known.title), known) for known in titled]
    best = max(alike, key=lambda found: (found[0], found[1].is_of_topic, -found[1].story_id), default=None)
    return best[1] if best and best[0] >= titles.MIN_OVERLAP else None


def _likeness(one: str, other: str) -> float:
    """Similarity of two titles; a short title, or one with other numbers, matches nothing."""
    a, b = titles.heading(one), titles.heading(other)
    return titles.overlap(a, b) if a.is_telling and b.is_telling and a.numbers == b.numbers else 0.0


def compare(topic_slug: str, sides: Sequence[Sides], *, since: date) -> HandoverComparison:
    """Compare the dates from `since` on; earlier dates only show repetitions."""
    events = _events(sides)
    history: dict[int, date] = {}
    days: list[ComparedDay] = []
    for side in sorted(sides, key=lambda side: side.run_date):
        remembered = {event: day for event, day in history.items() if side.run_date - day <= REMEMBERED}
        if side.run_date >= since:
            days.append(_day(side, [events[side.run_date, item.position] for item, _ in side.items], remembered))
        history |= {events[side.run_date, item.position]: side.run_date for item, _ in side.items}
    compared = [day.figures for day in days if day.mode is not None]
    return HandoverComparison(topic_slug=topic_slug, figures=_sum(compared), days=tuple(days))


def _events(sides: Sequence[Sides]) -> dict[tuple[date, int], int]:
    """The event of each item, by date and position: our coverage, or a negative number for an unknown item."""
    events: dict[tuple[date, int], int] = {}
    unknown: list[LegacyItem] = []
    for item, match in (pair for side in sides for pair in side.items):
        if match is not None:
            events[item.run_date, item.position] = match.coverage_id
            continue
        index = next((index for index, other in enumerate(unknown) if _is_same(item, other)), None)
        if index is None:
            index = len(unknown)
            unknown.append(item)
        events[item.run_date, item.position] = -1 - index
    return events


def _is_same(one: LegacyItem, other: LegacyItem) -> bool:
    if one.canonical_url_hash is not None and one.canonical_url_hash == other.canonical_url_hash:
        return True
    return _likeness(one.title, other.title) >= titles.MIN_OVERLAP


def _day(sides: Sides, events: Sequence[int], published_by_legacy: Mapping[int, date]) -> ComparedDay:
    published = {entry.coverage_id: entry for entry in reversed(sides.entries) if entry.rank is not None}
    developed = {event for event, entry in published.items() if entry.change}
    met: set[int] = set()
    legacy: list[ComparedItem] = []
    for (item, known), event in zip(sides.items, events, strict=True):
        verdict, note = _verdict(sides, known, published)
        is_double = event in met
        legacy.append(
            ComparedItem(
                title=item.title or item.url or "",
                url=item.url,
                story_id=known.story_id if known else None,
                verdict="double" if is_double else verdict,
                note="" if is_double else note,
                repeats=None if is_double or event in developed else published_by_legacy.get(event),
            )
        )
        met.add(event)
    ours = _ours(sides, met)
    return ComparedDay(
        run_date=sides.run_date, mode=sides.mode, figures=_figures(legacy, ours), legacy=tuple(legacy), ours=tuple(ours)
    )


def _verdict(
    sides: Sides, known: Known | None, published: Mapping[int, ScoopCandidate]
) -> tuple[ComparisonVerdict, str]:
    """The outcome of an item in our digest, and why."""
    if sides.mode is None:
        return "uncompared", "we have no digest of this date"
    if known is None:
        return "missed", "nothing like it has arrived"
    if known.coverage_id in published:
        return "shared", ""
    if known.coverage_id in sides.told_before:
        return "told_before", f"published on {sides.told_before[known.coverage_id]}"
    judged = [entry for entry in sides.entries if entry.coverage_id == known.coverage_id]
    if judged:
        own = next((entry for entry in judged if entry.story_id == known.story_id), judged[0])
        return ("explained" if own.status in EXPLAINED else "missed"), own.reason
    if not known.is_of_topic:
        return "missed", f"story {known.story_id} is not of the topic"
    return "missed", f"story {known.story_id} had nothing new in the window"


def _ours(sides: Sides, legacy: set[int]) -> list[ComparedItem]:
    """Our published entries in order; twins share a rank and a line, an event with two ranks is a duplicate."""
    ranks: set[int] = set()
    met: set[int] = set()
    lines: list[ComparedItem] = []
    for entry in sides.entries:
        if entry.rank is None or entry.rank in ranks:
            continue
        lines.append(_our_line(sides, entry, is_double=entry.coverage_id in met, is_shared=entry.coverage_id in legacy))
        ranks.add(entry.rank)
        met.add(entry.coverage_id)
    return lines


def _our_line(sides: Sides, entry: ScoopCandidate, *, is_double: bool, is_shared: bool) -> ComparedItem:
    verdict: ComparisonVerdict = "double" if is_double else "shared" if is_shared else "extra"
    is_old_hat = entry.is_known_to_legacy and verdict == "extra"
    return ComparedItem(
        title=entry.title,
        url=entry.url,
        story_id=entry.story_id,
        verdict=verdict,
        note=entry.change or ("the older system had seen it" if is_old_hat else ""),
        repeats=None if entry.change or is_double else sides.told_before.get(entry.coverage_id),
    )


def _figures(legacy: Sequence[ComparedItem], ours: Sequence[ComparedItem]) -> ComparisonFigures:
    verdicts = Counter(line.verdict for line in legacy)
    our_verdicts = Counter(line.verdict for line in ours)
    return ComparisonFigures(
        legacy_items=len(legacy),
        legacy_stories=len(legacy) - verdicts["double"],
        our_stories=len(ours) - our_verdicts["double"],
        overlap=verdicts["shared"] + verdicts["told_before"],
        explained=verdicts["explained"],
        missed=verdicts["missed"],
        extras=our_verdicts["extra"],
        legacy_doubles=verdicts["double"],
        legacy_repeats=sum(line.repeats is not None for line in legacy),
        our_doubles=our_verdicts["double"],
        our_repeats=sum(line.repeats is not None for line in ours),
    )


def _sum(figures: Sequence[ComparisonFigures]) -> ComparisonFigures:
    return ComparisonFigures(
        **{each.name: sum(getattr(one, each.name) for one in figures) for each in fields(ComparisonFigures)}
    )


def page(comparison: HandoverComparison) -> str:
    """The comparison as one page without external resources."""
    return _template().render(comparison=comparison, words=common)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(files(__package__).joinpath("handover.html").read_text("utf-8"))
