"""What no interface shows: the articles, stories, topics and digests of the removed demo."""

from collections.abc import Sequence

from scoop.stage_names import StageName
from scoop.store import db, events, work
from scoop.store.db import Connection
from scoop.store.work import Subject

SQL = db.blocks(__name__)


async def hide(
    conn: Connection, *, sources: Sequence[str], collections: Sequence[str], topics: Sequence[str]
) -> list[int]:
    """Hide the articles of sources in collections, and topics, inside the caller's transaction; gives the stories."""
    await conn.execute(SQL["hide_sources"], sources, collections)
    stories = await suppress_stories(conn)
    await conn.execute(SQL["hide_topics"], topics)
    await conn.execute(SQL["hide_digests"])
    await conn.execute(SQL["drop_facets"])
    await conn.execute(SQL["resolve_alerts"], [*sources, *topics])
    return stories


async def show(conn: Connection, *, collections: Sequence[str], topics: Sequence[str]) -> None:
    """Show what is hidden of these collections and topics, inside the caller's transaction."""
    await conn.execute(SQL["show_sources"], collections)
    rows = await conn.fetch(SQL["show_stories"], collections)
    await conn.execute(SQL["show_topics"], topics)
    await conn.execute(SQL["put_facets"], collections)
    await events.refresh_of_stories(conn, [row["story_id"] for row in rows])
    await work.enqueue(conn, StageName.ASSIGN_TOPICS, [Subject(row["story_id"]) for row in rows])


async def suppress_stories(conn: Connection, story_ids: Sequence[int] | None = None) -> list[int]:
    """Suppress the active stories that have only hidden articles, among these or all; gives their ids."""
    suppressed = [row["story_id"] for row in await conn.fetch(SQL["suppress_stories"], story_ids)]
    if suppressed:
        await events.refresh_of_stories(conn, suppressed)
    return suppressed


async def is_any(conn: Connection) -> bool:
    return bool(await conn.fetchval(SQL["is_any"]))


async def is_demo_removed(conn: Connection) -> bool:
    return bool(await conn.fetchval(SQL["is_demo_removed"]))
