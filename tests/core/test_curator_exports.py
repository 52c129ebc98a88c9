"""Memories of other programs: the forms in which they are exported, and what their documents say."""

import json
from datetime import UTC, datetime

import pytest

from scoop.core import curator_exports
from scoop.core.curator_exports import UnreadableDocument
from scoop.core.shapes import curator_memory
from scoop.core.shapes.curator_memory import StoredDocument

AT = datetime(2026, 11, 17, 0, 15, 0, 123456, tzinfo=UTC)
URL = "https://dev.to/example/post"
POSTED = {
    "notified_at": AT,
    "discord_message_id": "1234567890123456789",
    "article_title": "A post",
    "relevance_score": 95,
}
REJECTED = {"evaluated_at": AT, "reason": "low_relevance", "relevance_score": None}


def posted(document_id: str = "https:--dev.to-example-post", **changes) -> StoredDocument:
    return StoredDocument(collection="notified_articles", document_id=document_id, fields=POSTED | changes)


def rejected(**changes) -> StoredDocument:
    return StoredDocument(collection="rejected_articles", document_id="https:--dev.to-x", fields=REJECTED | changes)


# Documents


def test_a_posted_article_keeps_what_its_document_says():
    article = curator_exports.read_article(posted(url=URL))
    assert (article.state, article.url, article.article_title) == ("notified", URL, "A post")
    assert (article.relevance_score, article.happened_at) == (95, AT)
    assert article.discord_message_id == "1234567890123456789"


def test_a_rejected_article_keeps_its_reason_and_may_have_no_score():
    article = curator_exports.read_article(rejected(reason="content_extraction_failed"))
    assert (article.state, article.reason, article.relevance_score) == ("rejected", "content_extraction_failed", None)


@pytest.mark.parametrize(
    ("document_id", "fields"),
    [
        (curator_memory.document_id("picks", URL, b""), {}),
        ("https%3A%2F%2Fdev.to%2Fexample%2Fpost%3Futm_source%3Drss", {}),
        ("5f2b", {"url": "https://dev.to/example/post/?utm_source=rss"}),
    ],
)
def test_the_url_is_read_from_a_field_or_an_id_that_leads_back(document_id, fields):
    article = curator_exports.read_article(posted(document_id, **fields))
    assert (article.url, article.readable_key) == (URL, None)


def test_the_curator_is_read_from_its_field_or_the_id():
    own_id = curator_memory.document_id("picks", URL, b"")
    assert curator_exports.read_article(posted(own_id)).curator == "picks"
    assert curator_exports.read_article(posted(own_id, curator="lunch")).curator == "lunch"
    assert curator_exports.read_article(posted()).curator is None


@pytest.mark.parametrize(
    "lossy",
    [
        "https:--dev.to-example-post",
        "https:--dev.to-example-post-",
        "https:--dev.to-example-post?utm_source=rss&utm_medium=feed",
        "https:--dev.to-example-post-?fbclid=1#comments",
    ],
)
def test_an_id_with_dashes_for_slashes_has_the_key_of_the_canonical_url(lossy):
    article = curator_exports.read_article(posted(lossy))
    assert article.url is None
    assert article.readable_key == curator_exports.readable_key(curator_memory.readable_id(URL))


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (posted("5f2b"), "leads to no URL"),
        (posted(notified_at=None), "notified_at is missing"),
        (posted(notified_at="yesterday"), "notified_at is missing or not a time"),
        (rejected(evaluated_at=17), "evaluated_at is missing or not a time"),
        (rejected(reason="too long"), "reason is 'too long'"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(document, problem):
    with pytest.raises(UnreadableDocument, match=problem):
        curator_exports.read_article(document)


@pytest.mark.parametrize("value", ["95", True, -1, 101, {}])
def test_a_score_that_is_none_is_left_out(value):
    assert curator_exports.read_article(posted(relevance_score=value)).relevance_score is None


@pytest.mark.parametrize("value", ["", "123", 1234567890123456789, None])
def test_a_message_that_is_none_of_discords_is_left_out(value):
    assert curator_exports.read_article(posted(discord_message_id=value)).discord_message_id is None


# Files


def as_read(written: object) -> list:
    text = written if isinstance(written, str) else json.dumps(written)
    found = curator_exports.parse_export(text)
    return [each if isinstance(each, str) else curator_exports.read_article(each) for each in found]


TIMES = [
    "2026-11-17T00:15:00.123456Z",
    "2026-11-17T09:15:00.123456+09:00",
    {"_seconds": 1794874500, "_nanoseconds": 123456000},
    {"seconds": 1794874500, "nanoseconds": 123456000},
    {"__datatype__": "timestamp", "value": {"_seconds": 1794874500, "_nanoseconds": 123456000}},
    {"__time__": "2026-11-17T00:15:00.123456Z"},
]


@pytest.mark.parametrize("moment", TIMES)
@pytest.mark.parametrize("is_nested", [True, False])
def test_an_export_with_documents_by_their_ids_is_read(moment, is_nested):
    collections = {"notified_articles": {"https:--dev.to-example-post": POSTED | {"notified_at": moment}}}
    (article,) = as_read({"__collections__": collections} if is_nested else collections)
    assert (article.happened_at, article.relevance_score) == (AT, 95)


REST = {
    "name": "projects/p/databases/(default)/documents/rejected_articles/https:--dev.to-x",
    "fields": {
        "evaluated_at": {"timestampValue": "2026-11-17T00:15:00.123456Z"},
        "reason": {"stringValue": "no_topic_match"},
        "relevance_score": {"integerValue": "35"},
        "url": {"nullValue": None},
    },
}


@pytest.mark.parametrize("written", [REST, [REST], {"documents": [REST]}, [{"document": REST, "readTime": "x"}]])
def test_documents_of_the_rest_interface_are_read(written):
    (article,) = as_read(written)
    assert (article.reason, article.relevance_score, article.happened_at) == ("no_topic_match", 35, AT)


def test_lines_are_read_and_those_that_are_no_documents_are_named():
    flat = {"collection": "notified_articles", "id": "https:--dev.to-example-post", **POSTED, "notified_at": TIMES[0]}
    lines = "\n".join([json.dumps(flat), "", "{oops", '{"a": 1}', json.dumps(REST)])
    one, broken, other, last = as_read(lines)
    assert (one.state, last.state) == ("notified", "rejected")
    assert broken.startswith("line 3 is not JSON")
    assert other == "line 4 is not a document of notified_articles or rejected_articles"
