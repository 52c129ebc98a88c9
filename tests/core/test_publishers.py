import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core.publishers import family_name, host_name, publisher_family


@pytest.mark.parametrize(
    ("host", "family"),
    [
        ("example.com", "example.com"),
        ("news.example.co.uk", "example.co.uk"),
        ("west.coastaltribune.example", "coastaltribune.example"),
        ("WWW.Example.COM.", "example.com"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("192.0.2.7", "192.0.2.7"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("xn--wgv71a.jp", "xn--wgv71a.jp"),
    ],
)
def test_a_newsroom_is_known_by_its_registrable_domain(host, family):
    assert publisher_family(host, "some_source") == family


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("www.bbc.co.uk", "news.bbc.com"),
        ("edition.cnn.com", "cnn.it"),
        ("www.theguardian.com", "guardian.co.uk"),
        ("www.wsj.com", "www.marketwatch.com"),
        ("asia.nikkei.com", "www.nikkei.co.jp"),
        ("www3.nhk.or.jp", "news.web.nhk"),
        ("www.xinhuanet.com", "english.news.cn"),
        ("abcnews.go.com", "abcnews.com"),
    ],
)
def test_the_domains_of_one_newsroom_are_one_voice(one, other):
    assert publisher_family(one, "a") == publisher_family(other, "b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.github.io", "b.github.io"),
        ("a.substack.com", "b.substack.com"),
        ("a.medium.com", "medium.com"),
        ("a.blogspot.com", "b.blogspot.com"),
        ("a.wordpress.com", "b.wordpress.com"),
        ("a.tumblr.com", "b.tumblr.com"),
        ("abcnews.go.com", "espn.go.com"),
        ("notbbc.com", "bbc.com"),
    ],
)
def test_different_authors_are_different_voices(one, other):
    assert publisher_family(one, "a") != publisher_family(other, "a")


@pytest.mark.parametrize(
    ("host", "family"),
    [("www.medium.com", "medium.com"), ("cdn.a.substack.com", "a.substack.com"), ("www.a.tumblr.com", "a.tumblr.com")],
)
def test_an_author_is_known_by_the_name_on_the_platform(host, family):
    assert publisher_family(host, "some_source") == family


@pytest.mark.parametrize("host", [None, "", "."])
def test_without_a_host_the_source_is_the_publisher(host):
    assert publisher_family(host, "my_newsletter") == "my_newsletter"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_host_breaks_it(host):
    assert publisher_family(host, "source")


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("abcnews.go.com", "ABC News (US)"),
        ("www.washingtonpost.com", "Washington Post"),
        ("www.example.co.uk", "example.co.uk"),
        ("someone.substack.com", "someone.substack.com"),
        ("192.0.2.7", "192.0.2.7"),
    ],
)
def test_the_publisher_of_a_host_has_a_readable_name(host, name):
    assert host_name(host) == name


def test_a_publisher_without_a_host_has_the_name_of_its_source():
    assert family_name("morning_letter") == "Morning Letter"


def test_every_family_of_the_register_has_a_name():
    register = tomllib.loads(files("scoop.core").joinpath("publisher_families.toml").read_text("utf-8"))
    assert register["families"].keys() <= register["names"].keys()
