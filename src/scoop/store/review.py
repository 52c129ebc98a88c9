"""Decisions of people about stories and events: merge, together, apart, split, move, lead, suppress, and undo."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import cast

from scoop.core.dedup import HumanVerdict, MergedGroup
from scoop.core.events import Regrouping
from scoop.errors import NotFound, UsageError
from scoop.model import Decision, DecisionAction, Event
from scoop.stage_names import StageName
from scoop.store import db, events, stories, work
from scoop.store.db import Connection
from scoop.store.reads import events as event_reads
from scoop.store.reads import stories as story_reads
from scoop.store.work import Subject

SQL = db.blocks(__name__)
MAX_SPLIT_EACH = 100  # documents; every two of them are kept apart, which is 5,000 verdicts
MAX_PAIRS = 400  # per split; above this, only pairs with one representative of each side are stored
NEW_EVENT = -1  # in a regrouping

StoryIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """A story with its documents and the stories that were merged into it."""

    story_id: int
    collection: str
    event_id: int
    merged_into: int | None
    first_seen_at: datetime
    representative_document_id: int
    document_ids: list[int]
    pointing_ids: list[int]


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


async def put_together(conn: Connection, one: str, other: str, *, note: str = "", by: str = "") -> Decision:
    """Show two stories as one event, inside the caller's transaction; both stay stories."""
    ours, theirs = await _two_stories(conn, one, other)
    await _refuse_against(conn, ours.document_ids, theirs.document_ids, is_same=False, because="keeps them apart")
    decision_id: int = await conn.fetchval(
        SQL["decide"], "together", ours.collection, ours.story_id, theirs.story_id, [], [], note, by, None
    )
    pair = _in_order(ours.representative_document_id, theirs.representative_document_id)
    await conn.execute(SQL["put_tie"], decision_id, *pair)
    await _regroup(conn, ours.collection, [ours.story_id, theirs.story_id])
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
    await events.open_events(conn, [opened.story_id])
    pairs = _pairs_between(left, sorted(stayed, key=lambda document: document != story.representative_document_id))
    decision_id = await _decide(conn, "split", story, opened, moved=left, pairs=pairs, note=note, by=by)
    await conn.execute(SQL["take_out"], left, opened.story_id)
    details = {"decision_id": decision_id}
    await conn.execute(SQL["record"], left, "manual_split", opened.story_id, story.story_id, details)
    await _recount(conn, story.story_id, opened.story_id)
    await _regroup(conn, story.collection, [story.story_id, opened.story_id])
    return await by_id(conn, decision_id)


async def split_each(
    conn: Connection, document_ids: Collection[int], *, note: str = "", by: str = ""
) -> list[Decision]:
    """Split documents from their story into a new one each, inside the caller's transaction.

    Each is a decision of its own, which keeps its document apart from all that are still in the story. If the story has
    no other documents, the one that represents it stays.
    """
    if len(document_ids) > MAX_SPLIT_EACH:
        raise UsageError(f"{len(document_ids):,} documents are too many; split at most {MAX_SPLIT_EACH} at once")
    story = await _story_of(conn, document_ids)
    leaving = set(document_ids)
    if leaving.issuperset(story.document_ids):
        leaving.remove(story.representative_document_id)
    if not leaving:
        raise UsageError(f"story {story.story_id} has no other documents; there is nothing to split")
    return [await split(conn, {document_id}, note=note, by=by) for document_id in sorted(leaving)]


async def move(
    conn: Connection, names: Sequence[str], event: str | None, *, note: str = "", by: str = ""
) -> list[Decision]:
    """Move stories to another event or, without one, to an event of their own, inside the caller's transaction.

    The stories are kept apart from those that they leave, so that no rule brings them back.
    """
    moved = await _stories_to_move(conn, names)
    left = moved[0].event_id
    staying = [row for row in await conn.fetch(SQL["event_stories"], left) if row["story_id"] not in _ids(moved)]
    target = None if event is None else await _event_to_join(conn, event, moved)
    if target is None and not staying:
        raise UsageError(f"event {left} has no other stories; name only those to move out of it")
    apart_from = [row["representative_document_id"] for row in staying]
    anchor = moved[0] if target is None else await _story(conn, target.lead_story_id)
    decision_ids = [await _decide_move(conn, story, anchor, apart_from=apart_from, note=note, by=by) for story in moved]
    if target is None:
        own = await conn.fetchval(SQL["own_event"], sorted(_ids(moved)))
        await _place(conn, moved, own or NEW_EVENT, leaves=left, is_revived=own is not None)
    else:
        await _place(conn, moved, target.event_id, leaves=left)
    await _regroup(conn, anchor.collection, {*_ids(moved), anchor.story_id, *(row["story_id"] for row in staying)})
    return [await by_id(conn, decision_id) for decision_id in decision_ids]


async def choose_lead(conn: Connection, name: str, *, note: str = "", by: str = "") -> Decision:
    """Let a story lead its event, inside the caller's transaction, until that is undone or it leaves the event."""
    story = await _locked_story(conn, name)
    event = await event_reads.get_event(conn, str(story.event_id))
    active = await conn.fetchrow(SQL["active_of_event"], event.event_id, "lead")
    if active and active["story_id"] == story.story_id == event.lead_story_id:
        raise UsageError(f"decision {active['decision_id']} lets story {story.story_id} lead already")
    before = None if event.lead_story_id == story.story_id else event.lead_story_id
    decision_id = await _decide_on_event(conn, "lead", event, story.story_id, before, note=note, by=by)
    await events.choose_lead(conn, event.event_id, story.story_id)
    return await by_id(conn, decision_id)


async def release_lead(conn: Connection, name: str, *, by: str = "") -> Event:
    """Let the rule choose the lead of an event again, inside the caller's transaction."""
    event = await _locked_event(conn, name)
    active = await conn.fetch(SQL["active_of_event"], event.event_id, "lead")
    if not active:
        raise UsageError(f"nobody chose the lead of event {event.event_id}; the rule chooses it already")
    for row in active:
        await conn.fetch(SQL["undo"], row["decision_id"], by)
    await events.choose_lead(conn, event.event_id, None)
    return await event_reads.get_event(conn, str(event.event_id))


async def suppress(conn: Connection, name: str, *, note: str = "", by: str = "") -> Decision:
    """Hide an event with all its stories from readers, inside the caller's transaction."""
    event = await _locked_event(conn, name)
    if event.status == "suppressed":
        raise UsageError(f"event {event.event_id} is suppressed already")
    decision_id = await _decide_on_event(conn, "suppress", event, event.lead_story_id, None, note=note, by=by)
    await events.suppress(conn, event.event_id, decision_id)
    return await by_id(conn, decision_id)


async def show_again(conn: Connection, name: str, *, by: str = "") -> Event:
    """Show a suppressed event to readers again, inside the caller's transaction."""
    event = await _locked_event(conn, name)
    if event.status != "suppressed":
        raise UsageError(f"event {event.event_id} is not suppressed")
    decision_ids = await events.list_suppressions(conn, event.event_id)
    if not decision_ids:
        raise UsageError(f"event {event.event_id} has only articles that were removed; nobody suppressed it")
    for decision_id in decision_ids:
        await conn.fetch(SQL["undo"], decision_id, by)
    await _end_suppression(conn, decision_ids, event.collection)
    return await event_reads.get_event(conn, str(event.event_id))


async def undo(conn: Connection, decision_id: int, *, by: str = "") -> Decision:
    """Undo a decision, inside the caller's transaction; the rules judge again what it was about."""
    decision = await by_id(conn, decision_id)
    await _lock(conn, decision.collection)
    if not await conn.fetch(SQL["undo"], decision_id, by):
        raise UsageError(f"decision {decision_id} was undone before; `scoop review log` shows when")
    if decision.action in ("lead", "suppress"):
        await _undo_on_event(conn, decision)
    else:
        await _undo_on_stories(conn, decision)
    return await by_id(conn, decision_id)


async def _undo_on_event(conn: Connection, decision: Decision) -> None:
    if decision.action == "suppress":
        await _end_suppression(conn, [decision.decision_id], decision.collection)
        return
    event = await event_reads.get_event(conn, str(decision.event_id))
    earlier = await conn.fetchrow(SQL["active_of_event"], event.event_id, "lead")
    await events.choose_lead(conn, event.event_id, earlier and earlier["story_id"])


async def _undo_on_stories(conn: Connection, decision: Decision) -> None:
    """Move documents or the story back, and enqueue the documents for dedup."""
    if decision.action == "move":
        await _move_story_back(conn, decision)
    elif decision.action in ("merge", "split"):
        await _move_back(conn, decision)
    named = [story_id for story_id in (decision.story_id, decision.other_story_id) if story_id is not None]
    survivors = [await _surviving(conn, story_id) for story_id in named]
    judged = {document_id for story in survivors for document_id in story.document_ids}
    await work.enqueue(conn, StageName.DEDUP, [Subject(document, decision.collection) for document in sorted(judged)])
    await _regroup(conn, decision.collection, _ids(survivors))


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
        _refuse_merged(story)
    return pair


def _refuse_merged(story: _Story) -> None:
    if story.merged_into is not None:
        raise UsageError(f"story {story.story_id} was merged into story {story.merged_into}; name that one")


def _ids(chosen: Iterable[_Story]) -> set[int]:
    return {story.story_id for story in chosen}


async def _locked_story(conn: Connection, name: str) -> _Story:
    """A story that is not merged; its collection is locked."""
    named = await story_reads.get_named(conn, name)
    await _lock(conn, named.collection)
    story = await _story(conn, named.story_id)
    _refuse_merged(story)
    return story


async def _locked_event(conn: Connection, name: str) -> Event:
    """An event, read once its collection is locked."""
    await _lock(conn, (await event_reads.get_event(conn, name)).collection)
    return await event_reads.get_event(conn, name)


async def _stories_to_move(conn: Connection, names: Sequence[str]) -> list[_Story]:
    """Stories of one event, without repetitions; their collection is locked."""
    found = [await _locked_story(conn, name) for name in names]
    moved = list({story.story_id: story for story in found}.values())
    if other := next((story for story in moved if story.event_id != moved[0].event_id), None):
        raise UsageError(f"stories {moved[0].story_id} and {other.story_id} are in two events; move them one by one")
    await _refuse_suppressed(conn, moved[0].event_id)
    return moved


async def _refuse_suppressed(conn: Connection, event_id: int) -> None:
    if (await event_reads.get_event(conn, str(event_id))).status == "suppressed":
        raise UsageError(f"event {event_id} is suppressed; show it again first")


async def _event_to_join(conn: Connection, name: str, moved: Sequence[_Story]) -> Event:
    """The event that stories can be moved to."""
    target = await event_reads.get_event(conn, name)
    if target.event_id == moved[0].event_id:
        raise UsageError(f"story {moved[0].story_id} is in event {target.event_id} already; name another event")
    if target.collection != moved[0].collection:
        raise UsageError(
            f"story {moved[0].story_id} is in {moved[0].collection} and event {target.event_id} in "
            f"{target.collection}; a story stays in its collection"
        )
    await _refuse_suppressed(conn, target.event_id)
    ours = [document_id for story in moved for document_id in story.document_ids]
    theirs = [row["document_id"] for row in await conn.fetch(SQL["event_documents"], target.event_id)]
    await _refuse_against(conn, ours, theirs, is_same=False, because="keeps it apart from stories of that event")
    return target


async def _decide_move(
    conn: Connection, story: _Story, anchor: _Story, *, apart_from: Sequence[int], note: str, by: str
) -> int:
    """Insert the decision to move a story: tied to the anchor, apart from the stories that it leaves."""
    other_id = None if anchor.story_id == story.story_id else anchor.story_id
    decision_id: int = await conn.fetchval(
        SQL["decide"], "move", story.collection, story.story_id, other_id, [], [], note, by, story.event_id
    )
    one = story.representative_document_id
    if pairs := sorted(_in_order(one, other) for other in apart_from[:MAX_PAIRS]):
        await conn.execute(SQL["put_verdicts"], decision_id, False, *map(list, zip(*pairs, strict=True)))
    if other_id is not None:
        await conn.execute(SQL["put_tie"], decision_id, *_in_order(one, anchor.representative_document_id))
    return decision_id


async def _place(
    conn: Connection, moved: Sequence[_Story], event_id: int, *, leaves: int, is_revived: bool = False
) -> None:
    """Put stories into an event at once; an event that they leave empty is merged into it."""
    rest = {row["story_id"] for row in await conn.fetch(SQL["event_stories"], leaves)} - _ids(moved)
    regrouping = Regrouping(
        event_by_story=dict.fromkeys(sorted(_ids(moved)), event_id),
        merged={} if rest else {leaves: event_id},
        revived=frozenset({event_id} if is_revived else ()),
        opened=frozenset({event_id} & {NEW_EVENT}),
    )
    await events.regroup(conn, regrouping, {})
    await events.refresh(conn, [leaves])


async def _move_story_back(conn: Connection, decision: Decision) -> None:
    """Put a moved story back into the event that it left; the grouping decides about one that was merged since."""
    story = await _story(conn, decision.story_id)
    home = await conn.fetchrow(SQL["home"], decision.event_id, decision.decision_id)
    if story.merged_into is None and home["event_id"] != story.event_id:
        await _place(conn, [story], home["event_id"], leaves=story.event_id, is_revived=home["is_revived"])


async def _decide_on_event(
    conn: Connection,
    action: DecisionAction,
    event: Event,
    story_id: int,
    other_story_id: int | None,
    *,
    note: str,
    by: str,
) -> int:
    decision_id: int = await conn.fetchval(
        SQL["decide"], action, event.collection, story_id, other_story_id, [], [], note, by, event.event_id
    )
    return decision_id


async def _end_suppression(conn: Connection, decision_ids: Collection[int], collection: str) -> None:
    await _regroup(conn, collection, await events.end_suppression(conn, decision_ids))


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
        SQL["decide"], action, story.collection, story.story_id, other.story_id, moved, pointing, note, by, None
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
    story_id, other_id = decision.story_id, cast(int, decision.other_story_id)  # a merge or split is about two
    if decision.action == "merge":
        home, here = await _story(conn, other_id), await _surviving(conn, story_id)
    else:
        home, here = await _surviving(conn, story_id), await _surviving(conn, other_id)
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
        await conn.execute(SQL["revive"], home, decision.pointing_ids, here)
        await events.shelter(conn, [home])
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
