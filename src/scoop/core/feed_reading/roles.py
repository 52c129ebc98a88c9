"""The children of a feed's elements by their role, in RSS, Atom and their extensions."""

from functools import lru_cache
from typing import Any

from lxml import etree

MAX_ALIKE = 256  # children of one kind that are read; twice as many as an item may have tags

_PREFIX_BY_NAMESPACE = {
    "": "",
    "http://www.w3.org/2005/atom": "",
    "http://purl.org/atom/ns": "",
    "http://purl.org/rss/1.0": "",
    "http://purl.org/net/rss1.1": "",
    "http://my.netscape.com/rdf/simple/0.9": "",
    "http://channel.netscape.com/rdf/simple/0.9": "",
    "http://backend.userland.com/rss": "",
    "http://backend.userland.com/rss2": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://purl.org/dc/elements/1.0": "dc:",
    "http://purl.org/dc/elements/1.1": "dc:",
    "http://purl.org/dc/terms": "dcterms:",
    "http://purl.org/rss/1.0/modules/content": "content:",
    "http://search.yahoo.com/mrss": "media:",
    "http://tools.search.yahoo.com/mrss": "media:",
    "http://video.search.yahoo.com/mrss": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://www.itunes.com/dtds/podcast-1.0": "itunes:",
    "http://purl.org/rss/1.0/modules/slash": "slash:",
    "http://wellformedweb.org/commentapi": "wfw:",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "http://purl.org/rss/1.0/modules/syndication": "sy:",
    "http://www.w3.org/1999/xhtml": "xhtml:",
}
_NAMES_BY_ROLE = {
    "title": "title dc:title",
    "other title": "media:title itunes:title",
    "guid": "guid id",
    "link": "link",
    "body": "content:encoded content xhtml:body body",
    "summary": "description summary media:description itunes:summary dc:description itunes:subtitle subtitle tagline",
    "published": "pubdate published issued dc:date dcterms:issued",
    "created": "created dcterms:created dcterms:date date",
    "updated": "updated modified dcterms:modified",
    "author": "author dc:creator dc:author itunes:author",
    "tag": "category dc:subject",
    "keywords": "media:keywords itunes:keywords",
    "language": "language dc:language",
    "enclosure": "enclosure",
    "media": "media:content",
    "group": "media:group",
    "picture": "media:thumbnail itunes:image image",
    "comments": "comments",
    "comment count": "slash:comments",
    "comments feed": "wfw:commentrss",
    "original": "feedburner:origlink",
    "duration": "itunes:duration",
    "channel": "channel",
    "ttl": "ttl",
    "period": "sy:updateperiod",
    "frequency": "sy:updatefrequency",
    "source": "source",
}
_ROLE_BY_NAME = {name: role for role, names in _NAMES_BY_ROLE.items() for name in names.split()}

ElementFields = dict[str, list[Any]]


def local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def unknown_namespace(root: Any) -> str:
    """The namespace of the feed's own elements, if it is unknown: some feeds are in one of their own."""
    namespace = str(root.tag).removeprefix("{").rpartition("}")[0]
    return "" if _plain_namespace(namespace) in _PREFIX_BY_NAMESPACE else namespace


def _plain_namespace(namespace: str) -> str:
    return namespace.lower().replace("https://", "http://").rstrip("/#")


@lru_cache(maxsize=4096)
def role_of(tag: str, own_namespace: str) -> str:
    """The role of an element, by its name and any spelling of its namespace; else its own name."""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    is_own = bool(own_namespace) and namespace == own_namespace
    prefix = "" if is_own else _PREFIX_BY_NAMESPACE.get(_plain_namespace(namespace), "unknown:")
    return _ROLE_BY_NAME.get(f"{prefix}{name.lower()}", f"{prefix}{name.lower()}")


def children_by_role(element: Any, own_namespace: str) -> ElementFields:
    """The children by their role."""
    fields: ElementFields = {}
    for child in element.iterchildren("*"):
        role = role_of(child.tag, own_namespace)
        alike = fields.get(role)
        if alike is None:
            fields[role] = [child]
        elif len(alike) < MAX_ALIKE:
            alike.append(child)
    for group in fields.pop("group", ()):
        for role, inner in children_by_role(group, own_namespace).items():
            fields.setdefault(role, []).extend(inner)
    return fields


def head_by_role(root: Any, own_namespace: str) -> ElementFields:
    """The fields of a feed beside its entries."""
    fields = children_by_role(root, own_namespace)
    for channel in fields.get("channel", ())[:1]:
        fields |= children_by_role(channel, own_namespace)
    return fields


def inner_text(element: Any) -> str:
    """The text of an element, or the markup inside it."""
    if not len(element):
        return element.text or ""
    return f"{element.text or ''}{''.join(etree.tostring(child, encoding='unicode') for child in element)}"


def first_text(fields: ElementFields, role: str) -> str:
    for element in fields.get(role, ()):
        if found := inner_text(element).strip():
            return found
    return ""
