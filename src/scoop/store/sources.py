"""Sources: where items are gathered from, how each is, and when it is visited next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from scoop.core import urls
from scoop.core.health import Condition
from scoop.errors import NotFound
from scoop.model import Source, SourceSettings
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A source to visit, and the place where it goes on."""

    source: Source
    checkpoint: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How a source is after its visit, and when it is visited next."""

    condition: Condition
    next_visit_at: datetime
    not_before: datetime | None


async def put(conn: Connection, settings: SourceSettings) -> int:
    values = [getattr(settings, each.name) for each in fields(SourceSettings)]
    source_id: int = await conn.fetchval(SQL["put"], *values, urls.host(settings.base_url))
    return source_id


async def listed(conn: Connection) -> list[Source]:
    return [Source(**row) for row in await conn.fetch(SQL["listed"])]


async def by_slug(conn: Connection, slug: str) -> Source:
    row = await conn.fetchrow(SQL["by_slug"], slug)
    if row is None:
        raise _unknown(slug)
    return Source(**row)


async def due(conn: Connection, ids: Sequence[int]) -> dict[int, Due]:
    found = [dict(row) for row in await conn.fetch(SQL["due"], ids)]
    return {row["source_id"]: Due(checkpoint=row.pop("checkpoint"), source=Source(**row)) for row in found}


async def schedule(conn: Connection, stage: str, *, gathers: bool = True) -> None:
    """Put the sources that are due before the stage; those that wait there already stay as they are.

    `gathers`: whether collections are gathered whose topics say nothing of it.
    """
    await conn.execute(SQL["schedule"], stage, gathers)


async def resting(conn: Connection, ids: Sequence[int], *, gathers: bool) -> set[int]:
    """Which of these sources are not gathered, as their topics say, or as `gathers` for all."""
    return {row["source_id"] for row in await conn.fetch(SQL["resting"], ids, gathers)}


async def visit_now(conn: Connection, stage: str, ids: Sequence[int], *, force: bool) -> None:
    """Put sources before the stage whether they are due or not; `force`: even if their server asked to wait."""
    await conn.execute(SQL["visit_now"], stage, ids, force)


async def unsettled(conn: Connection, stage: str, ids: Sequence[int]) -> int:
    """How many of these sources wait for a visit in the next minute, or are being visited."""
    return int(await conn.fetchval(SQL["unsettled"], stage, ids))


async def ids(conn: Connection, slugs: Sequence[str] | None) -> list[int]:
    """The ids of the named sources, or of all that are enabled."""
    id_by_slug = {row["slug"]: row["source_id"] for row in await conn.fetch(SQL["ids"], slugs)}
    for slug in slugs or ():
        if slug not in id_by_slug:
            raise _unknown(slug)
    return list(id_by_slug.values())


async def settle(conn: Connection, settled_by_id: Mapping[int, Settled]) -> None:
    """Write down how visited sources are."""
    rows = [
        (
            source_id, s.next_visit_at, s.not_before, s.condition.health, s.condition.health_note,
            s.condition.health_since, s.condition.failures, s.condition.last_item_at, s.condition.base_url,
            urls.host(s.condition.base_url), s.condition.moved_to, s.condition.moves, s.condition.enabled,
        )
        for source_id, s in settled_by_id.items()
    ]  # fmt: skip
    await conn.execute(SQL["settle"], *map(list, zip(*rows, strict=True)))


async def keep_checkpoints(conn: Connection, kept: Sequence[tuple[str, dict[str, Any], int]]) -> None:
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
