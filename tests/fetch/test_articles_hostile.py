"""Whatever the bytes are, there is a page, soon, and its text can be stored."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoop.fetch import articles
from scoop.model import ArticlePage

SEEDS = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "quality" / "pages").glob("*.html"))]
TAGS = """
    p div a li ul td tr table h1 h2 article blockquote span br script title meta body html ! / & ; < > = ' "
""".split()  # noqa: SIM905  # quoted one by one they could not be read
SLOWLY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_storable(page: ArticlePage) -> None:
    for text in (page.title, page.text, page.canonical_url, page.image_url, page.language, *page.authors):
        if text is not None:
            text.encode()
            assert "\0" not in text
    assert page.published_at is None or page.published_at.tzinfo is not None


@SLOWLY
@given(st.binary(max_size=400), st.text(max_size=40))
def test_any_bytes_give_a_page(body: bytes, content_type: str) -> None:
    assert_storable(articles.extract(body, url=None, content_type=content_type))
    assert_storable(articles.extract(b"<html><body>" + body, url="https://a.example/x", content_type=content_type))


@SLOWLY
@given(st.sampled_from(SEEDS), st.data())
def test_a_damaged_page_gives_a_page(seed: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(seed)))
    end = data.draw(st.integers(start, len(seed)))
    noise = data.draw(
        st.binary(max_size=30) | st.sampled_from([b"\0", b"\xff\xfe", b"&#xD800;", b"&#0;", b"<!--", b"]]>"])
    )
    page = articles.extract(seed[:start] + noise + seed[end:], url="https://a.example/x")
    assert_storable(page)


@SLOWLY
@given(st.lists(st.sampled_from([f"<{tag}>" for tag in TAGS] + TAGS + ["words and more words. " * 9]), max_size=80))
def test_any_soup_of_tags_gives_a_page(pieces: list[str]) -> None:
    assert_storable(articles.extract(f"<html>{''.join(pieces)}".encode(), url="http://[bad"))


@SLOWLY
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
    )
)
def test_any_json_ld_gives_a_page(value: object) -> None:
    keys = ("headline", "author", "datePublished", "image", "articleBody", "inLanguage", "isAccessibleForFree")
    script = json.dumps({"@type": "NewsArticle", **dict.fromkeys(keys, value)})
    assert_storable(articles.extract(f'<html><script type="application/ld+json">{script}</script>'.encode(), url=None))


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 100_000,
        b"<table><tr><td>" * 15_000,
        b"<p>" + b"word " * 400_000,
        b'<div class="' + b"a " * 400_000 + b'">x</div>',
        b"<p " + b" ".join(b'a%d="x"' % number for number in range(100_000)) + b">x</p>",
        b"<p " + b" ".join(b"a%d" % number for number in range(100_000)) + b">x</p>",
        b"<p>one two three four five</p>" * 8_000,
        b'<script type="application/ld+json">' + b"[" * 200_000 + b"</script>",
        b'<script type="application/ld+json">' + b'{"a":' * 100_000 + b"</script>",
        b"<!--" * 20_000,
        b"&amp;" * 200_000,
        b"<" * 200_000,
    ],
    ids=[
        "deep",
        "tables",
        "text",
        "attribute",
        "attributes",
        "bare attributes",
        "paragraphs",
        "json",
        "json objects",
        "comments",
        "entities",
        "angles",
    ],
)
def test_large_and_deep_pages_are_bounded(body: bytes) -> None:
    page = articles.extract(b"<html><head><title>A title</title></head><body>" + body, url=None)
    assert page.title == "A title"
    assert len(page.text) <= articles.MAX_TEXT_CHARACTERS
    assert_storable(page)


@pytest.mark.parametrize("body", [b"<p>x</p>" * (articles.MAX_TAGS // 2 + 1), b" " * articles.MAX_BYTES])
def test_what_is_too_much_keeps_its_metadata(body: bytes) -> None:
    head = b'<html><head><title>A title</title><meta name="author" content="Ida Fenn"></head><body>'
    page = articles.extract(head + body, url=None)
    assert (page.title, page.authors, page.text, page.problem) == ("A title", ("Ida Fenn",), "", "too_complex")
