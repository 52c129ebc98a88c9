"""Lists of feeds from any reader, however broken or hostile, and our own lists for them."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from scoop.core import opml
from scoop.core.opml import Outline, Outlines

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
FEED = "https://tribune.example/feed.xml"

urls = st.builds(
    "{}://{}.example/{}".format,
    st.sampled_from(["http", "https"]),
    st.text("abcdefghij0123456789", min_size=1, max_size=12),
    st.text("abc123/-_.~?&=%", max_size=20).filter(lambda path: "." not in path and "%" not in path),
)
slugs = st.one_of(
    st.none(), st.text("abcdefgh0189", min_size=1, max_size=20), st.sampled_from(["ai_news", "科技", "समाचार"])
)
titles = st.text(min_size=1, max_size=60).map(opml._plain).filter(bool)
outlines = st.lists(
    st.builds(Outline, url=urls, title=titles, html_url=st.one_of(st.none(), urls), collection=slugs, category=slugs),
    unique_by=lambda outline: outline.url,
    min_size=1,
    max_size=8,
)


def a_list(body: str, *, version: str = "2.0") -> bytes:
    return f'<?xml version="1.0"?><opml version="{version}"><head/><body>{body}</body></opml>'.encode()


def read_one(outline: str) -> Outline:
    found = opml.read(a_list(outline))
    assert found.problems == ()
    (feed,) = found.feeds
    return feed


def deep(levels: int) -> bytes:
    return a_list('<outline text="a">' * levels + f'<outline xmlUrl="{FEED}"/>' + "</outline>" * levels)


# Reading


@pytest.mark.parametrize("version", ["1.0", "1.1", "2.0"])
def test_a_feed_is_read_with_all_that_is_told_of_it(version: str) -> None:
    body = a_list(
        f'<outline type="rss" text="Tribune" xmlUrl="{FEED}" htmlUrl="https://tribune.example" '
        'category="/Press/Release,x"/>',
        version=version,
    )
    assert opml.read(body) == Outlines(
        feeds=(Outline(url=FEED, title="Tribune", html_url="https://tribune.example/", category="press_release"),)
    )


def test_folders_become_collections() -> None:
    body = a_list(
        f"""
        <outline text="AI &amp; News"><outline text="Labs!">
            <outline text="one" xmlUrl="{FEED}?1"/>
        </outline><outline text="two" xmlUrl="{FEED}?2"/></outline>
        <outline text="three" xmlUrl="{FEED}?3"/>
        <outline title="科技 ★ 新聞"><outline text="four" xmlUrl="{FEED}?4"/></outline>
        <outline text="★"><outline text="five" xmlUrl="{FEED}?5"/></outline>
        """
    )
    found = opml.read(body)
    assert [feed.collection for feed in found.feeds] == ["ai_news_labs", "ai_news", None, "科技_新聞", None]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ('title="Title" text="Text"', "Title"),
        ('title="" text="Text"', "Text"),
        ('text="Tom &amp;amp; Jerry&amp;#8217;s"', "Tom & Jerry’s"),
        ('text="&lt;b&gt;Bold&lt;/b&gt; news&#10;today"', "Bold news today"),
        ('text="1 &lt; 2 &gt; 0"', "1 < 2 > 0"),
        ('text="a\u202eb"', "ab"),
        ("", "tribune.example"),
        ('text="&lt;img src=x onerror=alert(1)&gt;"', "tribune.example"),
    ],
)
def test_a_title_is_plain_text(given: str, title: str) -> None:
    assert read_one(f'<outline {given} xmlUrl="{FEED}"/>').title == title


@pytest.mark.parametrize(
    "outline",
    [
        f'<outline xmlUrl=" {FEED} "/>',
        f'<outline XMLURL="{FEED}"/>',
        f'<outline type="RSS" url="{FEED}"/>',
        f'<outline type="atom" xmlUrl="{FEED}"/>',
        f'<outline xmlUrl="feed:{FEED}"/>',
        f'<outline xmlUrl="feed://{FEED}"/>',
        f'<o:outline xmlns:o="urn:x" xmlUrl="{FEED}"/>',
        f'<outline xmlUrl="{FEED}"/><outline xmlUrl="{FEED}" text="again"/><outline/>',
        '<outline xmlUrl="HTTPS://Tribune.example:443/feed.xml"/>',
    ],
)
def test_many_spellings_of_a_feed_are_read(outline: str) -> None:
    assert read_one(outline).url == FEED


def test_the_feed_scheme_means_http() -> None:
    assert read_one('<outline xmlUrl="feed://tribune.example/x"/>').url == "http://tribune.example/x"


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "javascript:alert(1)", "ftp://x/y", "/feed", "http://", "data:,x", f"{FEED}?{'a' * 5000}"],
)
def test_an_address_that_is_no_http_url_is_told_and_left_out(address: str) -> None:
    found = opml.read(
        a_list(f'<outline xmlUrl="{FEED}"/>\n<outline text="bad" xmlUrl="{address}" htmlUrl="{address}"/>')
    )
    assert [feed.url for feed in found.feeds] == [FEED]
    assert len(found.problems) == 1
    assert found.problems[0].startswith("line 2: ")


def test_a_page_that_is_no_http_url_is_left_out_silently() -> None:
    assert read_one(f'<outline xmlUrl="{FEED}" htmlUrl="javascript:alert(1)"/>').html_url is None


def test_broken_xml_is_read_as_far_as_possible_and_told() -> None:
    body = a_list(f'<outline text="Tom & Jerry" xmlUrl="{FEED}"><outline xmlUrl="{FEED}?2"/>')
    found = opml.read(body)
    assert [feed.url for feed in found.feeds] == [FEED, f"{FEED}?2"]
    assert len(found.problems) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_encoding_of_the_list_is_followed(encoding: str) -> None:
    body = (
        f'<?xml version="1.0" encoding="{encoding}"?><opml><body><outline text="Zürich" xmlUrl="{FEED}"/></body></opml>'
    )
    assert [feed.title for feed in opml.read(body.encode(encoding)).feeds] == ["Zürich"]


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE opml [<!ENTITY a0 "ha">{LAUGHS}]><opml><body><outline text="&a9;" xmlUrl="{FEED}"/></body></opml>'
STRANGER = f'<!DOCTYPE opml SYSTEM "file:///etc/passwd"><opml><body><outline xmlUrl="{FEED}"/></body></opml>'


@pytest.mark.parametrize("document", [BOMB, STRANGER])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32", "utf-7"])
def test_a_list_that_declares_entities_is_refused(document: str, encoding: str) -> None:
    body = f'<?xml version="1.0" encoding="{encoding}"?>{document}'.encode(encoding)
    if encoding == "utf-7":
        head, rest = f'<?xml version="1.0" encoding="{encoding}"?>', document
        body = head.encode() + rest.replace("<!", "+ADwAIQ-").encode()
    found = opml.read(body)
    assert found.feeds == ()
    assert found.problems


def test_a_list_that_is_nested_too_deeply_is_read_to_its_limit() -> None:
    assert [feed.url for feed in opml.read(deep(20)).feeds] == [FEED]
    for levels in (40, 200, 100_000):
        found = opml.read(deep(levels))
        assert found.feeds == ()
        assert found.problems


def test_a_list_that_is_too_long_is_read_to_its_limit() -> None:
    body = a_list("".join(f'<outline xmlUrl="{FEED}?{number}"/>' for number in range(opml.MAX_OUTLINES + 5)))
    found = opml.read(body)
    assert len(found.feeds) == opml.MAX_OUTLINES
    assert found.problems == ("the list has more than 20,000 outlines; the rest is left out",)
    assert opml.read(body + b" " * opml.MAX_BYTES).problems == ("the list is larger than 5 MiB; split it",)


def test_an_outline_of_countless_attributes_costs_only_itself() -> None:
    attributes = " ".join(f'a{number}="x"' for number in range(100_000))
    body = a_list(f'<outline {attributes} xmlUrl="{FEED}?1"/><outline xmlUrl="{FEED}?2"/>')
    assert [feed.url for feed in opml.read(body).feeds] == [f"{FEED}?2"]


def test_problems_are_told_a_hundred_times_at_most() -> None:
    assert len(opml.read(a_list('<outline xmlUrl="x"/>' * 5000)).problems) == opml.MAX_PROBLEMS


@pytest.mark.parametrize(
    "body", [b"", b" ", b"{}", b"<html><body><p>Sign in</p></body></html>", b"\xff\xfe", b"<", b"\0" * 99]
)
def test_what_is_no_list_is_told(body: bytes) -> None:
    found = opml.read(body)
    assert found.feeds == ()
    assert found.problems


FRAGMENTS = st.sampled_from(
    [
        b"<opml>",
        b"<body>",
        b'<outline text="a">',
        b'<outline xmlUrl="',
        b'"/>',
        b"</outline>",
        b"&amp;",
        b"&#0;",
        b"&x;",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<?xml",
        b'encoding="utf-16"',
        b'encoding="nonsense"',
        b"?>",
        b"http://a.example/",
        b"\xff",
        b"\0",
        b"feed:",
        b'" xmlns:x="y',
        b"x:outline",
        b"\xed\xa0\x80",
        b'htmlUrl="http://[',
        b'category="',
    ]
)


@given(st.one_of(st.binary(), st.lists(FRAGMENTS, max_size=30).map(b"".join)))
@example(b'<?xml version="1.0" encoding="nonsense"?><opml/>')
@example(b"<opml><body><outline xmlUrl='http://a.example' text='&#xFFFE;'/></body></opml>")
def test_any_bytes_are_read_and_what_was_read_can_be_written_and_read_again(body: bytes) -> None:
    found = opml.read(body)
    assert found.feeds or found.problems
    if found.feeds:
        assert opml.read(opml.write(found.feeds, title="again", now=NOW)) == Outlines(feeds=found.feeds)


# Writing


@given(outlines)
def test_what_is_written_is_read_as_it_was(feeds: list[Outline]) -> None:
    assert opml.read(opml.write(feeds, title="My feeds", now=NOW)) == Outlines(feeds=tuple(feeds))


def test_a_written_list_is_opml_2_with_a_folder_per_collection() -> None:
    feeds = [
        Outline(url=f"{FEED}?{n}", title="T", collection=name) for n, name in enumerate(["ai_news", "ai_news", None])
    ]
    root = etree.fromstring(opml.write(feeds, title="Ours & <theirs>", now=NOW))
    assert root.get("version") == "2.0"
    assert root.findtext("head/title") == "Ours &"
    assert root.findtext("head/dateCreated") == "Mon, 16 Nov 2026 12:30:00 GMT"
    assert [(outline.get("text"), len(outline)) for outline in root.find("body")] == [("ai_news", 2), ("T", 0)]


@given(st.text(), st.text(), st.text())
def test_any_title_can_be_written(title: str, collection: str, category: str) -> None:
    body = opml.write([Outline(url=FEED, title=title, collection=collection, category=category)], title=title, now=NOW)
    assert [feed.url for feed in opml.read(body).feeds] == [FEED]
