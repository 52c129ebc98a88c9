import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoop.core import site_lists

SITE = {
    "siteId": "Minato-PR",
    "name": "Minato",
    "category": "press_release",
    "baseUrl": "https://minato.example/press/",
    "crawlWindows": [{"start": "06:30", "end": "07:15"}, {"start": "18:30", "end": "19:15"}],
    "allowedPaths": ["/press/"],
    "requestIntervalMs": 2000,
    "timezone": "Asia/Tokyo",
    "createdAt": "2026-11-01T00:00:00Z",
}
SETTINGS = {
    "slug": "minato_pr",
    "name": "Minato",
    "category": "press_release",
    "target": "https://minato.example/press/",
    "crawl_windows": SITE["crawlWindows"],
    "allowed_paths": ["/press/"],
    "request_interval_ms": 2000,
    "timezone": "Asia/Tokyo",
}
TOML = """
[[sites]]
siteId = "minato"
baseUrl = "https://minato.example/press/"
crawlWindows = [{ start = "06:30", end = "07:15" }]
"""


@pytest.mark.parametrize("listed", [[SITE], {"sites": [SITE]}])
def test_sites_of_json_are_settings_of_sources(listed):
    assert site_lists.read(json.dumps(listed).encode()) == site_lists.SiteList(sites=(SETTINGS,))


def test_a_byte_order_mark_does_no_harm():
    assert site_lists.read(b"\xef\xbb\xbf" + json.dumps([SITE]).encode()).sites == (SETTINGS,)


def test_sites_of_toml_are_settings_of_sources():
    [site] = site_lists.read(TOML.encode()).sites
    assert (site["slug"], site["crawl_windows"]) == ("minato", [{"start": "06:30", "end": "07:15"}])


@pytest.mark.parametrize(
    ("site", "problem"),
    [
        (3, "site 1: it is not an object"),
        ({**SITE, "colour": "red"}, "site 1: there is no key 'colour'"),
        ({"siteId": "a"}, "site 1: baseUrl is missing"),
        ({"siteId": 7, "baseUrl": "https://a.example/"}, "site 1: siteId is missing"),
        ({**SITE, "siteId": "港"}, "site 1: siteId has no letter"),
        ({**SITE, "options": []}, "site 1: options is not an object"),
    ],
)
def test_a_site_with_a_problem_is_named_and_the_others_are_read(site, problem):
    listed = site_lists.read(json.dumps([site, SITE]).encode())
    assert listed.sites == (SETTINGS,)
    assert [message[: len(problem)] for message in listed.problems] == [problem]


@pytest.mark.parametrize("body", [b"", b"{}", b'"sites"', b"sites = 3", b"[" * 100_000, b"\xff\xfe", b"null"])
def test_a_file_without_sites_says_so(body):
    assert site_lists.read(body).problems


@given(body=st.binary(max_size=300) | st.text(alphabet='[]{}"sites:=,\n0', max_size=200).map(str.encode))
def test_any_bytes_are_read_without_an_error(body):
    site_lists.read(body)


@given(
    tables=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from([*site_lists.SETTINGS, "x"]), inner, max_size=5)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_without_an_error(tables):
    site_lists.read(json.dumps(tables).encode())
