"""Parsed feeds and entries, and the items made from them."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urljoin

import can_ada

from scoop.core import language, text
from scoop.core.feed_reading import markup
from scoop.model import Item

MAX_ITEMS = 2_000  # of one feed; a visit does not read whole archives
MAX_ID = 512
MAX_ID_BYTES = 1_900  # of UTF-8; leaves source and collection their share of what an index can hold
MAX_TITLE = 2_048
MAX_BODY = 500_000
MAX_SUMMARY = 10_000
MAX_URL = 4_096
MAX_AUTHORS, MAX_AUTHOR = 64, 256
MAX_TAGS, MAX_TAG = 128, 128
MAX_ATTACHED = 32  # enclosures or media of one item
MAX_WORD = 200  # characters of a value such as a media type
MAX_DIGITS = 16
MAX_TTL_MINUTES = 60 * 24 * 365
UNTITLED = "(untitled)"
TITLE_FROM_BODY = 120  # characters of the text that replace a missing headline

_MAIL_FIRST = re.compile(r"[^\s@]+@[^\s@]+ \(([^)]+)\)")
_WEB = re.compile(r"https?://(?:[\w.~!$&'()*+,;=:-]*@)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?/", re.ASCII)
_NOT_IN_URI = re.compile(r"[\[\]^|\\`{}#]|%(?![0-9A-Fa-f]{2})")
# An address that every parser leaves as it is: a name that is not punycode, no dot segments, nothing to encode.
_SIMPLE_PATH = r"[A-Za-z0-9_~!$&()*+,;=:@/-]*+(?:\.[A-Za-z0-9_~!$&()*+,;=:@-]++[A-Za-z0-9_~!$&()*+,;=:@/-]*+)*+"
_SIMPLE = re.compile(
    rf"https?://(?:(?!xn--)[a-z0-9][a-z0-9-]*+\.)++[a-z]{{2,}}/{_SIMPLE_PATH}(?:\?[A-Za-z0-9_~!$&()*+,;=:@/.?-]*+)?"
)
_NAME_FIRST = re.compile(r"([^<>]+?) ?<[^\s@<>]+@[^\s@<>]+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFeed:
    """A parsed feed; `format` is empty if the document is not a feed, `problems` are losses and oddities.

    `alternates` are the feeds that an HTML page names, `ttl` is how long the feed asks not to be fetched again.
    """

    title: str = ""
    link: str = ""
    description: str = ""
    language: str = ""
    format: str = ""
    items: list[Item] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    alternates: list[str] = field(default_factory=list)
    ttl: timedelta | None = None


class ParsedEntry(NamedTuple):
    """One entry in any format, with plain texts and absolute addresses.

    A NamedTuple is made in a third of the time of a frozen dataclass, and this is made for every entry.
    """

    guid: str = ""
    url: str | None = None
    title: str = ""
    body: str = ""
    summary: str = ""
    published_at: str | None = None
    updated_at: str | None = None
    image_url: str | None = None
    language: str = ""
    authors: Iterable[str] = ()
    tags: Iterable[str] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})


def items(entries: Iterable[ParsedEntry]) -> tuple[list[Item], list[str]]:
    """The items, and the problems with them."""
    read = list(islice(entries, MAX_ITEMS + 1))
    names = Counter(entry.url or entry.title for entry in read if not entry.guid)
    result = [_item(entry, shares_name=names[entry.url or entry.title] > 1) for entry in read[:MAX_ITEMS]]
    if len(read) > MAX_ITEMS:
        return result, [f"there are more than {MAX_ITEMS:,} items; the first {MAX_ITEMS:,} were read"]
    return result, []


def _item(entry: ParsedEntry, *, shares_name: bool) -> Item:
    body, summary = _body_and_summary(entry)
    title = _title(entry, body)
    published_at = entry.published_at or entry.updated_at
    updated_at = entry.updated_at if entry.updated_at != published_at else None
    item = {
        "source_item_id": _id(entry, title, shares_name=shares_name),
        "title": title[:MAX_TITLE],
        "canonical_url": entry.url,
        "image_url": entry.image_url,
        "published_at": published_at,
        "body_text": body,
        "language": entry.language,
        "authors": _distinct(entry.authors, MAX_AUTHORS),
        "tags": _distinct(entry.tags, MAX_TAGS),
        "source_metadata": _present({**entry.metadata, "summary": summary, "updated_at": updated_at}),
    }
    return _present(item)


def _title(entry: ParsedEntry, body: str) -> str:
    """The headline, else the beginning of the text, the address or the id."""
    if entry.title and _is_legible(entry.title):
        return entry.title
    names = (body[:TITLE_FROM_BODY].partition("\n")[0].strip(), entry.url, entry.guid)
    return next((name for name in names if name and _is_legible(name)), UNTITLED)


def _is_legible(name: str) -> bool:
    """Whether a name has a visible character."""
    return name.isascii() or bool(text.normalized(name))


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Without empty values; 0 and False are values."""
    return {key: value for key, value in values.items() if value or value is False or value == 0}


def _body_and_summary(entry: ParsedEntry) -> tuple[str, str]:
    """The longer text is the article, the shorter one its summary, unless it only repeats the beginning."""
    is_swapped = len(entry.summary) > len(entry.body)
    longer, shorter = (entry.summary, entry.body) if is_swapped else (entry.body, entry.summary)
    return longer, "" if longer.startswith(shorter) else shorter[:MAX_SUMMARY]


def _id(entry: ParsedEntry, title: str, *, shares_name: bool) -> str:
    """The id that the feed gives, else the link or title; entries that share it are distinguished by their headline.

    All of them are, as the first one in the feed is another one tomorrow.
    """
    item_id = _fitting(entry.guid or entry.url or title)
    if entry.guid or not shares_name:
        return item_id
    return _fitting(f"{item_id}#{_hash(f'{title}{entry.published_at}')[:16]}")


def _fitting(name: str) -> str:
    if len(name) <= MAX_ID and (name.isascii() or len(name.encode()) <= MAX_ID_BYTES):
        return name
    return f"sha256:{_hash(name)}"


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _distinct(names: Iterable[str], limit: int) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))[:limit]


def address(written: str | None, base: str = "") -> str | None:
    """The absolute http(s) address, percent-encoded; None for a text that is not one or is too long."""
    if not written or len(written) > MAX_URL:
        return None
    if _SIMPLE.fullmatch(written):
        return written
    try:
        parsed = can_ada.parse(urljoin(base, written.strip()) if base else written.strip())
    except (ValueError, TypeError):  # TypeError: a lone surrogate
        return None
    href = _uri(str(parsed.href))
    return href if _WEB.match(href) and parsed.hostname.strip(".") and len(href) <= MAX_URL else None


def _uri(href: str) -> str:
    """Encode the characters that browsers leave in an address, but a URI may not contain."""
    if not _NOT_IN_URI.search(href):
        return href
    start = href.find("/", len("https://"))
    page, mark, fragment = href[start:].partition("#")
    return f"{href[:start]}{_NOT_IN_URI.sub(_encoded, page)}{mark}{_NOT_IN_URI.sub(_encoded, fragment)}"


def _encoded(character: re.Match[str]) -> str:
    return f"%{ord(character[0]):02X}"


def author(written: str) -> str:
    """A name; some feeds put it in brackets behind a mail address, or before one."""
    name = markup.headline(written, MAX_AUTHOR) if "@" not in written else text.one_line(written[: 4 * MAX_AUTHOR])
    match = "@" in name and (_MAIL_FIRST.fullmatch(name) or _NAME_FIRST.fullmatch(name))
    return (match[1] if match else name)[:MAX_AUTHOR].strip()


def attached(url: str, **facts: str | None) -> dict[str, Any]:
    """A file that belongs to an entry: its address and the facts about it."""
    words = {key: text.one_line(value)[:MAX_WORD] for key, value in facts.items() if value}
    return _present({"url": url, **words, "length": number(words.get("length"))})


def is_picture(file: dict[str, Any]) -> bool:
    return file.get("medium") == "image" or str(file.get("type", "")).startswith("image/")


def number(written: str | None) -> int | None:
    digits = (written or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) < MAX_DIGITS else None


def text_value(holder: Any, key: str) -> str:
    """The text of an untrusted object; a number counts as text, any other value as empty."""
    value = dict.get(holder, key) if isinstance(holder, dict) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    return value if isinstance(value, str) else ""


def object_list(holder: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in a list of an untrusted object."""
    values = dict.get(holder, key)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def tag_of_language(declared: str | None) -> str:
    """The BCP 47 tag; empty for any other text."""
    tag = language.language(declared, "") if declared else language.UNDETERMINED
    return tag if tag != language.UNDETERMINED and len(tag) <= 35 else ""
