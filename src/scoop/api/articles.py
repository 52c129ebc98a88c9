"""Documents in the shape of the older articles API (camelCase keys, sites)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import fastapi
from fastapi import Path, Request, Response
from pydantic import Field

from scoop.api import moments
from scoop.api.moments import Since, Until
from scoop.core import hashes
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, ReadConn
from scoop.http.params import PageParams, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.store.reads import documents as document_reads

router = routes.for_programs("Articles", prefix="/api")

MAX_BODY = 10_000  # characters of `bodyPlain`


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleResource:
    """`articleId` is made from the URL: two sites that have the URL are two articles with one id."""

    articleId: str  # noqa: N815 - the shape of this contract
    siteId: str  # noqa: N815
    title: str
    url: str | None
    canonicalHash: str  # noqa: N815
    publishedAt: datetime | None  # noqa: N815
    fetchedAt: datetime  # noqa: N815
    author: str | None
    bodyPlain: str  # noqa: N815
    wordCount: int  # noqa: N815
    topics: list[str]
    status: Literal["summarized", "pending_summary", "summary_failed"]
    summaryId: str | None  # noqa: N815
    s3SnapshotKey: str | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class Articles:
    articles: list[ArticleResource]
    nextCursor: str | None  # noqa: N815


class ArticleListParams(PageParams):
    since: Since = None
    until: Until = None
    site_id: Annotated[ShortText | None, Field(alias="siteId", description="Only this site (a source).")] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of articles.")] = 20


class ArticleParams(RequestModel):
    site_id: Annotated[
        ShortText | None, Field(alias="siteId", description="The article of this site; default: of the first site.")
    ] = None


@router.get("/articles", response_model=Articles)
@needs("read")
async def list_articles(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[ArticleListParams, fastapi.Query()]
) -> Response:
    """The latest articles, by the time they appeared; texts are cut at 10,000 characters."""
    articles = await document_reads.list_articles(
        conn,
        moments.slice_of(query.since, query.until, query.cursor, limit=query.limit, zone=desk.timezone),
        source=query.site_id,
        max_characters=MAX_BODY,
    )
    page = pagination.paginate(articles, query.limit, _position)
    return responses.json(request, Articles(articles=list(map(_article, page.items)), nextCursor=page.next_cursor))


@router.get("/articles/{article_id}", response_model=ArticleResource)
@needs("read")
async def get_article(
    request: Request,
    conn: ReadConn,
    article_id: Annotated[str, Path(pattern="^art_[0-9a-f]{32}$")],
    query: Annotated[ArticleParams, fastapi.Query()],
) -> Response:
    """One article; of the first site if several have its URL."""
    article = await document_reads.get_article(conn, article_id, source=query.site_id, max_characters=MAX_BODY)
    return responses.json(request, _article(article))


def _position(article: document_reads.ArticleRow) -> tuple[Any, ...]:
    return article.seen_at, article.document_id


def _article(row: document_reads.ArticleRow) -> ArticleResource:
    return ArticleResource(
        articleId=row.article_id,
        siteId=row.source,
        title=row.title,
        url=row.canonical_url,
        canonicalHash=hashes.sha256(f"{row.canonical_url or ''}{row.title}").hex(),
        publishedAt=row.published_at,
        fetchedAt=row.fetched_at,
        author=", ".join(row.authors) or None,
        bodyPlain=row.body_text,
        wordCount=row.token_count,
        topics=row.tags,
        status="pending_summary",
        summaryId=None,
        s3SnapshotKey=row.archive_key,
    )
