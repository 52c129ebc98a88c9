"""Chooses the stories of a digest and their order, with the reason for every candidate."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from math import log2, log10
from typing import Protocol

from scoop.core import events, novelty, text
from scoop.core.digest_windows import DigestWindow
from scoop.core.events import LeadCandidate
from scoop.core.novelty import DocumentVersion, PublishedMemory
from scoop.model import EntryStatus

REMEMBERED = timedelta(days=3)  # a published story is not repeated for this long, unless it developed
MANY_PUBLISHERS = 8
MANY_POINTS = 1_000
FADES_IN = timedelta(hours=12)
BREADTH, RECENCY, WEIGHT = 0.5, 0.25, 0.25  # shares of every score
POINTS_LIFT = 0.3  # of the distance to 1, for a story with many points on other sites
RELEVANCE_SHARE = 0.3  # of the score, if the relevance was judged


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestCandidate:
    """A story that is new in the window, or has a new document in it; `is_lead`: it leads its event."""

    story_id: int
    coverage_id: int
    title: str
    url_hash: bytes | None
    first_seen_at: datetime
    last_seen_at: datetime
    publishers: tuple[str, ...]
    own_publisher: str
    weight: int
    versions: tuple[DocumentVersion, ...]
    is_lead: bool = False
    url: str | None = None
    language: str = "und"
    centrality: float | None = None
    points: int = 0
    relevance: float | None = None
    suppression_reason: str | None = None

    def publisher_name(self, publisher: str) -> str:
        """The name of one of its publishers."""
        names = (version.publisher_name for version in self.versions if version.publisher == publisher)
        return next(names, publisher)

    def as_lead_candidate(self) -> LeadCandidate:
        return LeadCandidate(
            story_id=self.story_id,
            title=self.title,
            url=self.url,
            language=self.language,
            publisher_family_count=len(self.publishers),
            first_seen_at=self.first_seen_at,
            centrality=self.centrality,
        )


class ScoredEvent(Protocol):
    """What the score of a story or an event is made of."""

    @property
    def last_seen_at(self) -> datetime: ...
    @property
    def weight(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def relevance(self) -> float | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStory:
    """A story of an earlier digest."""

    story_id: int
    coverage_id: int
    run_date: date
    memory: PublishedMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestChoice:
    """The decision on a candidate; only a ranked one is published, a twin beside the story it may be the same as."""

    story_id: int
    status: EntryStatus
    reason: str
    score: float
    score_parts: Mapping[str, float]
    rank: int | None = None
    change: str = ""
    twin_of: int | None = None


@dataclass(slots=True, kw_only=True)
class _RankedCandidate:
    """A candidate that is being decided on, with its twins."""

    candidate: DigestCandidate
    score: float
    parts: Mapping[str, float]
    change: str = ""
    since: date | None = None
    twins: list["_RankedCandidate"] = field(default_factory=list)


def choose(
    candidates: Sequence[DigestCandidate],
    published: Iterable[PublishedStory],
    window: DigestWindow,
    *,
    max_entries: int,
    max_per_family: int,
) -> list[DigestChoice]:
    """Decide on every candidate; published ones come first, in their order."""
    earlier = list(published)
    entries: list[_RankedCandidate] = []
    out: list[DigestChoice] = []
    for entry in _ranked(candidates, window):
        if refusal := _refusal(entry, entries):
            out.append(refusal)
        elif (covered := _published_of(entry.candidate, earlier)) and not _has_developed(entry, covered):
            out.append(_out(entry, "seen", f"published on {_latest(covered)}; nothing new since"))
        else:
            entries.append(entry)
    shown, left = _within(_grouped(entries), max_entries=max_entries, max_per_family=max_per_family)
    chosen = [choice for rank, entry in enumerate(shown, start=1) for choice in _published_choices(entry, rank)]
    return [*chosen, *left, *out]


def score(candidate: ScoredEvent, publishers: int, window: DigestWindow) -> tuple[float, dict[str, float]]:
    """How much a story matters to its topic's readers, from 0 to 1, and the parts of that score.

    Half of it is the number of independent publishers, a quarter how new it is when the digest is due, a quarter the
    weight of the topic's rules. Points on other sites raise it; a judged relevance moves it.
    """
    age = max(window.end - candidate.last_seen_at, timedelta())
    parts = {
        "publishers": min(1.0, log2(1 + publishers) / log2(1 + MANY_PUBLISHERS)),
        "recency": 0.5 ** (age / FADES_IN),
        "weight": candidate.weight / (candidate.weight + 1),
    }
    total = BREADTH * parts["publishers"] + RECENCY * parts["recency"] + WEIGHT * parts["weight"]
    if candidate.points > 0:
        parts["points"] = min(1.0, log10(1 + candidate.points) / log10(1 + MANY_POINTS))
        total += (1 - total) * POINTS_LIFT * parts["points"]
    if candidate.relevance is not None:
        parts["relevance"] = candidate.relevance
        total = (1 - RELEVANCE_SHARE) * total + RELEVANCE_SHARE * candidate.relevance
    return round(total, 4), {name: round(value, 4) for name, value in parts.items()}


def _ranked(candidates: Sequence[DigestCandidate], window: DigestWindow) -> list[_RankedCandidate]:
    """The best first; an event with several stories counts the publishers of all of them."""
    publishers: dict[int, set[str]] = {}
    for candidate in candidates:
        publishers.setdefault(candidate.coverage_id, set()).update(candidate.publishers)
    scored = [
        _RankedCandidate(candidate=candidate, score=total, parts=parts)
        for candidate in candidates
        for total, parts in [score(candidate, len(publishers[candidate.coverage_id]), window)]
    ]
    return sorted(scored, key=lambda entry: (-entry.score, -len(entry.candidate.publishers), entry.candidate.story_id))


def _refusal(entry: _RankedCandidate, better: Sequence[_RankedCandidate]) -> DigestChoice | None:
    """The choice for a suppressed story, or for an article that is in the digest already from another collection."""
    ours = entry.candidate
    if ours.suppression_reason is not None:
        return _out(entry, "suppressed_manual", f"suppressed: {ours.suppression_reason or 'no reason given'}")
    for other in (each.candidate for each in better):
        if (ours.url_hash is not None and ours.url_hash == other.url_hash) or _same_title(ours, other):
            return _out(
                entry, "suppressed_duplicate", f"the same article as story {other.story_id}", twin_of=other.story_id
            )
    return None


def _same_title(one: DigestCandidate, other: DigestCandidate) -> bool:
    """Whether one publisher has the same headline; two publishers may have one headline for two events."""
    return one.own_publisher == other.own_publisher and text.normalized(one.title) == text.normalized(other.title)


def _published_of(candidate: DigestCandidate, earlier: Sequence[PublishedStory]) -> list[PublishedStory]:
    return [
        story for story in earlier if candidate.story_id == story.story_id or candidate.coverage_id == story.coverage_id
    ]


def _has_developed(entry: _RankedCandidate, covered: Sequence[PublishedStory]) -> bool:
    entry.since = _latest(covered)
    memory = novelty.combine([story.memory for story in covered])
    entry.change = novelty.describe_development(memory, entry.candidate.versions, title=entry.candidate.title)
    return bool(entry.change)


def _latest(covered: Sequence[PublishedStory]) -> date:
    return max(story.run_date for story in covered)


def _grouped(entries: Sequence[_RankedCandidate]) -> list[_RankedCandidate]:
    """One entry per event, with the score of its best story; led by the event's lead, else by the same rule."""
    by_event: dict[int, list[_RankedCandidate]] = {}
    for entry in entries:
        by_event.setdefault(entry.candidate.coverage_id, []).append(entry)
    grouped: list[_RankedCandidate] = []
    for event in by_event.values():
        leading, *others = _by_prominence(event)
        grouped.append(replace(leading, score=event[0].score, parts=event[0].parts, twins=others))
    return grouped


def _by_prominence(event: Sequence[_RankedCandidate]) -> list[_RankedCandidate]:
    scores = events.lead_scores([entry.candidate.as_lead_candidate() for entry in event])

    def prominence(entry: _RankedCandidate) -> tuple[bool, float, int]:
        ours = entry.candidate
        return (not ours.is_lead, -scores[ours.story_id], ours.story_id)

    return sorted(event, key=prominence)


def _within(
    entries: Sequence[_RankedCandidate], *, max_entries: int, max_per_family: int
) -> tuple[list[_RankedCandidate], list[DigestChoice]]:
    """The entries that fit into the digest, and the choices for those that do not."""
    shown: list[_RankedCandidate] = []
    left: list[DigestChoice] = []
    by_publisher: Counter[str] = Counter()
    for entry in entries:
        publisher = entry.candidate.own_publisher
        if by_publisher[publisher] >= max_per_family:
            name = entry.candidate.publisher_name(publisher)
            left += _left(entry, f"{name} has {max_per_family} better ones")
        elif len(shown) >= max_entries:
            left += _left(entry, f"{max_entries} others matter more")
        else:
            by_publisher[publisher] += 1
            shown.append(entry)
    return shown, left


def _left(entry: _RankedCandidate, why: str) -> list[DigestChoice]:
    return [_choice(one, "new", f"left out: {why}", change=one.change) for one in (entry, *entry.twins)]


def _published_choices(entry: _RankedCandidate, rank: int) -> list[DigestChoice]:
    story_id = entry.candidate.story_id
    reason = f"developed since {entry.since}: {entry.change}" if entry.change else _why_new(entry)
    choice = _choice(entry, "new", reason, rank=rank, change=entry.change)
    twins = [
        _choice(
            twin,
            "possible_duplicate",
            f"probably the same event as story {story_id}",
            rank=rank,
            change=twin.change,
            twin_of=story_id,
        )
        for twin in entry.twins
    ]
    return [choice, *twins]


def _why_new(entry: _RankedCandidate) -> str:
    count = len({name for one in (entry, *entry.twins) for name in one.candidate.publishers})
    return f"new, covered by {count} publisher{'s' if count > 1 else ''}"


def _out(entry: _RankedCandidate, status: EntryStatus, reason: str, *, twin_of: int | None = None) -> DigestChoice:
    return _choice(entry, status, reason, twin_of=twin_of)


def _choice(
    entry: _RankedCandidate,
    status: EntryStatus,
    reason: str,
    *,
    rank: int | None = None,
    change: str = "",
    twin_of: int | None = None,
) -> DigestChoice:
    return DigestChoice(
        story_id=entry.candidate.story_id,
        status=status,
        reason=reason,
        score=entry.score,
        score_parts=entry.parts,
        rank=rank,
        change=change,
        twin_of=twin_of,
    )
