"""Addresses and sentences are shown without what is secret in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import redaction


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x.example/feed", "https://x.example/feed"),
        ("https://me:pass@x.example/feed", "https://x.example/feed"),
        ("https://x.example/feed?token=abc&page=2", "https://x.example/feed"),
        ("https://x.example/feed?%74oken=abc", "https://x.example/feed"),
        ("https://x.example/.rss?feed=0123456789abcdef&user=me", "https://x.example/.rss"),
        ("https://x.example/feed?a-name-that-nobody-knows=abc", "https://x.example/feed"),
        ("https://x.example/feed?abc", "https://x.example/feed"),
        ("https://x.example/#token=abc", "https://x.example/"),
        ("https://me@xn--bcher-kva.example:8443/?a=1", "https://xn--bcher-kva.example:8443/"),
    ],
)
def test_only_scheme_host_and_path_of_an_address_are_shown(url: str, shown: str) -> None:
    assert redaction.redact_url(url) == shown
    assert redaction.redact_url(shown) == shown


@pytest.mark.parametrize("text", ["nonsense", "ftp://x.example/", "javascript:alert(1)", ""])
def test_text_that_is_not_an_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        redaction.redact_url(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://x.example/feed?token=abc&a=1 answered 404", "https://x.example/feed?… answered 404"),
        (
            "moved from http://me:pw@x.example/a to 'https://y.example/?key=1'.",
            "moved from http://x.example/a to 'https://y.example/?…'.",
        ),
        ("HTTPS://X.example/?TOKEN=abc is slow", "https://x.example/?… is slow"),
        (
            "https://me:p'w@x.example/feed: its robots.txt forbids it",
            "https://x.example/feed: its robots.txt forbids it",
        ),
        ("https://me:pass:word is not an address", "https://… is not an address"),
        (
            "“see [a bank](https://y.example/b?key=1).”: it has a link",
            "“see [a bank](https://y.example/b?…).”: it has a link",
        ),
        ("「https://x.example/に?a=1」", "「https://x.example/%E3%81%AB?…」"),
        ("nobody answers", "nobody answers"),
        ("", ""),
    ],
)
def test_secrets_are_left_out_of_the_addresses_in_a_sentence(text: str, shown: str) -> None:
    assert redaction.redact_text(text) == shown


@given(st.text())
def test_no_sentence_however_odd_shows_a_secret(text: str) -> None:
    secrets = "https://x.example/?feed=verysecret https://me:verysecret@x.example/"
    assert "verysecret" not in redaction.redact_text(f"{text}{secrets} {text}")
