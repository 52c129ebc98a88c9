"""Publishers: the name of each publisher family."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from scoop.core import publishers
from scoop.errors import NotFound
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)

PublisherCursor = tuple[str, str]
START: PublisherCursor = ("", "")  # before all publishers


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """A publisher family and its name; `is_edited`: a person chose it."""

    family: str
    name: str
    is_edited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSource:
    """A source with a name that is more than its address, and the host that its publisher is known by."""

    source: str
    name: str
    host: str


async def add_missing(conn: Connection, families: Iterable[str]) -> None:
    """Name the families that have no name yet, inside the caller's transaction."""
    listed = sorted(set(families))
    await conn.execute(SQL["add_missing"], listed, [publishers.family_name(family) for family in listed])


async def name_after_sources(conn: Connection, sources: Sequence[NamedSource]) -> None:
    """Name the publishers of sources after them, inside the caller's transaction, before the sources are renamed."""
    if not sources:
        return
    families = [publishers.publisher_family(named.host, named.source) for named in sources]
    rows = [
        (family, named.source, publishers.known_name(family) or named.name, publishers.family_name(family))
        for family, named in zip(families, sources, strict=True)
    ]
    await conn.execute(SQL["name_after_sources"], *map(list, zip(*rows, strict=True)))


async def publisher_names(conn: Connection, families: Collection[str]) -> dict[str, str]:
    """The name of each of these families."""
    known = {row["family"]: row["name"] for row in await conn.fetch(SQL["names"], list(families))}
    return {family: known.get(family) or publishers.family_name(family) for family in families}


async def list_publishers(
    conn: Connection, *, words: str | None = None, after: PublisherCursor = START, limit: int | None = None
) -> list[Publisher]:
    """Publishers by name; with `words` those that have them in their name or family."""
    return [Publisher(**row) for row in await conn.fetch(SQL["publishers"], words, *after, limit)]


async def list_of_source(conn: Connection, source: str, *, limit: int) -> list[Publisher]:
    """The publishers that a source brought lately, the most frequent first."""
    return [Publisher(**row) for row in await conn.fetch(SQL["of_source"], source, limit)]


async def by_family(conn: Connection, family: str) -> Publisher:
    row = await conn.fetchrow(SQL["publisher"], family)
    if row is None:
        raise _unknown(family)
    return Publisher(**row)


async def rename(conn: Connection, family: str, name: str | None) -> Publisher:
    """Set the name of a publisher; None is the default again, which a source of it may change."""
    row = await conn.fetchrow(SQL["rename"], family, name or publishers.family_name(family), name is not None)
    if row is None:
        raise _unknown(family)
    return Publisher(**row)


def _unknown(family: str) -> NotFound:
    return NotFound(f"there is no publisher {family!r}; `scoop publishers list` shows all")
