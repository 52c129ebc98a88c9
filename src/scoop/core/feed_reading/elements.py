"""The values of the elements of RSS and Atom, and of their extensions.

This runs for every entry of every feed: loops and early returns are used where a generator would be shorter, because
they take half the time.
"""

import re
from base64 import b64decode
from datetime import timedelta
from functools import cached_property, lru_cache
from typing import Any

from scoop.core import text
from scoop.core.feed_reading import addresses, dates, markup, roles
from scoop.core.feed_reading.feed import (
    MAX_BODY,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TITLE,
    MAX_TTL_MINUTES,
    MAX_WORD,
    ParsedEntry,
    ParsedFeed,
    author,
    number,
    tag_of_language,
)
from scoop.core.feed_reading.roles import MAX_ALIKE, ElementFields
from scoop.model import Item

MAX_DATES = 3  # of one kind that are tried
MAX_CACHED_NAME = 200  # characters of a tag or author that is remembered
HOURS_BY_PERIOD = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8760}

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ATOM = "{http://www.w3.org/2005/Atom}"
_RDF_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_ADDRESS_KEY_BY_ROLE = {"comments": "comments_url", "comments feed": "comments_feed", "original": "original_url"}
_NO_TEXT = ("image/", "audio/", "video/", "application/")
_VERSION = re.compile(r"\d\.\d{1,2}")


class FeedDefaults:
    """Values of a feed that its entries inherit, computed on first use."""

    def __init__(self, root: Any, *, url: str) -> None:
        self.root = root
        self._url = url
        self.namespace = roles.unknown_namespace(root)

    @cached_property
    def fields(self) -> ElementFields:
        return roles.head_by_role(self.root, self.namespace)

    @cached_property
    def link(self) -> str:
        """The address of the site."""
        return addresses.page_url(self.fields, self._with_xml_base(self._url)) or ""

    @cached_property
    def base(self) -> str:
        """The base of relative addresses: xml:base, else the site, else the feed."""
        return self._with_xml_base(self.link or self._url or addresses.self_url(self.fields))

    def _with_xml_base(self, base: str) -> str:
        for element in (self.root, *self.fields.get("channel", ())[:1]):
            base = addresses.with_xml_base(element, base)
        return base

    @cached_property
    def language(self) -> str:
        return _language(self.root, self.fields)

    @cached_property
    def authors(self) -> list[str]:
        return _authors(self.fields) if roles.local_name(self.root) == "feed" else []


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
    fields = roles.children_by_role(element, defaults.namespace)
    guid = text.one_line(roles.first_text(fields, "guid") or element.get(_RDF_ABOUT) or "")
    base = addresses.with_xml_base(element, defaults.base)
    enclosures, media = addresses.enclosures(fields, base), addresses.media(fields, base)
    language = element.get(_LANG) or roles.first_text(fields, "language")
    return ParsedEntry(
        guid=guid,
        url=addresses.page_url(fields, base) or addresses.permalink(fields, guid),
        title=_headline(fields),
        body=_longest(fields, "body"),
        summary=_longest(fields, "summary"),
        published_at=_date(fields, "published") or _date(fields, "created"),
        updated_at=_date(fields, "updated"),
        image_url=addresses.image(fields, [*media, *enclosures], base),
        language=(tag_of_language(language) if language else "") or defaults.language,
        authors=_authors(fields) or _source_authors(fields, defaults) or defaults.authors,
        tags=_tags(fields),
        metadata={"enclosures": enclosures, "media": media, **_remarks(fields, base)},
    )


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
    raw = roles.inner_text(element)
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


def _authors(fields: ElementFields) -> list[str]:
    return [name for element in fields.get("author", ()) if (name := _author(element))]


def _source_authors(fields: ElementFields, defaults: FeedDefaults) -> list[str]:
    """RFC 4287: an Atom entry without authors has those of the feed that it was copied from."""
    for source in fields.get("source", ()):
        return _authors(roles.children_by_role(source, defaults.namespace))
    return []


def _author(element: Any) -> str:
    """A name; RSS has it behind the mail address."""
    raw = roles.inner_text(element)
    if len(element):
        people = {roles.local_name(child): roles.inner_text(child) for child in element.iterchildren("*")}
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
            found[key] = addresses.absolute(element, element.text, base)
    if "comment count" in fields:
        found["comment_count"] = number(roles.first_text(fields, "comment count"))
    if "duration" in fields:
        found["duration"] = text.one_line(roles.first_text(fields, "duration"))[:MAX_WORD]
    for element in fields.get("guid", ()):
        if is_permalink := element.get("isPermaLink"):
            found["guid_is_permalink"] = is_permalink.lower() != "false"
    return found


def _ttl(fields: ElementFields) -> timedelta | None:
    if minutes := number(roles.first_text(fields, "ttl")):
        return timedelta(minutes=min(minutes, MAX_TTL_MINUTES))
    hours = HOURS_BY_PERIOD.get(roles.first_text(fields, "period").lower())
    return timedelta(hours=hours) / (number(roles.first_text(fields, "frequency")) or 1) if hours else None


def _language(root: Any, fields: ElementFields) -> str:
    return tag_of_language(roles.first_text(fields, "language") or root.get(_LANG))


def _format(root: Any) -> str:
    name = roles.local_name(root)
    if name in {"feed", "entry"}:
        return "atom 0.3" if "purl.org/atom" in root.tag or root.get("version") == "0.3" else "atom 1.0"
    if name == "RDF":
        return "rss 0.90" if any("rdf/simple/0.9" in str(uri) for uri in root.nsmap.values()) else "rss 1.0"
    version = _VERSION.match(root.get("version", ""))
    return f"rss {version[0]}" if version else "rss"
