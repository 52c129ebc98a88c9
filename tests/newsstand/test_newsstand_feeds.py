import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import feedparser
import pytest
from newsstand_builders import ANCHOR, a_world, an_article, an_outlet

from scoop.newsstand import feeds, world
from scoop.newsstand.world import World, WorldComment

TITLES = [
    'He said "no" & it\'s <angle brackets> all the way',
    "</title></script>]]> & &amp; done",
    "生成AI、「速い」は本当か",
    "Größe zählt – naja",
]
BODY = 'First & "second" <b>.\n\n二段落目。'


@dataclass(frozen=True, kw_only=True)
class Read:
    """An item as a reader of the feed got it."""

    title: str
    link: str
    guid: str
    date: datetime
    body: str
    author: str
    tags: list[str]
    summary: str


def read(told: World, feed: str) -> list[Read]:
    [outlet] = [outlet for outlet in told.outlets if outlet.feed == feed]
    editions = [edition for edition in world.as_of(told, anchor=ANCHOR, now=ANCHOR) if edition.outlet == outlet]
    text = feeds.FORMATS[feed].render(outlet, editions)
    return read_json(text) if feed == "json" else read_xml(text)


def read_xml(text: str) -> list[Read]:
    parsed = feedparser.parse(text.encode(), sanitize_html=False)
    assert not parsed.bozo
    return [
        Read(
            title=entry.title,
            link=entry.link,
            guid=entry.id,
            date=datetime(*entry.published_parsed[:6], tzinfo=UTC),
            body=entry.content[0].value,
            author=entry.author,
            tags=[tag.term for tag in entry.tags],
            summary=entry.summary,
        )
        for entry in parsed.entries
    ]


def read_json(text: str) -> list[Read]:
    feed = json.loads(text)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    return [
        Read(
            title=item["title"],
            link=item["url"],
            guid=item["id"],
            date=datetime.fromisoformat(item["date_published"]),
            body=item["content_html"],
            author=item["authors"][0]["name"],
            tags=item["tags"],
            summary=item["summary"],
        )
        for item in feed["items"]
    ]


@pytest.mark.parametrize("feed", ["rss", "atom", "json"])
def test_a_feed_reader_gets_every_item_as_it_was_written(feed):
    articles = [
        an_article(f"a{number}", title=title, body=BODY, hours_ago=number + 1, author="Ana <3", tags=("R&D", "水"))
        for number, title in enumerate(TITLES)
    ]
    assert read(a_world(*articles, outlets=(an_outlet(feed=feed),)), feed) == [
        Read(
            title=title,
            link=f"http://tribune.example/2026/03/14/a{number}",
            guid=f"tribune.example:a{number}",
            date=ANCHOR - timedelta(hours=number + 1),
            body='<p>First &amp; "second" &lt;b&gt;.</p>\n<p>二段落目。</p>',
            author="Ana <3",
            tags=["R&D", "水"],
            summary="The river rose.",
        )
        for number, title in enumerate(TITLES)
    ]


@pytest.mark.parametrize("feed", ["rss", "atom", "json"])
def test_a_feed_holds_the_sixty_newest(feed):
    articles = [an_article(f"a{hours}", hours_ago=hours, author="Ana") for hours in range(80)]
    items = read(a_world(*articles, outlets=(an_outlet(feed=feed),)), feed)
    assert [item.guid for item in items] == [f"tribune.example:a{hours}" for hours in range(60)]


def a_link_blog(feed: str) -> World:
    comment = WorldComment(author="tarn", hours_ago=1, score=2, text="Wet.")
    post = an_article("look", outlet="pile", kind="link", links_to="flood", author="ana", comment=(comment,))
    pile = an_outlet("pile", category="link_blog", feed=feed)
    other = an_outlet(feed="atom" if feed == "rss" else "rss")
    return a_world(an_article(), post, outlets=(other, pile))


@pytest.mark.parametrize("feed", ["rss", "atom"])
def test_a_link_post_sends_its_reader_to_the_linked_article(feed):
    [item] = read(a_link_blog(feed), feed)
    assert item.link == "http://tribune.example/2026/03/14/flood"


def test_a_link_post_in_a_json_feed_names_both_its_page_and_the_linked_article():
    told = a_link_blog("json")
    edition = next(e for e in world.as_of(told, anchor=ANCHOR, now=ANCHOR) if e.links_to_url)
    [item] = json.loads(feeds.render_json(edition.outlet, [edition]))["items"]
    assert item["url"] == "http://pile.example/2026/03/14/look"
    assert item["external_url"] == "http://tribune.example/2026/03/14/flood"


def test_a_link_blog_tells_where_its_comments_are_and_how_many():
    edition = next(e for e in world.as_of(a_link_blog("rss"), anchor=ANCHOR, now=ANCHOR) if e.links_to_url)
    [entry] = feedparser.parse(feeds.render_rss(edition.outlet, [edition]).encode()).entries
    assert entry.comments == "http://pile.example/2026/03/14/look#comments"
    assert entry.slash_comments == "1"


def test_an_outlet_with_nothing_out_yet_has_an_empty_feed():
    assert feedparser.parse(feeds.render_atom(an_outlet(feed="atom"), []).encode()).feed.title == "Tribune"
