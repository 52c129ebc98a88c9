"""Articles, as programs know them that read sites and their articles: documents in that shape, made at this border."""

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

MAX_BODY = 10_000  # characters of a text that this contract shows


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleResource:
    """`articleId` is made from the URL: one that two sites tell of is two articles of one id, each of its site."""

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


class WantedArticles(PageParams):
    since: Since = None
    until: Until = None
    site_id: Annotated[ShortText | None, Field(alias="siteId", description="Only articles of this site: a source.")] = (
        None
    )
    limit: Annotated[int, Field(ge=1, le=50, description="How many at most.")] = 20


class Teller(RequestModel):
    site_id: Annotated[
        ShortText | None, Field(alias="siteId", description="As this site tells it; else the first.")
    ] = None


@router.get("/articles", response_model=Articles)
@needs("read")
async def list_articles(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[WantedArticles, fastapi.Query()]
) -> Response:
    """The latest articles, by when they appeared; texts are cut at 10,000 characters."""
    found = await document_reads.list_articles(
        conn,
        moments.part(query.since, query.until, query.cursor, limit=query.limit, zone=desk.timezone),
        source=query.site_id,
        max_characters=MAX_BODY,
    )
    part = pagination.paginate(found, query.limit, _place)
    return responses.json(request, Articles(articles=list(map(_article, part.items)), nextCursor=part.next_cursor))


@router.get("/articles/{article_id}", response_model=ArticleResource)
@needs("read")
async def get_article(
    request: Request,
    conn: ReadConn,
    article_id: Annotated[str, Path(pattern="^art_[0-9a-f]{32}$")],
    query: Annotated[Teller, fastapi.Query()],
) -> Response:
    """One article; where several sites tell of its URL, as the first of them does."""
    found = await document_reads.get_article(conn, article_id, source=query.site_id, max_characters=MAX_BODY)
    return responses.json(request, _article(found))


def _place(article: document_reads.ArticleRow) -> tuple[Any, ...]:
    return article.seen_at, article.document_id


def _article(found: document_reads.ArticleRow) -> ArticleResource:
    return ArticleResource(
        articleId=found.article_id,
        siteId=found.source,
        title=found.title,
        url=found.canonical_url,
        canonicalHash=hashes.sha256(f"{found.canonical_url or ''}{found.title}").hex(),
        publishedAt=found.published_at,
        fetchedAt=found.fetched_at,
        author=", ".join(found.authors) or None,
        bodyPlain=found.body_text,
        wordCount=found.token_count,
        topics=found.tags,
        status="pending_summary",
        summaryId=None,
        s3SnapshotKey=found.archive_key,
    )
