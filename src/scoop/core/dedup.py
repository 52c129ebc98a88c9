"""Which documents are one story: the judge. Values in, a judgement out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

MIN_CONTENT_TOKENS = 20  # bodies below this are teasers and hash alike; their equality says nothing

ExactSignal = Literal["exact_url", "exact_source_id", "exact_content_hash"]
Signal = Literal[ExactSignal, "near_copy", "lexical_simhash", "lexical_overlap", "semantic"]
EXACT: tuple[ExactSignal, ...] = get_args(ExactSignal)
SIGNALS: tuple[Signal, ...] = (*EXACT, "near_copy", "lexical_simhash", "lexical_overlap", "semantic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the judge sees of a document; `story_id` when it belongs to a story already."""

    document_id: int
    collection: str
    source: str
    source_item_id: str
    title: str
    canonical_url: str | None
    canonical_url_hash: bytes | None
    seen_at: datetime
    publisher_family: str
    native_ids: Sequence[str]
    content_hash: bytes
    token_count: int
    story_id: int | None

    def identities(self) -> Iterator[tuple[ExactSignal, object]]:
        """What makes it the same article as another, the strongest first."""
        if self.canonical_url_hash is not None:
            yield "exact_url", self.canonical_url_hash
        for native_id in self.native_ids:
            yield "exact_source_id", native_id
        if self.token_count >= MIN_CONTENT_TOKENS:
            yield "exact_content_hash", self.content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A document that is the same article as a judged one; `story_id` is None where it is judged in the same breath."""

    document_id: int
    matched_document_id: int
    story_id: int | None
    signal: Signal
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStory:
    """A story that opens with this document."""

    seed: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """A document that joins a story, and the strongest reason for it."""

    document_id: int
    signal: Signal
    matched_document_id: int
    score: float = 1.0


StoryRef = int | NewStory


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One story after the judgement: what joins it, and which younger stories become part of it.

    `bridges` were members before and now tie stories together; `changed_document_ids` are all members judged anew.
    """

    story: StoryRef
    joining: tuple[Joining, ...] = ()
    absorbed_story_ids: tuple[int, ...] = ()
    bridges: tuple[Joining, ...] = ()
    changed_document_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A document that stays in its own story, and the one that probably tells of the same event."""

    document_id: int
    story_id: int | None
    candidate_id: int
    candidate_story_id: int | None
    probability: float
    cosine: float
    title_overlap: float
    date_consistency: float

    @property
    def composite(self) -> float:
        """One figure for diagnosis; nothing is decided by it."""
        return 0.75 * self.cosine + 0.15 * self.title_overlap + 0.10 * self.date_consistency


def doubt(
    reading: Reading, *, candidate_id: int, candidate_story_id: int | None, probability: float,
    signs: Mapping[str, float],
) -> Doubt:  # fmt: skip
    return Doubt(
        document_id=reading.document_id,
        story_id=reading.story_id,
        candidate_id=candidate_id,
        candidate_story_id=candidate_story_id,
        probability=probability,
        cosine=max(-1.0, min(1.0, signs["cosine"])),
        title_overlap=min(1.0, signs["title_words"]),
        date_consistency=date_consistency(None if signs["date_unknown"] else signs["days_apart"]),
    )


def date_consistency(days_apart: float | None) -> float:
    if days_apart is None:
        return 0.5
    if days_apart <= 2:
        return 1.0
    return 0.6 if days_apart <= 7 else 0.0


@dataclass(slots=True)
class _Forest:
    """Union-find over documents and stories."""

    parents: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)

    def root(self, node: tuple[str, int]) -> tuple[str, int]:
        self.parents.setdefault(node, node)
        while self.parents[node] != node:
            self.parents[node] = self.parents[self.parents[node]]
            node = self.parents[node]
        return node

    def join(self, one: tuple[str, int], other: tuple[str, int]) -> None:
        one, other = sorted((self.root(one), self.root(other)))
        self.parents[other] = one


def judge(readings: Sequence[Reading], matches: Iterable[Match], first_seen_at: Mapping[int, datetime]) -> list[Group]:
    """Fold documents that share an identity, with each other or with a story, into one story each.

    `first_seen_at` tells the age of every story that a match or a reading names: of several, the oldest stays.
    """
    ordered = sorted(readings, key=lambda reading: reading.document_id)
    reasons = _reasons(ordered, matches)
    forest = _Forest()
    for reading in ordered:
        node = ("document", reading.document_id)
        forest.root(node)
        if reading.story_id is not None:
            forest.join(node, ("story", reading.story_id))
        for joining, story_id in reasons[reading.document_id]:
            forest.join(node, ("document", joining.matched_document_id) if story_id is None else ("story", story_id))
    return _groups(ordered, reasons, forest, first_seen_at)


Reason = tuple[Joining, int | None]
"""Why a document joins, and the story it was found in; None when the other is judged in the same breath."""


def _reasons(ordered: Sequence[Reading], matches: Iterable[Match]) -> dict[int, list[Reason]]:
    """Every document's reasons to join another, the strongest first."""
    reasons: dict[int, list[Reason]] = {reading.document_id: [] for reading in ordered}
    for match in matches:
        joining = Joining(
            document_id=match.document_id,
            signal=match.signal,
            matched_document_id=match.matched_document_id,
            score=match.score,
        )
        reasons[match.document_id].append((joining, match.story_id))
    first_with: dict[tuple[ExactSignal, object], int] = {}
    for reading in ordered:
        for identity in reading.identities():
            earlier = first_with.setdefault(identity, reading.document_id)
            if earlier != reading.document_id:
                for one, other in ((reading.document_id, earlier), (earlier, reading.document_id)):
                    joining = Joining(document_id=one, signal=identity[0], matched_document_id=other)
                    reasons[one].append((joining, None))
    for found in reasons.values():
        found.sort(key=lambda reason: (SIGNALS.index(reason[0].signal), -reason[0].score))
    return reasons


def _groups(
    ordered: Sequence[Reading],
    reasons: Mapping[int, list[Reason]],
    forest: _Forest,
    first_seen_at: Mapping[int, datetime],
) -> list[Group]:
    readings_by_root: dict[tuple[str, int], list[Reading]] = {}
    for reading in ordered:
        readings_by_root.setdefault(forest.root(("document", reading.document_id)), []).append(reading)
    story_ids_by_root: dict[tuple[str, int], list[int]] = {}
    for story_id in first_seen_at:
        story_ids_by_root.setdefault(forest.root(("story", story_id)), []).append(story_id)
    return [
        _group(
            members, sorted(story_ids_by_root.get(root, ()), key=lambda story: (first_seen_at[story], story)), reasons
        )
        for root, members in readings_by_root.items()
    ]


def _group(members: Sequence[Reading], story_ids: Sequence[int], reasons: Mapping[int, list[Reason]]) -> Group:
    story: StoryRef = story_ids[0] if story_ids else NewStory(seed=members[0])
    newcomers = [member for member in members if member.story_id is None]
    changed = [member for member in members if member.story_id is not None]
    bridging = [member for member in changed if reasons[member.document_id]] if len(story_ids) > 1 else []
    return Group(
        story=story,
        joining=tuple(_strongest(reasons, member) for member in (newcomers if story_ids else newcomers[1:])),
        absorbed_story_ids=tuple(story_ids[1:]),
        bridges=tuple(_strongest(reasons, member) for member in bridging),
        changed_document_ids=tuple(member.document_id for member in changed),
    )


def _strongest(reasons: Mapping[int, list[Reason]], member: Reading) -> Joining:
    return reasons[member.document_id][0][0]
