"""What an entry tells in full, as HTML: every word of strangers is escaped, and only links to the web are links."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import nh3

from scoop.core.feed_writing import SUMMARY_CHARACTERS, line, storable

TAGS = {"p", "ul", "ol", "li", "a", "strong"}
REL = "noopener noreferrer nofollow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name or a headline that leads somewhere, if it may."""

    text: str
    href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedStory:
    """A story with its beginning, what is new in it, who tells it, and what is probably the same."""

    headline: Mention | None = None
    lead: str = ""
    change: str = ""
    outlets: Sequence[Mention] = ()
    company: Sequence[Mention] = ()


def story(piece: FeedStory) -> str:
    return _clean(_told(piece))


def digest(pieces: Sequence[FeedStory]) -> str:
    return _clean(f"<ol>{''.join(f'<li>{_told(piece)}</li>' for piece in pieces)}</ol>" if pieces else "")


def _told(piece: FeedStory) -> str:
    return "".join(
        [
            f"<p><strong>{_mention(piece.headline)}</strong></p>" if piece.headline else "",
            f"<p>Developed: {escape(line(piece.change, SUMMARY_CHARACTERS))}</p>" if piece.change else "",
            f"<p>{escape(line(piece.lead, SUMMARY_CHARACTERS))}</p>" if piece.lead else "",
            _listed("Told by", piece.outlets),
            _listed("Probably the same event", piece.company),
        ]
    )


def _listed(heading: str, mentions: Sequence[Mention]) -> str:
    items = "".join(f"<li>{_mention(each)}</li>" for each in mentions)
    return f"<p>{heading}:</p><ul>{items}</ul>" if items else ""


def _mention(mention: Mention) -> str:
    said = escape(line(mention.text))
    is_link = mention.href is not None and mention.href.startswith(("http://", "https://"))
    return f'<a href="{escape(mention.href or "")}">{said}</a>' if is_link else said


def _clean(html: str) -> str:
    """The same once more through the cleaner of strangers' markup, in case that anything was forgotten here."""
    attributes = {"a": {"href"}}
    kept = nh3.clean(html, tags=TAGS, attributes=attributes, url_schemes={"http", "https"}, link_rel=REL)
    return storable(kept)
