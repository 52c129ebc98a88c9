"""Stories, their members, and the decisions that formed them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scoop.core import copies, dedup, titles
from scoop.core.copies import CopyCandidate
from scoop.core.dedup import DedupDocument, Doubt, Joining, Match, MergedGroup, NewStory, Signal, UrlMatch
from scoop.model import PAGE_PENDING
from scoop.store import db, events
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
    "coverage_id",
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
MAX_CANDIDATES = 200  # of one document; a phrase that as many documents share is common
MAX_SAME_BODY = 10  # candidates of one document: a text that is an article mentions the title of at least one
MAX_READ_CANDIDATES = 1_000  # the best are chosen from
FIRST_SEARCHES = 16  # documents
MAX_TWINS = 50  # documents with other titles that are read to see whether a URL is shared
EVENT_COLUMNS = ("document_id", "decision", "chosen_story_id", "best_candidate_story_id", "exact_signal", "details")


DocumentIdPair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonKeys:
    """URLs, texts and phrases of a collection that turned out to identify no article."""

    collection: str
    url_hashes: Collection[bytes] = ()
    body_hashes: Collection[int] = ()
    phrases: Collection[int] = ()


async def load_documents(conn: Connection, ids: Sequence[int]) -> list[DedupDocument]:
    return [
        DedupDocument(**{**row, "shared_url_hashes": frozenset(row["shared_url_hashes"])})
        for row in await conn.fetch(SQL["readings"], ids, PAGE_PENDING)
    ]


async def mark_shared_urls(
    conn: Connection, documents: Sequence[DedupDocument], by_url: Iterable[UrlMatch]
) -> tuple[list[DedupDocument], set[bytes]]:
    """The documents with those of their URLs that turn out to identify nothing, and these URLs.

    Only a URL that another document has too, in the batch or by `by_url`, may be shared.
    """
    matched = {match.document_id for match in by_url}
    holders = Counter(url_hash for document in documents for url_hash in document.url_hashes)
    doubtful = [
        document.document_id
        for document in documents
        if document.document_id in matched or any(holders[url_hash] > 1 for url_hash in document.url_hashes)
    ]
    if not doubtful:
        return list(documents), set()
    shared = {row["url_hash"] for row in await conn.fetch(SQL["shared_urls"], doubtful, MAX_TWINS)}
    return [
        replace(document, shared_url_hashes=document.shared_url_hashes | shared.intersection(document.url_hashes))
        for document in documents
    ], shared


async def find_url_matches(conn: Connection, documents: Sequence[DedupDocument]) -> list[UrlMatch]:
    """For each URL of these documents one in a story that has it too."""
    rows = await conn.fetch(SQL["same_url"], [document.document_id for document in documents])
    return [UrlMatch(**row) for row in rows]


async def find_title_matches(conn: Connection, documents: Sequence[DedupDocument]) -> list[Match]:
    """For each shared URL of these documents one in a story that has it under the same title."""
    pairs = [(each.document_id, url_hash) for each in documents for url_hash in each.shared_url_hashes]
    if not pairs:
        return []
    rows = await conn.fetch(SQL["same_url_and_title"], *zip(*pairs, strict=True))
    return [Match(**row, signal="exact_url") for row in rows]


async def find_matches(conn: Connection, documents: Sequence[DedupDocument]) -> list[Match]:
    """The documents in stories that share a native id or content with these."""
    ids = [document.document_id for document in documents]
    with_native_id = [document.document_id for document in documents if document.native_ids]
    rows_by_signal: dict[Signal, Any] = {
        "exact_source_id": await conn.fetch(SQL["same_native_id"], with_native_id) if with_native_id else [],
        "exact_content_hash": await conn.fetch(SQL["same_content"], ids, dedup.MIN_CONTENT_TOKENS, PAGE_PENDING),
    }
    return [Match(**row, signal=signal) for signal, rows in rows_by_signal.items() for row in rows]


async def find_phrase_candidates(conn: Connection, ids: Sequence[int]) -> tuple[list[DocumentIdPair], set[int]]:
    """Pairs of a document and another whose texts share phrases, and phrases that turned out to be common.

    A phrase that hundreds of documents share costs as much with every search, so the first searches are few: what they
    find to be common is left out of the following ones.
    """
    await conn.execute(SQL["limit_search"])
    stored = {row["phrase"] for row in await conn.fetch(SQL["common_phrases"], ids)}
    pairs: list[DocumentIdPair] = []
    learned: set[int] = set()
    for part in _growing_parts(ids):
        found = await _search_phrases(conn, part, stored | learned)
        crowded = [one for one, count in Counter(one for one, _ in found).items() if count >= MAX_CANDIDATES]
        if crowded and (more := await _crowding_phrases(conn, crowded, stored | learned)):
            learned |= more
            found = [pair for pair in found if pair[0] not in set(crowded)]
            found += await _search_phrases(conn, crowded, stored | learned)
        pairs += found
    return pairs, learned


def _growing_parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    start, size = 0, FIRST_SEARCHES
    while start < len(ids):
        yield ids[start : start + size]
        start, size = start + size, 4 * size


async def _search_phrases(conn: Connection, ids: Sequence[int], common: Collection[int]) -> list[DocumentIdPair]:
    rows = await conn.fetch(
        SQL["sharing_phrases"], ids, copies.WINDOW, MAX_CANDIDATES, MAX_READ_CANDIDATES, list(common), PAGE_PENDING
    )
    return [tuple(row) for row in rows]


async def _crowding_phrases(conn: Connection, crowded: Sequence[int], common: Collection[int]) -> set[int]:
    rows = await conn.fetch(
        SQL["crowding_phrases"], crowded[:FIRST_SEARCHES], MAX_CANDIDATES, MAX_READ_CANDIDATES, list(common)
    )
    return {row["phrase"] for row in rows}


async def find_retitled(conn: Connection, ids: Sequence[int]) -> tuple[dict[int, int], set[int]]:
    """The text of each of these documents that is under other titles too, and those texts stored as boilerplate."""
    rows = await conn.fetch(SQL["retitled"], ids)
    return {row["document_id"]: row["body_hash"] for row in rows}, {
        row["body_hash"] for row in rows if row["is_stored"]
    }


async def get_titles_over(
    conn: Connection, collection: str, body_hashes: Iterable[int]
) -> dict[int, list[tuple[int, str]]]:
    """Documents with each of these texts, and their titles."""
    titled: dict[int, list[tuple[int, str]]] = {}
    for row in await conn.fetch(SQL["titles_over_bodies"], collection, list(body_hashes), MAX_CANDIDATES):
        titled.setdefault(row["body_hash"], []).append((row["document_id"], row["title"]))
    return titled


async def find_body_candidates(conn: Connection, ids: Sequence[int]) -> list[DocumentIdPair]:
    """Pairs of a document and another with the same text under another title."""
    return [tuple(row) for row in await conn.fetch(SQL["sharing_body"], ids, copies.WINDOW, MAX_SAME_BODY)]


async def find_headline_candidates(conn: Connection, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of a document and another whose titles have the same words."""
    rows = await conn.fetch(SQL["sharing_headlines"], ids, titles.WINDOW, MAX_CANDIDATES, PAGE_PENDING)
    return [tuple(row) for row in rows]


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


async def put_common(conn: Connection, common: CommonKeys) -> None:
    """Store what identifies no article, inside the caller's transaction."""
    if common.url_hashes:
        await conn.execute(SQL["put_shared_urls"], common.collection, list(common.url_hashes))
    if common.body_hashes:
        await conn.execute(SQL["put_boilerplate"], common.collection, list(common.body_hashes))
    if common.phrases:
        await conn.execute(SQL["put_common_phrases"], common.collection, list(common.phrases))


async def release(conn: Connection, common: CommonKeys) -> list[int]:
    """Take documents that a URL or text without meaning may hold together out of their stories, inside the caller's
    transaction; gives all documents of these stories. Each story keeps its representative."""
    if not common.url_hashes and not common.body_hashes:
        return []
    rows = await conn.fetch(SQL["held_together"], common.collection, list(common.url_hashes), list(common.body_hashes))
    story_ids = sorted({row["story_id"] for row in rows})
    if story_ids:
        await conn.execute(SQL["release"], story_ids)
        await conn.execute(SQL["recount"], story_ids, dedup.MIN_CONTENT_TOKENS)
    return [row["document_id"] for row in rows]


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
    await events.refresh_of_stories(conn, _changed(numbered))
    return {story_id for story_id, _ in numbered}


def _changed(numbered: Sequence[tuple[int, MergedGroup]]) -> set[int]:
    """The stories whose events may differ now; a new story with one document is as its event was opened."""
    changed: set[int] = set()
    for story_id, group in numbered:
        if not isinstance(group.story, NewStory) or group.joining:
            changed |= {story_id, *group.absorbed_story_ids}
    return changed


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
                story_id_by_seed[seed.document_id],
            )
            for seed in seeds
        ],
    )
    await events.open_events(conn, list(story_id_by_seed.values()))
    members = [(story_id, document_id, "seed", None, None) for document_id, story_id in story_id_by_seed.items()]
    await db.copy(conn, "story_members", columns=MEMBER_COLUMNS, records=members)


async def _merge(conn: Connection, numbered: Sequence[tuple[int, MergedGroup]]) -> None:
    pairs = [(goes, stays) for stays, group in numbered for goes in group.absorbed_story_ids]
    if pairs:
        goes, stays = zip(*pairs, strict=True)
        await conn.execute(SQL["move_members"], goes, stays)
        await conn.execute(SQL["mark_merged"], goes, stays)
        await events.follow_merges(conn, goes)


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
