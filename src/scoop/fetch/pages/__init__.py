"""An article's page: its bytes in, what it says out."""

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from scoop.core import language
from scoop.core.text import readable, truncated
from scoop.fetch.pages import article, charsets, claims, walls
from scoop.model import Page

MAX_BYTES = 8 << 20
MAX_TAGS = 60_000  # opening and closing ones; the longest liveblogs have half as many
MAX_TEXT_CHARACTERS = 500_000  # of a canonical item
_WITH_TEXT = frozenset({None, "short", "paywall"})  # behind the other problems, the words are not the article's
HEAD_BYTES = 1 << 18  # of a page that is too large, where its metadata is


def extract(html: bytes, *, url: str | None, content_type: str = "") -> Page:
    """What the page of an article says; whatever the bytes are, there is a Page."""
    if not walls.is_html(html, content_type):
        return Page(problem="not_html")
    if len(html) > MAX_BYTES or html.count(b"<") > MAX_TAGS:
        return _page(html[:HEAD_BYTES], url, content_type, is_readable=False)
    return _page(html, url, content_type, is_readable=True)


def _page(html: bytes, url: str | None, content_type: str, *, is_readable: bool) -> Page:
    tree = _tree(charsets.utf8(html, content_type))
    if tree is None:
        return Page(problem="empty")
    said = claims.read(tree, url)
    text = truncated(readable(article.text(tree, said)), MAX_TEXT_CHARACTERS) if is_readable else ""
    problem = walls.problem(tree, said, text) if is_readable else "too_complex"
    declared = language.language(said.language, f"{said.title or ''}\n{text}")
    return Page(
        title=said.title,
        text=text if problem in _WITH_TEXT else "",
        authors=said.authors,
        published_at=said.published_at,
        language=declared if declared != language.UNDETERMINED else None,
        canonical_url=said.canonical_url,
        image_url=said.image_url,
        problem=problem,
    )


def _tree(html: bytes) -> HtmlElement | None:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    try:
        return document_fromstring(html, parser=parser)
    except (etree.LxmlError, ValueError):
        return None
