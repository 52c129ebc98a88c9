"""Articles with their summaries as every interface shows them, and how many of a site's articles failed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from scoop.core import failure_rates, publishers, text
from scoop.core import summaries as core_summaries
from scoop.core.briefs.summary import MIN_BODY
from scoop.core.failure_rates import ArticleCounts
from scoop.core.shapes.summanow import ArticleFacts
from scoop.errors import NotFound
from scoop.model import Summary, SummaryState
from scoop.stage_names import StageName
from scoop.store import db, summaries
from scoop.store.db import Connection
from scoop.store.reads import slices
from scoop.store.reads.slices import ListSlice
from scoop.store.summaries import SummaryProgress

SQL = db.blocks(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow(ArticleFacts):
    """A document in the articles API; `body_text` may be cut, `characters` is its whole length.

    `page_retry_at` is when its page, which could not be read, is fetched again; None if it is not.
    """

    document_id: int
    collection: str
    language: str
    content_problem: str | None
    characters: int
    story_uuid: UUID | None
    event_uuid: UUID | None
    publisher_family: str
    publisher_name: str | None
    page_retry_at: datetime | None

    @property
    def publisher(self) -> str:
        """The name of its publisher."""
        return text.one_line(self.publisher_name or publishers.family_name(self.publisher_family))

    @property
    def has_text(self) -> bool:
        """Whether there is a text to summarise, or its page is still to be read."""
        return core_summaries.has_text(content_problem=self.content_problem, characters=self.characters)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizedArticle:
    """An article, its current summary if it has one, and how far the summary is."""

    row: ArticleRow
    summary: Summary | None
    progress: SummaryProgress

    @property
    def status(self) -> SummaryState:
        return core_summaries.summary_state(
            is_summarized=self.summary is not None,
            has_failed=self.progress.state == "summary_failed",
            has_text=self.row.has_text or self.progress.asked_at is not None,
        )

    @property
    def next_retry_at(self) -> datetime | None:
        """When its page or its summary, which failed, is tried again, the sooner of both; None if neither is."""
        summary_at = self.progress.next_try_at if self.status == "summary_failed" else None
        return min(filter(None, (summary_at, self.row.page_retry_at)), default=None)


async def list_articles(
    conn: Connection,
    part: ListSlice,
    *,
    max_characters: int,
    languages: Sequence[str] = ("",),
    source: str | None = None,
    category: str | None = None,
    is_once: bool = False,
) -> list[SummarizedArticle]:
    """Articles with their summaries, in the first of these languages that each has.

    `is_once`: an article that several sources have is listed once, of the first of them.
    """
    await slices.plan_for_values(conn)
    rows = await conn.fetch(
        SQL["articles"],
        part.since,
        *part.before,
        source,
        category,
        max_characters,
        part.limit,
        is_once,
        StageName.PAGES,
    )
    return await _with_summaries(conn, [ArticleRow(**row) for row in rows], languages)


async def get_article(
    conn: Connection,
    article_id: str,
    *,
    max_characters: int,
    languages: Sequence[str] = ("",),
    source: str | None = None,
) -> SummarizedArticle:
    row = await conn.fetchrow(SQL["article"], article_id, source, max_characters, StageName.PAGES)
    if row is None:
        raise NotFound(f"there is no article {article_id!r}")
    [article] = await _with_summaries(conn, [ArticleRow(**row)], languages)
    return article


async def _with_summaries(
    conn: Connection, rows: Sequence[ArticleRow], languages: Sequence[str]
) -> list[SummarizedArticle]:
    ids = [row.document_id for row in rows]
    current = await summaries.list_current(conn, "document", ids, languages=languages)
    progress = await summaries.list_progress(conn, "document", ids)
    return [
        SummarizedArticle(row=row, summary=current.get(row.document_id), progress=progress[row.document_id])
        for row in rows
    ]


async def list_sources_since(conn: Connection, since: datetime) -> list[tuple[str, str]]:
    """The sources that have articles since a time: slug and name."""
    return [(row["source"], row["name"]) for row in await conn.fetch(SQL["sources_since"], since)]


async def count_failures(conn: Connection, *, kind: str, since: datetime) -> list[ArticleCounts]:
    """How many articles every source of a kind brought since a time, and how many of them failed."""
    rows = await conn.fetch(SQL["failure_counts"], kind, since, list(failure_rates.FETCH_PROBLEMS), MIN_BODY)
    return [ArticleCounts(**row) for row in rows]
