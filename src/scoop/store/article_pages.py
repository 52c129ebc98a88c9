"""Article pages: the text of pages, for arrivals that have only a teaser."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from scoop.model import ArticlePage
from scoop.stage_names import StageName
from scoop.store import db
from scoop.store.db import Connection

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A page to fetch, with the settings of its source."""

    raw_arrival_id: int
    source: str
    source_url: str | None
    url: str
    title: str
    options: dict[str, Any]
    request_interval_ms: int
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A fetched page; `page.problem` says why it has no article."""

    raw_arrival_id: int
    url: str
    page: ArticlePage
    archive_key: str | None = None


async def enqueue(conn: Connection, stage: str, requests: Sequence[tuple[int, str, timedelta]]) -> None:
    """Queue pages for the stage: arrival id, host, and the interval between two requests to the host."""
    if requests:
        await conn.execute(SQL["enqueue"], stage, *map(list, zip(*requests, strict=True)))


async def list_requests(conn: Connection, ids: Sequence[int]) -> dict[int, PageRequest]:
    return {
        row["raw_arrival_id"]: PageRequest(**row)
        for row in await conn.fetch(SQL["list_requests"], ids, StageName.PAGES)
    }


async def put(conn: Connection, pages: Sequence[FetchedPage]) -> None:
    await conn.executemany(
        SQL["put"],
        [
            (
                r.raw_arrival_id,
                r.url,
                r.page.title,
                r.page.text,
                list(r.page.authors),
                r.page.published_at,
                r.page.language,
                r.page.canonical_url,
                r.page.image_url,
                r.page.problem,
                r.archive_key,
            )
            for r in pages
        ],
    )
