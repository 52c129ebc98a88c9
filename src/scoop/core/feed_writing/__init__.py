"""Feeds that Scoop writes, as RSS, Atom and JSON Feed: what they say is plain text, until each format escapes it."""

import re
from dataclasses import dataclass
from datetime import datetime

from scoop.core.rendering import common

GENERATOR = "Scoop"
TITLE_CHARACTERS = 300
SUMMARY_CHARACTERS = 400
UNKNOWN_LANGUAGE = "und"

# What neither XML 1.0 nor a reader can do anything with, beside what is never shown anyway.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """What a reader finds in a feed; `html` is what is told in full, already clean."""

    id: str
    url: str
    external_url: str | None = None
    title: str
    summary: str
    html: str
    published_at: datetime
    updated_at: datetime
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = UNKNOWN_LANGUAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFeed:
    """A feed; `url` is the page that it is a feed of, `self_url` its own address without anybody's key."""

    id: str
    title: str
    description: str
    url: str
    self_url: str
    updated_at: datetime
    entries: tuple[FeedEntry, ...] = ()


def line(written: str, most: int = TITLE_CHARACTERS) -> str:
    """Text on one line, of no great length, that every format can hold."""
    return common.cut(common.shown(_NOT_IN_XML.sub("", written)), most)


def storable(html: str) -> str:
    """Markup without the signs that XML cannot hold."""
    return _NOT_IN_XML.sub("", html)
