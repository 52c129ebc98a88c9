import unicodedata
from dataclasses import replace

from hypothesis import given
from lxml import html

from core.rendering.digests import LANGUAGES, SLOWLY, a_digest, a_pick, a_telling, everyone_told, wild_digests
from scoop.core.rendering import common, mail

TAGS = {
    "html", "head", "meta", "title", "style", "body", "table", "tr", "td", "h1", "h2", "p", "strong", "a",
}  # fmt: skip


def attributes(page):
    return {(element.tag, name, value) for element in page.iter() for name, value in element.items() if name != "href"}


TAME = a_digest(a_telling(1, change="x", twins=tuple(a_telling(number) for number in range(2, 9))))
PICKED = a_digest(a_pick(1), introduction="One article.")
OWN = {
    found
    for digest in (TAME, PICKED, a_digest(), *(replace(PICKED, language=language) for language in LANGUAGES))
    for found in attributes(html.document_fromstring(mail.html(digest)))
}


@SLOWLY
@given(wild_digests())
def test_an_article_brings_no_tag_and_no_attribute_but_its_link(digest):
    page = html.document_fromstring(mail.html(digest))
    assert {element.tag for element in page.iter()} <= TAGS
    assert attributes(page) <= OWN
    allowed = {link.href for one in everyone_told(digest) if (link := common.link(one.url))}
    assert {anchor.get("href") for anchor in page.iter("a")} <= allowed


@SLOWLY
@given(wild_digests())
def test_every_headline_is_read_as_it_was_written(digest):
    page = html.document_fromstring(mail.html(digest))
    read = [" ".join(heading.text_content().split()) for heading in page.iter("h2")]
    assert read == [common.headline(telling) for telling in digest.tellings]


@SLOWLY
@given(wild_digests())
def test_every_reason_is_read_as_it_was_written(digest):
    read = " ".join(html.document_fromstring(mail.html(digest)).text_content().split())
    for reason in filter(None, map(common.reason, digest.tellings)):
        assert f"{common.phrases_of(digest).reason}: {' '.join(reason.split())}" in read


@SLOWLY
@given(wild_digests())
def test_the_subject_is_one_line_without_controls(digest):
    assert not [sign for sign in mail.subject(digest) if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"}]


def test_the_page_needs_nothing_from_elsewhere():
    page = html.document_fromstring(mail.html(TAME))
    assert "url(" not in mail.html(TAME)
    assert not page.xpath("//@src | //link | //script | //img")
    assert {anchor.get("rel") for anchor in page.iter("a")} == {"noopener noreferrer nofollow"}


def test_the_subject_says_what_is_inside():
    assert mail.subject(TAME) == "AI news · Sunday 25 October 2026: 1 developed"
    assert mail.subject(a_digest()) == "AI news · Sunday 25 October 2026: nothing new today"


def test_a_day_without_news_says_so():
    assert "Nothing new today." in html.document_fromstring(mail.html(a_digest())).text_content()
