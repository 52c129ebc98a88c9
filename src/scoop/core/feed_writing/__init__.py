"""Feeds that Scoop writes as RSS, Atom and JSON Feed: plain text that each format escapes in its own way."""

import re
from dataclasses import dataclass
from datetime import datetime

from scoop.core.rendering import common

GENERATOR = "Scoop"
TITLE_CHARACTERS = 300
SUMMARY_CHARACTERS = 400
PARAGRAPH_CHARACTERS = 4_000  # of a summary
UNKNOWN_LANGUAGE = "und"

# Characters that XML 1.0 does not allow.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry; `html` is its sanitised content, `authors` are its outlets, the lead outlet first."""

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
    """A feed; `url` is its page, `self_url` its own address without a key."""

    id: str
    title: str
    description: str
    url: str
    self_url: str
    updated_at: datetime
    entries: tuple[FeedEntry, ...] = ()


def line(raw_text: str, max_length: int = TITLE_CHARACTERS) -> str:
    """Text on one line, cut to a length, in characters that every format can hold."""
    return common.cut(common.shown(_NOT_IN_XML.sub("", raw_text)), max_length)


def storable(html: str) -> str:
    """Markup without the characters that XML does not allow."""
    return _NOT_IN_XML.sub("", html)
