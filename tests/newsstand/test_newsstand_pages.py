import json
import re
from html import unescape
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree as ET

import pytest
from newsstand_builders import ANCHOR, a_world, an_article, an_outlet

from scoop.newsstand import links, pages, world
from scoop.newsstand.world import Update, WorldComment

NASTY = """</script><script>alert("1")</script> & 'quotes' <b>"""


def the_article(*others, **given):
    outlets = (an_outlet(), an_outlet("pile", category="link_blog"))
    told = a_world(an_article(**given), *others, outlets=outlets)
    edition = next(e for e in world.as_of(told, anchor=ANCHOR, now=ANCHOR) if e.article.id == "flood")
    return pages.render_article(edition, [], links.by_path)


def json_ld(page: str) -> dict:
    [block] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    return json.loads(block)


def test_an_article_describes_itself_in_json_ld():
    described = json_ld(the_article(author="Ana", update=(Update(hours_ago=1, body="Later."),)))
    assert described["@type"] == "NewsArticle"
    assert described["headline"] == "River rises"
    assert described["datePublished"] == "2026-03-14T07:00:00+00:00"
    assert described["dateModified"] == "2026-03-14T11:00:00+00:00"
    assert described["author"] == [{"@type": "Person", "name": "Ana"}]
    assert described["publisher"]["name"] == "Tribune"
    assert described["inLanguage"] == "en"


def test_no_text_breaks_out_of_json_ld():
    assert json_ld(the_article(title=NASTY, summary=NASTY))["headline"] == NASTY


@pytest.mark.parametrize("field", ["title", "summary", "body", "author"])
def test_no_text_breaks_out_of_the_page(field):
    page = the_article(**{field: NASTY})
    assert "alert(" in page
    assert "<script>" not in page


def test_an_article_names_its_canonical_url_and_its_open_graph_title():
    page = the_article(title='Say "hello"')
    assert '<link rel="canonical" href="http://tribune.example/2026/03/14/flood">' in page
    [title] = re.findall(r'<meta property="og:title" content="(.*?)">', page)
    assert unescape(title) == 'Say "hello"'


def test_the_body_stands_in_the_article_and_the_boilerplate_around_it():
    page = the_article()
    article = page[page.index("<article>") : page.index("</article>")]
    assert "<p>It rained.</p>" in article
    assert "cookies" not in article
    assert "cookies" in page


def test_the_words_around_an_article_are_in_its_language():
    assert "Startseite" in the_article(language="de")
    assert "Front page" in the_article(language="fi")


def test_a_link_blog_shows_what_its_readers_say():
    page = the_article(
        an_article("drought", outlet="tribune"),
        outlet="pile",
        kind="link",
        links_to="drought",
        comment=(WorldComment(author="tarn", hours_ago=1, score=-4, text="Wet & <cold>."),),
    )
    assert "Wet &amp; &lt;cold&gt;." in page
    assert "-4 points" in page
    assert 'href="/tribune.example/2026/03/14/drought"' in page


@pytest.mark.parametrize(("category", "delay"), [("news", None), ("link_blog", 1)])
def test_robots_may_go_everywhere_but_to_the_staff_room(category, delay):
    robots = RobotFileParser()
    robots.parse(pages.render_robots(an_outlet(category=category)).splitlines())
    assert robots.can_fetch("scoop", "http://tribune.example/2026/03/14/flood")
    assert not robots.can_fetch("scoop", "http://tribune.example/private/desk")
    assert robots.site_maps() == ["http://tribune.example/sitemap.xml"]
    assert robots.crawl_delay("scoop") == delay


def test_the_sitemap_lists_every_article_with_its_last_change():
    told = a_world(an_article(update=(Update(hours_ago=1, body="Later."),)), an_article("old", hours_ago=40))
    sitemap = ET.fromstring(pages.render_sitemap(world.as_of(told, anchor=ANCHOR, now=ANCHOR)))
    assert [[field.text for field in url] for url in sitemap] == [
        ["http://tribune.example/2026/03/14/flood", "2026-03-14T11:00:00+00:00"],
        ["http://tribune.example/2026/03/12/old", "2026-03-12T20:00:00+00:00"],
    ]
