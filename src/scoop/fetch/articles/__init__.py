"""Extraction of an article from the HTML of its page: text, title, authors, date, language, addresses."""

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from scoop.core import language
from scoop.core.text import readable, truncated
from scoop.fetch.articles import article, charsets, metadata, paywalls
from scoop.model import ArticlePage

MAX_RAW_BYTES = 8 << 20
MAX_BYTES = 2 << 20  # without scripts and styles; the longest articles have a quarter of it
MAX_TAGS = 50_000  # opening and closing ones; the longest liveblogs have half as many
MAX_TEXT_CHARACTERS = 500_000  # of a canonical item
_WITH_TEXT = frozenset({None, "short", "paywall"})  # with any other problem, the text is not the article's
_CODE = re.compile(rb"<(script|style)\b[^>]*>", re.IGNORECASE)
_CODE_END = {name: re.compile(rb"</" + name, re.IGNORECASE) for name in (b"script", b"style")}
# libxml2 compares every attribute of a tag with all before it: a hundred thousand of them take a minute.
_ENDLESS_TAG = re.compile(rb"""<[a-z](?:[^<>"']{5000}|(?:[^<>"']++|"[^"]*+"|'[^']*+'){3000})""", re.IGNORECASE)
HEAD_BYTES = 1 << 18  # read of a page that is too large, for its metadata


def extract(html: bytes, *, url: str | None, content_type: str = "") -> ArticlePage:
    """The article and metadata of a page. Never raises: `problem` names the reason if there is no article."""
    if not paywalls.is_html(html, content_type):
        return ArticlePage(problem="not_html")
    html = _without_code(html) if len(html) <= MAX_RAW_BYTES else html
    if len(html) > MAX_BYTES or html.count(b"<") > MAX_TAGS or _ENDLESS_TAG.search(html):
        return _page(html[:HEAD_BYTES], url, content_type, is_readable=False)
    return _page(html, url, content_type, is_readable=True)


def _page(html: bytes, url: str | None, content_type: str, *, is_readable: bool) -> ArticlePage:
    tree = _tree(charsets.utf8(html, content_type))
    if tree is None:
        return ArticlePage(problem="empty")
    claims = metadata.read(tree, url)
    text = truncated(readable(article.text(tree, claims)), MAX_TEXT_CHARACTERS) if is_readable else ""
    problem = paywalls.problem(tree, claims, text) if is_readable else "too_complex"
    declared = language.language(claims.language, f"{claims.title or ''}\n{text}")
    return ArticlePage(
        title=claims.title,
        text=text if problem in _WITH_TEXT else "",
        authors=claims.authors,
        published_at=claims.published_at,
        language=declared if declared != language.UNDETERMINED else None,
        canonical_url=claims.canonical_url,
        image_url=claims.image_url,
        problem=problem,
    )


def _without_code(html: bytes) -> bytes:
    """The page with empty scripts and styles, which are often most of its bytes; JSON-LD is kept."""
    kept: list[bytes] = []
    at = 0
    for opening in _CODE.finditer(html):
        closing = _CODE_END[opening[1].lower()].search(html, opening.end())
        if closing is None:
            break
        if opening.start() >= at and b"ld+json" not in opening[0]:
            kept.append(html[at : opening.end()])
            at = closing.start()
    return b"".join([*kept, html[at:]])


def _tree(html: bytes) -> HtmlElement | None:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    try:
        return document_fromstring(html, parser=parser)
    except (etree.LxmlError, ValueError):
        return None
