"""The addresses in a feed: links, enclosures, media and pictures, made absolute."""

import re
from typing import Any

from scoop.core.feed_reading import roles
from scoop.core.feed_reading.feed import MAX_ATTACHED, address, attached, is_picture
from scoop.core.feed_reading.roles import ElementFields

_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_ALTERNATE = frozenset({"alternate", "", "http://www.iana.org/assignments/relation/alternate"})
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_IMG = re.compile(r"<(?:img|IMG)\s[^<>]*>")
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)
_PIXEL = re.compile(r"""\b(?:width|height)\s*=\s*["']?[01]\b""", re.IGNORECASE)


def absolute(element: Any, written: str | None, base: str) -> str | None:
    """The absolute address, by the xml:base of its element if there is one; `base` has those of its ancestors."""
    if not written:
        return None
    written = written.strip()
    if written.startswith(("https://", "http://")):
        return address(written)
    return address(written, with_xml_base(element, base))


def with_xml_base(element: Any, base: str) -> str:
    """The base by the xml:base of an element, if it has one."""
    own = element.get(_BASE)
    return (address(own, base) if own else None) or base


def page_url(fields: ElementFields, base: str) -> str | None:
    """The address of the page: an alternate in HTML first, then any alternate."""
    links = fields.get("link", ())
    for element in links if len(links) < 2 else sorted(links, key=_is_no_page):
        is_alternate = element.get("rel", "alternate") in _ALTERNATE
        if is_alternate and (url := absolute(element, element.get("href") or element.text, base)):
            return url
    return None


def _is_no_page(link: Any) -> bool:
    return link.get("type", _PAGE_TYPES[0]) not in _PAGE_TYPES


def self_url(fields: ElementFields) -> str:
    """The address that the feed gives as its own."""
    for element in fields.get("link", ()):
        if element.get("rel") == "self" and (url := address(element.get("href"))):
            return url
    return ""


def permalink(fields: ElementFields, guid: str) -> str | None:
    for element in fields.get("guid", ()):
        if element.get("isPermaLink", "true").lower() == "false":
            return None
    return address(guid)


def enclosures(fields: ElementFields, base: str) -> list[dict[str, Any]]:
    links = [element for element in fields.get("link", ()) if element.get("rel") == "enclosure"]
    return [
        attached(url, type=element.get("type"), length=element.get("length"))
        for element in [*fields.get("enclosure", ()), *links][:MAX_ATTACHED]
        if (url := absolute(element, element.get("url") or element.get("href"), base))
    ]


def media(fields: ElementFields, base: str) -> list[dict[str, Any]]:
    return [
        attached(url, type=element.get("type"), length=element.get("fileSize"), medium=element.get("medium"))
        for element in fields.get("media", ())[:MAX_ATTACHED]
        if (url := absolute(element, element.get("url"), base))
    ]


def image(fields: ElementFields, attachments: list[dict[str, Any]], base: str) -> str | None:
    for file in attachments:
        if is_picture(file):
            return str(file["url"])
    nested = [child for element in fields.get("media", ()) for child in element if _is_picture(child)]
    for element in [*fields.get("picture", ()), *nested]:
        if url := absolute(element, element.get("url") or element.get("href") or element.text, base):
            return url
    return _pictured([*fields.get("body", ()), *fields.get("summary", ())], base)


def _is_picture(element: Any) -> bool:
    return roles.role_of(element.tag, "") == "picture"


def _pictured(texts: list[Any], base: str) -> str | None:
    """The first picture in the text, except for tracking pixels."""
    for element in texts:
        raw = roles.inner_text(element)
        for tag in _IMG.finditer(raw) if "<img" in raw or "<IMG" in raw else ():
            if (source := _SRC.search(tag[0])) and not _PIXEL.search(tag[0]):
                return absolute(element, source[1].replace("&amp;", "&"), base)
    return None
