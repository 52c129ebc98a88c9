"""Pages without an article, and how they are told from those with one."""

import pytest

from scoop.fetch import articles
from scoop.model import ArticlePage

SENTENCE = "The ferry to the outer islands will run all winter for the first time, the county decided on Monday. "


def read(html: str, content_type: str = "") -> ArticlePage:
    return articles.extract(html.encode(), url="https://islandpost.example/a", content_type=content_type)


def a_page(*, title: str = "Ferry all winter", article: str = "", rest: str = "", head: str = "") -> str:
    return (
        f"<html><head><title>{title}</title>{head}</head>"
        f"<body><article><p>{article}</p></article><div>{rest}</div></body></html>"
    )


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        (a_page(), "empty"),
        (a_page(article="The ferry is late."), "short"),
        (a_page(article=SENTENCE * 2, rest="<p>Subscribe to continue reading</p>"), "paywall"),
        (a_page(article=SENTENCE * 2, rest='<div class="paywall"><a href="/in">In</a></div>'), "paywall"),
        (a_page(title="Log in", rest='<form><input name="u"><input type="password"></form>'), "login"),
        (a_page(title="Ferry", rest="<p>Accept all cookies. We and our 300 partners process data.</p>"), "consent"),
        (a_page(title="Just a moment...", rest="Checking your browser before you go on"), "bot_check"),
        (a_page(title="Attention Required! | Cloudflare"), "bot_check"),
        (a_page(title="Ferry", rest='<div id="root"></div><script src="/a.js"></script>'), "script_only"),
        (a_page(title="404", rest="Nothing here."), "error_page"),
        (a_page(title="Seite nicht gefunden", rest="Die Seite gibt es nicht mehr."), "error_page"),
        (a_page(title="お探しのページが見つかりません", rest="削除された可能性があります。"), "error_page"),
    ],
)
def test_a_page_without_an_article_says_why(html: str, problem: str) -> None:
    assert read(html).problem == problem


@pytest.mark.parametrize(
    "html",
    [
        a_page(article=SENTENCE * 30, rest="<p>Subscribe to continue reading</p>"),
        a_page(article=SENTENCE * 4, rest="<p>We value your privacy. Accept all cookies?</p>"),
        a_page(article=SENTENCE * 4, rest='<script src="/cdn-cgi/challenge-platform/jsd/main.js"></script>'),
        a_page(article=SENTENCE * 4, rest='<form><input type="password">Log in to view your account</form>'),
        a_page(title="404 songs about the sea were found in a drawer", article=SENTENCE * 4),
    ],
)
def test_an_article_beside_a_notice_is_an_article(html: str) -> None:
    page = read(html)
    assert page.problem is None
    assert page.text.startswith("The ferry")


def test_a_teaser_of_a_page_that_is_not_free_is_kept_as_such() -> None:
    head = '<script type="application/ld+json">{"@type": "Article", "isAccessibleForFree": false}</script>'
    page = read(a_page(article=SENTENCE * 8, head=head))
    assert page.problem == "paywall"
    assert page.text


def test_the_words_of_a_wall_are_not_given_for_the_articles() -> None:
    page = read(a_page(title="Are you a robot?", article=SENTENCE * 3))
    assert (page.title, page.text, page.problem) == ("Are you a robot?", "", "bot_check")


def test_a_wall_keeps_the_metadata() -> None:
    head = '<meta property="og:title" content="Ferry all winter"><meta name="author" content="Ida Fenn">'
    page = read(a_page(title="Just a moment...", head=head))
    assert (page.title, page.authors, page.problem) == ("Ferry all winter", ("Ida Fenn",), "bot_check")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7 stream", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", ""),
        (b'{"title": "Ferry"}', "application/json"),
        (b'<?xml version="1.0"?><rss version="2.0"><channel><title>x</title></channel></rss>', "text/html"),
        (b"Just words, and no markup at all.", "text/plain"),
        (b"", ""),
    ],
)
def test_what_is_no_page_is_told(body: bytes, content_type: str) -> None:
    assert articles.extract(body, url=None, content_type=content_type) == ArticlePage(problem="not_html")


def test_a_page_that_is_sent_as_something_else_is_read() -> None:
    assert read(f"<!doctype html>{a_page(article=SENTENCE * 4)}", "application/octet-stream").problem is None
