"""Posts: the outbox. Each part of a digest is stored with the digest and delivered once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any

from scoop.core import delivery
from scoop.errors import Conflict, LostLease, NotFound
from scoop.model import ChannelSettings, DigestPart, Post, PostState
from scoop.stage_names import StageName
from scoop.store import db, evaluations, webhooks, work
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)
DISCORD = ("discord_bot", "discord_webhook")  # kinds whose message ids go to the columns discord_message_id


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingPost:
    """A post to be sent, when its digest was due and made, and the current time."""

    post: Post
    due_at: datetime
    made_at: datetime
    is_legacys: bool
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOutcome:
    """The outcome of a post; `is_dead`: its channel accepts nothing any more."""

    post_id: int
    kind: str
    state: PostState
    error: str | None = None
    message_id: str | None = None
    looks: int = 0
    is_corrected: bool = False
    is_uncorrectable: bool = False
    is_dead: bool = False


async def get_desk_id(conn: Connection) -> str:
    desk_id: str = await conn.fetchval(SQL["desk"])
    return desk_id


async def put(
    conn: Connection,
    *,
    digest_run_id: int,
    topic_id: int,
    day: date,
    parts_by_channel: Mapping[str, tuple[ChannelSettings, Sequence[tuple[str, DigestPart]]]],
) -> None:
    """Store the parts of a digest in the outbox, each with its key, and enqueue the first of each channel."""
    first: list[Subject] = []
    for channel, parts in parts_by_channel.values():
        for part_no, (key, part) in enumerate(parts, start=1):
            post_id = await conn.fetchval(
                SQL["put"],
                digest_run_id,
                topic_id,
                day,
                channel.name,
                channel.kind,
                channel.options,
                part_no,
                len(parts),
                key,
                delivery.marker(key),
                part.payload,
                list(part.story_ids),
            )
            if part_no == 1:
                first.append(Subject(post_id))
    await work.enqueue(conn, StageName.PUBLISH, first)


async def put_alerts(
    conn: Connection,
    alert_ids: Sequence[int],
    *,
    topic_id: int,
    day: date,
    parts_by_channel: Mapping[str, tuple[ChannelSettings, Sequence[tuple[str, DigestPart]]]],
) -> None:
    """Store a message about alerts in the outbox, and enqueue it for each channel."""
    post_ids = [
        await conn.fetchval(
            SQL["put_alerts"],
            topic_id,
            day,
            channel.name,
            channel.kind,
            channel.options,
            part_no,
            len(parts),
            key,
            delivery.marker(key),
            part.payload,
            alert_ids,
        )
        for channel, parts in parts_by_channel.values()
        for part_no, (key, part) in enumerate(parts, start=1)
    ]
    await work.enqueue(conn, StageName.PUBLISH, [Subject(post_id) for post_id in post_ids])


async def get_outgoing(conn: Connection, post_id: int) -> OutgoingPost:
    row = await conn.fetchrow(SQL["post"], post_id, StageName.PUBLISH)
    names = ("due_at", "made_at", "is_legacys", "now")
    return OutgoingPost(post=_post(row), **{name: row[name] for name in names})


async def start_sending(conn: Connection, post_id: int) -> None:
    """Mark a post as sending, before anything is sent; LostLease if the worker no longer owns it."""
    if await conn.fetchval(SQL["begin"], post_id, StageName.PUBLISH, work.WORKER_LOCK) is None:
        raise LostLease(f"another worker sends post {post_id}")


async def settle(conn: Connection, outcome: PostOutcome) -> list[Subject]:
    """Store the outcome of a post; gives the part that follows it, if it may be sent now."""
    await conn.execute(
        SQL["settle"],
        outcome.post_id,
        outcome.state,
        outcome.error,
        outcome.message_id,
        outcome.looks,
        outcome.is_corrected,
        outcome.is_uncorrectable,
    )
    if outcome.is_dead:
        await conn.execute(SQL["close_channel"], outcome.post_id, outcome.error)
    if outcome.state != "sent" or outcome.is_corrected or outcome.is_uncorrectable:
        return []
    is_discord = outcome.kind in DISCORD
    await conn.execute(SQL["mark_published"], outcome.post_id, is_discord)
    await conn.execute(SQL["mark_run_published"], outcome.post_id, is_discord)
    await evaluations.mark_notified(conn, outcome.post_id, is_discord=is_discord)
    await webhooks.enqueue_digest(conn, outcome.post_id)
    return await _following(conn, outcome.post_id)


async def disable_channel(conn: Connection, topic_id: int, name: str, reason: str) -> None:
    """Disable a channel that cannot be posted to as it is configured."""
    await conn.execute(SQL["close_unusable_channel"], topic_id, name, reason)


async def list_posts(
    conn: Connection,
    *,
    topic_slug: str | None = None,
    states: Sequence[PostState] | None = None,
    digest_run_id: int | None = None,
    topic_ids: Sequence[int] | None = None,
    kind: str | None = None,
    sent_within: timedelta | None = None,
    channel: str | None = None,
    before: int = db.LAST_ID,
    limit: int | None = None,
) -> list[Post]:
    """The posts that fulfil all conditions, the latest first."""
    values = (topic_slug, states, digest_run_id, topic_ids, kind, sent_within, limit, before, channel)
    return [_post(row) for row in await conn.fetch(SQL["posts"], *values)]


async def list_run_posts(conn: Connection, digest_run_id: int) -> list[Post]:
    """The posts of a digest, by channel and part."""
    return sorted(await list_posts(conn, digest_run_id=digest_run_id), key=lambda post: (post.channel, post.part_no))


async def list_posting_topics(conn: Connection, *, within: timedelta) -> list[int]:
    """The topics that sent posts lately."""
    return [row["topic_id"] for row in await conn.fetch(SQL["posting_topics"], within)]


async def resend(conn: Connection, post_id: int) -> None:
    """Send a held or failed post again, because a person decided so."""
    await _decide(conn, post_id, "waiting")
    await work.enqueue(conn, StageName.PUBLISH, [Subject(post_id)])


async def drop(conn: Connection, post_id: int) -> None:
    """Drop a held or failed post; the part that follows it is sent."""
    await _decide(conn, post_id, "dropped")
    await work.enqueue(conn, StageName.PUBLISH, await _following(conn, post_id))


async def confirm(conn: Connection, post_id: int) -> None:
    """Mark a held post as sent, because a person saw it; the part that follows it is sent."""
    kind = await conn.fetchval(SQL["kind_of_held"], post_id)
    if kind is None:
        raise await _undecidable(conn, post_id)
    await work.enqueue(
        conn, StageName.PUBLISH, await settle(conn, PostOutcome(post_id=post_id, kind=kind, state="sent"))
    )


async def _decide(conn: Connection, post_id: int, state: PostState) -> None:
    if await conn.fetchval(SQL["decide"], post_id, state) is None:
        raise await _undecidable(conn, post_id)


async def _undecidable(conn: Connection, post_id: int) -> Conflict:
    """The error for a post that does not await a decision."""
    post = await by_id(conn, post_id)
    return Conflict(f"post {post_id} is {post.state}, not held or failed; `scoop posts held` lists those that are")


async def by_id(conn: Connection, post_id: int) -> Post:
    row = await conn.fetchrow(SQL["post"], post_id, StageName.PUBLISH)
    if row is None:
        raise NotFound(f"there is no post {post_id}; `scoop posts held` lists held ones, `scoop posts list` all")
    return _post(row)


async def correct(conn: Connection, post_id: int, payload: str) -> bool:
    """Replace the text of a sent post; False if it has this text already."""
    if await conn.fetchval(SQL["correct"], post_id, payload) is None:
        return False
    await work.enqueue(conn, StageName.PUBLISH, [Subject(post_id)])
    return True


async def hold_stranded(conn: Connection) -> int:
    """Hold posts that no worker will send any more; gives their number."""
    return len(await conn.fetch(SQL["hold_stranded"], StageName.PUBLISH))


async def _following(conn: Connection, post_id: int) -> list[Subject]:
    return [Subject(row["post_id"]) for row in await conn.fetch(SQL["next_part"], post_id)]


def _post(row: Mapping[str, Any]) -> Post:
    return Post(**{field.name: row[field.name] for field in fields(Post)})
