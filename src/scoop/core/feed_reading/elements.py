"""What the elements of RSS and Atom, and of their extensions, say."""

import re
from base64 import b64decode
from collections.abc import Iterator
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

MAX_ALIKE = 256  # children of one kind that are looked at; twice as many as an item may have tags
MAX_DATES = 3  # of one kind that are tried
HOURS_BY_PERIOD = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8760}

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ATOM = "{http://www.w3.org/2005/Atom}"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_PREFIX_BY_NAMESPACE = {
    "": "",
    "http://www.w3.org/2005/atom": "",
    "http://purl.org/atom/ns": "",
    "http://purl.org/rss/1.0": "",
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
    "author": "author dc:creator itunes:author",
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
}
_ROLE_BY_NAME = {name: role for role, names in _NAMES_BY_ROLE.items() for name in names.split()}
_NO_TEXT = ("image/", "audio/", "video/", "application/")
_ALTERNATE = frozenset({"alternate", "", "http://www.iana.org/assignments/relation/alternate"})
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_VERSION = re.compile(r"\d\.\d{1,2}")
_IMG = re.compile(r"<img\s[^<>]*>", re.IGNORECASE)
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)
_PIXEL = re.compile(r"""\b(?:width|height)\s*=\s*["']?[01]\b""", re.IGNORECASE)

ElementFields = dict[str, list[Any]]


class FeedDefaults:
    """What a feed says for all of its entries; looked up when the first one asks."""

    def __init__(self, root: Any, *, url: str) -> None:
        self._root = root
        self._url = url

    @cached_property
    def _fields(self) -> ElementFields:
        return _head(self._root)

    @cached_property
    def base(self) -> str:
        """Where relative addresses start: the site, else the feed."""
        return _link(self._fields, self._url) or self._url or _self(self._fields)

    @cached_property
    def language(self) -> str:
        return _language(self._root, self._fields)

    @cached_property
    def authors(self) -> list[str]:
        return _authors(self._fields) if _role(self._root.tag) == "feed" else []


def feed(root: Any, found: list[Item], problems: list[str], *, url: str) -> ParsedFeed:
    fields = _head(root)
    return ParsedFeed(
        title=_headline(fields),
        link=_link(fields, url) or "",
        description=_longest(fields, "summary")[:MAX_SUMMARY],
        language=_language(root, fields),
        format=_format(root),
        items=found,
        problems=problems,
        ttl=_ttl(fields),
    )


def entry(element: Any, around: FeedDefaults) -> ParsedEntry:
    fields = _fields(element)
    guid = text.one_line(_first(fields, "guid") or element.get(f"{_RDF}about") or "")
    enclosures, media = list(_enclosures(fields, around)), list(_media(fields, around))
    return ParsedEntry(
        guid=guid,
        url=_link(fields, around.base) or _permalink(fields, guid),
        title=_headline(fields),
        body=_longest(fields, "body"),
        summary=_longest(fields, "summary"),
        published_at=_date(fields, "published") or _date(fields, "created"),
        updated_at=_date(fields, "updated"),
        image_url=_image(fields, [*media, *enclosures], around),
        language=tag_of_language(element.get(_LANG) or _first(fields, "language")) or around.language,
        authors=_authors(fields) or around.authors,
        tags=_tags(fields),
        metadata={"enclosures": enclosures, "media": media, **_remarks(fields, around)},
    )


def local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


@lru_cache(maxsize=4096)
def _role(tag: str) -> str:
    """What an element is for, by its name and whatever spelling its namespace has; else its own name."""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    known = namespace.lower().replace("https://", "http://").rstrip("/#")
    name = f"{_PREFIX_BY_NAMESPACE.get(known, 'unknown:')}{name.lower()}"
    return _ROLE_BY_NAME.get(name, name)


def _fields(element: Any) -> ElementFields:
    """The children by what they are for."""
    found: ElementFields = {}
    for child in element.iterchildren("*"):
        alike = found.setdefault(_role(child.tag), [])
        if len(alike) < MAX_ALIKE:
            alike.append(child)
    for group in found.pop("group", ()):
        for role, inner in _fields(group).items():
            found.setdefault(role, []).extend(inner)
    return found


def _head(root: Any) -> ElementFields:
    """What stands in a feed beside its entries."""
    fields = _fields(root)
    for channel in fields.get("channel", ())[:1]:
        fields |= _fields(channel)
    return fields


def _raw(element: Any) -> str:
    """The text, or the markup of what is inside."""
    if not len(element):
        return element.text or ""
    return f"{element.text or ''}{''.join(etree.tostring(child, encoding='unicode') for child in element)}"


def _first(fields: ElementFields, role: str) -> str:
    return next((found for element in fields.get(role, ()) if (found := _raw(element).strip())), "")


def _headline(fields: ElementFields) -> str:
    for role in ("title", "other title"):
        for element in fields.get(role, ()):
            if found := markup.headline(_unpacked(element), MAX_TITLE):
                return found
    return ""


def _longest(fields: ElementFields, role: str) -> str:
    return max(map(_body, fields.get(role, ())), key=len, default="")


def _body(element: Any) -> str:
    raw = _unpacked(element)
    kind = element.get("type") or ("text" if element.tag.startswith(_ATOM) else "")
    if kind in {"text", "text/plain"} and not markup.is_markup(raw):
        return markup.plain_text(raw, MAX_BODY)
    if kind.startswith(_NO_TEXT) and "ml" not in kind:
        return ""
    return markup.body(raw, MAX_BODY)


def _unpacked(element: Any) -> str:
    """The text or markup; Atom 0.3 may have it in base64."""
    raw = _raw(element)
    if element.get("mode") != "base64":
        return raw
    try:
        return b64decode(raw).decode("utf-8", "replace")
    except ValueError:
        return ""


def _date(fields: ElementFields, role: str) -> str | None:
    if role not in fields:
        return None
    return next((date for element in fields[role][:MAX_DATES] if (date := dates.rfc_3339(element.text or ""))), None)


def _absolute(element: Any, written: str | None, base: str) -> str | None:
    """The address, by the xml:base of its element where there is one."""
    if not written:
        return None
    written = written.strip()
    if written.startswith(("https://", "http://")):
        return address(written)
    own = element.base
    return address(written, (address(own, base) if own else None) or base)


def _link(fields: ElementFields, base: str) -> str | None:
    """The address of the page: an alternate in HTML first, then any alternate."""
    alternates = [element for element in fields.get("link", ()) if element.get("rel", "alternate") in _ALTERNATE]
    alternates.sort(key=lambda element: element.get("type", _PAGE_TYPES[0]) not in _PAGE_TYPES)
    found = (_absolute(element, element.get("href") or element.text, base) for element in alternates)
    return next(filter(None, found), None)


def _self(fields: ElementFields) -> str:
    """Where the feed says that it lives."""
    own = (address(element.get("href")) for element in fields.get("link", ()) if element.get("rel") == "self")
    return next(filter(None, own), "")


def _permalink(fields: ElementFields, guid: str) -> str | None:
    is_one = all(element.get("isPermaLink", "true").lower() != "false" for element in fields.get("guid", ()))
    return address(guid) if is_one else None


def _enclosures(fields: ElementFields, around: FeedDefaults) -> Iterator[dict[str, Any]]:
    links = [element for element in fields.get("link", ()) if element.get("rel") == "enclosure"]
    for element in [*fields.get("enclosure", ()), *links][:MAX_ATTACHED]:
        if url := _absolute(element, element.get("url") or element.get("href"), around.base):
            yield attached(url, type=element.get("type"), length=element.get("length"))


def _media(fields: ElementFields, around: FeedDefaults) -> Iterator[dict[str, Any]]:
    for element in fields.get("media", ())[:MAX_ATTACHED]:
        if url := _absolute(element, element.get("url"), around.base):
            yield attached(url, type=element.get("type"), length=element.get("fileSize"), medium=element.get("medium"))


def _image(fields: ElementFields, attachments: list[dict[str, Any]], around: FeedDefaults) -> str | None:
    if found := next(filter(is_picture, attachments), None):
        return str(found["url"])
    nested = [child for element in fields.get("media", ()) for child in element if _role(child.tag) == "picture"]
    for element in [*fields.get("picture", ()), *nested]:
        if url := _absolute(element, element.get("url") or element.get("href") or element.text, around.base):
            return url
    return _pictured([*fields.get("body", ()), *fields.get("summary", ())], around)


def _pictured(texts: list[Any], around: FeedDefaults) -> str | None:
    """The first picture of the text, pixels that count readers aside."""
    for element in texts:
        raw = _raw(element)
        for tag in _IMG.findall(raw) if "<" in raw else ():
            if (source := _SRC.search(tag)) and not _PIXEL.search(tag):
                return _absolute(element, source[1].replace("&amp;", "&"), around.base)
    return None


def _authors(fields: ElementFields) -> list[str]:
    return [name for element in fields.get("author", ()) if (name := _author(element))]


def _author(element: Any) -> str:
    """A name; RSS has it behind the mail address."""
    raw = _raw(element)
    if len(element):
        people = {local_name(child): _raw(child) for child in element.iterchildren("*")}
        raw = people.get("name") or people.get("email") or raw
    return author(raw)


def _tags(fields: ElementFields) -> list[str]:
    single = [element.get("label") or element.get("term") or element.text or "" for element in fields.get("tag", ())]
    listed = [tag for element in fields.get("keywords", ()) for tag in (element.text or "").split(",", MAX_ALIKE)]
    return [markup.headline(tag, MAX_TAG) for tag in [*single, *listed][:MAX_ALIKE]]


def _remarks(fields: ElementFields, around: FeedDefaults) -> dict[str, Any]:
    """What else there is to know of an entry."""
    found: dict[str, Any] = {}
    for role, key in (("comments", "comments_url"), ("comments feed", "comments_feed"), ("original", "original_url")):
        for element in fields.get(role, ()):
            found[key] = _absolute(element, element.text, around.base)
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
