"""Sources: where items are gathered from, how each is, and when it is visited next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from scoop.core import urls
from scoop.core.health import Condition
from scoop.errors import NotFound
from scoop.model import Health, Source, SourceSettings
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)
SLUG_LOCK = 0x5C04  # first key of the advisory lock on a slug that is about to be taken


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSource:
    """A source to visit, and the place where it goes on."""

    source: Source
    checkpoint: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentRuns:
    """How many runs a source had lately, how many of them failed, and what was new in all."""

    runs: int = 0
    failed: int = 0
    items_inserted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitOutcome:
    """How a source is after its visit, and when it is visited next."""

    condition: Condition
    next_visit_at: datetime
    not_before: datetime | None


async def put(conn: Connection, settings: SourceSettings) -> int:
    source_id: int = await conn.fetchval(SQL["put"], *_values(settings))
    return source_id


async def put_all(conn: Connection, found: Sequence[SourceSettings]) -> None:
    await conn.executemany(SQL["put"], [_values(settings) for settings in found])


def _values(settings: SourceSettings) -> list[Any]:
    return [*(getattr(settings, each.name) for each in fields(SourceSettings)), urls.host(settings.base_url)]


async def list_sources(
    conn: Connection,
    *,
    collection: str | None = None,
    kind: str | None = None,
    health: Health | None = None,
    after: str = "",
    limit: int | None = None,
) -> list[Source]:
    """Sources by name; each condition that is given holds for all of them."""
    return [Source(**row) for row in await conn.fetch(SQL["listed"], collection, kind, health, after, limit)]


async def count_recent_runs(conn: Connection, slugs: Sequence[str], *, since: datetime) -> dict[str, RecentRuns]:
    """What the runs of these sources came to since a moment."""
    rows = [dict(row) for row in await conn.fetch(SQL["lately"], slugs, since)]
    return {row.pop("source"): RecentRuns(**row) for row in rows}


async def is_taken(conn: Connection, slug: str) -> bool:
    """Whether a source has this slug; nobody else asks before the caller's transaction ends."""
    await conn.execute(SQL["claim_slug"], SLUG_LOCK, slug)
    return await conn.fetchrow(SQL["by_slug"], slug) is not None


async def lock(conn: Connection, slug: str) -> Source:
    """The source, which nobody else changes before the caller's transaction ends."""
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
    """Put the sources that are due before the stage; those that wait there already stay as they are.

    `gathers`: whether collections are gathered whose topics say nothing of it.
    """
    await conn.execute(SQL["schedule"], StageName.INGEST, gathers)


async def find_not_gathered(conn: Connection, ids: Sequence[int], *, gathers: bool) -> set[int]:
    """Which of these sources are not gathered, as their topics say, or as `gathers` for all."""
    return {row["source_id"] for row in await conn.fetch(SQL["resting"], ids, gathers)}


async def enqueue_now(conn: Connection, ids: Sequence[int], *, force: bool) -> None:
    """Put sources before the stage whether they are due or not; `force`: even if their server asked to wait."""
    await conn.execute(SQL["visit_now"], StageName.INGEST, ids, force)


async def count_pending(conn: Connection, ids: Sequence[int]) -> int:
    """How many of these sources wait for a visit in the next minute, or are being visited."""
    return int(await conn.fetchval(SQL["unsettled"], StageName.INGEST, ids))


async def list_ids(conn: Connection, slugs: Sequence[str] | None) -> list[int]:
    """The ids of the named sources, or of all that are enabled."""
    id_by_slug = {row["slug"]: row["source_id"] for row in await conn.fetch(SQL["ids"], slugs)}
    for slug in slugs or ():
        if slug not in id_by_slug:
            raise _unknown(slug)
    return list(id_by_slug.values())


async def save_outcomes(conn: Connection, settled_by_id: Mapping[int, VisitOutcome]) -> None:
    """Write down how visited sources are."""
    rows = [
        (
            source_id,
            s.next_visit_at,
            s.not_before,
            s.condition.health,
            s.condition.health_note,
            s.condition.health_since,
            s.condition.failures,
            s.condition.last_item_at,
            s.condition.base_url,
            urls.host(s.condition.base_url),
            s.condition.moved_to,
            s.condition.moves,
            s.condition.enabled,
        )
        for source_id, s in settled_by_id.items()
    ]
    await conn.execute(SQL["settle"], *map(list, zip(*rows, strict=True)))


async def save_checkpoints(conn: Connection, kept: Sequence[tuple[str, dict[str, Any], int]]) -> None:
    """Remember where the next visits go on: slug, checkpoint and run of each."""
    if kept:
        await conn.execute(SQL["keep_checkpoints"], *map(list, zip(*kept, strict=True)))


async def set_enabled(conn: Connection, slug: str, *, enabled: bool) -> None:
    if await conn.fetchval(SQL["set_enabled"], slug, enabled) is None:
        raise _unknown(slug)


async def remove(conn: Connection, slug: str) -> None:
    if await conn.fetchval(SQL["remove"], slug) is None:
        raise _unknown(slug)


async def is_empty(conn: Connection) -> bool:
    return bool(await conn.fetchval(SQL["is_empty"]))


def _unknown(slug: str) -> NotFound:
    return NotFound(f"there is no source {slug!r}; `scoop sources list` shows what there is")
