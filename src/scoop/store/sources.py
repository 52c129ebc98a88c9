"""Sources: settings, health, checkpoints and the time of the next fetch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from scoop.core import urls
from scoop.core.health import Condition
from scoop.errors import NotFound
from scoop.model import Health, Source, SourceSettings
from scoop.stage_names import StageName
from scoop.store import db, publishers
from scoop.store.db import Connection
from scoop.store.publishers import NamedSource

SQL = db.blocks(__name__)
SLUG_LOCK = 0x5C04  # first key of the advisory lock on a slug


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSource:
    """A source to fetch, with its checkpoint."""

    source: Source
    checkpoint: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentRuns:
    """How many runs a source had, how many failed, and how many items were new."""

    runs: int = 0
    failed: int = 0
    items_inserted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitOutcome:
    """The state of a source after a fetch of `fetched_url`, and the time of the next fetch."""

    condition: Condition
    fetched_url: str
    next_visit_at: datetime
    not_before: datetime | None


async def put(conn: Connection, settings: SourceSettings) -> int:
    await _name_publishers(conn, [settings])
    source_id: int = await conn.fetchval(SQL["put"], *_values(settings))
    return source_id


async def put_all(conn: Connection, sources: Sequence[SourceSettings]) -> None:
    await _name_publishers(conn, sources)
    await conn.executemany(SQL["put"], [_values(settings) for settings in sources])


async def _name_publishers(conn: Connection, sources: Sequence[SourceSettings]) -> None:
    named = [settings for settings in sources if settings.name_from != "address"]
    await publishers.name_after_sources(
        conn,
        [NamedSource(source=each.slug, name=each.name, host=urls.host(each.base_url)) for each in named],
    )


async def name_by_title(conn: Connection, named: Sequence[NamedSource]) -> None:
    """Name sources and their publishers by the titles of their feeds; a better name than the address stays."""
    if named:
        await publishers.name_after_sources(conn, named)
        await conn.execute(SQL["name_by_title"], [each.source for each in named], [each.name for each in named])


async def make_due(conn: Connection, slugs: Sequence[str]) -> None:
    """Let sources be fetched as soon as a worker is free, also if an earlier failure made them wait."""
    await conn.execute(SQL["make_due"], slugs, StageName.INGEST)


def _values(settings: SourceSettings) -> list[Any]:
    values = [getattr(settings, field.name) for field in fields(SourceSettings)]
    return [*values, urls.host(settings.base_url), StageName.INGEST]


async def list_sources(
    conn: Connection,
    *,
    collection: str | None = None,
    kind: str | None = None,
    health: Health | None = None,
    after: str = "",
    limit: int | None = None,
) -> list[Source]:
    """Sources by slug that match all given filters."""
    return [Source(**row) for row in await conn.fetch(SQL["sources"], collection, kind, health, after, limit)]


async def count_recent_runs(conn: Connection, slugs: Sequence[str], *, since: datetime) -> dict[str, RecentRuns]:
    """The runs of these sources since a moment."""
    rows = [dict(row) for row in await conn.fetch(SQL["recent_runs"], slugs, since)]
    return {row.pop("source"): RecentRuns(**row) for row in rows}


async def is_taken(conn: Connection, slug: str) -> bool:
    """Whether a source has this slug; locks the slug until the caller's transaction ends."""
    await conn.execute(SQL["claim_slug"], SLUG_LOCK, slug)
    return await conn.fetchrow(SQL["by_slug"], slug) is not None


async def lock(conn: Connection, slug: str) -> Source:
    """The source, locked until the caller's transaction ends."""
    await conn.execute(SQL["lock"], slug)
    return await by_slug(conn, slug)


async def by_slug(conn: Connection, slug: str) -> Source:
    row = await conn.fetchrow(SQL["by_slug"], slug)
    if row is None:
        raise _unknown(slug)
    return Source(**row)


async def load_due(conn: Connection, ids: Sequence[int]) -> dict[int, DueSource]:
    found = [dict(row) for row in await conn.fetch(SQL["due"], ids)]
    return {row["source_id"]: DueSource(checkpoint=row.pop("checkpoint"), source=Source(**row)) for row in found}


async def enqueue_due(conn: Connection, *, gathers: bool = True) -> None:
    """Enqueue the sources that are due; those in the queue stay as they are.

    `gathers`: whether collections are fetched whose topics do not say.
    """
    await conn.execute(SQL["enqueue_due"], StageName.INGEST, gathers)


async def find_not_gathered(conn: Connection, ids: Sequence[int], *, gathers: bool) -> set[int]:
    """Which of these sources are not fetched, as their topics say; `gathers` where these do not say."""
    return {row["source_id"] for row in await conn.fetch(SQL["not_gathered"], ids, gathers)}


async def enqueue_now(conn: Connection, ids: Sequence[int], *, force: bool) -> None:
    """Enqueue sources whether they are due or not; `force`: even if their server asked to wait."""
    await conn.execute(SQL["enqueue_now"], StageName.INGEST, ids, force)


async def count_pending(conn: Connection, ids: Sequence[int]) -> int:
    """How many of these sources are fetched within a minute, or now."""
    return int(await conn.fetchval(SQL["pending"], StageName.INGEST, ids))


async def list_ids(conn: Connection, slugs: Sequence[str] | None) -> list[int]:
    """The ids of the named sources, or of all that are enabled."""
    id_by_slug = {row["slug"]: row["source_id"] for row in await conn.fetch(SQL["ids"], slugs)}
    for slug in slugs or ():
        if slug not in id_by_slug:
            raise _unknown(slug)
    return list(id_by_slug.values())


async def save_outcomes(conn: Connection, outcome_by_id: Mapping[int, VisitOutcome]) -> None:
    """Store the state of sources after a fetch."""
    rows = [
        (
            source_id,
            outcome.next_visit_at,
            outcome.not_before,
            outcome.condition.health,
            outcome.condition.health_note,
            outcome.condition.health_since,
            outcome.condition.failures,
            outcome.condition.last_item_at,
            outcome.condition.base_url,
            urls.host(outcome.condition.base_url),
            outcome.condition.moved_to,
            outcome.condition.moves,
            outcome.condition.enabled,
            outcome.fetched_url,
        )
        for source_id, outcome in outcome_by_id.items()
    ]
    if rows:
        await conn.execute(SQL["save_outcomes"], *map(list, zip(*rows, strict=True)))


async def save_checkpoints(conn: Connection, kept: Sequence[tuple[str, dict[str, Any], int]]) -> None:
    """Store where the next fetches continue: slug, checkpoint and run of each."""
    if kept:
        await conn.execute(SQL["save_checkpoints"], *map(list, zip(*kept, strict=True)))


async def set_enabled(conn: Connection, slug: str, *, enabled: bool) -> None:
    if await conn.fetchval(SQL["set_enabled"], slug, enabled) is None:
        raise _unknown(slug)


async def remove(conn: Connection, slug: str) -> None:
    if await conn.fetchval(SQL["remove"], slug) is None:
        raise _unknown(slug)


async def is_empty(conn: Connection) -> bool:
    return bool(await conn.fetchval(SQL["is_empty"]))


def _unknown(slug: str) -> NotFound:
    return NotFound(f"there is no source {slug!r}; `scoop sources list` shows all")
