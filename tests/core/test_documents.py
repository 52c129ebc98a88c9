import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoop.core import copies, items, signals
from scoop.core.documents import document
from scoop.errors import Reject
from scoop.model import Arrival

FETCHED_AT = datetime(2026, 11, 15, 9, tzinfo=UTC)


def an_arrival(*, source="example_feed", source_item_id="42", **changes):
    item = {
        "payload_version": "v1",
        "source": source,
        "source_item_id": source_item_id,
        "title": "A headline",
        "language": "en",
        "source_metadata": {
            "collection": "ai_news",
            "job_name": "rss",
            "job_run_id": "run-1",
            "scraped_at": "2026-11-15T09:00:00Z",
        },
        **changes,
    }
    return Arrival(
        raw_arrival_id=7,
        collection="ai_news",
        source=source,
        source_item_id=source_item_id,
        fetched_at=FETCHED_AT,
        raw_payload=item,
    )


def test_a_document_keeps_where_it_came_from():
    made = document(an_arrival())
    assert (made.raw_arrival_id, made.collection, made.source, made.source_item_id, made.fetched_at) == (
        7,
        "ai_news",
        "example_feed",
        "42",
        FETCHED_AT,
    )


def test_a_document_is_known_by_its_canonical_url():
    made = document(an_arrival(canonical_url="HTTPS://Example.com/a/?utm_source=x"))
    digest = hashlib.sha256(b"https://example.com/a").digest()
    assert made.canonical_url == "https://example.com/a"
    assert made.canonical_url_hash == digest
    assert made.article_id == f"art_{digest.hex()[:32]}"


def test_without_a_url_it_is_known_by_its_source_item():
    made = document(an_arrival())
    assert made.canonical_url is None
    assert made.canonical_url_hash is None
    assert made.article_id == f"art_{hashlib.sha256(b'example_feed:42').hexdigest()[:32]}"


def test_title_and_text_are_kept_for_people_and_for_matching():
    made = document(an_arrival(title=" A\tBold\xa0Ｈeadline\n", body_text="One.\r\n\r\n\r\n\r\nTwo’s  THREE. \x00"))
    assert made.title == "A Bold Ｈeadline"
    assert made.normalized_title == "a bold headline"
    assert made.body_text == "One.\n\nTwo’s  THREE."
    assert made.normalized_text == "one. two’s three."
    assert made.token_count == 3


def test_a_title_that_says_nothing_is_rejected():
    with pytest.raises(Reject, match="the title is blank after normalization"):
        document(an_arrival(title="\u200b\u2060"))


def test_a_document_without_a_body_has_no_text_fingerprint():
    made = document(an_arrival())
    assert made.body_text == ""
    assert made.text_simhash is None
    assert made.token_count == 0
    assert made.title_simhash is not None


def test_only_a_text_that_can_be_a_copy_has_phrases_to_be_found_by():
    words = [f"word{number}" for number in range(copies.MIN_PHRASES + signals.PHRASE - 1)]
    assert document(an_arrival(body_text=" ".join(words[:-1]))).sketch == []
    assert len(document(an_arrival(body_text=" ".join(words))).sketch) == copies.MIN_PHRASES


def test_a_title_of_signs_only_has_no_fingerprint():
    assert document(an_arrival(title="?!")).title_simhash is None


def test_a_very_long_body_is_cut_between_words():
    made = document(an_arrival(body_text="word " * 20_000))
    assert 49_990 < len(made.body_text) <= 50_000
    assert made.body_text.endswith("word")


def test_the_same_text_typed_differently_is_the_same_content():
    one = document(an_arrival(title="Ａ headline", body_text="Some\n\nTEXT"))
    other = document(an_arrival(title="a  HEADLINE", body_text="some text", source="another"))
    assert one.title_hash == other.title_hash
    assert one.content_hash == other.content_hash
    assert one.text_simhash == other.text_simhash


@pytest.mark.parametrize(
    ("published_at", "seen_at"),
    [
        ("2026-11-15T08:00:00Z", FETCHED_AT - timedelta(hours=1)),
        ("2026-11-15T17:00:00+09:00", FETCHED_AT - timedelta(hours=1)),
        ("2030-01-01T00:00:00Z", FETCHED_AT),
    ],
)
def test_an_article_is_seen_when_it_is_out_but_never_after_it_was_fetched(published_at, seen_at):
    made = document(an_arrival(published_at=published_at))
    assert made.published_at == items.parse_moment(published_at)
    assert made.seen_at == seen_at


def test_an_unknown_date_stays_unknown():
    made = document(an_arrival())
    assert made.published_at is None
    assert made.seen_at == FETCHED_AT


@pytest.mark.parametrize(
    ("changes", "source_domain", "publisher_family"),
    [
        ({"canonical_url": "https://www.bbc.co.uk/news/1"}, "bbc.co.uk", "bbc"),
        (
            {"canonical_url": "https://example.com/a", "source_domain": "News.YCombinator.com"},
            "news.ycombinator.com",
            "example.com",
        ),
        ({"source_domain": "www.bbc.com"}, "www.bbc.com", "bbc"),
        ({}, None, "example_feed"),
    ],
)
def test_the_publisher_is_who_hosts_the_article(changes, source_domain, publisher_family):
    made = document(an_arrival(**changes))
    assert made.source_domain == source_domain
    assert made.publisher_family == publisher_family


@pytest.mark.parametrize(
    ("changes", "language"),
    [
        ({"language": "EN-us"}, "en-US"),
        ({"language": "und", "title": "首相が会見"}, "ja"),
        ({"language": "und", "title": "GPT-5", "body_text": "Die Regierung will die Steuern nicht erhöhen."}, "de"),
        ({"language": "und", "title": "GPT-5"}, "und"),
    ],
)
def test_the_language_is_declared_else_detected_else_undetermined(changes, language):
    assert document(an_arrival(**changes)).normalized_language == language


def test_a_discussion_keeps_the_ids_of_both_sides():
    made = document(an_arrival(source="hackernews", canonical_url="https://arxiv.org/abs/2401.01234v2"))
    assert made.native_ids == ("arxiv:2401.01234", "hn:42")


def test_authors_and_tags_are_tidied():
    made = document(an_arrival(authors=["A.  Writer", "B\tWriter", "\u200b"], tags=["ai", "AI", "ai"]))
    assert made.authors == ("A. Writer", "B Writer")
    assert made.tags == ("ai", "AI")


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {"title": st.text(min_size=1)},
        optional={
            "body_text": st.text(),
            "language": st.text(min_size=2, max_size=35),
            "source_domain": st.text(min_size=1),
            "canonical_url": st.text().map("https://example.com/".__add__),
            "tags": st.lists(st.text(min_size=1)),
        },
    )
)
def test_every_valid_item_becomes_a_document(changes):
    arrival = an_arrival(**changes)
    if items.list_problems(arrival.raw_payload):
        return
    made = document(arrival)
    assert made.normalized_title
    assert made == document(arrival)


def test_the_fragment_of_a_link_belongs_to_the_url_only_where_the_feed_says_so():
    arrival = an_arrival(canonical_url="https://e.example/log#two")
    plain, kept = document(arrival), document(replace(arrival, keeps_fragment=True))
    assert (plain.canonical_url, kept.canonical_url) == ("https://e.example/log", "https://e.example/log#two")
    assert (plain.canonical_url_hash, plain.fragment_url_hash) == (kept.fragment_url_hash, kept.canonical_url_hash)
    assert document(an_arrival(canonical_url="https://e.example/log")).fragment_url_hash is None


def test_texts_have_one_hash_whatever_their_titles_unless_they_are_short():
    words = "Every cable of the old bridge has been checked " * 3
    one, other = (document(an_arrival(title=title, body_text=words)) for title in ("One", "Another"))
    assert one.body_hash == other.body_hash is not None
    assert document(an_arrival(body_text="A teaser")).body_hash is None


def test_a_document_says_that_its_page_is_still_to_be_read():
    waiting = replace(an_arrival(body_text="Short."), awaits_page=True)
    assert (document(waiting).content_problem, document(waiting).body_text) == ("page_pending", "Short.")
