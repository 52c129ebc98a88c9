"""What an article's page says: metadata, charset, text."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from scoop.fetch import articles
from scoop.model import ArticlePage

PARAGRAPHS = (
    "The ferry to the outer islands will run all winter for the first time, the county decided on Monday evening.",
    "Two crews will share the work, and the old diesel engine is to be replaced before the ice comes in January.",
    "Islanders had asked for the service since 1998; a petition this spring was signed by four of five of them.",
    "“We shall believe it when we are on board,” said Marit Sund, who keeps the only shop on the island of Yttre.",
)
URL = "https://islandpost.example/2026/11/ferry"


def a_page(*, head: str = "", body: str = "", paragraphs: tuple[str, ...] = PARAGRAPHS, lang: str = "en") -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head>'
        f'<body><nav><a href="/">Home</a></nav><article><div class="text">{text}</div></article>{body}</body></html>'
    )


def linked(**fields: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **fields})}</script>'


def read(html: str, url: str | None = URL) -> ArticlePage:
    return articles.extract(html.encode(), url=url)


def test_paragraphs_are_separated_by_a_blank_line() -> None:
    assert read(a_page()).text == "\n\n".join(PARAGRAPHS)


def test_json_ld_is_believed_before_opengraph() -> None:
    head = linked(headline="Ferry all winter") + '<meta property="og:title" content="You will not believe this ferry">'
    assert read(a_page(head=head)).title == "Ferry all winter"


def test_the_outlets_name_is_no_part_of_the_title() -> None:
    head = '<title>Ferry all winter | Island Post</title><meta property="og:site_name" content="Island Post">'
    assert read(a_page(head=head)).title == "Ferry all winter"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("By Ida Fenn and Tom Oduya", ("Ida Fenn", "Tom Oduya")),
        ({"name": "Ida Fenn"}, ("Ida Fenn",)),
        ([{"name": "Ida Fenn"}, "Tom Oduya", {"name": "Ida Fenn"}], ("Ida Fenn", "Tom Oduya")),
        ("https://islandpost.example/people/ida", ()),
        ({"@type": "Person", "name": ["Ida &amp; Co."]}, ("Ida", "Co")),
        (7, ()),
    ],
)
def test_authors_are_people(author: object, names: tuple[str, ...]) -> None:
    assert read(a_page(head=linked(headline="Ferry", author=author))).authors == names


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2026-11-10T08:15:00+01:00", datetime(2026, 11, 10, 8, 15, tzinfo=timezone(timedelta(hours=1)))),
        ("2026-11-10T08:15:00.000Z", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("2026-11-10 08:15", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("2026-11-10", datetime(2026, 11, 10, tzinfo=UTC)),
        ("20261110", datetime(2026, 11, 10, tzinfo=UTC)),
        ("Tue, 10 Nov 2026 08:15:00 GMT", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("November 10, 2026 at 8:15 p.m.", datetime(2026, 11, 10, 20, 15, tzinfo=UTC)),
        ("10. November 2026, 08:15 Uhr", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("10 de noviembre de 2026", datetime(2026, 11, 10, tzinfo=UTC)),
        ("2026年11月10日 8時15分", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("1794298500", datetime(2026, 11, 10, 8, 15, tzinfo=UTC)),
        ("0000-00-00", None),
        ("2026-13-45", None),
        ("yesterday", None),
    ],
)
def test_dates_are_read_as_people_write_them(said: str, moment: datetime | None) -> None:
    head = f'<meta property="article:published_time" content="{said}">'
    assert read(a_page(head=head), url=None).published_at == moment


def test_the_day_in_the_address_is_better_than_none() -> None:
    page = read(a_page(), url="https://islandpost.example/2026/11/10/ferry")
    assert page.published_at == datetime(2026, 11, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("href", "url", "canonical"),
    [
        ("/a?id=2", URL, "https://islandpost.example/a?id=2"),
        ("https://other.example/a", URL, "https://other.example/a"),
        ("https://islandpost.example/", URL, None),
        ("https://islandpost.example/", "https://islandpost.example/", "https://islandpost.example/"),
        ("javascript:alert(1)", URL, None),
        ("http://[broken", URL, None),
        ("/a", None, None),
        ("", URL, None),
    ],
)
def test_a_canonical_link_is_honoured_when_it_can_be(href: str, url: str | None, canonical: str | None) -> None:
    assert read(a_page(head=f'<link rel="canonical" href="{href}">'), url=url).canonical_url == canonical


def test_a_canonical_link_to_the_home_page_gives_way_to_opengraph() -> None:
    head = f'<link rel="canonical" href="/"><meta property="og:url" content="{URL}">'
    assert read(a_page(head=head)).canonical_url == URL


@pytest.mark.parametrize("image", ["/i.jpg", ["/i.jpg", "/j.jpg"], {"url": "/i.jpg"}, [{"contentUrl": "/i.jpg"}]])
def test_the_image_is_found_in_every_form(image: object) -> None:
    assert read(a_page(head=linked(image=image))).image_url == "https://islandpost.example/i.jpg"


def test_a_data_url_is_no_image() -> None:
    assert read(a_page(head='<meta property="og:image" content="data:image/png;base64,AAAA">')).image_url is None


@pytest.mark.parametrize(
    "script",
    [
        '{"@graph": [{"@type": "WebSite"}, {"@type": "Article", "headline": "Found"}]}',
        '[{"@type": "BreadcrumbList"}, {"@type": ["NewsArticle", "Thing"], "headline": "Found"}]',
        '{"@type": "WebPage", "mainEntity": {"@type": "BlogPosting", "headline": "Found"}}',
        '{"@type": "NewsArticle", "headline": "Found",}',
        '{"@type": "NewsArticle", // the type\n "headline": "Found"}',
        '{"@type": "NewsArticle", "headline": "Fou\nnd"}',
        '//<![CDATA[\n{"@type": "NewsArticle", "headline": "Found"}\n//]]>',
        '{"@type": "NewsArticle", "headline": "Found"};',
    ],
)
def test_json_ld_is_found_nested_and_a_little_broken(script: str) -> None:
    title = read(a_page(head=f'<script type="application/ld+json">{script}</script>')).title
    assert title
    assert title.replace(" ", "") == "Found"


def test_the_body_in_json_ld_serves_where_a_script_would_show_it() -> None:
    page = read(f"<html><head>{linked(headline='Ferry', articleBody=' '.join(PARAGRAPHS))}</head><body></body></html>")
    assert page.text == " ".join(PARAGRAPHS)
    assert page.problem is None


def test_the_language_is_detected_where_none_is_declared() -> None:
    assert read(a_page(lang="")).language == "en"


@pytest.mark.parametrize(
    ("encoding", "content_type", "meta"),
    [
        ("utf-8", "", ""),
        ("utf-8", "text/html; charset=iso-8859-1", "utf-8"),
        ("utf-8-sig", "text/html; charset=shift_jis", "euc-jp"),
        ("utf-16", "", ""),
        ("utf-16-le", "", ""),
        ("shift_jis", "text/html; charset=Shift_JIS", ""),
        ("shift_jis", "", "x-sjis"),
        ("shift_jis", "text/html; charset=utf-8", ""),
        ("euc-jp", "", "euc-jp"),
        ("iso-2022-jp", "", "iso-2022-jp"),
        ("euc-jp", "text/html; charset=klingon", ""),
    ],
)
def test_the_charset_is_found_whatever_is_said(encoding: str, content_type: str, meta: str) -> None:
    text = (
        "白浜市は海沿いの旧国道を歩行者専用の遊歩道に改める計画を発表した。全長は約五キロで、来年春の開通を目指す。" * 4
    )
    html = f'<html><head><meta charset="{meta}"><title>遊歩道</title></head><body><p>{text}</p></body></html>'
    page = articles.extract(html.encode(encoding), url=None, content_type=content_type)
    assert (page.title, page.text) == ("遊歩道", text)


def test_one_bad_byte_does_not_spoil_a_page() -> None:
    html = a_page(paragraphs=("Grüße aus Köln, wo heute die neue Brücke über den Rhein eröffnet wurde.", *PARAGRAPHS))
    text = articles.extract(html.encode().replace(b"signed", b"sig\xffned"), url=URL).text
    assert "Grüße aus Köln" in text


def test_a_windows_page_that_claims_utf8_is_read() -> None:
    html = a_page(
        paragraphs=("Fähre fährt nun auch im Winter zu den äußeren Inseln, beschloss der Kreis.", *PARAGRAPHS)
    )
    assert "Fähre fährt" in articles.extract(html.encode("cp1252"), url=URL).text
