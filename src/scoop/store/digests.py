"""Digests: their candidates, the runs with all choices and reasons, and what was published before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

import msgspec

from scoop.core.digest import REMEMBERED, DigestCandidate, DigestChoice, PublishedStory
from scoop.core.digest_windows import DigestWindow
from scoop.core.novelty import FACTS_CHARACTERS, DocumentVersion, PublishedMemory
from scoop.errors import NotFound
from scoop.model import Digest, EntryStatus, HandoverMode, Relevance, Telling, Topic
from scoop.store import db, publishers
from scoop.store.db import Connection

SQL = db.blocks(__name__)
RunMode = Literal["live", "shadow"]
MAX_VERSIONS = 200  # documents of a story, the newest, that a digest reads
VERSION_COLUMNS = ("version", "publisher", "publisher_name", "language", "title", "body")
ENTRY_COLUMNS = (
    "digest_run_id",
    "story_id",
    "status",
    "rank",
    "reason",
    "score",
    "score_parts",
    "told",
    "change",
    "twin_of",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRun:
    """One attempt at the digest of a topic and a local date."""

    digest_run_id: int
    topic_slug: str
    run_date: date
    mode: RunMode
    attempt: int
    window_start_utc: datetime
    window_end_utc: datetime
    started_at: datetime
    published_at: datetime | None
    status: str
    candidate_count: int
    posted_count: int
    left_to_legacy_at: datetime | None
    introduction: str
    language: str
    entry_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """The choice about one candidate of a run, and the story as it was then."""

    story_id: int
    story_uuid: str
    status: EntryStatus
    rank: int | None
    score: float
    reason: str
    change: str
    twin_of: int | None
    score_parts: Mapping[str, float]
    title: str
    url: str | None
    publishers: Sequence[str]
    publisher_names: Sequence[str]
    summary: str
    language: str
    published_at: datetime | None
    relevance: Relevance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTopic:
    """A topic's schedule, and the last dates for which there is a digest."""

    topic_id: int
    topic_slug: str
    timezone: str
    digest_cron: str
    created_at: datetime
    mode: HandoverMode | None
    publish_v2: bool | None
    write_raw_ledger: bool | None
    has_channels: bool
    has_open_channels: bool
    last_outgoing: date | None
    last_posted: date | None
    last_live: date | None
    last_shadow: date | None


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A story as it was when a run chose it; `relevance` is that of a curator's article."""

    title: str
    url: str | None
    summary: str
    publishers: tuple[str, ...]
    language: str
    memory: PublishedMemory
    relevance: Relevance | None = None


async def lock_topic(conn: Connection, topic_id: int) -> None:
    await conn.execute(SQL["lock_topic"], topic_id)


async def list_candidates(
    conn: Connection, topic_id: int, window: DigestWindow, *, late_since: datetime | None
) -> list[tuple[DigestCandidate, Mapping[str, Any]]]:
    """The stories that a digest may publish, each with its row."""
    rows = await conn.fetch(SQL["candidates"], topic_id, window.start, window.end, late_since, REMEMBERED)
    versions = await conn.fetch(
        SQL["versions"], [row["story_id"] for row in rows], window.end, FACTS_CHARACTERS, MAX_VERSIONS
    )
    members: dict[int, list[Any]] = {row["story_id"]: [] for row in rows}
    for version in versions:
        members[version["story_id"]].append(version)
    return [(_candidate(row, members[row["story_id"]]), row) for row in rows]


CANDIDATE_COLUMNS = (
    "story_id",
    "coverage_id",
    "title",
    "url_hash",
    "own_publisher",
    "weight",
    "is_lead",
    "url",
    "language",
    "centrality",
    "suppression_reason",
)


def _candidate(row: Mapping[str, Any], members: Sequence[Any]) -> DigestCandidate:
    return DigestCandidate(
        **{name: row[name] for name in CANDIDATE_COLUMNS},
        first_seen_at=min(member["seen_at"] for member in members),
        last_seen_at=max(member["seen_at"] for member in members),
        publishers=tuple(sorted({member["publisher"] for member in members})),
        versions=tuple(DocumentVersion(**{name: member[name] for name in VERSION_COLUMNS}) for member in members),
        points=max(member["points"] for member in members),
    )


async def list_published(conn: Connection, topic_id: int, mode: RunMode, day: date) -> list[PublishedStory]:
    """The stories that the topic published in the days before this one."""
    rows = await conn.fetch(SQL["published_stories"], topic_id, mode, day - REMEMBERED, day - timedelta(days=1))
    return [
        PublishedStory(
            story_id=row["story_id"],
            coverage_id=row["coverage_id"],
            run_date=row["run_date"],
            memory=msgspec.convert(row["told"], Snapshot).memory,
        )
        for row in rows
    ]


async def list_suppressed(conn: Connection, topic_id: int) -> set[int]:
    """The stories that are suppressed in a topic."""
    return {row["story_id"] for row in await conn.fetch(SQL["suppressed"], topic_id)}


async def get_last_made(conn: Connection, topic_id: int, mode: RunMode, day: date) -> datetime | None:
    made_at: datetime | None = await conn.fetchval(SQL["last_made_at"], topic_id, mode, day)
    return made_at


async def published_run_id(conn: Connection, topic_id: int, day: date) -> int | None:
    """The run of a topic and a date that is posted or about to be."""
    run_id: int | None = await conn.fetchval(SQL["published_run"], topic_id, day)
    return run_id


async def insert_run(
    conn: Connection,
    *,
    topic_id: int,
    day: date,
    mode: RunMode,
    window: DigestWindow,
    choices: Sequence[DigestChoice],
    snapshots: Mapping[int, Snapshot],
    introduction: str = "",
) -> int:
    """Insert a run with all its candidates; gives its id."""
    bounds = (window.start, window.end)
    run_id: int = await conn.fetchval(SQL["open_run"], topic_id, day, mode, *bounds, len(choices), introduction)
    records = [
        (
            run_id,
            choice.story_id,
            choice.status,
            choice.rank,
            choice.reason,
            choice.score,
            dict(choice.score_parts),
            msgspec.to_builtins(snapshots[choice.story_id]),
            choice.change,
            choice.twin_of,
        )
        for choice in choices
    ]
    await db.copy(conn, "digest_entries", columns=ENTRY_COLUMNS, records=records)
    return run_id


async def list_runs(
    conn: Connection,
    *,
    topic_slug: str | None = None,
    day: date | None = None,
    mode: RunMode | None = None,
    before: int = db.LAST_ID,
    limit: int = 30,
) -> list[DigestRun]:
    """The latest runs that fulfil all conditions."""
    return [DigestRun(**row) for row in await conn.fetch(SQL["runs"], topic_slug, limit, None, day, mode, before)]


async def get_run(conn: Connection, digest_run_id: int) -> DigestRun:
    row = await conn.fetchrow(SQL["runs"], None, 1, digest_run_id, None, None, db.LAST_ID)
    if row is None:
        raise NotFound(f"there is no digest run {digest_run_id}; `scoop digests` lists them")
    return DigestRun(**row)


async def find_latest_run(conn: Connection, topic_id: int, day: date, mode: RunMode) -> int | None:
    run_id: int | None = await conn.fetchval(SQL["latest_run"], topic_id, day, mode)
    return run_id


async def list_entries(conn: Connection, digest_run_id: int) -> list[RunEntry]:
    rows = await conn.fetch(SQL["entries"], digest_run_id)
    names = await publishers.publisher_names(conn, {family for row in rows for family in row["told"]["publishers"]})
    return [_entry(row, names) for row in rows]


def _entry(row: Mapping[str, Any], name_by_family: Mapping[str, str]) -> RunEntry:
    shown = {name: row["told"][name] for name in ("title", "url", "publishers", "summary", "language")}
    names = [name_by_family[family] for family in shown["publishers"]]
    return RunEntry(
        **{name: value for name, value in row.items() if name != "told"},
        **shown,
        publisher_names=names,
        relevance=msgspec.convert(row["told"].get("relevance"), Relevance | None),
    )


def make_digest(
    topic: Topic, day: date, entries: Sequence[RunEntry], *, introduction: str = "", language: str = ""
) -> Digest:
    """The digest as a reader sees it; a twin is shown beside its story, or by itself where that is not shown."""
    shown = sorted((entry for entry in entries if entry.rank is not None), key=_reading_order)
    leading = {entry.story_id for entry in shown if entry.twin_of is None}
    return Digest(
        topic_slug=topic.topic_slug,
        topic_name=topic.topic_name,
        run_date=day,
        timezone=topic.timezone,
        tellings=tuple(
            _telling(entry, [_telling(twin) for twin in shown if twin.twin_of == entry.story_id])
            for entry in shown
            if entry.twin_of not in leading
        ),
        introduction=introduction,
        language=language,
    )


def _reading_order(entry: RunEntry) -> tuple[int, int, float, int]:
    return entry.rank or 0, entry.twin_of or 0, -entry.score, entry.story_id


def _telling(entry: RunEntry, twins: Sequence[Telling] = ()) -> Telling:
    return Telling(
        story_id=entry.story_id,
        story_uuid=entry.story_uuid,
        title=entry.title,
        url=entry.url,
        summary=entry.summary,
        publishers=tuple(entry.publishers),
        publisher_names=tuple(entry.publisher_names),
        language=entry.language,
        change=entry.change,
        twins=tuple(twins),
        relevance=entry.relevance,
    )


async def list_due(conn: Connection) -> list[DueTopic]:
    return [DueTopic(**row) for row in await conn.fetch(SQL["due"])]
