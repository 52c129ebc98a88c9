"""The handover from an older system: what it posted and saw, comparison with Scoop, and dates left to it."""

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
HANDED_OVER_WITHIN = timedelta(days=7)  # without a digest for longer, the topic is not Scoop's
LeaveState = Literal["left", "legacys", "posted", "uncertain"]
"""The owner of a date: the older system, from now on (left) or before (legacys); Scoop (posted); or uncertain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """A run of the older system's program instead of Scoop's digest; without `exit_code` it may not have run."""

    topic_id: int
    run_date: date
    claimed_at: datetime
    ended_at: datetime | None
    exit_code: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The last dates of both systems for a topic."""

    topic_id: int
    last_legacy: date | None
    last_posted: date | None
    last_shadow: date | None


async def put_posted(conn: Connection, items: Sequence[tuple[int, datetime, PostedItem]]) -> int:
    """Store posted items with their topics and times; gives the number of new ones."""
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
    """Store seen items with their topics; gives the number of new ones."""
    rows = [
        (topic_id, item.key, item.canonical_url_hash, item.title, item.seen_at, item.line) for topic_id, item in items
    ]
    return len(await conn.fetch(SQL["put_seen"], *map(list, zip(*rows, strict=True)))) if rows else 0


async def list_items(conn: Connection, topic_id: int, since: date, until: date) -> list[LegacyItem]:
    return [LegacyItem(**row) for row in await conn.fetch(SQL["items"], topic_id, since, until)]


async def get_last_date(conn: Connection, topic_id: int) -> date | None:
    last_date: date | None = await conn.fetchval(SQL["last_date"], topic_id)
    return last_date


async def list_published_before(conn: Connection, topic_id: int, day: date) -> list[PublishedStory]:
    """The stories that the older system posted in the days before this one, as far as Scoop has them."""
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
    """The documents of the stories with the times they were seen, the newest first."""
    found: dict[int, list[tuple[datetime, DocumentVersion]]] = {known.story_id: [] for _, known in placed}
    until = max(item.posted_at for item, _ in placed) + titles.WINDOW
    for row in await conn.fetch(digests.SQL["versions"], list(found), until, FACTS_CHARACTERS, MAX_VERSIONS):
        version = DocumentVersion(**{name: row[name] for name in digests.VERSION_COLUMNS})
        found[row["story_id"]].append((row["seen_at"], version))
    return found


def _as_known_at(moment: datetime, versions: Sequence[tuple[datetime, DocumentVersion]]) -> list[DocumentVersion]:
    """The versions that existed at a moment; the oldest one if the older system was quicker than Scoop."""
    known = [version for seen_at, version in versions if seen_at < moment]
    return known or [version for _, version in versions[-1:]]


async def _placed(
    conn: Connection, topic_id: int, posted: Sequence[LegacyItem], more: Sequence[Known] = ()
) -> list[tuple[LegacyItem, Known | None]]:
    """Each item with the document of Scoop that it matches; `more` are further candidates by headline."""
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
    """The dates of the older system's digests with those of Scoop; days before `since` show repetitions."""
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
            told_before=await _published_before(conn, topic.topic_id, mode, day) if mode else {},
        )
        for day, (mode, found) in ours.items()
    ]


async def _ours(conn: Connection, topic_id: int, day: date) -> tuple[RunMode | None, list[ScoopCandidate]]:
    """The candidates of Scoop's digest of a date: of the shadow run, else of the live one."""
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


async def _published_before(conn: Connection, topic_id: int, mode: RunMode, day: date) -> dict[int, date]:
    """The last date before a date on which Scoop published each event."""
    stories = sorted(await digests.list_published(conn, topic_id, mode, day), key=lambda story: story.run_date)
    return {story.coverage_id: story.run_date for story in stories}


async def leave_to_legacy(conn: Connection, topic: Topic, day: date, window: DigestWindow) -> LeaveState:
    """Leave a date to the older system, inside the caller's transaction, unless a post of Scoop may have arrived."""
    await digests.lock_topic(conn, topic.topic_id)
    posts = await conn.fetch(SQL["posts_of"], topic.topic_id, day)
    owner = await conn.fetchrow(SQL["owner"], topic.topic_id, day)
    if owner["is_posted"]:
        return "posted"
    if owner["is_legacys"]:
        return "legacys"
    if any(_may_have_arrived(row["state"], row["sending_at"], row["tried_at"]) for row in posts):
        return "uncertain"
    await conn.execute(SQL["leave"], topic.topic_id, day, window.start, window.end)
    await conn.execute(SQL["drop_waiting"], topic.topic_id, day)
    return "left"


def _may_have_arrived(state: PostState, sending_at: datetime | None, tried_at: datetime | None) -> bool:
    """Whether a post may have arrived: an attempt without a response may have."""
    if state == "failed":  # the last attempt did not arrive, but one before it may have
        return sending_at != tried_at
    return state in {"sending", "sent", "dropped"} or sending_at is not None  # dropped: a person may have seen it


async def is_handed_over(conn: Connection, topic_id: int, day: date) -> bool:
    """Whether Scoop published the topic before this date; otherwise the older system does anyway."""
    return bool(await conn.fetchval(SQL["is_handed_over"], topic_id, day, HANDED_OVER_WITHIN.days))


async def claim_fallback(conn: Connection, topic_id: int, day: date) -> bool:
    """Whether the caller is the one to run the older system's program for a date."""
    return await conn.fetchval(SQL["claim"], topic_id, day) is not None


async def end_fallback(conn: Connection, topic_id: int, day: date, *, exit_code: int, error: str) -> None:
    await conn.execute(SQL["end"], topic_id, day, exit_code, error)


async def list_fallbacks(conn: Connection) -> dict[int, Fallback]:
    """The latest fallback of each topic that had one."""
    return {row["topic_id"]: Fallback(**row) for row in await conn.fetch(SQL["fallbacks"])}


async def list_standings(conn: Connection) -> dict[int, Standing]:
    return {row["topic_id"]: Standing(**row) for row in await conn.fetch(SQL["standings"])}
