"""Secrets: revealed for their own hosts, and shown nowhere."""

import pytest

from scoop.core.secrets import Secret, SecretWithheld
from scoop.errors import FetchFailed

KEY = Secret(" s3cret\n", name="SCOOP_KEY").bound_to("https://api.example/search", "http://127.0.0.1:8844/v1")


@pytest.mark.parametrize(
    "url",
    ["https://api.example", "https://API.example:443/other?q=1", "http://127.0.0.1:8844/embed"],
)
def test_a_secret_is_revealed_for_any_address_of_its_hosts(url):
    assert KEY.for_url(url) == "s3cret"


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example/search",
        "https://api.example:8443/",
        "https://evil.example/api.example",
        "https://api.example.evil.example/",
        "https://api.example@evil.example/",
        "https://evil.example#@api.example/",
        "https://evil.example\\@api.example/",
        "http://127.0.0.1/",
        "ftp://api.example/",
    ],
)
def test_a_secret_is_withheld_from_any_other_host_port_or_scheme(url):
    with pytest.raises(SecretWithheld, match="SCOOP_KEY is not sent to") as withheld:
        KEY.for_url(url)
    assert isinstance(withheld.value, FetchFailed)
    assert "s3cret" not in str(withheld.value)


def test_a_secret_without_hosts_is_never_revealed():
    with pytest.raises(SecretWithheld):
        Secret("s3cret").for_url("https://api.example/")


def test_a_secret_shows_only_its_name():
    assert f"{KEY} {KEY!r} {[KEY]}" == "<SCOOP_KEY> <SCOOP_KEY> [<SCOOP_KEY>]"


def test_a_secret_signs_without_being_revealed():
    assert Secret("key").sign(b"content") == Secret("key").sign(b"content")
    assert Secret("key").sign(b"content") != Secret("other").sign(b"content")


def test_a_secret_that_is_an_address_is_given_for_its_own_host_only_over_https():
    assert Secret("https://hooks.example/token").own_address() == "https://hooks.example/token"
    with pytest.raises(ValueError, match="a secret is not an https address"):
        Secret("http://hooks.example/token").own_address()


@pytest.mark.parametrize(("value", "is_usable"), [("key", True), ("", False), ("two\nlines", False), ("\x00", False)])
def test_a_secret_is_one_line_of_text(value, is_usable):
    assert Secret(value).is_usable == is_usable
