"""The values of the elements of RSS and Atom, and of their extensions.

This runs for every entry of every feed: loops and early returns are used where a generator would be shorter, because
they take half the time.
"""

import re
from base64 import b64decode
from datetime import timedelta
from functools import cached_property, lru_cache
from typing import Any

from lxml import etree

from scoop.core import text
from scoop.core.feed_reading import dates, markup
from scoop.core.feed_reading.feed import (
    MAX_ATTACHED,
    MAX_BODY,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TITLE,
    MAX_TTL_MINUTES,
    MAX_WORD,
    ParsedEntry,
    ParsedFeed,
    address,
    attached,
    author,
    is_picture,
    number,
    tag_of_language,
)
from scoop.model import Item

MAX_ALIKE = 256  # children of one kind that are read; twice as many as an item may have tags
MAX_DATES = 3  # of one kind that are tried
MAX_CACHED_NAME = 200  # characters of a tag or author that is remembered
HOURS_BY_PERIOD = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8760}

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_ATOM = "{http://www.w3.org/2005/Atom}"
_RDF_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
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
_ADDRESS_KEY_BY_ROLE = {"comments": "comments_url", "comments feed": "comments_feed", "original": "original_url"}
_ROLE_BY_NAME = {name: role for role, names in _NAMES_BY_ROLE.items() for name in names.split()}
_NO_TEXT = ("image/", "audio/", "video/", "application/")
_ALTERNATE = frozenset({"alternate", "", "http://www.iana.org/assignments/relation/alternate"})
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_VERSION = re.compile(r"\d\.\d{1,2}")
_IMG = re.compile(r"<(?:img|IMG)\s[^<>]*>")
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)
_PIXEL = re.compile(r"""\b(?:width|height)\s*=\s*["']?[01]\b""", re.IGNORECASE)

ElementFields = dict[str, list[Any]]


class FeedDefaults:
    """Values of a feed that its entries inherit, computed on first use."""

    def __init__(self, root: Any, *, url: str) -> None:
        self.root = root
        self._url = url
        self.namespace = _own_namespace(root)

    @cached_property
    def fields(self) -> ElementFields:
        return _head(self.root, self.namespace)

    @cached_property
    def link(self) -> str:
        """The address of the site."""
        return _link(self.fields, self._with_xml_base(self._url)) or ""

    @cached_property
    def base(self) -> str:
        """The base of relative addresses: xml:base, else the site, else the feed."""
        return self._with_xml_base(self.link or self._url or _self(self.fields))

    def _with_xml_base(self, base: str) -> str:
        for element in (self.root, *self.fields.get("channel", ())[:1]):
            base = _base(element, base)
        return base

    @cached_property
    def language(self) -> str:
        return _language(self.root, self.fields)

    @cached_property
    def authors(self) -> list[str]:
        return _authors(self.fields) if local_name(self.root) == "feed" else []


def feed(defaults: FeedDefaults, items: list[Item], problems: list[str]) -> ParsedFeed:
    fields, root = defaults.fields, defaults.root
    return ParsedFeed(
        title=_headline(fields),
        link=defaults.link,
        description=_longest(fields, "summary")[:MAX_SUMMARY],
        language=_language(root, fields),
        format=_format(root),
        items=items,
        problems=problems,
        ttl=_ttl(fields),
    )


def entry(element: Any, defaults: FeedDefaults) -> ParsedEntry:
    fields = _fields(element, defaults.namespace)
    guid = text.one_line(_first(fields, "guid") or element.get(_RDF_ABOUT) or "")
    base = _base(element, defaults.base)
    enclosures, media = _enclosures(fields, base), _media(fields, base)
    language = element.get(_LANG) or _first(fields, "language")
    return ParsedEntry(
        guid=guid,
        url=_link(fields, base) or _permalink(fields, guid),
        title=_headline(fields),
        body=_longest(fields, "body"),
        summary=_longest(fields, "summary"),
        published_at=_date(fields, "published") or _date(fields, "created"),
        updated_at=_date(fields, "updated"),
        image_url=_image(fields, [*media, *enclosures], base),
        language=(tag_of_language(language) if language else "") or defaults.language,
        authors=_authors(fields) or _source_authors(fields, defaults) or defaults.authors,
        tags=_tags(fields),
        metadata={"enclosures": enclosures, "media": media, **_remarks(fields, base)},
    )


def local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _own_namespace(root: Any) -> str:
    """The namespace of the feed's own elements, if it is unknown: some feeds are in one of their own."""
    namespace = str(root.tag).removeprefix("{").rpartition("}")[0]
    return "" if _plain_namespace(namespace) in _PREFIX_BY_NAMESPACE else namespace


def _plain_namespace(namespace: str) -> str:
    return namespace.lower().replace("https://", "http://").rstrip("/#")


@lru_cache(maxsize=4096)
def _role(tag: str, own_namespace: str) -> str:
    """The role of an element, by its name and any spelling of its namespace; else its own name."""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    is_own = bool(own_namespace) and namespace == own_namespace
    prefix = "" if is_own else _PREFIX_BY_NAMESPACE.get(_plain_namespace(namespace), "unknown:")
    return _ROLE_BY_NAME.get(f"{prefix}{name.lower()}", f"{prefix}{name.lower()}")


def _fields(element: Any, own_namespace: str) -> ElementFields:
    """The children by their role."""
    fields: ElementFields = {}
    for child in element.iterchildren("*"):
        role = _role(child.tag, own_namespace)
        alike = fields.get(role)
        if alike is None:
            fields[role] = [child]
        elif len(alike) < MAX_ALIKE:
            alike.append(child)
    for group in fields.pop("group", ()):
        for role, inner in _fields(group, own_namespace).items():
            fields.setdefault(role, []).extend(inner)
    return fields


def _head(root: Any, own_namespace: str) -> ElementFields:
    """The fields of a feed beside its entries."""
    fields = _fields(root, own_namespace)
    for channel in fields.get("channel", ())[:1]:
        fields |= _fields(channel, own_namespace)
    return fields


def _raw(element: Any) -> str:
    """The text of an element, or the markup inside it."""
    if not len(element):
        return element.text or ""
    return f"{element.text or ''}{''.join(etree.tostring(child, encoding='unicode') for child in element)}"


def _first(fields: ElementFields, role: str) -> str:
    for element in fields.get(role, ()):
        if found := _raw(element).strip():
            return found
    return ""


def _headline(fields: ElementFields) -> str:
    for role in ("title", "other title"):
        for element in fields.get(role, ()):
            if headline := markup.headline(_unpacked(element), MAX_TITLE):
                return headline
    return ""


def _longest(fields: ElementFields, role: str) -> str:
    longest = ""
    for element in fields.get(role, ()):
        body = _body(element)
        if len(body) > len(longest):
            longest = body
    return longest


def _body(element: Any) -> str:
    raw = _unpacked(element)
    kind = element.get("type")
    if kind is None:
        return _plain(raw) if element.tag.startswith(_ATOM) else markup.body(raw, MAX_BODY)
    if kind in {"text", "text/plain"}:
        return _plain(raw)
    if kind.startswith(_NO_TEXT) and "ml" not in kind:
        return ""
    return markup.body(raw, MAX_BODY)


def _plain(raw: str) -> str:
    """A text that is declared as plain, which is not always true."""
    return markup.body(raw, MAX_BODY) if markup.is_markup(raw) else markup.plain_text(raw, MAX_BODY)


def _unpacked(element: Any) -> str:
    """The text or markup; in Atom 0.3 it may be in base64."""
    raw = _raw(element)
    if element.get("mode") != "base64":
        return raw
    try:
        return b64decode(raw).decode("utf-8", "replace")
    except ValueError:
        return ""


def _date(fields: ElementFields, role: str) -> str | None:
    for element in fields.get(role, ())[:MAX_DATES]:
        if date := dates.rfc_3339(element.text or ""):
            return date
    return None


def _absolute(element: Any, written: str | None, base: str) -> str | None:
    """The absolute address, by the xml:base of its element if there is one; `base` has those of its ancestors."""
    if not written:
        return None
    written = written.strip()
    if written.startswith(("https://", "http://")):
        return address(written)
    return address(written, _base(element, base))


def _base(element: Any, base: str) -> str:
    """The base by the xml:base of an element, if it has one."""
    own = element.get(_BASE)
    return (address(own, base) if own else None) or base


def _link(fields: ElementFields, base: str) -> str | None:
    """The address of the page: an alternate in HTML first, then any alternate."""
    links = fields.get("link", ())
    for element in links if len(links) < 2 else sorted(links, key=_is_no_page):
        is_alternate = element.get("rel", "alternate") in _ALTERNATE
        if is_alternate and (url := _absolute(element, element.get("href") or element.text, base)):
            return url
    return None


def _is_no_page(link: Any) -> bool:
    return link.get("type", _PAGE_TYPES[0]) not in _PAGE_TYPES


def _self(fields: ElementFields) -> str:
    """The address that the feed gives as its own."""
    for element in fields.get("link", ()):
        if element.get("rel") == "self" and (url := address(element.get("href"))):
            return url
    return ""


def _permalink(fields: ElementFields, guid: str) -> str | None:
    for element in fields.get("guid", ()):
        if element.get("isPermaLink", "true").lower() == "false":
            return None
    return address(guid)


def _enclosures(fields: ElementFields, base: str) -> list[dict[str, Any]]:
    links = [element for element in fields.get("link", ()) if element.get("rel") == "enclosure"]
    return [
        attached(url, type=element.get("type"), length=element.get("length"))
        for element in [*fields.get("enclosure", ()), *links][:MAX_ATTACHED]
        if (url := _absolute(element, element.get("url") or element.get("href"), base))
    ]


def _media(fields: ElementFields, base: str) -> list[dict[str, Any]]:
    return [
        attached(url, type=element.get("type"), length=element.get("fileSize"), medium=element.get("medium"))
        for element in fields.get("media", ())[:MAX_ATTACHED]
        if (url := _absolute(element, element.get("url"), base))
    ]


def _image(fields: ElementFields, attachments: list[dict[str, Any]], base: str) -> str | None:
    for file in attachments:
        if is_picture(file):
            return str(file["url"])
    nested = [child for element in fields.get("media", ()) for child in element if _is_picture(child)]
    for element in [*fields.get("picture", ()), *nested]:
        if url := _absolute(element, element.get("url") or element.get("href") or element.text, base):
            return url
    return _pictured([*fields.get("body", ()), *fields.get("summary", ())], base)


def _is_picture(element: Any) -> bool:
    return _role(element.tag, "") == "picture"


def _pictured(texts: list[Any], base: str) -> str | None:
    """The first picture in the text, except for tracking pixels."""
    for element in texts:
        raw = _raw(element)
        for tag in _IMG.finditer(raw) if "<img" in raw or "<IMG" in raw else ():
            if (source := _SRC.search(tag[0])) and not _PIXEL.search(tag[0]):
                return _absolute(element, source[1].replace("&amp;", "&"), base)
    return None


def _authors(fields: ElementFields) -> list[str]:
    return [name for element in fields.get("author", ()) if (name := _author(element))]


def _source_authors(fields: ElementFields, defaults: FeedDefaults) -> list[str]:
    """RFC 4287: an Atom entry without authors has those of the feed that it was copied from."""
    for source in fields.get("source", ()):
        return _authors(_fields(source, defaults.namespace))
    return []


def _author(element: Any) -> str:
    """A name; RSS has it behind the mail address."""
    raw = _raw(element)
    if len(element):
        people = {local_name(child): _raw(child) for child in element.iterchildren("*")}
        raw = people.get("name") or people.get("email") or raw
    return _cached_author(raw) if len(raw) < MAX_CACHED_NAME else author(raw)


@lru_cache(maxsize=4096)
def _cached_author(raw: str) -> str:
    """One author writes many entries of a feed."""
    return author(raw)


def _tags(fields: ElementFields) -> list[str]:
    single = [element.get("label") or element.get("term") or element.text or "" for element in fields.get("tag", ())]
    listed = [tag for element in fields.get("keywords", ()) for tag in (element.text or "").split(",", MAX_ALIKE)]
    return [
        _cached_tag(tag) if len(tag) < MAX_CACHED_NAME else markup.headline(tag, MAX_TAG)
        for tag in [*single, *listed][:MAX_ALIKE]
    ]


@lru_cache(maxsize=4096)
def _cached_tag(raw: str) -> str:
    """The entries of a feed share their tags: in real feeds three quarters of them are found here."""
    return markup.headline(raw, MAX_TAG)


def _remarks(fields: ElementFields, base: str) -> dict[str, Any]:
    """Further facts of an entry."""
    found: dict[str, Any] = {}
    for role, key in _ADDRESS_KEY_BY_ROLE.items():
        for element in fields.get(role, ()):
            found[key] = _absolute(element, element.text, base)
    if "comment count" in fields:
        found["comment_count"] = number(_first(fields, "comment count"))
    if "duration" in fields:
        found["duration"] = text.one_line(_first(fields, "duration"))[:MAX_WORD]
    for element in fields.get("guid", ()):
        if is_permalink := element.get("isPermaLink"):
            found["guid_is_permalink"] = is_permalink.lower() != "false"
    return found


def _ttl(fields: ElementFields) -> timedelta | None:
    if minutes := number(_first(fields, "ttl")):
        return timedelta(minutes=min(minutes, MAX_TTL_MINUTES))
    hours = HOURS_BY_PERIOD.get(_first(fields, "period").lower())
    return timedelta(hours=hours) / (number(_first(fields, "frequency")) or 1) if hours else None


def _language(root: Any, fields: ElementFields) -> str:
    return tag_of_language(_first(fields, "language") or root.get(_LANG))


def _format(root: Any) -> str:
    name = local_name(root)
    if name in {"feed", "entry"}:
        return "atom 0.3" if "purl.org/atom" in root.tag or root.get("version") == "0.3" else "atom 1.0"
    if name == "RDF":
        return "rss 0.90" if any("rdf/simple/0.9" in str(uri) for uri in root.nsmap.values()) else "rss 1.0"
    version = _VERSION.match(root.get("version", ""))
    return f"rss {version[0]}" if version else "rss"
