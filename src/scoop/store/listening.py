"""The articles that were chosen for learners, and the state of the daily update."""

from collections.abc import Sequence
from datetime import date, datetime

from scoop.core.listening import MIN_WORDS, ListeningCandidate, ListeningChoice, UpdateState
from scoop.model import Level
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
SEARCH = "tavily"  # the kind of source that searches the web


async def lock(conn: Connection) -> None:
    """Let no other update choose articles until the caller's transaction ends."""
    await conn.execute(SQL["lock"])


async def list_candidates(
    conn: Connection, *, since: datetime, until: datetime, topics: Sequence[str]
) -> list[ListeningCandidate]:
    """The events of a period that have an article in English, of these topics or of all."""
    rows = await conn.fetch(SQL["candidates"], since, until, list(topics), MIN_WORDS)
    return [ListeningCandidate(**row) for row in rows]


async def list_bodies(conn: Connection, document_ids: Sequence[int]) -> dict[int, str]:
    return {row["document_id"]: row["body_text"] for row in await conn.fetch(SQL["bodies"], list(document_ids))}


async def put(conn: Connection, chosen: Sequence[ListeningChoice], *, day: date) -> None:
    """Choose articles for a date; one that was chosen for another date keeps it."""
    await conn.execute(SQL["put"], day, [choice.document_id for choice in chosen], [choice.score for choice in chosen])


async def count(conn: Connection, day: date) -> int:
    """How many articles were chosen for a date."""
    return int(await conn.fetchval(SQL["count"], day))


async def get_state(conn: Connection) -> UpdateState | None:
    """The state of the daily update; None before the first."""
    row = await conn.fetchrow(SQL["state"])
    return None if row is None else UpdateState(**row)


async def put_state(conn: Connection, state: UpdateState) -> None:
    await conn.execute(
        SQL["put_state"],
        state.last_run_at,
        state.last_run_date_jst,
        state.status,
        state.saved,
        state.skipped_duplicates,
        state.error,
        state.failed_since,
        state.updated_at,
    )


async def list_failing_searches(conn: Connection) -> list[str]:
    """Why web searches bring no articles, one sentence each."""
    rows = await conn.fetch(SQL["failing_searches"], SEARCH)
    return [f"{row['name']}: {row['health_note'] or row['health']}" for row in rows]


async def list_searches(conn: Connection) -> list[int]:
    return [row["source_id"] for row in await conn.fetch(SQL["searches"], SEARCH)]


async def list_unasked(
    conn: Connection, levels: Sequence[Level], *, since: date, limit: int
) -> list[tuple[int, Level]]:
    """The lessons of chosen articles that nobody has asked for yet: documents with levels."""
    rows = await conn.fetch(SQL["unasked"], since, list(levels), limit)
    return [(row["document_id"], row["level"]) for row in rows]


async def list_levels_of_learners(conn: Connection) -> list[Level]:
    return [row["level"] for row in await conn.fetch(SQL["levels_of_learners"])]
