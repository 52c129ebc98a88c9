"""What the elements of RSS and Atom, and of their extensions, say."""

import re
from base64 import b64decode
from collections.abc import Iterator
from datetime import timedelta
from functools import cached_property, lru_cache
from typing import Any

from lxml import etree

from scoop.core import text
from scoop.core.feeds import dates, markup
from scoop.core.feeds.feed import (
    MAX_ATTACHED, MAX_AUTHOR, MAX_BODY, MAX_SUMMARY, MAX_TAG, MAX_TITLE, Entry, Feed, address, tag_of_language,
)  # fmt: skip
from scoop.model import Item

HOURS_BY_PERIOD = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8760}
MAX_WORD = 200  # characters of a value such as a duration or a media type

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_PREFIX_BY_NAMESPACE = {
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
_PUBLISHED = (
    "pubdate", "published", "issued", "dc:date", "dcterms:issued", "prism:publicationdate", "created",
    "dcterms:created", "dcterms:date", "date",
)  # fmt: skip
_UPDATED = ("updated", "modified", "dcterms:modified")
_BODIES = ("content:encoded", "content", "xhtml:body", "body", "fulltext")
_SUMMARIES = ("description", "summary", "media:description", "itunes:summary", "dc:description", "itunes:subtitle")
_NO_TEXT = ("image/", "audio/", "video/", "application/")
_MAILED = re.compile(r"\S+@\S+\s*\(([^)]+)\)")
_NAMED = re.compile(r"([^<>]+?)\s*<\S+@\S+>")
_IMG = re.compile(r"""<img\s[^<>]*?\bsrc\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)

Fields = dict[str, list[Any]]


class Surroundings:
    """What a feed says for all of its entries; looked up when the first one needs it."""

    def __init__(self, root: Any, *, url: str) -> None:
        self._root = root
        self._url = url

    @cached_property
    def _fields(self) -> Fields:
        return _head(self._root)

    @cached_property
    def base(self) -> str:
        """Where relative addresses start: the site of the feed, else the feed."""
        return _link(self._fields, self._url) or self._url or _self(self._fields)

    @cached_property
    def language(self) -> str:
        root = self._root
        return tag_of_language(_first(self._fields, "language", "dc:language") or root.get(_LANG))

    @cached_property
    def authors(self) -> list[str]:
        return _authors(self._fields) if _name(self._root.tag) == "feed" else []


def feed(root: Any, found: list[Item], problems: list[str], *, url: str) -> Feed:
    fields = _head(root)
    return Feed(
        title=_headline(fields, "title", "dc:title"),
        link=_link(fields, url) or "",
        description=_longest(fields, ("description", "subtitle", "tagline", "itunes:summary"))[:MAX_SUMMARY],
        language=Surroundings(root, url=url).language,
        format=_format(root),
        items=found,
        problems=problems,
        ttl=_ttl(fields),
    )


def entry(element: Any, around: Surroundings) -> Entry:
    fields = _fields(element)
    guid = text.one_line(_first(fields, "guid", "id") or element.get(f"{_RDF}about") or "")
    media = list(_media(fields, around))
    enclosures = list(_enclosures(fields, around))
    published_at = _date(fields, _PUBLISHED)
    return Entry(
        guid=guid,
        url=_entry_url(fields, guid, around),
        title=_headline(fields, "title", "dc:title", "media:title", "itunes:title"),
        body=_longest(fields, _BODIES),
        summary=_longest(fields, _SUMMARIES),
        published_at=published_at,
        updated_at=_date(fields, _UPDATED),
        image_url=_image(fields, media, enclosures, around),
        language=tag_of_language(element.get(_LANG) or _first(fields, "dc:language")) or around.language,
        authors=_authors(fields) or around.authors,
        tags=_tags(fields),
        metadata={"enclosures": enclosures, "media": media, **_remarks(fields, around)},
    )


@lru_cache(maxsize=4096)
def _name(tag: Any) -> str:
    """The name with the usual prefix of its namespace, in lower case; `{http://www.w3.org/2005/Atom}link` is `link`."""
    namespace, brace, name = tag[1:].partition("}") if tag.startswith("{") else ("", "", tag)
    if not brace:
        return str(name).lower()
    known = namespace.lower().replace("https://", "http://").rstrip("/#")
    return f"{_PREFIX_BY_NAMESPACE.get(known, 'other:')}{name.lower()}"


def _fields(element: Any) -> Fields:
    found: Fields = {}
    for child in element:
        tag = child.tag
        if isinstance(tag, str):  # an entity that nobody declared is a child, too
            found.setdefault(_name(tag), []).append(child)
    if "media:group" in found:
        for group in found["media:group"]:
            for name, inner in _fields(group).items():
                found.setdefault(name, []).extend(inner)
    return found


def _head(root: Any) -> Fields:
    """What stands in a feed beside its entries."""
    fields = _fields(root)
    for channel in fields.get("channel", ())[:1]:
        fields |= _fields(channel)
    return fields


def _raw(element: Any) -> str:
    """The text, or the markup of what is inside."""
    if not len(element):
        return element.text or ""
    inner = "".join(etree.tostring(child, encoding="unicode") for child in element)
    return f"{element.text or ''}{inner}"


def _first(fields: Fields, *names: str) -> str:
    for name in names:
        for element in fields.get(name, ()):
            if found := _raw(element).strip():
                return str(found)
    return ""


def _headline(fields: Fields, *names: str) -> str:
    return markup.headline(_first(fields, *names), MAX_TITLE)


def _longest(fields: Fields, names: tuple[str, ...]) -> str:
    texts = [_body(element) for name in names for element in fields.get(name, ())]
    return max(texts, key=len, default="")


def _body(element: Any) -> str:
    kind = element.get("type", "")
    raw = _raw(element)
    if element.get("mode") == "base64":
        return markup.body(b64decode(raw).decode("utf-8", "replace"), MAX_BODY)
    if kind.startswith(_NO_TEXT) and "xml" not in kind and "html" not in kind:
        return ""
    if kind in {"text", "text/plain"} and not markup.is_markup(raw):
        return markup.written(raw, MAX_BODY)
    return markup.body(raw, MAX_BODY)


def _date(fields: Fields, names: tuple[str, ...]) -> str | None:
    for name in names:
        for element in fields.get(name, ()):
            if element.text and (found := dates.rfc_3339(element.text)):
                return found
    return None


def _absolute(element: Any, written: str | None, base: str) -> str | None:
    """The address, by the xml:base of its element where there is one."""
    if not written:
        return None
    written = written.strip()
    if written[:4].lower() == "http" and ":" in written[:6]:
        return address(written)
    own = element.base
    return address(written, (address(own, base) if own else None) or base)


def _link(fields: Fields, base: str) -> str | None:
    """The address of the page: an alternate in HTML first, then any alternate."""
    others = None
    for element in fields.get("link", ()):
        href = element.get("href")
        if (element.get("rel") or "alternate") not in {"alternate", "http://www.iana.org/assignments/relation/alternate"}:
            continue
        found = _absolute(element, href or element.text, base)
        if found and element.get("type", "text/html") in {"text/html", "application/xhtml+xml"}:
            return found
        others = others or found
    return others


def _self(fields: Fields) -> str:
    """Where the feed says that it lives."""
    own = (address(element.get("href")) for element in fields.get("link", ()) if element.get("rel") == "self")
    return next(filter(None, own), "")


def _entry_url(fields: Fields, guid: str, around: Surroundings) -> str | None:
    if found := _link(fields, around.base):
        return found
    is_permalink = all(element.get("isPermaLink", "true").lower() != "false" for element in fields.get("guid", ()))
    if is_permalink and guid.startswith(("http://", "https://")):
        return address(guid)
    return next((attached["url"] for attached in _enclosures(fields, around)), None)


def _enclosures(fields: Fields, around: Surroundings) -> Iterator[dict[str, Any]]:
    links = [element for element in fields.get("link", ()) if element.get("rel") == "enclosure"]
    for element in [*fields.get("enclosure", ()), *links][:MAX_ATTACHED]:
        if url := _absolute(element, element.get("url") or element.get("href"), around.base):
            yield _attached(url, element.get("type"), element.get("length"))


def _attached(url: str, kind: str | None, length: str | None) -> dict[str, Any]:
    found = {"url": url, "type": kind and kind.strip()[:MAX_WORD], "length": _number(length)}
    return {key: value for key, value in found.items() if value}


def _number(written: str | None) -> int | None:
    digits = (written or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) < 16 else None


def _media(fields: Fields, around: Surroundings) -> Iterator[dict[str, Any]]:
    for element in fields.get("media:content", ())[:MAX_ATTACHED]:
        if url := _absolute(element, element.get("url"), around.base):
            found = _attached(url, element.get("type"), element.get("fileSize"))
            yield found | ({"medium": element.get("medium")[:MAX_WORD]} if element.get("medium") else {})


def _image(
    fields: Fields, media: list[dict[str, Any]], enclosures: list[dict[str, Any]], around: Surroundings
) -> str | None:
    thumbnails = [*fields.get("media:thumbnail", ())]
    for element in fields.get("media:content", ()):
        thumbnails.extend(child for child in element if _name(child.tag) == "media:thumbnail")
    for attached in media:
        if attached.get("medium") == "image" or attached.get("type", "").startswith("image/"):
            return str(attached["url"])
    for element in [*thumbnails, *fields.get("itunes:image", ()), *fields.get("image", ())]:
        if found := _absolute(element, element.get("url") or element.get("href") or element.text, around.base):
            return found
    for attached in enclosures:
        if attached.get("type", "").startswith("image/"):
            return str(attached["url"])
    return _pictured(fields, around)


def _pictured(fields: Fields, around: Surroundings) -> str | None:
    """The first picture of the text."""
    for name in ("content:encoded", "content", "description", "summary"):
        for element in fields.get(name, ()):
            if match := _IMG.search(_raw(element)):
                return _absolute(element, match[1].replace("&amp;", "&"), around.base)
    return None


def _authors(fields: Fields) -> list[str]:
    return [
        name
        for key in ("author", "dc:creator", "itunes:author")
        for element in fields.get(key, ())
        if (name := _author(element))
    ]


def _author(element: Any) -> str:
    inner = _fields(element) if len(element) else {}
    raw = _first(inner, "name", "email") if inner else element.text or ""
    found = markup.headline(raw, MAX_AUTHOR) if "@" not in raw else text.one_line(raw)
    match = _MAILED.fullmatch(found) or _NAMED.fullmatch(found)
    return (match[1] if match else found)[:MAX_AUTHOR].strip()


def _tags(fields: Fields) -> list[str]:
    single = [
        element.get("label") or element.get("term") or element.text or ""
        for name in ("category", "dc:subject")
        for element in fields.get(name, ())
    ]
    listed = [_first(fields, "media:keywords"), _first(fields, "itunes:keywords")]
    return [markup.headline(tag, MAX_TAG) for tag in [*single, *",".join(listed).split(",")] if tag]


def _remarks(fields: Fields, around: Surroundings) -> dict[str, Any]:
    """What else there is to know of an entry."""
    found: dict[str, Any] = {}
    for element in fields.get("comments", ()):
        found["comments_url"] = _absolute(element, element.text, around.base)
    for element in fields.get("feedburner:origlink", ()):
        found["original_url"] = address(element.text)
    for element in fields.get("slash:comments", ()):
        found["comment_count"] = _number(element.text)
    for element in fields.get("itunes:duration", ()):
        found["duration"] = text.one_line(element.text or "")[:MAX_WORD]
    for element in fields.get("guid", ()):
        if element.get("isPermaLink"):
            found["guid_is_permalink"] = element.get("isPermaLink").lower() != "false"
    return found


def _ttl(fields: Fields) -> timedelta | None:
    if minutes := _number(_first(fields, "ttl")):
        return timedelta(minutes=min(minutes, 60 * 24 * 365))
    hours = HOURS_BY_PERIOD.get(_first(fields, "sy:updateperiod").lower())
    return timedelta(hours=hours) / (_number(_first(fields, "sy:updatefrequency")) or 1) if hours else None


def _format(root: Any) -> str:
    name, namespace = _name(root.tag), etree.QName(root).namespace or ""
    if name in {"feed", "entry"}:
        return "atom 0.3" if "purl.org/atom" in namespace or root.get("version") == "0.3" else "atom 1.0"
    if name.endswith("rdf"):
        is_oldest = any("rdf/simple/0.9" in str(uri) for uri in root.nsmap.values())
        return "rss 0.90" if is_oldest else "rss 1.0"
    version = text.one_line(root.get("version") or "")[:8]
    return f"rss {version}".strip()
