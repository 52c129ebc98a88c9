"""Stories, their members, and the decisions that formed them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.core import copies, dedup, titles
from scoop.core.copies import CopyCandidate
from scoop.core.dedup import DedupDocument, Doubt, Joining, Match, MergedGroup, NewStory, Signal
from scoop.store import db, read_state
from scoop.store.db import Connection

SQL = db.blocks(__name__)
STORY_COLUMNS = (
    "story_id",
    "collection",
    "canonical_title",
    "canonical_url",
    "canonical_url_hash",
    "representative_document_id",
    "first_seen_at",
    "last_seen_at",
    "sources",
    "publisher_families",
)
MEMBER_COLUMNS = ("story_id", "document_id", "match_type", "match_score", "match_details")
DOUBT_COLUMNS = (
    "document_id",
    "decision",
    "chosen_story_id",
    "best_candidate_story_id",
    "best_cosine",
    "title_overlap",
    "entity_date_consistency",
    "composite_score",
    "model_name",
    "model_version",
    "details",
)
LOCK = "stories"  # name of the advisory lock on the stories of a collection
MAX_CANDIDATES = 200  # of one document
EVENT_COLUMNS = ("document_id", "decision", "chosen_story_id", "best_candidate_story_id", "exact_signal", "details")


async def load_documents(conn: Connection, ids: Sequence[int]) -> list[DedupDocument]:
    return [DedupDocument(**row) for row in await conn.fetch(SQL["readings"], ids)]


async def find_matches(conn: Connection, documents: Sequence[DedupDocument]) -> list[Match]:
    """The documents in stories that share a URL, native id or content with these."""
    ids = [document.document_id for document in documents]
    with_native_id = [document.document_id for document in documents if document.native_ids]
    rows_by_signal: dict[Signal, Any] = {
        "exact_url": await conn.fetch(SQL["same_url"], ids),
        "exact_source_id": await conn.fetch(SQL["same_native_id"], with_native_id) if with_native_id else [],
        "exact_content_hash": await conn.fetch(SQL["same_content"], ids, dedup.MIN_CONTENT_TOKENS),
    }
    return [Match(**row, signal=signal) for signal, rows in rows_by_signal.items() for row in rows]


async def find_phrase_candidates(conn: Connection, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of a document and another whose texts share phrases."""
    await conn.execute(SQL["limit_search"])
    return [tuple(row) for row in await conn.fetch(SQL["sharing_phrases"], ids, copies.WINDOW, MAX_CANDIDATES)]


async def find_headline_candidates(conn: Connection, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of a document and another whose titles have the same words."""
    return [tuple(row) for row in await conn.fetch(SQL["sharing_headlines"], ids, titles.WINDOW, MAX_CANDIDATES)]


async def get_copy_candidates(conn: Connection, ids: Iterable[int]) -> dict[int, CopyCandidate]:
    rows = await conn.fetch(SQL["articles"], list(ids))
    return {row["document_id"]: CopyCandidate(**{**row, "sketch": tuple(row["sketch"])}) for row in rows}


async def get_texts(conn: Connection, ids: Iterable[int]) -> dict[int, str]:
    return {row["document_id"]: row["normalized_text"] for row in await conn.fetch(SQL["texts"], list(ids))}


async def get_story_ids(conn: Connection, ids: Iterable[int]) -> dict[int, int]:
    """The story of each document that is in one."""
    return {row["document_id"]: row["story_id"] for row in await conn.fetch(SQL["of_documents"], list(ids))}


async def get_first_seen(conn: Connection, story_ids: Iterable[int]) -> dict[int, datetime]:
    return {row["story_id"]: row["first_seen_at"] for row in await conn.fetch(SQL["ages"], list(story_ids))}


async def fold(conn: Connection, groups: Sequence[MergedGroup]) -> set[int]:
    """Open, merge and extend stories, inside the caller's transaction; gives the new and changed ones."""
    opening = [group.story.seed for group in groups if isinstance(group.story, NewStory)]
    new_ids = [row["story_id"] for row in await conn.fetch(SQL["new_ids"], len(opening))]
    story_id_by_seed = {seed.document_id: story_id for seed, story_id in zip(opening, new_ids, strict=True)}
    numbered = [(_story_id(group, story_id_by_seed), group) for group in groups]
    await _open(conn, opening, story_id_by_seed)
    await _merge(conn, numbered)
    await _join(conn, numbered)
    await _record(conn, numbered)
    recounted = [story_id for story_id, group in numbered if group.absorbed_story_ids or group.changed_document_ids]
    if recounted:
        await conn.execute(SQL["recount"], recounted, dedup.MIN_CONTENT_TOKENS)
    return {story_id for story_id, _ in numbered}


def _story_id(group: MergedGroup, story_id_by_seed: dict[int, int]) -> int:
    return story_id_by_seed[group.story.seed.document_id] if isinstance(group.story, NewStory) else group.story


async def record_doubts(conn: Connection, doubts: Sequence[Doubt], *, model_name: str, model_version: str) -> None:
    """Record that documents stay in their stories although another story is probably the same event."""
    records = [
        (
            doubt.document_id,
            "gray_zone",
            doubt.story_id,
            doubt.candidate_story_id,
            doubt.cosine,
            doubt.title_overlap,
            doubt.date_consistency,
            doubt.composite,
            model_name,
            model_version,
            {"matched_document_id": doubt.candidate_id, "probability": round(doubt.probability, 4)},
        )
        for doubt in doubts
    ]
    await db.copy(conn, "dedup_events", columns=DOUBT_COLUMNS, records=records)


async def _open(conn: Connection, seeds: Sequence[DedupDocument], story_id_by_seed: dict[int, int]) -> None:
    await db.copy(
        conn,
        "stories",
        columns=STORY_COLUMNS,
        records=[
            (
                story_id_by_seed[seed.document_id],
                seed.collection,
                seed.title,
                seed.canonical_url,
                seed.canonical_url_hash,
                seed.document_id,
                seed.seen_at,
                seed.seen_at,
                [seed.source],
                [seed.publisher_family],
            )
            for seed in seeds
        ],
    )
    members = [(story_id, document_id, "seed", None, None) for document_id, story_id in story_id_by_seed.items()]
    await db.copy(conn, "story_members", columns=MEMBER_COLUMNS, records=members)


async def _merge(conn: Connection, numbered: Sequence[tuple[int, MergedGroup]]) -> None:
    pairs = [(goes, stays) for stays, group in numbered for goes in group.absorbed_story_ids]
    if pairs:
        goes, stays = zip(*pairs, strict=True)
        await conn.execute(SQL["move_members"], goes, stays)
        await conn.execute(SQL["mark_merged"], goes, stays)
        await read_state.inherit(conn, goes, stays)


async def _join(conn: Connection, numbered: Sequence[tuple[int, MergedGroup]]) -> None:
    joining = [(story_id, joined) for story_id, group in numbered for joined in group.joining]
    if not joining:
        return
    await db.copy(
        conn,
        "story_members",
        columns=MEMBER_COLUMNS,
        records=[
            (story_id, joined.document_id, joined.signal, joined.score, _evidence(joined))
            for story_id, joined in joining
        ],
    )
    story_ids, document_ids = [story_id for story_id, _ in joining], [joined.document_id for _, joined in joining]
    await conn.execute(SQL["absorb"], story_ids, document_ids, dedup.MIN_CONTENT_TOKENS)


async def _record(conn: Connection, numbered: Sequence[tuple[int, MergedGroup]]) -> None:
    opened = [
        (group.story.seed.document_id, "new_story", story_id, None, None, None)
        for story_id, group in numbered
        if isinstance(group.story, NewStory)
    ]
    merged = [
        (
            joined.document_id,
            "auto_merge",
            story_id,
            story_id,
            joined.signal if joined.signal in dedup.EXACT else None,
            _evidence(joined) | ({"absorbed_story_ids": group.absorbed_story_ids} if group.absorbed_story_ids else {}),
        )
        for story_id, group in numbered
        for joined in (*group.joining, *group.bridges)
    ]
    await db.copy(conn, "dedup_events", columns=EVENT_COLUMNS, records=opened + merged)


def _evidence(joined: Joining) -> dict[str, Any]:
    return {"signal": joined.signal, "matched_document_id": joined.matched_document_id}


DocumentName = tuple[str, str, str]
"""The identity of a document: collection, source, id within the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The story a document was merged into, and the oldest story of its coverage."""

    merge: int
    coverage: int


async def get_placements(conn: Connection) -> dict[DocumentName, Placement]:
    """The story and coverage of every document that has a story."""
    return {
        (row["collection"], row["source"], row["source_item_id"]): Placement(
            merge=row["merge"], coverage=row["coverage"]
        )
        for row in await conn.fetch(SQL["placements"])
    }
