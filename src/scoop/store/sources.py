"""Sources: where items are gathered from, and when each is visited next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoop.errors import NotFound
from scoop.model import Source
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A source to visit, and the place where it goes on."""

    source: Source
    checkpoint: dict[str, Any]


async def put(
    conn: Connection, *, slug: str, name: str, kind: str, collection: str, category: str, base_url: str | None,
    options: dict[str, Any], schedule: str, timezone: str = "UTC",
) -> int:  # fmt: skip
    source_id: int = await conn.fetchval(
        SQL["put"], slug, name, kind, collection, category, base_url, options, schedule, timezone
    )
    return source_id


async def listed(conn: Connection) -> list[Source]:
    return [Source(**row) for row in await conn.fetch(SQL["listed"])]


async def visits(conn: Connection, ids: Sequence[int]) -> dict[int, Visit]:
    found = [dict(row) for row in await conn.fetch(SQL["visits"], ids)]
    return {row["source_id"]: Visit(checkpoint=row.pop("checkpoint"), source=Source(**row)) for row in found}


async def schedule(conn: Connection, stage: str) -> None:
    """Put the sources that are due before the stage; those that wait there already stay as they are."""
    await conn.execute(SQL["schedule"], stage)


async def ids(conn: Connection, slugs: Sequence[str] | None) -> list[int]:
    """The ids of the named sources, or of all."""
    id_by_slug = {row["slug"]: row["source_id"] for row in await conn.fetch(SQL["ids"], slugs)}
    for slug in slugs or ():
        if slug not in id_by_slug:
            raise NotFound(f"there is no source {slug!r}; `scoop sources list` shows what there is")
    return list(id_by_slug.values())


async def plan(conn: Connection, next_visit_at: Mapping[int, datetime]) -> None:
    await conn.execute(SQL["plan"], list(next_visit_at), list(next_visit_at.values()))


async def keep_checkpoint(conn: Connection, source: str, checkpoint: dict[str, Any], run_id: int) -> None:
    await conn.execute(SQL["keep_checkpoint"], source, checkpoint, run_id)


async def remove(conn: Connection, slug: str) -> None:
    if await conn.fetchval(SQL["remove"], slug) is None:
        raise NotFound(f"there is no source {slug!r}; `scoop sources list` shows what there is")


async def is_empty(conn: Connection) -> bool:
    return bool(await conn.fetchval(SQL["is_empty"]))
