"""The forms of the single-table store, as its design writes them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from scoop.core.shapes import summanow
from scoop.core.shapes.summanow import ArticleFacts, CrawlRunFacts, RetryFacts, SiteFacts, SummaryFacts

NOON = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
NOON_ISO = "2026-11-16T12:30:00.000000Z"
ARTICLE_ID = f"art_{'0' * 32}"
SITE = SiteFacts(
    source="tribune",
    name="The Tribune",
    category="news",
    base_url="https://tribune.example/feed?token=secret",
    crawl_windows=[{"start": "06:30", "end": "07:15"}],
    allowed_paths=["/news"],
    request_interval_ms=500,
    timezone="Asia/Tokyo",
    created_at=NOON,
    updated_at=NOON,
)
ARTICLE = ArticleFacts(
    article_id=ARTICLE_ID,
    source="tribune",
    title="橋は閉鎖",
    canonical_url="https://tribune.example/1",
    published_at=NOON,
    fetched_at=NOON + timedelta(minutes=5),
    seen_at=NOON,
    authors=["Ada Berg", "Bo Lind"],
    tags=["bridges"],
    body_text="x" * 20_000,
    token_count=7,
    archive_key="raw-html/tribune/20261116/a.html.gz",
)
RUN = CrawlRunFacts(
    run_id=7,
    run_uuid=UUID("0190c7a4-0000-7000-8000-000000000007"),
    source="tribune",
    trigger="schedule",
    started_at=NOON,
    finished_at=NOON,
    status="completed",
    items_fetched=5,
    items_inserted=3,
    items_failed=1,
    error_message="https://tribune.example/feed?token=secret failed",
    log_key="logs/x.ndjson",
)
RETRY = RetryFacts(
    article_id=ARTICLE_ID,
    failure_type="fetch",
    next_retry_at=NOON,
    attempt_count=2,
    last_error="timeout at https://tribune.example/1?key=secret",
    created_at=NOON,
)
SUMMARY = SummaryFacts(
    summary_id=UUID(int=5),
    article_id=ARTICLE_ID,
    model_provider="openai",
    model_id="gpt-4o-mini",
    prompt_template_id="summary-1",
    summary_text="The bridge is closed.",
    confidence=0.75,
    generated_at=NOON,
    input_tokens=100,
    output_tokens=20,
    disclaimer="ai_generated",
    prompt_key="prompts/a/t-prompt.json",
    response_key=None,
)


def test_a_site_is_found_by_its_id_and_in_its_category_by_name():
    assert summanow.site_item(SITE) == {
        "PK": "SITE#tribune",
        "SK": "METADATA",
        "GSI1PK": "CATEGORY#news",
        "GSI1SK": "The Tribune",
        "siteId": "tribune",
        "name": "The Tribune",
        "category": "news",
        "baseUrl": "https://tribune.example/feed",
        "crawlWindows": [{"start": "06:30", "end": "07:15"}],
        "allowedPaths": ["/news"],
        "requestIntervalMs": 500,
        "timezone": "Asia/Tokyo",
        "createdAt": NOON_ISO,
        "updatedAt": NOON_ISO,
    }


def test_a_category_that_the_form_does_not_know_is_news():
    assert summanow.site(replace(SITE, category="link_blog"))["category"] == "news"
    assert summanow.site(replace(SITE, category="press_release"))["category"] == "press_release"


def test_an_article_is_found_by_site_by_id_by_status_and_by_time():
    assert summanow.article_item(ARTICLE) == {
        "PK": "SITE#tribune",
        "SK": f"ARTICLE#{NOON_ISO}#{ARTICLE_ID}",
        "GSI2PK": f"ARTICLE#{ARTICLE_ID}",
        "GSI2SK": "METADATA",
        "GSI3PK": "STATUS#pending_summary",
        "GSI3SK": NOON_ISO,
        "GSI6PK": "ARTICLES#2026-11",
        "GSI6SK": f"{NOON_ISO}#{ARTICLE_ID}",
        "articleId": ARTICLE_ID,
        "siteId": "tribune",
        "title": "橋は閉鎖",
        "url": "https://tribune.example/1",
        "canonicalHash": sha256("https://tribune.example/1橋は閉鎖".encode()).hexdigest(),
        "publishedAt": NOON_ISO,
        "fetchedAt": "2026-11-16T12:35:00.000000Z",
        "author": "Ada Berg, Bo Lind",
        "bodyPlain": "x" * 10_000,
        "wordCount": 7,
        "topics": ["bridges"],
        "status": "pending_summary",
        "s3SnapshotKey": "raw-html/tribune/20261116/a.html.gz",
    }


def test_a_summarized_article_names_its_summary():
    item = summanow.article_item(
        replace(ARTICLE, status="summarized", summary_id=SUMMARY.summary_id, last_summary_attempt_at=NOON)
    )
    assert item["GSI3PK"] == "STATUS#summarized"
    assert (item["summaryId"], item["lastSummaryAttemptAt"]) == (str(SUMMARY.summary_id), NOON_ISO)


def test_an_article_without_a_date_sorts_by_the_time_it_appeared():
    item = summanow.article_item(replace(ARTICLE, published_at=None, seen_at=ARTICLE.fetched_at, authors=[]))
    assert item["SK"] == f"ARTICLE#2026-11-16T12:35:00.000000Z#{ARTICLE_ID}"
    assert not item.keys() & {"publishedAt", "author", "summaryId", "lastSummaryAttemptAt"}


def test_a_summary_is_found_by_its_article():
    assert summanow.summary_item(SUMMARY) == {
        "PK": f"ARTICLE#{ARTICLE_ID}",
        "SK": "SUMMARY#v1",
        "summaryId": "00000000-0000-0000-0000-000000000005",
        "articleId": ARTICLE_ID,
        "modelProvider": "openai",
        "modelId": "gpt-4o-mini",
        "promptTemplateId": "summary-1",
        "summaryText": "The bridge is closed.",
        "confidence": 0.75,
        "generatedAt": NOON_ISO,
        "tokenUsage": {"input": 100, "output": 20},
        "disclaimer": "ai_generated",
        "s3PromptKey": "prompts/a/t-prompt.json",
    }


def test_a_crawl_run_is_found_by_site_by_id_and_by_status_for_ninety_days():
    assert summanow.crawl_run_item(RUN) == {
        "PK": "SITE#tribune",
        "SK": f"CRAWL#{NOON_ISO}",
        "GSI4PK": "RUN#0190c7a4-0000-7000-8000-000000000007",
        "GSI4SK": "METADATA",
        "GSI5PK": "STATUS#success",
        "GSI5SK": NOON_ISO,
        "ttl": int((NOON + timedelta(days=90)).timestamp()),
        "runId": "0190c7a4-0000-7000-8000-000000000007",
        "siteId": "tribune",
        "triggerType": "schedule",
        "startedAt": NOON_ISO,
        "completedAt": NOON_ISO,
        "status": "success",
        "processedCount": 5,
        "newArticles": 3,
        "failedArticles": 1,
        "errorSummary": "https://tribune.example/feed?… failed",
        "s3LogKey": "logs/x.ndjson",
    }


def test_a_retry_is_found_by_type_and_by_time_for_seven_days():
    assert summanow.retry_item(RETRY) == {
        "PK": "RETRY#fetch",
        "SK": f"ARTICLE#{ARTICLE_ID}",
        "GSI6PK": "RETRY#fetch",
        "GSI6SK": NOON_ISO,
        "ttl": int((NOON + timedelta(days=7)).timestamp()),
        "articleId": ARTICLE_ID,
        "failureType": "fetch",
        "nextRetryAt": NOON_ISO,
        "attemptCount": 2,
        "lastError": "timeout at https://tribune.example/1?…",
        "createdAt": NOON_ISO,
    }


seconds = st.integers(-62_000_000_000, 250_000_000_000)
moments = st.builds(
    lambda second, hours: datetime.fromtimestamp(second, timezone(timedelta(hours=hours))),
    seconds,
    st.integers(-23, 23),
)


@given(moments, moments)
def test_keys_sort_as_their_times(first, second):
    assert (summanow.iso(first) < summanow.iso(second)) == (first < second)
