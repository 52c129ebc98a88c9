"""Names that narrow a list: an unknown collection, source or topic is an error, not an empty list."""

from collections.abc import Sequence

from scoop.core import suggestions
from scoop.errors import UnknownName
from scoop.store import topics
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import sources as source_reads

SHOWN_NAMES = 8


async def check_collection(conn: Connection, name: str | None) -> None:
    """UnknownName for a collection that no story, source or topic has."""
    if name is not None and not await collection_reads.has_collection(conn, name):
        names = await collection_reads.list_names(conn)
        if name not in names:
            raise UnknownName("collection", _unknown("collection", name, names))


async def check_source(conn: Connection, slug: str | None) -> None:
    """UnknownName for a source that is not configured and never brought anything."""
    if slug is not None and not await source_reads.has_source(conn, slug):
        raise UnknownName("source", _unknown("source", slug, await source_reads.list_slugs(conn)))


async def find_topic(conn: Connection, slug: str | None) -> int | None:
    """The number of a topic, None without one; UnknownName for a slug that no topic has."""
    if slug is None:
        return None
    id_by_slug = {topic.topic_slug: topic.topic_id for topic in await topics.list_topics(conn)}
    if slug not in id_by_slug:
        raise UnknownName("topic", _unknown("topic", slug, sorted(id_by_slug)))
    return id_by_slug[slug]


def _unknown(kind: str, name: str, names: Sequence[str]) -> str:
    problem = f"there is no {kind} {name!r}"
    if meant := suggestions.question(name, names):
        return problem + meant
    shown = ", ".join(names[:SHOWN_NAMES]) + (", …" if len(names) > SHOWN_NAMES else "")
    return f"{problem}; there are: {shown}" if names else f"{problem}, and no other {kind} either"
