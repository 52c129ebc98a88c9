"""Teasers and their pages without a web: pages are queued, and come when a test says so."""

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Any

from builders import ingest
from scoop.model import ArticlePage
from scoop.stage_names import StageName
from scoop.store import article_pages, work
from scoop.store.article_pages import FetchedPage
from scoop.store.db import Database
from scoop.store.work import Subject


async def ingest_teasers(database: Database, items: Sequence[dict[str, Any]]) -> None:
    """Take items in whose pages are still to be read."""
    before = await _newest(database)
    await ingest(database, items)
    async with database.connection() as conn:
        ids = await conn.fetch("SELECT raw_arrival_id FROM raw_arrivals WHERE raw_arrival_id > $1", before)
        requests = [(row["raw_arrival_id"], "tribune.example", timedelta(days=1)) for row in ids]
        await article_pages.enqueue(conn, StageName.PAGES, requests)


async def read_pages(
    database: Database, texts: dict[str, str], *, problem: str | None = None, collections: Collection[str] = ()
) -> None:
    """Let the pages of items come, by source item id, as the stage `pages` does."""
    async with database.transaction() as conn:
        rows = await conn.fetch(
            "SELECT raw_arrival_id, source_item_id FROM raw_arrivals"
            " JOIN work ON stage = 'pages' AND subject = raw_arrival_id"
            " WHERE source_item_id = ANY ($1) AND ($2::text[] = '{}' OR collection = ANY ($2))",
            list(texts),
            list(collections),
        )
        await article_pages.put(conn, _pages(rows, texts, problem))
        ids = [row["raw_arrival_id"] for row in rows]
        await conn.execute("DELETE FROM work WHERE stage = 'pages' AND subject = ANY ($1)", ids)
        await work.enqueue(conn, StageName.NORMALIZE, [Subject(arrival_id) for arrival_id in ids])


def _pages(rows: Iterable[Any], texts: dict[str, str], problem: str | None) -> list[FetchedPage]:
    return [
        FetchedPage(
            raw_arrival_id=row["raw_arrival_id"],
            url="https://tribune.example/page",
            page=ArticlePage(text=texts[row["source_item_id"]], problem=problem),
        )
        for row in rows
    ]


async def _newest(database: Database) -> int:
    async with database.connection() as conn:
        newest: int = await conn.fetchval("SELECT coalesce(max(raw_arrival_id), 0) FROM raw_arrivals")
    return newest
