"""What pages of topics and posts show: topics with their rules, and parts of digests in the outbox."""

from datetime import UTC, date, datetime
from typing import Any

from scoop.actions import topics
from scoop.model import ChannelSettings, DigestPart
from scoop.store import posts
from scoop.store import topics as store
from scoop.store.db import Database

DAY = date(2024, 5, 16)
RUN = """
INSERT INTO digest_runs (topic_id, run_date, mode, window_start_utc, window_end_utc, finished_at, status)
VALUES ($1, $2, 'live', $3::timestamptz - interval '1 day', $3, now(), 'completed') RETURNING digest_run_id
"""


async def add_topic(database: Database, slug: str = "energy", **given: Any) -> None:
    async with database.transaction() as conn:
        await topics.add(conn, topics.settings({"slug": slug, "collections": ["world_news"], **given}))
        await topics.edit(conn, slug, given)


async def make_digest(database: Database, *, topic: str = "ai_news", day: date = DAY) -> int:
    """A digest of a topic that told nothing; its number."""
    async with database.transaction() as conn:
        topic_id = (await store.by_slug(conn, topic)).topic_id
        return int(await conn.fetchval(RUN, topic_id, day, datetime(2024, 5, 16, 7, tzinfo=UTC)))


async def write(
    database: Database,
    *payloads: str,
    topic: str = "ai_news",
    channel: str = "main",
    kind: str = "webhook",
    **options: Any,
) -> list[int]:
    """Put the parts of a digest into the outbox; their numbers."""
    run_id = await make_digest(database, topic=topic)
    settings = ChannelSettings(name=channel, kind=kind, options=options)
    parts = [
        (f"desk/{topic}/{DAY}/{channel}/{number}", DigestPart(payload=payload, story_ids=()))
        for number, payload in enumerate(payloads, start=1)
    ]
    async with database.transaction() as conn:
        topic_id = (await store.by_slug(conn, topic)).topic_id
        of_channel = {channel: (settings, parts)}
        await posts.put(conn, digest_run_id=run_id, topic_id=topic_id, day=DAY, parts_by_channel=of_channel)
        return [post.post_id for post in await posts.list_run_posts(conn, run_id)]


async def become(
    database: Database, post_id: int, state: str, error: str | None = None, message_id: str | None = None
) -> None:
    """Say what became of a post."""
    async with database.connection() as conn:
        await conn.execute(
            "UPDATE posts SET state = $2::text::post_state, error = $3, message_id = $4, sending_at = now(),"
            " tried_at = now(), sent_at = CASE WHEN $2::text = 'sent' THEN now() END WHERE post_id = $1",
            post_id,
            state,
            error,
            message_id,
        )
