"""Feeds that Scoop writes hold to their formats, and what strangers wrote stays text in all of them."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html.parser import HTMLParser

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoop.core import feed_reading
from scoop.core.feed_writing import FeedEntry, OutputFeed, atom, content, jsonfeed, line, rss
from scoop.core.feed_writing.content import FeedStory, LinkedText

WRITERS = {"rss": rss.write, "atom": atom.write, "json": jsonfeed.write}
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title></item></channel><svg/onload=alert(1)>",
    "<![CDATA[<b>x</b>]]>",
    "]]>",
    "<!-- -->",
    "&lt;script&gt; &amp; &#60;b&#62;",
    "{{ 7 * 7 }} \\u003cscript\\u003e",
    "Rock & Roll, AT&T, 3 < 4",
    "日本語の見出し 😀",
    "\ufffe\uffff\x00\x08 end \ud800",
]  # fmt: skip


def an_entry(number: int = 1, /, **changes) -> FeedEntry:
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    given = {
        "id": f"urn:uuid:00000000-0000-4000-8000-{number:012}",
        "url": f"https://desk.example/stories/{number}",
        "external_url": "https://tribune.example/1",
        "title": "Bridge closed",
        "summary": "It stays closed.",
        "html": "<p>It stays closed.</p>",
        "published_at": noon,
        "updated_at": noon + timedelta(hours=2),
        "authors": ("Tribune", "Herald"),
        "categories": ("world_news", "bridges"),
        "language": "en",
    }
    return FeedEntry(**(given | changes))


def a_feed(*entries: FeedEntry) -> OutputFeed:
    return OutputFeed(
        id="urn:uuid:00000000-0000-4000-8000-00000000000f",
        title="Scoop",
        description="What was gathered.",
        url="https://desk.example/",
        self_url="https://desk.example/feeds/all.rss?limit=5",
        updated_at=datetime(2026, 11, 15, 14, tzinfo=UTC),
        entries=entries,
    )


def strictly(body: bytes) -> etree._Element:
    """The document, by a parser that forgives nothing."""
    parser = etree.XMLParser(recover=False, resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(io.BytesIO(body), parser).getroot()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.said.append(data)


def tags(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.parametrize("form", WRITERS)
def test_what_is_written_is_read_again_by_a_reader_and_by_scoop_itself(form):
    body = WRITERS[form](a_feed(an_entry(1), an_entry(2, language="und", authors=(), categories=(), external_url=None)))
    ours = feed_reading.parse(body)
    assert (ours.problems, ours.title, ours.link) == ([], "Scoop", "https://desk.example/")
    first, second = ours.items
    assert (first["source_item_id"], first["canonical_url"]) == (an_entry(1).id, an_entry(1).url)
    assert (first["title"], first["body_text"]) == ("Bridge closed", "It stays closed.")
    assert first["published_at"].startswith("2026-11-15T12:00:00")
    assert set(first["tags"]) == {"world_news", "bridges"}
    assert (first["language"], second.get("language")) == ("en", None)
    assert "tags" not in second
    if form != "json":
        theirs = feedparser.parse(body)
        assert not theirs.bozo
        assert next((e.id, e.link, e.title) for e in theirs.entries) == (
            an_entry(1).id,
            an_entry(1).url,
            "Bridge closed",
        )
        assert theirs.entries[0].content[0].value == "<p>It stays closed.</p>"
        assert theirs.entries[0].updated_parsed[:4] == (2026, 11, 15, 14)
        assert theirs.entries[0].published_parsed[:4] == (2026, 11, 15, 12)


def test_rss_has_all_that_its_specification_wants():
    channel = strictly(rss.write(a_feed(an_entry()))).find("channel")
    assert channel.getparent().get("version") == "2.0"
    assert [channel.findtext(name) for name in ("title", "link", "lastBuildDate")] == [
        "Scoop",
        "https://desk.example/",
        "Sun, 15 Nov 2026 14:00:00 GMT",
    ]
    assert channel.find(f"{ATOM}link").attrib == {
        "rel": "self",
        "type": "application/rss+xml",
        "href": "https://desk.example/feeds/all.rss?limit=5",
    }
    item = channel.find("item")
    assert item.find("guid").get("isPermaLink") == "false"
    assert item.findtext("pubDate") == "Sun, 15 Nov 2026 12:00:00 GMT"
    assert [each.text for each in item.findall("category")] == ["world_news", "bridges"]


def test_atom_has_all_that_its_specification_wants():
    root = strictly(atom.write(a_feed(an_entry(authors=()))))
    assert {f"{ATOM}{name}" for name in ("id", "title", "updated", "author")} <= {child.tag for child in root}
    assert {(link.get("rel"), link.get("href")) for link in root.findall(f"{ATOM}link")} == {
        ("self", "https://desk.example/feeds/all.rss?limit=5"),
        ("alternate", "https://desk.example/"),
    }
    entry = root.find(f"{ATOM}entry")
    assert {f"{ATOM}{name}" for name in ("id", "title", "updated", "link", "content")} <= {each.tag for each in entry}
    assert [entry.find(f"{ATOM}{name}").get("type") for name in ("title", "summary", "content")] == [
        "text",
        "text",
        "html",
    ]
    assert entry.findtext(f"{ATOM}updated") == "2026-11-15T14:00:00+00:00"


def test_json_feed_has_all_that_its_specification_wants():
    found = json.loads(jsonfeed.write(a_feed(an_entry())))
    assert (found["version"], found["feed_url"]) == ("https://jsonfeed.org/version/1.1", a_feed().self_url)
    (item,) = found["items"]
    assert (item["id"], item["date_modified"]) == (an_entry().id, "2026-11-15T14:00:00+00:00")
    assert item["authors"] == [{"name": "Tribune"}, {"name": "Herald"}]


@pytest.mark.parametrize("form", WRITERS)
def test_a_feed_without_entries_is_one(form):
    ours = feed_reading.parse(WRITERS[form](a_feed()))
    assert (ours.problems, ours.items) == ([], [])
    assert ours.format


@pytest.mark.parametrize("form", WRITERS)
def test_moments_of_any_timezone_are_told_in_utc(form):
    tokyo = datetime(2026, 11, 15, 21, tzinfo=timezone(timedelta(hours=9)))
    assert WRITERS[form](a_feed(an_entry(published_at=tokyo))) == WRITERS[form](a_feed(an_entry()))


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_stays_text_in_every_format(hostile):
    said = line(hostile)
    html = content.render_story(
        FeedStory(lead=hostile, outlets=[LinkedText(text=hostile, href='https://real.org/?q="><b>')])
    )
    feed = replace(
        a_feed(an_entry(title=said, summary=said, html=html, authors=(said,), categories=(said,))), title=said
    )
    channel = strictly(rss.write(feed)).find("channel")
    item = channel.find("item")
    assert "".join(tags(item.findtext("title")).said) == said  # which shows the same as HTML and, but for <, as text
    assert "".join(tags(item.findtext("description")).said) == said
    assert {tag for tag, _ in tags(item.findtext("title")).found + tags(item.findtext("description")).found} == set()
    entry = strictly(atom.write(feed)).find(f"{ATOM}entry")
    assert (entry.findtext(f"{ATOM}title"), entry.findtext(f"{ATOM}summary")) == (said, said)
    assert entry.find(f"{ATOM}category").get("term") == said
    (found,) = json.loads(jsonfeed.write(feed))["items"]
    assert (found["title"], found["summary"], found["tags"]) == (said, said, [said])
    assert found["content_html"] == entry.findtext(f"{ATOM}content")


@given(st.text(max_size=60), st.text(max_size=60) | st.text(max_size=60).map("https://{}".format))
def test_whatever_is_said_the_content_has_only_our_own_tags(said, address):
    piece = FeedStory(
        headline=LinkedText(text=said, href=address), lead=said, change=said, company=[LinkedText(text=said)]
    )
    for html in (content.render_story(piece), content.render_digest([piece, piece])):
        shown = tags(html)
        assert {tag for tag, _ in shown.found} <= content.TAGS
        for tag, attributes in shown.found:
            assert set(attributes) <= ({"href", "rel"} if tag == "a" else set())
            assert str(attributes.get("href", "http:")).lower().strip().startswith(("http:", "https:"))
        strictly(rss.write(a_feed(an_entry(html=html, title=line(said)))))


def test_a_story_names_who_tells_it_and_what_is_probably_the_same():
    html = content.render_story(
        FeedStory(
            lead="It burned.",
            outlets=[LinkedText(text="Tribune", href="https://tribune.example/1"), LinkedText(text="Herald")],
            company=[LinkedText(text="Night fire", href="https://desk.example/stories/2")],
        )
    )
    assert html == (
        "<p>It burned.</p><p>Outlets:</p><ul><li>"
        '<a href="https://tribune.example/1" rel="noopener noreferrer nofollow">'
        "Tribune</a></li><li>Herald</li></ul><p>Probably the same event:</p><ul><li>"
        '<a href="https://desk.example/stories/2" rel="noopener noreferrer nofollow">Night fire</a></li></ul>'
    )


def test_readers_that_show_one_author_show_the_lead_outlet_of_a_group():
    for form in ("rss", "atom"):
        entry = feedparser.parse(WRITERS[form](a_feed(an_entry(authors=("Tribune", "Herald", "Courier"))))).entries[0]
        assert (entry.author, [author.name for author in entry.authors]) == ("Tribune", ["Tribune"])
