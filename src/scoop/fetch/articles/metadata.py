"""The metadata of a page: from JSON-LD, else OpenGraph, Dublin Core, other meta elements, else the visible text."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any
from urllib.parse import urljoin, urlsplit

import can_ada
from lxml.html import HtmlElement

from scoop.core.text import normalized, one_line
from scoop.fetch.articles import dates, linked_data
from scoop.fetch.articles.blocks import MAX_NAMES_CHARACTERS

MAX_TITLE_CHARACTERS = 2048  # of a canonical item
MAX_URL_CHARACTERS = 4096
MAX_AUTHORS = 64
MAX_AUTHOR_CHARACTERS = 100
MAX_HEADLINES = 20
MAX_TIMES = 10
MIN_HEADLINE_CHARACTERS = 10  # a shorter h1 is the name of the section or outlet

# The names of meta elements, the most trusted first.
_TITLE_KEYS = """
    og:title twitter:title dc.title dcterms.title citation_title parsely-title headline title
""".split()  # noqa: SIM905  # a list of quoted names would be hard to read
_DATE_KEYS = """
    article:published_time og:article:published_time datepublished rnews:datepublished dc.date.issued dcterms.issued
    dc.date.created dcterms.created dc.date dcterms.date citation_publication_date citation_date parsely-pub-date
    sailthru.date cxenseparse:recs:publishtime pubdate og:pubdate publishdate publish-date publish_date
    publication_date originalpublicationdate published_time published article.published datecreated created date
""".split()  # noqa: SIM905
_AUTHOR_KEYS = """
    author article:author article:author_name dc.creator dcterms.creator citation_author parsely-author sailthru.author
    byl
""".split()  # noqa: SIM905
_IMAGE_KEYS = """
    og:image:secure_url og:image og:image:url twitter:image twitter:image:src thumbnail image
""".split()  # noqa: SIM905
_LANGUAGE_KEYS = ["og:locale", "dc.language", "dcterms.language", "content-language", "language", "inlanguage"]

_BY = re.compile(r"^(?:by|von|par|por|di|door|written by|text|autor(?:in)?|author|文|記者)[\s:：]+", re.IGNORECASE)
_BETWEEN_AUTHORS = re.compile(r"\s*[;|/、]\s*|\s+(?:and|und|et|y|e|en|&)\s+|,\s+(?=\S+\s+\S)", re.IGNORECASE)
_NO_PERSON = re.compile(
    r"https?://|www\.|@|^\W*$|\d{4}|^(?:admin|administrator|editor|staff|redaktion|null|undefined)$", re.IGNORECASE
)
_BYLINE = re.compile(r"\b(?:byline|author|autor)(?:[-_]{1,2}name)?\b", re.IGNORECASE)
_TIMES = (
    './/*[@itemprop="datePublished"] | .//abbr[contains(@class, "published")]'
    " | .//time[not(ancestor::aside or ancestor::nav or ancestor::footer)]"
)
_DATED = re.compile(
    r"\b(?:post|publish|pub|entry|article)?(?:ed)?[-_]?(?:date|time|dateline|timestamp)\b|\bpublished\b", re.IGNORECASE
)
_BEFORE_OUTLET = re.compile(r"\s*[|\-–—·«»/]|$")
_OUTLET = re.compile(r"\s+[|\-–—·«»:]+\s+(?P<name>[^|–—·«»]{2,60})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The metadata that a page declares; `bodies` are the article texts in its JSON-LD."""

    title: str | None
    authors: tuple[str, ...]
    published_at: datetime | None
    language: str | None
    canonical_url: str | None
    image_url: str | None
    bodies: tuple[str, ...]
    is_free: bool


def read(tree: HtmlElement, url: str | None) -> Claims:
    page = _PageMetadata(tree, url)
    return Claims(
        title=_title(page),
        authors=_authors(page),
        published_at=_published_at(page),
        language=_language(page),
        canonical_url=_canonical_url(page),
        image_url=_image_url(page),
        bodies=tuple(filter(None, (linked_data.text(article.get("articleBody")) for article in page.articles))),
        is_free=not any(_is_false(article.get("isAccessibleForFree")) for article in page.articles),
    )


class _PageMetadata:
    """The places where pages put their metadata, each parsed once."""

    def __init__(self, tree: HtmlElement, url: str | None) -> None:
        self.tree = tree
        self.url = _joined(url or "", None)
        self.base = _joined(next((base.get("href") or "" for base in tree.iter("base")), ""), self.url) or self.url
        self.metas = _metas(tree)
        scripts = [
            script.text or "" for script in tree.iter("script") if "ld+json" in (script.get("type") or "").lower()
        ]
        self.articles = linked_data.articles(scripts)

    def values(self, key: str, meta_keys: Iterable[str], of: Callable[[Any], str] = linked_data.text) -> Iterator[str]:
        """The value in JSON-LD, then those in the meta elements, the most trusted first."""
        yield from filter(None, (one_line(of(article.get(key))) for article in self.articles[:1]))
        for name in meta_keys:
            yield from self.metas.get(name, ())


def _metas(tree: HtmlElement) -> dict[str, list[str]]:
    metas: dict[str, list[str]] = defaultdict(list)
    for meta in tree.iter("meta"):
        content = one_line((meta.get("content") or "")[:MAX_URL_CHARACTERS])
        if content:
            for attribute in ("property", "name", "itemprop", "http-equiv"):
                if name := meta.get(attribute):
                    metas[name.strip().lower()].append(content)
    return metas


def _title(page: _PageMetadata) -> str | None:
    declared = next(page.values("headline", _TITLE_KEYS), None)
    if declared is None:
        in_head = [_line(title) for title in page.tree.iter("title")][:1]
        in_body = [_line(h1) for h1 in page.tree.iter("h1")]
        declared = next(filter(None, [*in_body, *in_head] if len(in_body) == 1 else [*in_head, *in_body]), None)
    return _without_outlet(declared, page) if declared else None


def _line(element: HtmlElement) -> str:
    return one_line(element.text_content()[:MAX_TITLE_CHARACTERS])


def _without_outlet(title: str, page: _PageMetadata) -> str:
    """The title without the name of the outlet, which many pages append."""
    for headline in map(_line, islice(page.tree.iter("h1", "h2"), MAX_HEADLINES)):
        is_beginning = len(headline) >= MIN_HEADLINE_CHARACTERS and normalized(title).startswith(normalized(headline))
        if is_beginning and _BEFORE_OUTLET.match(title[len(headline) :]):
            return headline
    suffix = _OUTLET.search(title)
    if suffix and suffix["name"] in page.metas.get("og:site_name", ()):
        return title[: suffix.start()]
    return title[:MAX_TITLE_CHARACTERS]


def _authors(page: _PageMetadata) -> tuple[str, ...]:
    for names in _author_lists(page):
        if authors := list(dict.fromkeys(author for name in names for author in _people(name))):
            return tuple(authors[:MAX_AUTHORS])
    return ()


def _author_lists(page: _PageMetadata) -> Iterator[list[str]]:
    """The lists of authors in every place that may have one, the most trusted first."""
    for article in page.articles[:1]:
        yield linked_data.texts(article.get("author") or article.get("creator"))
    for name in _AUTHOR_KEYS:
        yield page.metas.get(name, [])
    yield [_words(link) for link in page.tree.xpath('.//*[@rel="author" or @itemprop="author"]')[:4]]
    bylines = (
        element
        for element in page.tree.iterfind(".//*[@class]")
        if _BYLINE.search(element.get("class"), 0, MAX_NAMES_CHARACTERS)
    )
    yield [words for words in map(_words, islice(bylines, 4)) if words][:1]


def _words(element: HtmlElement) -> str:
    words = one_line(element.text_content()[:1000])
    return words if len(words) <= MAX_AUTHOR_CHARACTERS else ""


def _people(names: str) -> list[str]:
    if _NO_PERSON.search(names):
        return []
    people = [_BY.sub("", name.strip(" ,.")) for name in _BETWEEN_AUTHORS.split(_BY.sub("", one_line(names)))]
    return [name for name in people if name and len(name) <= MAX_AUTHOR_CHARACTERS]


def _published_at(page: _PageMetadata) -> datetime | None:
    declared = chain(page.values("datePublished", ()), page.values("dateCreated", _DATE_KEYS), _times(page.tree))
    found = next(filter(None, map(dates.moment, declared)), None)
    return found or (dates.in_path(urlsplit(page.url).path) if page.url else None)


def _times(tree: HtmlElement) -> Iterator[str]:
    """The visible dates, those in the markup for dates first."""
    for element in tree.xpath(_TIMES)[:MAX_TIMES]:
        yield element.get("datetime") or element.get("content") or element.get("title") or element.text_content()
    named = (
        element
        for element in tree.iterfind(".//*[@class]")
        if _DATED.search(element.get("class"), 0, MAX_NAMES_CHARACTERS)
    )
    yield from map(_words, islice(named, MAX_TIMES))


def _language(page: _PageMetadata) -> str | None:
    declared = [*page.values("inLanguage", ()), page.tree.get("lang") or page.tree.get("xml:lang") or ""]
    return next(filter(None, [*declared, *page.values("", _LANGUAGE_KEYS)]), None)


def _canonical_url(page: _PageMetadata) -> str | None:
    links = [
        link.get("href") or ""
        for link in page.tree.iter("link")
        if "canonical" in (link.get("rel") or "").lower().split()
    ]
    for href in [*links, *page.metas.get("og:url", ())]:
        found = _joined(href, page.base)
        if found and (not _is_home(found) or (page.url is not None and _is_home(page.url))):
            return found
    return None


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query


def _image_url(page: _PageMetadata) -> str | None:
    links = [
        link.get("href") or "" for link in page.tree.iter("link") if (link.get("rel") or "").lower() == "image_src"
    ]
    declared = [*page.values("image", _IMAGE_KEYS, linked_data.address), *links]
    return next(filter(None, (_joined(href, page.base) for href in declared)), None)


def _joined(href: str, base: str | None) -> str | None:
    """The absolute address; None if it is not http or https."""
    if not href.strip():
        return None
    try:
        found = can_ada.parse(urljoin(base or "", href.strip()))
    except (ValueError, TypeError):
        return None
    is_usable = found.protocol in {"http:", "https:"} and found.hostname and len(found.href) <= MAX_URL_CHARACTERS
    return str(found.href) if is_usable else None


def _is_false(value: Any) -> bool:
    return value is False or str(value).lower() == "false"
