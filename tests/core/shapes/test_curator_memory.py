"""Ids of documents: reversible, and valid wherever a curator or a URL leads."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import hashes
from scoop.core.shapes import curator_memory
from scoop.core.shapes.curator_memory import EvaluationFacts

AT = datetime(2026, 11, 17, 0, 15, tzinfo=UTC)
POSTED = EvaluationFacts(
    curator="picks",
    url="https://dev.to/example/post",
    url_hash=b"\x01" * 32,
    article_title="A post",
    state="notified",
    reason=None,
    relevance_score=95,
    evaluated_at=AT - timedelta(minutes=10),
    notified_at=AT,
    discord_message_id="1234567890123456789",
)
slugs = st.from_regex(r"\A[a-z0-9_]{1,64}\Z")
characters = st.characters(min_codepoint=33, max_codepoint=126)
paths = st.text(characters, max_size=900) | st.text(characters, min_size=1200, max_size=3000)


@given(slugs, paths)
def test_an_id_leads_back_to_its_curator_and_url(slug, path):
    url = f"https://a.example/{path}"
    made = curator_memory.document_id(slug, url, hashes.sha256(url))
    assert curator_memory.parse_id(made) == (slug, url if len(url) <= 1000 else None)


@given(slugs, paths)
def test_every_id_is_one_that_the_store_takes(slug, path):
    url = f"https://a.example/{path}"
    made = curator_memory.document_id(slug, url, hashes.sha256(url))
    assert len(made.encode()) <= 1500
    assert "/" not in made
    assert made not in {".", ".."}
    assert not re.fullmatch(r"__.*__", made)


def test_two_urls_that_share_a_readable_id_have_ids_of_their_own():
    one, other = "https://dev.to/a/b", "https://dev.to/a-b"
    assert curator_memory.readable_id(one) == curator_memory.readable_id(other)
    assert curator_memory.document_id("picks", one, b"") != curator_memory.document_id("picks", other, b"")


@pytest.mark.parametrize("url", [None, f"https://tribune.example/{'x' * 2000}"])
def test_the_hash_stands_for_a_url_that_is_missing_or_too_long(url):
    document = curator_memory.document(replace(POSTED, url=url, url_hash=bytes(32)))
    assert document.document_id == f"picks.~{'A' * 43}"
    assert curator_memory.parse_id(document.document_id) == ("picks", None)
    assert document.fields["url"] == url


@pytest.mark.parametrize(
    "foreign", ["https:--dev.to-example-post", "picks.abc", "picks.~YWJj", "a/b", "", ".", "__x__", "picks.é"]
)
def test_the_id_of_another_program_is_recognised_as_such(foreign):
    assert curator_memory.parse_id(foreign) is None


def test_an_article_that_was_posted_to_another_kind_of_channel_has_no_message():
    elsewhere = replace(POSTED, discord_message_id=None)
    assert curator_memory.document(elsewhere).fields["discord_message_id"] == ""
