"""Sites, articles, summaries, crawl runs and retries in camelCase, and as items of a single-table key-value store."""

import hashlib  # not core.hashes, which imports numpy: every command that reads runs imports this module
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from scoop.core import redaction
from scoop.model import Summary

SummaryStatus = Literal["summarized", "pending_summary", "summary_failed"]
FailureType = Literal["fetch", "summary"]
Shape = dict[str, Any]
"""A noun in this form; times are datetimes, and attributes without a value are None."""

MAX_BODY = 10_000  # characters of `bodyPlain`
RUN_RETENTION = timedelta(days=90)
RETRY_RETENTION = timedelta(days=7)
CONFIDENCE_DIGITS = 3  # it is stored in single precision
MAX_INDEX_TEXT = 200  # characters of a name in a sort key, which may have 1024 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFacts:
    """A source as the facts of its site."""

    source: str
    name: str
    category: str
    base_url: str
    crawl_windows: list[dict[str, str]]
    allowed_paths: list[str]
    request_interval_ms: int
    timezone: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFacts:
    """A document as the facts of its article; `archive_key` names its archived page."""

    article_id: str
    source: str
    title: str
    canonical_url: str | None
    published_at: datetime | None
    fetched_at: datetime
    seen_at: datetime
    authors: list[str]
    tags: list[str]
    body_text: str
    token_count: int
    archive_key: str | None
    status: SummaryStatus = "pending_summary"
    summary_id: UUID | None = None
    last_summary_attempt_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFacts:
    """A summary of an article, with the archive keys of its prompt and its response."""

    summary_id: UUID
    article_id: str
    model_provider: str
    model_id: str
    prompt_template_id: str
    summary_text: str
    confidence: float
    generated_at: datetime
    input_tokens: int
    output_tokens: int
    disclaimer: str
    prompt_key: str | None
    response_key: str | None


def summary_facts(summary: Summary, article_id: str) -> SummaryFacts:
    """The facts of an article's summary; the id of its prompt template has the version of the template."""
    return SummaryFacts(
        summary_id=summary.summary_uuid,
        article_id=article_id,
        model_provider=summary.provider,
        model_id=summary.model,
        prompt_template_id=f"{summary.prompt_id}@{summary.prompt_version}",
        summary_text=summary.summary_text,
        confidence=round(summary.confidence, CONFIDENCE_DIGITS),
        generated_at=summary.generated_at,
        input_tokens=summary.input_tokens,
        output_tokens=summary.output_tokens,
        disclaimer=summary.disclaimer_id,
        prompt_key=summary.prompt_key,
        response_key=summary.response_key,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRunFacts:
    """A run of a source."""

    run_id: int
    run_uuid: UUID
    source: str
    trigger: str
    started_at: datetime
    finished_at: datetime | None
    status: str
    items_fetched: int
    items_inserted: int
    items_failed: int
    error_message: str | None
    log_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryFacts:
    """A failure about an article that waits for its next attempt."""

    article_id: str
    failure_type: FailureType
    next_retry_at: datetime
    attempt_count: int
    last_error: str
    created_at: datetime


# Shapes


def site(facts: SiteFacts) -> Shape:
    """A site; its address has no query, which may hold a token."""
    return {
        "siteId": facts.source,
        "name": facts.name,
        "category": facts.category if facts.category == "press_release" else "news",
        "baseUrl": redaction.redact_url(facts.base_url),
        "crawlWindows": facts.crawl_windows,
        "allowedPaths": facts.allowed_paths,
        "requestIntervalMs": facts.request_interval_ms,
        "timezone": facts.timezone,
        "createdAt": facts.created_at,
        "updatedAt": facts.updated_at,
    }


def article(facts: ArticleFacts) -> Shape:
    return {
        "articleId": facts.article_id,
        "siteId": facts.source,
        "title": facts.title,
        "url": facts.canonical_url,
        "canonicalHash": hashlib.sha256(f"{facts.canonical_url or ''}{facts.title}".encode()).hexdigest(),
        "publishedAt": facts.published_at,
        "fetchedAt": facts.fetched_at,
        "author": ", ".join(facts.authors) or None,
        "bodyPlain": facts.body_text[:MAX_BODY],
        "wordCount": facts.token_count,
        "topics": facts.tags,
        "status": facts.status,
        "summaryId": facts.summary_id and str(facts.summary_id),
        "lastSummaryAttemptAt": facts.last_summary_attempt_at,
        "s3SnapshotKey": facts.archive_key,
    }


def summary(facts: SummaryFacts) -> Shape:
    return {
        "summaryId": str(facts.summary_id),
        "articleId": facts.article_id,
        "modelProvider": facts.model_provider,
        "modelId": facts.model_id,
        "promptTemplateId": facts.prompt_template_id,
        "summaryText": facts.summary_text,
        "confidence": facts.confidence,
        "generatedAt": facts.generated_at,
        "tokenUsage": {"input": facts.input_tokens, "output": facts.output_tokens},
        "disclaimer": facts.disclaimer,
        "s3PromptKey": facts.prompt_key,
        "s3ResponseKey": facts.response_key,
    }


def crawl_run(facts: CrawlRunFacts) -> Shape:
    return {
        "runId": str(facts.run_uuid),
        "siteId": facts.source,
        "triggerType": facts.trigger,
        "startedAt": facts.started_at,
        "completedAt": facts.finished_at,
        "status": "success" if facts.status == "completed" else facts.status,
        "processedCount": facts.items_fetched,
        "newArticles": facts.items_inserted,
        "failedArticles": facts.items_failed,
        "errorSummary": facts.error_message and redaction.redact_text(facts.error_message),
        "s3LogKey": facts.log_key,
    }


def retry(facts: RetryFacts) -> Shape:
    return {
        "articleId": facts.article_id,
        "failureType": facts.failure_type,
        "nextRetryAt": facts.next_retry_at,
        "attemptCount": facts.attempt_count,
        "lastError": redaction.redact_text(facts.last_error),
        "createdAt": facts.created_at,
    }


# Items


def site_item(facts: SiteFacts) -> Shape:
    shape = site(facts)
    return _item(
        shape,
        PK=f"SITE#{facts.source}",
        SK="METADATA",
        GSI1PK=f"CATEGORY#{shape['category']}",
        GSI1SK=facts.name[:MAX_INDEX_TEXT],
    )


def article_item(facts: ArticleFacts) -> Shape:
    """An article; its keys have the time it appeared: published_at may be missing, or lie in the future."""
    shape, seen_at = article(facts), iso(facts.seen_at)
    return _item(
        shape,
        PK=f"SITE#{facts.source}",
        SK=f"ARTICLE#{seen_at}#{facts.article_id}",
        GSI2PK=f"ARTICLE#{facts.article_id}",
        GSI2SK="METADATA",
        GSI3PK=f"STATUS#{facts.status}",
        GSI3SK=seen_at,
        GSI6PK=articles_of_month(facts.seen_at),
        GSI6SK=f"{seen_at}#{facts.article_id}",
    )


def summary_item(facts: SummaryFacts) -> Shape:
    return _item(summary(facts), PK=f"ARTICLE#{facts.article_id}", SK="SUMMARY#v1")


def crawl_run_item(facts: CrawlRunFacts) -> Shape:
    shape, started_at = crawl_run(facts), iso(facts.started_at)
    return _item(
        shape,
        PK=f"SITE#{facts.source}",
        SK=f"CRAWL#{started_at}",
        GSI4PK=f"RUN#{facts.run_uuid}",
        GSI4SK="METADATA",
        GSI5PK=f"STATUS#{shape['status']}",
        GSI5SK=started_at,
        ttl=_seconds(run_expiry(facts)),
    )


def retry_item(facts: RetryFacts) -> Shape:
    backlog = f"RETRY#{facts.failure_type}"
    return _item(
        retry(facts),
        PK=backlog,
        SK=f"ARTICLE#{facts.article_id}",
        GSI6PK=backlog,
        GSI6SK=iso(facts.next_retry_at),
        ttl=_seconds(retry_expiry(facts)),
    )


def run_expiry(facts: CrawlRunFacts) -> datetime:
    return facts.started_at + RUN_RETENTION


def retry_expiry(facts: RetryFacts) -> datetime:
    return facts.created_at + RETRY_RETENTION


def articles_of_month(moment: datetime) -> str:
    """The partition of the global feed: one month, so that no partition grows for ever."""
    return f"ARTICLES#{moment.astimezone(UTC):%Y-%m}"


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with six digits of a second: of equal length, so that keys sort by time."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def _item(shape: Shape, **keys: Any) -> Shape:
    return {**keys, **{name: _stored(value) for name, value in shape.items() if value is not None}}


def _stored(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Mapping):
        return {name: _stored(each) for name, each in value.items()}
    return value


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
