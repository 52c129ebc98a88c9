"""Decides which documents are one story."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, get_args

MIN_CONTENT_TOKENS = 20  # shorter bodies are teasers: equal ones may belong to different articles

ExactSignal = Literal["exact_url", "exact_source_id", "exact_content_hash"]
Signal = Literal["manual", ExactSignal, "near_copy", "lexical_simhash", "lexical_overlap", "semantic"]
EXACT: tuple[ExactSignal, ...] = get_args(ExactSignal)
SIGNALS: tuple[Signal, ...] = ("manual", *EXACT, "near_copy", "lexical_simhash", "lexical_overlap", "semantic")
RANKS = {signal: rank for rank, signal in enumerate(SIGNALS)}  # the strongest is the first


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupDocument:
    """A document as `judge` sees it; `story_id` is set if it is in a story already."""

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
    title_hash: bytes = b""
    body_hash: int | None = None
    tracked_url_hash: bytes | None = None
    fragment_url_hash: bytes | None = None
    shared_url_hashes: frozenset[bytes] = frozenset()  # of its URL, those that identify no article by themselves
    awaits_page: bool = False

    @property
    def url_hashes(self) -> tuple[bytes, ...]:
        """The hashes of all spellings of its URL."""
        spellings = (self.canonical_url_hash, self.tracked_url_hash, self.fragment_url_hash)
        return tuple(url_hash for url_hash in spellings if url_hash is not None)

    def identities(self) -> Iterator[tuple[ExactSignal, object]]:
        """The keys by which it is the same article as another, the strongest first.

        While it awaits its page its text decides nothing: two teasers may be alike where the articles are not, and a
        story that was merged is not split again.
        """
        for url_hash in self.url_hashes:
            yield "exact_url", (url_hash, self.title_hash) if url_hash in self.shared_url_hashes else url_hash
        for native_id in self.native_ids:
            yield "exact_source_id", native_id
        if self.token_count >= MIN_CONTENT_TOKENS and not self.awaits_page:
            yield "exact_content_hash", self.content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Two documents that are the same article; `story_id` is None if the match is in the same batch."""

    document_id: int
    matched_document_id: int
    story_id: int | None
    signal: Signal
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlMatch:
    """A document, and another in a story that has one of its URLs."""

    document_id: int
    matched_document_id: int
    story_id: int
    url_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanVerdict:
    """A person's decision about two documents: one story or not; with the stories that they are in."""

    one_document_id: int
    one_story_id: int | None
    other_document_id: int
    other_story_id: int | None
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStory:
    """A story that opens with this document."""

    seed: DedupDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """A document that joins a story, and the strongest reason for it."""

    document_id: int
    signal: Signal
    matched_document_id: int
    score: float = 1.0


StoryRef = int | NewStory


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedGroup:
    """One story after the judgement: the documents that join it, and the younger stories that are merged into it.

    `bridges` are members whose matches merge the stories; `changed_document_ids` are all members in the batch.
    """

    story: StoryRef
    joining: tuple[Joining, ...] = ()
    absorbed_story_ids: tuple[int, ...] = ()
    bridges: tuple[Joining, ...] = ()
    changed_document_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A document that stays in its own story, and another that probably covers the same event."""

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


def make_doubt(
    reading: DedupDocument,
    *,
    candidate_id: int,
    candidate_story_id: int | None,
    probability: float,
    signs: Mapping[str, float],
) -> Doubt:
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


Node = tuple[Literal["document", "story"], int]


@dataclass(slots=True)
class Forest:
    """Union-find over documents and stories, some of which must stay apart."""

    parents: dict[Node, Node] = field(default_factory=dict)
    kept_apart: dict[Node, set[Node]] = field(default_factory=dict)

    def root(self, node: Node) -> Node:
        self.parents.setdefault(node, node)
        while self.parents[node] != node:
            self.parents[node] = self.parents[self.parents[node]]
            node = self.parents[node]
        return node

    def holds(self, one: Node, other: Node) -> bool:
        """Whether two are in one tree."""
        return self.root(one) == self.root(other)

    def keep_apart(self, one: Node, other: Node) -> None:
        self.kept_apart.setdefault(self.root(one), set()).add(other)
        self.kept_apart.setdefault(self.root(other), set()).add(one)

    def join(self, one: Node, other: Node) -> None:
        """Join two trees, unless a pair in them must stay apart."""
        stays, goes = sorted((self.root(one), self.root(other)))
        if any(self.root(node) == goes for node in self.kept_apart.get(stays, ())):
            return
        self.parents[goes] = stays
        if stays != goes and goes in self.kept_apart:
            self.kept_apart.setdefault(stays, set()).update(self.kept_apart.pop(goes))


def judge(
    readings: Sequence[DedupDocument],
    matches: Iterable[Match],
    first_seen_at: Mapping[int, datetime],
    verdicts: Collection[HumanVerdict] = (),
) -> list[MergedGroup]:
    """Fold documents that match, each other or a story, into one story each.

    `first_seen_at` has the age of every story of `named_story_ids`: of several, the oldest stays. Matches are applied
    the strongest first; one that contradicts a human verdict is skipped.
    """
    ordered = sorted(readings, key=lambda reading: reading.document_id)
    reasons = _reasons(ordered, matches, verdicts)
    forest = Forest()
    for reading in ordered:
        if reading.story_id is not None:
            forest.join(("document", reading.document_id), ("story", reading.story_id))
    for verdict in verdicts:
        if not verdict.is_same:
            one = _node(verdict.one_document_id, verdict.one_story_id, reasons)
            forest.keep_apart(one, _node(verdict.other_document_id, verdict.other_story_id, reasons))
    for reason in sorted((reason for found in reasons.values() for reason in found), key=_strength):
        forest.join(*_ends(reason))
    held = {
        document_id: [reason for reason in found if forest.holds(*_ends(reason))]
        for document_id, found in reasons.items()
    }
    return _groups(ordered, held, forest, first_seen_at)


def telling_matches(readings: Iterable[DedupDocument], by_url: Iterable[UrlMatch]) -> list[Match]:
    """The matches by a URL that identifies an article."""
    shared_by_id = {reading.document_id: reading.shared_url_hashes for reading in readings}
    return [
        Match(
            document_id=match.document_id,
            matched_document_id=match.matched_document_id,
            story_id=match.story_id,
            signal="exact_url",
        )
        for match in by_url
        if match.url_hash not in shared_by_id[match.document_id]
    ]


def named_story_ids(
    readings: Iterable[DedupDocument], matches: Iterable[Match], verdicts: Iterable[HumanVerdict] = ()
) -> set[int]:
    """The ids of the stories that a judgement may change."""
    named = {reading.story_id for reading in readings} | {match.story_id for match in matches}
    named |= {story_id for verdict in verdicts for story_id in (verdict.one_story_id, verdict.other_story_id)}
    return {story_id for story_id in named if story_id is not None}


JoinReason = tuple[Joining, int | None]
"""Why a document joins, and the story of the other document; None if that is in the same batch."""


def _strength(reason: JoinReason) -> tuple[int, float, int, int]:
    joining, _ = reason
    return RANKS[joining.signal], -joining.score, joining.document_id, joining.matched_document_id


def match_nodes(document_id: int, matched_document_id: int, story_id: int | None) -> tuple[Node, Node]:
    """The nodes that a match joins: a document, and another document or its story."""
    other: Node = ("document", matched_document_id) if story_id is None else ("story", story_id)
    return ("document", document_id), other


def _ends(reason: JoinReason) -> tuple[Node, Node]:
    joining, story_id = reason
    return match_nodes(joining.document_id, joining.matched_document_id, story_id)


def _node(document_id: int, story_id: int | None, in_batch: Collection[int]) -> Node:
    return ("document", document_id) if document_id in in_batch or story_id is None else ("story", story_id)


def _reasons(
    ordered: Sequence[DedupDocument], matches: Iterable[Match], verdicts: Collection[HumanVerdict]
) -> dict[int, list[JoinReason]]:
    """The reasons of each document to join another, the strongest first."""
    reasons: dict[int, list[JoinReason]] = {reading.document_id: [] for reading in ordered}
    for match in (*matches, *match_identities(ordered, verdicts), *_by_verdict(verdicts, reasons)):
        joining = Joining(
            document_id=match.document_id,
            signal=match.signal,
            matched_document_id=match.matched_document_id,
            score=match.score,
        )
        reasons[match.document_id].append((joining, match.story_id))
        if match.story_id is None and match.matched_document_id in reasons:
            back = replace(joining, document_id=match.matched_document_id, matched_document_id=match.document_id)
            reasons[match.matched_document_id].append((back, None))
    for found in reasons.values():
        found.sort(key=_strength)
    return reasons


def match_identities(ordered: Sequence[DedupDocument], verdicts: Collection[HumanVerdict] = ()) -> Iterator[Match]:
    """Documents of the batch with a key in common: each with the first one, and with all that verdicts name."""
    documents = {each for verdict in verdicts for each in (verdict.one_document_id, verdict.other_document_id)}
    story_ids = named_story_ids((), (), verdicts)
    holders: dict[tuple[ExactSignal, object], list[int]] = {}
    for reading in ordered:
        is_named = reading.document_id in documents or reading.story_id in story_ids
        for identity in dict.fromkeys(reading.identities()):
            earlier = holders.setdefault(identity, [])
            for other in earlier:
                yield Match(
                    document_id=reading.document_id, matched_document_id=other, story_id=None, signal=identity[0]
                )
            if is_named or not earlier:
                earlier.append(reading.document_id)


def _by_verdict(verdicts: Iterable[HumanVerdict], in_batch: Collection[int]) -> Iterator[Match]:
    """Documents of the batch that people joined with one that is not in their story yet."""
    for verdict in verdicts:
        one, other = verdict.one_document_id, verdict.other_document_id
        is_done = verdict.one_story_id is not None and verdict.one_story_id == verdict.other_story_id
        for document_id, matched, story_id in (
            (one, other, verdict.other_story_id),
            (other, one, verdict.one_story_id),
        ):
            if verdict.is_same and not is_done and document_id in in_batch:
                found_in = None if matched in in_batch else story_id
                yield Match(document_id=document_id, matched_document_id=matched, story_id=found_in, signal="manual")


def _groups(
    ordered: Sequence[DedupDocument],
    reasons: Mapping[int, list[JoinReason]],
    forest: Forest,
    first_seen_at: Mapping[int, datetime],
) -> list[MergedGroup]:
    readings_by_root: dict[Node, list[DedupDocument]] = {}
    for reading in ordered:
        readings_by_root.setdefault(forest.root(("document", reading.document_id)), []).append(reading)
    story_ids_by_root: dict[Node, list[int]] = {}
    for story_id in first_seen_at:
        story_ids_by_root.setdefault(forest.root(("story", story_id)), []).append(story_id)
    return [
        _group(
            members, sorted(story_ids_by_root.get(root, ()), key=lambda story: (first_seen_at[story], story)), reasons
        )
        for root, members in readings_by_root.items()
    ]


def _group(
    members: Sequence[DedupDocument], story_ids: Sequence[int], reasons: Mapping[int, list[JoinReason]]
) -> MergedGroup:
    story: StoryRef = story_ids[0] if story_ids else NewStory(seed=members[0])
    newcomers = [member for member in members if member.story_id is None]
    changed = [member for member in members if member.story_id is not None]
    bridging = [member for member in changed if reasons[member.document_id]] if len(story_ids) > 1 else []
    return MergedGroup(
        story=story,
        joining=tuple(_strongest(reasons, member) for member in (newcomers if story_ids else newcomers[1:])),
        absorbed_story_ids=tuple(story_ids[1:]),
        bridges=tuple(_strongest(reasons, member) for member in bridging),
        changed_document_ids=tuple(member.document_id for member in changed),
    )


def _strongest(reasons: Mapping[int, list[JoinReason]], member: DedupDocument) -> Joining:
    return reasons[member.document_id][0][0]
