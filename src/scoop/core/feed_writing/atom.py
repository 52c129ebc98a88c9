"""Atom 1.0."""

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
    found = etree.SubElement(root, _named("entry"))
    if entry.language != UNKNOWN_LANGUAGE:
        found.set(LANGUAGE, entry.language)
    _add(found, "id", entry.id)
    _add(found, "title", entry.title, type="text")
    _add(found, "published", _date(entry.published_at))
    _add(found, "updated", _date(entry.updated_at))
    for author in entry.authors:
        _add(etree.SubElement(found, _named("author")), "name", author)
    etree.SubElement(found, _named("link"), rel="alternate", type="text/html", href=entry.url)
    if entry.external_url:
        etree.SubElement(found, _named("link"), rel="related", href=entry.external_url)
    for category in entry.categories:
        etree.SubElement(found, _named("category"), term=category)
    _add(found, "summary", entry.summary, type="text")
    _add(found, "content", entry.html, type="html")


def _add(parent: etree._Element, name: str, said: str, **attributes: str) -> None:
    etree.SubElement(parent, _named(name), attributes).text = said


def _named(name: str) -> str:
    return f"{{{ATOM}}}{name}"


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
