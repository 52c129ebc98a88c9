"""Searches of pages and programs, cached as lists are: somebody who comes back to a search repeats it."""

from scoop.actions import search
from scoop.actions.search import SearchResult
from scoop.core.search import Query
from scoop.http import deps
from scoop.http.cache import ResponseCache
from scoop.http.deps import Desk
from scoop.store.db import Connection
from scoop.store.reads.events import LanguageOf


async def find_stories(
    cache: ResponseCache, desk: Desk, query: Query, *, language: str = "", language_of: LanguageOf | None = None
) -> SearchResult:
    """The result of a search, for readers of a `language`; `language_of` depends on nothing else."""
    vector = await deps.embed_query(desk, query)

    async def read(conn: Connection) -> SearchResult:
        return await search.search_stories(conn, query, now=desk.clock(), vector=vector, language_of=language_of)

    if vector is not None and vector.vector is None:  # the next request may reach the embedder
        async with desk.reading() as conn:
            return await read(conn)
    return await cache.find(("search", query, language, desk.minute), read)
