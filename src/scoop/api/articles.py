"""Documents and their summaries in the shape of the older articles API (camelCase keys, sites)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

import fastapi
from fastapi import Path, Request, Response
from pydantic import Field

from scoop.actions import summaries as summary_actions
from scoop.api import document, moments
from scoop.api.moments import Since, Until
from scoop.core.shapes import summanow
from scoop.http import pagination, responses, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn, WriteConn
from scoop.http.params import PageParams, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.model import Summary, SummaryState
from scoop.store.reads import articles as article_reads
from scoop.store.reads.articles import SummarizedArticle

router = routes.for_programs("Articles", prefix="/api")

ABOUT_LANGUAGE = "The language of summaries, as ja, where there is one in it; default: that of the desk."
Language = Annotated[str | None, Field(max_length=35, pattern=r"^[A-Za-z0-9-]+$", description=ABOUT_LANGUAGE)]
ArticleId = Annotated[str, Path(pattern="^art_[0-9a-f]{32}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    input: int
    output: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryResource:
    """`disclaimer` is the id of a text: `extract` (quoted from the article) or `generated` (by a language model)."""

    summaryId: str  # noqa: N815 - the shape of this contract
    articleId: str  # noqa: N815
    modelProvider: str  # noqa: N815
    modelId: str  # noqa: N815
    promptTemplateId: str  # noqa: N815
    summaryText: str  # noqa: N815
    confidence: float
    generatedAt: datetime  # noqa: N815
    tokenUsage: TokenUsage  # noqa: N815
    disclaimer: str
    s3PromptKey: str | None  # noqa: N815
    s3ResponseKey: str | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryResource:
    """Whether a summary or the fetch of the article's page that failed is tried again, and when."""

    pending: bool
    nextRetryAt: datetime | None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleResource:
    """`articleId` is made from the URL: two sites that have the URL are two articles with one id.

    An article without a text, or with a short one, has the status `summary_failed` and is not retried.
    """

    articleId: str  # noqa: N815
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
    status: SummaryState
    summaryId: str | None  # noqa: N815
    lastSummaryAttemptAt: datetime | None  # noqa: N815
    s3SnapshotKey: str | None  # noqa: N815
    summary: SummaryResource | None
    retry: RetryResource


@dataclass(frozen=True, slots=True, kw_only=True)
class Articles:
    articles: list[ArticleResource]
    nextCursor: str | None  # noqa: N815


class ArticleListParams(PageParams):
    since: Since = None
    until: Until = None
    site_id: Annotated[ShortText | None, Field(alias="siteId", description="Only this site (a source).")] = None
    language: Language = None
    limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of articles.")] = 20


class ArticleSite(RequestModel):
    site_id: Annotated[
        ShortText | None, Field(alias="siteId", description="The article of this site; default: of the first site.")
    ] = None


class ArticleParams(ArticleSite):
    language: Language = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryStarted:
    """The article whose summary is due now."""

    articleId: str  # noqa: N815
    siteId: str  # noqa: N815
    retry: RetryResource


@router.get("/articles", response_model=Articles)
@needs("read")
async def list_articles(
    request: Request, conn: ReadConn, desk: CurrentDesk, query: Annotated[ArticleListParams, fastapi.Query()]
) -> Response:
    """The latest articles with their summaries, by the time they appeared; texts are cut at 10,000 characters."""
    articles = await article_reads.list_articles(
        conn,
        moments.slice_of(query.since, query.until, query.cursor, limit=query.limit, zone=desk.timezone),
        source=query.site_id,
        languages=_languages(desk, query.language),
        max_characters=summanow.MAX_BODY,
    )
    page = pagination.paginate(articles, query.limit, _position)
    return responses.json(
        request, Articles(articles=[_resource(article) for article in page.items], nextCursor=page.next_cursor)
    )


@router.get("/articles/{article_id}", response_model=ArticleResource)
@needs("read")
async def get_article(
    request: Request,
    conn: ReadConn,
    desk: CurrentDesk,
    article_id: ArticleId,
    query: Annotated[ArticleParams, fastapi.Query()],
) -> Response:
    """One article with its summary; of the first site if several have its URL."""
    article = await article_reads.get_article(
        conn,
        article_id,
        source=query.site_id,
        languages=_languages(desk, query.language),
        max_characters=summanow.MAX_BODY,
    )
    return responses.json(request, _resource(article))


@router.post(
    "/admin/articles/{article_id}/retry",
    response_model=RetryStarted,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("edit")
async def retry_article(
    request: Request,
    conn: WriteConn,
    desk: CurrentDesk,
    article_id: ArticleId,
    query: Annotated[ArticleSite, fastapi.Query()],
) -> Response:
    """Write the summary of an article now, by the workers: of a failed one again, of any other for the first time.

    A summary that exists is made again only if the article, the prompt or the model has changed. The response is 409
    for an article without a text to summarise.
    """
    row = await summary_actions.ask_about_article(
        conn, article_id, source=query.site_id, policy=desk.summary_policy, writer=desk.summary_writer
    )
    due = RetryResource(pending=True, nextRetryAt=desk.clock())
    started = RetryStarted(articleId=row.article_id, siteId=row.source, retry=due)
    return responses.json(request, started, status=HTTPStatus.ACCEPTED)


def _languages(desk: Desk, language: str | None) -> Sequence[str]:
    return summary_actions.preferred_article_languages(language or "", desk.summary_policy)


def _resource(article: SummarizedArticle) -> ArticleResource:
    summary, retry_at = article.summary, article.next_retry_at
    facts = replace(
        article.row,
        status=article.status,
        summary_id=None if summary is None else summary.summary_uuid,
        last_summary_attempt_at=article.progress.attempted_at,
    )
    return ArticleResource(
        **summanow.article(facts),
        summary=None if summary is None else _summary(summary, facts.article_id),
        retry=RetryResource(pending=retry_at is not None, nextRetryAt=retry_at),
    )


def _summary(summary: Summary, article_id: str) -> SummaryResource:
    shape = summanow.summary(summanow.summary_facts(summary, article_id))
    return SummaryResource(**shape | {"tokenUsage": TokenUsage(**shape["tokenUsage"])})


def _position(article: SummarizedArticle) -> tuple[Any, ...]:
    return article.row.seen_at, article.row.document_id
