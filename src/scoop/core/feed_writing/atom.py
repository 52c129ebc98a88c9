"""Write Atom 1.0."""

from datetime import UTC, datetime

from lxml import etree

from scoop.core.feed_writing import GENERATOR, UNKNOWN_LANGUAGE, FeedEntry, OutputFeed

ATOM = "http://www.w3.org/2005/Atom"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def write(feed: OutputFeed) -> bytes:
    root = etree.Element(_named("feed"), nsmap={None: ATOM})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    _add(root, "subtitle", feed.description)
    _add(root, "updated", _date(feed.updated_at))
    _add(root, "generator", GENERATOR)
    _add(etree.SubElement(root, _named("author")), "name", GENERATOR)
    etree.SubElement(root, _named("link"), rel="self", type="application/atom+xml", href=feed.self_url)
    etree.SubElement(root, _named("link"), rel="alternate", type="text/html", href=feed.url)
    for entry in feed.entries:
        _add_entry(root, entry)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8"))


def _add_entry(root: etree._Element, entry: FeedEntry) -> None:
    element = etree.SubElement(root, _named("entry"))
    if entry.language != UNKNOWN_LANGUAGE:
        element.set(LANGUAGE, entry.language)
    _add(element, "id", entry.id)
    _add(element, "title", entry.title, type="text")
    _add(element, "published", _date(entry.published_at))
    _add(element, "updated", _date(entry.updated_at))
    for place, author in enumerate(entry.authors):  # readers show one author: the lead outlet
        _add(etree.SubElement(element, _named("contributor" if place else "author")), "name", author)
    etree.SubElement(element, _named("link"), rel="alternate", type="text/html", href=entry.url)
    if entry.external_url:
        etree.SubElement(element, _named("link"), rel="related", href=entry.external_url)
    for category in entry.categories:
        etree.SubElement(element, _named("category"), term=category)
    _add(element, "summary", entry.summary, type="text")
    _add(element, "content", entry.html, type="html")


def _add(parent: etree._Element, name: str, content: str, **attributes: str) -> None:
    etree.SubElement(parent, _named(name), attributes).text = content


def _named(name: str) -> str:
    return f"{{{ATOM}}}{name}"


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
