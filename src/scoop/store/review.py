"""Decisions of people about stories: the queue of pairs, merge, keep apart, split, and undo."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np

from scoop.core import links
from scoop.core.calibration import LabelledPair
from scoop.core.dedup import HumanVerdict, MergedGroup
from scoop.errors import NotFound, UsageError
from scoop.model import Decision, DecisionAction
from scoop.stage_names import StageName
from scoop.store import db, embeddings, read_state, stories, work
from scoop.store import links as linked
from scoop.store.db import Connection
from scoop.store.embeddings import EmbeddingModel
from scoop.store.reads import stories as story_reads
from scoop.store.work import Subject

SQL = db.blocks(__name__)
MAX_PAIRS = 400  # per split; above this, only pairs with one representative of each side are stored

StoryIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDocument:
    """One document of a pair, and the counts of its story."""

    document_id: int
    title: str
    source: str
    url: str | None
    seen_at: datetime
    story_id: int
    item_count: int
    publisher_family_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrayPair:
    """Two stories that may be one, by their best linked documents; `matters` is the priority in the queue."""

    collection: str
    probability: float
    cosine: float
    title_overlap: float
    matters: float
    signals: Mapping[str, float]
    one: PairDocument
    other: PairDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A story with its documents and the stories that were merged into it."""

    story_id: int
    collection: str
    merged_into: int | None
    first_seen_at: datetime
    representative_document_id: int
    document_ids: list[int]
    pointing_ids: list[int]


async def list_pairs(
    conn: Connection,
    model: EmbeddingModel,
    *,
    at_least: float,
    collection: str | None,
    skip: int = 0,
    limit: int,
    now: datetime,
) -> tuple[list[GrayPair], int]:
    """Undecided pairs of stories by priority, and the number of all."""
    rows = await conn.fetch(SQL["gray"], model.model_id, at_least, collection, limit, now, skip)
    if not rows:
        return [], 0
    shown = {document_id for row in rows for document_id in (row["one_id"], row["other_id"])}
    sides = {row["document_id"]: PairDocument(**row) for row in await conn.fetch(SQL["sides"], list(shown))}
    return [_gray_pair(row, sides[row["one_id"]], sides[row["other_id"]]) for row in rows], rows[0]["waiting"]


def _gray_pair(row: Any, one: PairDocument, other: PairDocument) -> GrayPair:
    signs = links.features_by_name(row["signals"])
    return GrayPair(
        collection=row["collection"],
        probability=row["probability"],
        cosine=signs["cosine"],
        title_overlap=signs["title_words"],
        matters=row["matters"],
        signals=signs,
        one=one,
        other=other,
    )


async def merge(conn: Connection, one: str, other: str, *, note: str = "", by: str = "") -> Decision:
    """Merge two stories, inside the caller's transaction: the younger into the older."""
    pair = await _two_stories(conn, one, other)
    survivor, merged = sorted(pair, key=lambda story: (story.first_seen_at, story.story_id))
    await _refuse_against(
        conn, survivor.document_ids, merged.document_ids, is_same=False, because="keeps documents of both apart"
    )
    pairs = await _decided_pairs(conn, survivor, merged)
    decision_id = await _decide(
        conn, "merge", survivor, merged, moved=merged.document_ids, pairs=pairs, note=note, by=by
    )
    details = {
        "signal": "manual",
        "decision_id": decision_id,
        "matched_document_id": survivor.representative_document_id,
        "absorbed_story_ids": [merged.story_id],
    }
    await conn.execute(SQL["record"], merged.document_ids, "manual_merge", survivor.story_id, merged.story_id, details)
    await stories.fold(conn, [MergedGroup(story=survivor.story_id, absorbed_story_ids=(merged.story_id,))])
    await _regroup(conn, survivor.collection, [survivor.story_id])
    return await by_id(conn, decision_id)


async def keep_apart(conn: Connection, one: str, other: str, *, note: str = "", by: str = "") -> Decision:
    """Keep two stories apart, inside the caller's transaction: no rule merges or groups them from now on."""
    ours, theirs = await _two_stories(conn, one, other)
    await _refuse_against(
        conn, ours.document_ids, theirs.document_ids, is_same=False, because="keeps them apart already"
    )
    pairs = await _decided_pairs(conn, ours, theirs)
    decision_id = await _decide(conn, "apart", ours, theirs, moved=[], pairs=pairs, note=note, by=by)
    await _regroup(conn, ours.collection, [ours.story_id, theirs.story_id])
    return await by_id(conn, decision_id)


async def split(conn: Connection, document_ids: Collection[int], *, note: str = "", by: str = "") -> Decision:
    """Split documents from their story into a new one, inside the caller's transaction."""
    story = await _story_of(conn, document_ids)
    left = sorted(document_ids)
    stayed = [document_id for document_id in story.document_ids if document_id not in set(left)]
    if not stayed:
        raise UsageError(f"story {story.story_id} has no other documents; name only those to split from it")
    await _refuse_against(conn, left, stayed, is_same=True, because="merged documents of both")
    opened = await _story(conn, await conn.fetchval(SQL["open"], left[0]))
    pairs = _pairs_between(left, sorted(stayed, key=lambda document: document != story.representative_document_id))
    decision_id = await _decide(conn, "split", story, opened, moved=left, pairs=pairs, note=note, by=by)
    await conn.execute(SQL["take_out"], left, opened.story_id)
    details = {"decision_id": decision_id}
    await conn.execute(SQL["record"], left, "manual_split", opened.story_id, story.story_id, details)
    await _recount(conn, story.story_id, opened.story_id)
    await _regroup(conn, story.collection, [story.story_id, opened.story_id])
    return await by_id(conn, decision_id)


async def undo(conn: Connection, decision_id: int, *, by: str = "") -> Decision:
    """Undo a decision, inside the caller's transaction, and enqueue its documents for dedup."""
    decision = await by_id(conn, decision_id)
    await _lock(conn, decision.collection)
    if not await conn.fetch(SQL["undo"], decision_id, by):
        raise UsageError(f"decision {decision_id} was undone before; `scoop review log` shows when")
    if decision.action != "apart":
        await _move_back(conn, decision)
    survivors = [await _surviving(conn, story_id) for story_id in (decision.story_id, decision.other_story_id)]
    judged = {document_id for story in survivors for document_id in story.document_ids}
    await work.enqueue(conn, StageName.DEDUP, [Subject(document, decision.collection) for document in sorted(judged)])
    await _regroup(conn, decision.collection, {story.story_id for story in survivors})
    return await by_id(conn, decision_id)


async def by_id(conn: Connection, decision_id: int) -> Decision:
    row = await conn.fetchrow(SQL["decisions"], decision_id, None, 1, db.LAST_ID)
    if row is None:
        raise NotFound(f"there is no decision {decision_id}; `scoop review log` lists all")
    return Decision(**row)


async def list_decisions(
    conn: Connection, *, collection: str | None, before: int = db.LAST_ID, limit: int
) -> list[Decision]:
    return [Decision(**row) for row in await conn.fetch(SQL["decisions"], None, collection, limit, before)]


async def list_constraints(
    conn: Connection, document_ids: Iterable[int], story_ids: Iterable[int]
) -> list[HumanVerdict]:
    """The verdicts of people that bind these documents and stories."""
    documents, known = list(document_ids), set(story_ids)
    while True:
        found = [HumanVerdict(**row) for row in await conn.fetch(SQL["verdicts"], documents, list(known))]
        # The stories that a document must join may have verdicts of their own.
        named = {story_id for same in found if same.is_same for story_id in (same.one_story_id, same.other_story_id)}
        more = {story_id for story_id in named if story_id is not None} - known
        if not more:
            return found
        known |= more


async def list_kept_apart(conn: Connection, story_ids: Collection[int]) -> set[StoryIdPair]:
    """The pairs of these stories that people keep apart, the smaller id first."""
    among = set(story_ids)
    return {
        (min(verdict.one_story_id, verdict.other_story_id), max(verdict.one_story_id, verdict.other_story_id))
        for verdict in await list_constraints(conn, (), among)
        if not verdict.is_same and verdict.one_story_id in among and verdict.other_story_id in among
    }


async def list_labels(conn: Connection, model: EmbeddingModel) -> tuple[list[LabelledPair], int]:
    """The decided pairs with the model's signals, and the number of those that it has no link for."""
    rows = await conn.fetch(SQL["labels"], model.model_id)
    documents = {document for row in rows for document in (row["one_document_id"], row["other_document_id"])}
    known = await linked.get_compared(conn, documents)
    found = [
        LabelledPair(
            one=known[row["one_document_id"]],
            other=known[row["other_document_id"]],
            signs=np.array(row["signals"], dtype=np.float32),
            probability=row["probability"],
            is_same=row["is_same"],
        )
        for row in rows
        if row["signals"] is not None and {row["one_document_id"], row["other_document_id"]} <= known.keys()
    ]
    return found, len(rows) - len(found)


async def calibrate(conn: Connection, model: EmbeddingModel, calibration: Mapping[str, float]) -> None:
    """Set the thresholds of a model, inside the caller's transaction, and enqueue all documents for linking."""
    if calibration == model.calibration:
        return
    await embeddings.calibrate(conn, model, calibration)
    async for page in embeddings.iterate_documents(conn):
        await work.enqueue(conn, StageName.LINK, page)


async def _lock(conn: Connection, collection: str) -> None:
    await conn.execute(SQL["lock"], work.LANE_LOCK, f"{stories.LOCK} {collection}")


async def _two_stories(conn: Connection, one: str, other: str) -> tuple[_Story, _Story]:
    """Two different stories of one collection, which is locked."""
    ours, theirs = await story_reads.get_named(conn, one), await story_reads.get_named(conn, other)
    if ours.story_id == theirs.story_id:
        raise UsageError(f"{one} and {other} are the same story; name two different ones")
    if ours.collection != theirs.collection:
        raise UsageError(
            f"story {ours.story_id} is in {ours.collection} and story {theirs.story_id} in {theirs.collection}; "
            "both stories must be in one collection"
        )
    await _lock(conn, ours.collection)
    pair = await _story(conn, ours.story_id), await _story(conn, theirs.story_id)
    for story in pair:
        if story.merged_into is not None:
            raise UsageError(f"story {story.story_id} was merged into story {story.merged_into}; name that one")
    return pair


async def _story(conn: Connection, story_id: int) -> _Story:
    return _Story(**await conn.fetchrow(SQL["story"], story_id))


async def _story_of(conn: Connection, document_ids: Collection[int]) -> _Story:
    """The one story of these documents; its collection is locked."""
    homes = await conn.fetch(SQL["homes"], list(document_ids))
    if unknown := sorted({*document_ids} - {home["document_id"] for home in homes}):
        raise NotFound(f"there is no document {unknown[0]}")
    await _lock(conn, homes[0]["collection"])
    homes = await conn.fetch(SQL["homes"], list(document_ids))
    first = homes[0]
    for home in homes:
        if home["story_id"] is None:
            raise UsageError(f"document {home['document_id']} is in no story yet; `scoop run-once` runs dedup")
        if home["story_id"] != first["story_id"]:
            raise UsageError(
                f"document {first['document_id']} is in story {first['story_id']} and document {home['document_id']} "
                f"in story {home['story_id']}; name documents of one story, by their numbers"
            )
    return await _story(conn, first["story_id"])


async def _refuse_against(
    conn: Connection, ours: Sequence[int], theirs: Sequence[int], *, is_same: bool, because: str
) -> None:
    """Refuse an action that contradicts a decision about documents of both sides."""
    binding = await conn.fetchval(SQL["binding"], ours, theirs, is_same)
    if binding is not None:
        raise UsageError(f"decision {binding} {because}; undo that first: `scoop review undo {binding}`")


async def _decided_pairs(conn: Connection, one: _Story, other: _Story) -> set[StoryIdPair]:
    """The pairs of documents that record a decision about two stories: the representatives, and the best link."""
    pairs = {_in_order(one.representative_document_id, other.representative_document_id)}
    best = await conn.fetchrow(SQL["best_link"], one.document_ids, other.document_ids)
    return pairs | {tuple(best)} if best else pairs


def _pairs_between(left: Sequence[int], stayed: Sequence[int]) -> set[StoryIdPair]:
    """Each document that left with each that stayed; if these are too many, only with the first of each side."""
    is_small = len(left) * len(stayed) <= MAX_PAIRS
    pairs = product(left, stayed) if is_small else (*product(left, stayed[:1]), *product(left[:1], stayed))
    return {_in_order(one, other) for one, other in pairs}


def _in_order(one: int, other: int) -> StoryIdPair:
    return (one, other) if one < other else (other, one)


async def _decide(
    conn: Connection,
    action: DecisionAction,
    story: _Story,
    other: _Story,
    *,
    moved: Sequence[int],
    pairs: Iterable[StoryIdPair],
    note: str,
    by: str,
) -> int:
    """Insert a decision and its verdicts on pairs of documents."""
    pointing = other.pointing_ids if action == "merge" else []
    decision_id: int = await conn.fetchval(
        SQL["decide"], action, story.collection, story.story_id, other.story_id, moved, pointing, note, by
    )
    ones, others = zip(*sorted(pairs), strict=True)
    await conn.execute(SQL["put_verdicts"], decision_id, action == "merge", ones, others)
    return decision_id


async def _surviving(conn: Connection, story_id: int) -> _Story:
    """The story, or the one that it was merged into."""
    story = await _story(conn, story_id)
    return story if story.merged_into is None else await _story(conn, story.merged_into)


async def _move_back(conn: Connection, decision: Decision) -> None:
    """Move the documents of a decision, and those that joined because of them, back to their story."""
    if decision.action == "merge":
        home, here = await _story(conn, decision.other_story_id), await _surviving(conn, decision.story_id)
    else:
        home, here = await _surviving(conn, decision.story_id), await _surviving(conn, decision.other_story_id)
    rows = await conn.fetch(SQL["followers"], here.story_id, decision.document_ids, decision.decided_at)
    going = [row["document_id"] for row in rows]
    staying = sorted(set(here.document_ids) - set(going))
    if not going or here.story_id == home.story_id:
        raise UsageError(
            f"the documents of decision {decision.decision_id} were moved by a later one; "
            "undo that first: `scoop review log` lists all"
        )
    await _refuse_against(conn, going, staying, is_same=True, because="merged some of them")
    await _refuse_against(conn, going, home.document_ids, is_same=False, because="keeps some of them apart")
    await _carry_back(conn, decision, going, staying, home=home.story_id, here=here.story_id)


async def _carry_back(
    conn: Connection, decision: Decision, going: Sequence[int], staying: Sequence[int], *, home: int, here: int
) -> None:
    if decision.action == "merge":
        await conn.execute(SQL["revive"], home, decision.pointing_ids)
        await read_state.give_back(conn, survivor=here, revived=home)
    await conn.execute(SQL["move"], going, home)
    if decision.action == "split":
        await conn.execute(SQL["restore"], [document for document in going if document in decision.document_ids])
    event = "manual_split" if decision.action == "merge" else "manual_merge"
    details = {"decision_id": decision.decision_id, "is_undone": True}
    await conn.execute(SQL["record"], going, event, home, here, details)
    if staying:
        await _recount(conn, home, here)
    else:
        await stories.fold(conn, [MergedGroup(story=home, absorbed_story_ids=(here,))])


async def _recount(conn: Connection, *story_ids: int) -> None:
    recounted = [await _story(conn, story_id) for story_id in story_ids]
    await stories.fold(
        conn, [MergedGroup(story=story.story_id, changed_document_ids=tuple(story.document_ids)) for story in recounted]
    )


async def _regroup(conn: Connection, collection: str, story_ids: Iterable[int]) -> None:
    await work.enqueue(conn, StageName.GROUP, [Subject(story_id, collection) for story_id in sorted(story_ids)])
    await work.enqueue(conn, StageName.ASSIGN_TOPICS, [Subject(story_id) for story_id in sorted(story_ids)])
