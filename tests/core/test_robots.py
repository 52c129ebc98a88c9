"""robots.txt is obeyed as RFC 9309 has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import robots


def allows(text: str, path: str) -> bool:
    return robots.parse(text, crawler="Scoop").allows(path)


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/any", True),
        ("User-agent: *\nDisallow: /", "/any", False),
        ("User-agent: *\nDisallow:", "/any", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /private", "/private/page", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),  # the longest pattern wins
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),  # and of equal ones the one that allows
        ("User-agent: *\nDisallow: /*.php$", "/x/y.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x/y.php?z", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /fish*", "/fishheads", False),
        ("User-agent: *\nDisallow: *.pdf", "/x.pdf", False),
        ("User-agent: *\nDisallow: /path?x=", "/path?x=1", False),
        ("User-agent: *\nDisallow: /ツ", "/%E3%83%84", False),
        ("User-agent: *\nDisallow: /%e3%83%84", "/%E3%83%84", False),
        ("User-agent: *\nDisallow: private", "/private", False),  # the slash was forgotten
        ("User-agent: scoop\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/b", True),  # only one's own group counts
        ("User-agent: scoop\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "/a", False),
        ("User-agent: SCOOP/1.0\nDisallow: /a", "/a", False),
        ("User-agent: scooper\nDisallow: /a", "/a", True),
        ("User-agent: other\nUser-agent: scoop\nDisallow: /a", "/a", False),
        ("User-agent: scoop\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: scoop\nDisallow: /b", "/b", False),
        ("user-agent : scoop\n DISALLOW :/a # why\n", "/a", False),
        ("user-agent scoop\ndisallow /a", "/a", False),
        ("\ufeffUser-agent: *\rDisallow: /a\r\nAllow: /", "/a", False),
        ("User-agent: *\nUnknown: x\nDisallow: /a", "/a", False),
        ("Disallow: /a", "/a", True),  # a rule for nobody
        ("User-agent: *\nDissalow: /a", "/a", False),
    ],
)
def test_a_site_says_what_may_be_asked_for(rules, path, allowed):
    assert allows(rules, path) is allowed


def test_sitemaps_and_delays_are_told():
    found = robots.parse("Sitemap: https://x.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5", crawler="Scoop")
    assert found.sitemaps == ("https://x.example/s.xml",)
    assert found.crawl_delay == 2.5


@pytest.mark.parametrize("delay", ["soon", "-1", "nan", "1e999"])
def test_a_senseless_delay_is_not_waited_for(delay):
    found = robots.parse(f"User-agent: *\nCrawl-delay: {delay}", crawler="Scoop").crawl_delay
    assert found is None or found <= robots.LONGEST_CRAWL_DELAY_SECONDS


@given(st.text(), st.text())
def test_no_file_breaks_anything(text, path):
    allows(text, f"/{path}")


def test_a_pattern_made_to_take_forever_does_not():
    assert not robots.matches("/" + "*a" * 5_000 + "b", "/" + "a" * 20_000)
