"""What an older system told and saw, how it compares, and the dates that are left to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from scoop.core import handover, novelty, titles
from scoop.core.digest import REMEMBERED, PublishedStory
from scoop.core.digest_windows import DigestWindow
from scoop.core.handover import Known, LegacyItem, ScoopCandidate, Sides
from scoop.core.handover_lines import PostedItem, SeenItem
from scoop.core.novelty import FACTS_CHARACTERS, DocumentVersion
from scoop.model import PostState, Topic
from scoop.store import db, digests
from scoop.store.db import Connection
from scoop.store.digests import MAX_VERSIONS, RunMode

SQL = db.blocks(__name__)
HANDED_OVER_WITHIN = timedelta(days=7)  # who posted nothing for longer is not waited for
LeaveState = Literal["left", "legacys", "posted", "uncertain"]
"""Whose a date is now: the older system's since just now, or since before; ours; or nobody knows what arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """The older system's program, run instead of us; without an `exit_code` nobody knows whether it ran."""

    topic_id: int
    run_date: date
    claimed_at: datetime
    ended_at: datetime | None
    exit_code: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far either system has come with a topic."""

    topic_id: int
    last_legacy: date | None
    last_posted: date | None
    last_shadow: date | None


async def put_posted(conn: Connection, items: Sequence[tuple[int, datetime, PostedItem]]) -> int:
    """Keep posted items, each with its topic and when it was posted; give how many are new."""
    rows = [
        (
            topic_id,
            item.run_date,
            item.position,
            item.title,
            item.url,
            item.canonical_url_hash,
            item.normalized_title,
            posted_at,
            item.source,
            item.item_hash,
            item.copy,
        )
        for topic_id, posted_at, item in items
    ]
    return len(await conn.fetch(SQL["put_posted"], *map(list, zip(*rows, strict=True)))) if rows else 0


async def put_seen(conn: Connection, items: Sequence[tuple[int | None, SeenItem]]) -> int:
    """Keep seen items, each with its topic; give how many are new."""
    rows = [
        (topic_id, item.key, item.canonical_url_hash, item.title, item.seen_at, item.line) for topic_id, item in items
    ]
    return len(await conn.fetch(SQL["put_seen"], *map(list, zip(*rows, strict=True)))) if rows else 0


async def list_items(conn: Connection, topic_id: int, since: date, until: date) -> list[LegacyItem]:
    return [LegacyItem(**row) for row in await conn.fetch(SQL["items"], topic_id, since, until)]


async def get_last_date(conn: Connection, topic_id: int) -> date | None:
    found: date | None = await conn.fetchval(SQL["last_date"], topic_id)
    return found


async def list_published_before(conn: Connection, topic_id: int, day: date) -> list[PublishedStory]:
    """What the older system's readers were told in the days before this one, as far as we know the stories."""
    posted = await list_items(conn, topic_id, day - REMEMBERED, day - timedelta(days=1))
    placed = [(item, known) for item, known in await _placed(conn, topic_id, posted) if known is not None]
    if not placed:
        return []
    versions = await _versions(conn, placed)
    return [
        PublishedStory(
            story_id=known.story_id,
            coverage_id=known.coverage_id,
            run_date=item.run_date,
            memory=novelty.remember(_as_known_at(item.posted_at, versions[known.story_id])),
        )
        for item, known in placed
    ]


async def _versions(
    conn: Connection, placed: Sequence[tuple[LegacyItem, Known]]
) -> dict[int, list[tuple[datetime, DocumentVersion]]]:
    """The documents of the stories, each with when it was seen, the newest first."""
    found: dict[int, list[tuple[datetime, DocumentVersion]]] = {known.story_id: [] for _, known in placed}
    until = max(item.posted_at for item, _ in placed) + titles.WINDOW
    for row in await conn.fetch(digests.SQL["versions"], list(found), until, FACTS_CHARACTERS, MAX_VERSIONS):
        version = DocumentVersion(**{name: row[name] for name in ("version", "publisher", "language", "title", "body")})
        found[row["story_id"]].append((row["seen_at"], version))
    return found


def _as_known_at(moment: datetime, versions: Sequence[tuple[datetime, DocumentVersion]]) -> list[DocumentVersion]:
    """What was out when the older system told of it; it may have been quicker than we were with the first."""
    known = [version for seen_at, version in versions if seen_at < moment]
    return known or [version for _, version in versions[-1:]]


async def _placed(
    conn: Connection, topic_id: int, posted: Sequence[LegacyItem], more: Sequence[Known] = ()
) -> list[tuple[LegacyItem, Known | None]]:
    """Each item with the document of ours that it is; `more` are others that may have its headline."""
    if not posted:
        return []
    times = [item.posted_at for item in posted]
    rows = await conn.fetch(
        SQL["known"],
        topic_id,
        [item.canonical_url_hash for item in posted if item.canonical_url_hash],
        [headline for item in posted if (headline := titles.headline(item.title)) is not None],
        min(times) - titles.WINDOW,
        max(times) + titles.WINDOW,
    )
    found = [*(Known(**row) for row in rows), *more]
    by_url = {known.canonical_url_hash: known for known in reversed(found) if known.canonical_url_hash}
    return [(item, handover.placed(item, by_url, found)) for item in posted]


async def list_sides(conn: Connection, topic: Topic, *, since: date, until: date) -> list[Sides]:
    """The dates that the older system has a digest of, with ours; the days before `since` tell what is repeated."""
    posted = await list_items(conn, topic.topic_id, since - REMEMBERED, until)
    ours = {day: await _ours(conn, topic.topic_id, day) for day in sorted({item.run_date for item in posted})}
    entries = [entry for _, found in ours.values() for entry in found]
    placed = await _placed(conn, topic.topic_id, posted, [_known(entry) for entry in entries])
    return [
        Sides(
            run_date=day,
            items=[(item, known) for item, known in placed if item.run_date == day],
            mode=mode,
            entries=found,
            told_before=await _told_before(conn, topic.topic_id, mode, day) if mode else {},
        )
        for day, (mode, found) in ours.items()
    ]


async def _ours(conn: Connection, topic_id: int, day: date) -> tuple[RunMode | None, list[ScoopCandidate]]:
    """Our digest of a date: what was made to compare, else the live one, unless that was never made."""
    modes: tuple[RunMode, RunMode] = ("shadow", "live")
    for mode in modes:
        run_id = await digests.find_latest_run(conn, topic_id, day, mode)
        if run_id is None:
            continue
        found = await _entries(conn, topic_id, run_id)
        if found or (await digests.get_run(conn, run_id)).left_to_legacy_at is None:
            return mode, found
    return None, []


async def _entries(conn: Connection, topic_id: int, run_id: int) -> list[ScoopCandidate]:
    found = await digests.list_entries(conn, run_id)
    rows = await conn.fetch(SQL["events"], [entry.story_id for entry in found], topic_id)
    events = {row["story_id"]: row for row in rows}
    return [
        ScoopCandidate(
            story_id=entry.story_id,
            coverage_id=events[entry.story_id]["coverage_id"],
            rank=entry.rank,
            status=entry.status,
            reason=entry.reason,
            change=entry.change,
            title=entry.title,
            url=entry.url,
            is_known_to_legacy=events[entry.story_id]["is_known_to_legacy"],
        )
        for entry in found
    ]


def _known(entry: ScoopCandidate) -> Known:
    return Known(
        story_id=entry.story_id,
        coverage_id=entry.coverage_id,
        is_of_topic=True,
        canonical_url_hash=None,
        title=entry.title,
    )


async def _told_before(conn: Connection, topic_id: int, mode: RunMode, day: date) -> dict[int, date]:
    """When each event was last told by us before a date."""
    found = sorted(await digests.list_published(conn, topic_id, mode, day), key=lambda told: told.run_date)
    return {each.coverage_id: each.run_date for each in found}


async def leave_to_legacy(conn: Connection, topic: Topic, day: date, window: DigestWindow) -> LeaveState:
    """Leave a date to the older system, inside the caller's transaction, unless anything of ours may have arrived."""
    await digests.lock_topic(conn, topic.topic_id)
    posts = await conn.fetch(SQL["posts_of"], topic.topic_id, day)
    whose = await conn.fetchrow(SQL["whose"], topic.topic_id, day)
    if whose["is_posted"]:
        return "posted"
    if whose["is_legacys"]:
        return "legacys"
    if any(_may_have_arrived(row["state"], row["sending_at"], row["tried_at"]) for row in posts):
        return "uncertain"
    await conn.execute(SQL["leave"], topic.topic_id, day, window.start, window.end)
    await conn.execute(SQL["drop_waiting"], topic.topic_id, day)
    return "left"


def _may_have_arrived(state: PostState, sending_at: datetime | None, tried_at: datetime | None) -> bool:
    """Whether readers may have a post: nobody knows it of a try that was not answered."""
    if state == "failed":  # the last try certainly did not arrive, but one before it may have
        return sending_at != tried_at
    return state in {"sending", "sent", "dropped"} or sending_at is not None  # dropped: by a person, who may know more


async def is_handed_over(conn: Connection, topic_id: int, day: date) -> bool:
    """Whether the topic was ours before this date; else the older system posts it anyway."""
    return bool(await conn.fetchval(SQL["is_handed_over"], topic_id, day, HANDED_OVER_WITHIN.days))


async def claim_fallback(conn: Connection, topic_id: int, day: date) -> bool:
    """Whether the caller, and nobody else, is to run the older system's program for a date."""
    return await conn.fetchval(SQL["claim"], topic_id, day) is not None


async def end_fallback(conn: Connection, topic_id: int, day: date, *, exit_code: int, error: str) -> None:
    await conn.execute(SQL["end"], topic_id, day, exit_code, error)


async def list_fallbacks(conn: Connection) -> dict[int, Fallback]:
    """The latest fall-back of each topic that had one."""
    return {row["topic_id"]: Fallback(**row) for row in await conn.fetch(SQL["fallbacks"])}


async def list_standings(conn: Connection) -> dict[int, Standing]:
    return {row["topic_id"]: Standing(**row) for row in await conn.fetch(SQL["standings"])}
