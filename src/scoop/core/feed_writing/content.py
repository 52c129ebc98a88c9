"""The content of an entry as HTML: all text is escaped, and only http and https addresses become links."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import nh3

from scoop.core.feed_writing import PARAGRAPH_CHARACTERS, SUMMARY_CHARACTERS, line, storable

TAGS = {"p", "ul", "ol", "li", "a", "strong"}
REL = "noopener noreferrer nofollow"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedText:
    """A name or a headline, with a link if its address is allowed."""

    text: str
    href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedStory:
    """A story with its lead, its change, its outlets, and the stories of probably the same event.

    `paragraphs` is its summary, shown instead of the lead, and `note` says what kind of text that is, or how relevant
    an article is to a curator.
    """

    headline: LinkedText | None = None
    lead: str = ""
    paragraphs: Sequence[str] = ()
    note: str = ""
    change: str = ""
    outlets: Sequence[LinkedText] = ()
    company: Sequence[LinkedText] = ()


def render_story(story: FeedStory) -> str:
    return _clean(_render(story))


def render_digest(stories: Sequence[FeedStory], *, introduction: str = "") -> str:
    """The stories of a digest as a list, after the introduction of a curator."""
    first = f"<p>{escape(line(introduction, PARAGRAPH_CHARACTERS))}</p>" if introduction else ""
    return _clean(f"{first}<ol>{''.join(f'<li>{_render(story)}</li>' for story in stories)}</ol>" if stories else "")


def _render(story: FeedStory) -> str:
    return "".join(
        [
            f"<p><strong>{_mention(story.headline)}</strong></p>" if story.headline else "",
            f"<p>Developed: {escape(line(story.change, SUMMARY_CHARACTERS))}</p>" if story.change else "",
            *(f"<p>{escape(line(each, PARAGRAPH_CHARACTERS))}</p>" for each in story.paragraphs),
            f"<p>{escape(line(story.lead, SUMMARY_CHARACTERS))}</p>" if story.lead and not story.paragraphs else "",
            f"<p>{escape(story.note)}</p>" if story.note else "",
            _list("Outlets", story.outlets),
            _list("Probably the same event", story.company),
        ]
    )


def _list(heading: str, mentions: Sequence[LinkedText]) -> str:
    items = "".join(f"<li>{_mention(mention)}</li>" for mention in mentions)
    return f"<p>{heading}:</p><ul>{items}</ul>" if items else ""


def _mention(mention: LinkedText) -> str:
    label = escape(line(mention.text))
    is_link = mention.href is not None and mention.href.startswith(("http://", "https://"))
    return f'<a href="{escape(mention.href or "")}">{label}</a>' if is_link else label


def _clean(html: str) -> str:
    """Sanitise the result as well, in case something was not escaped here."""
    attributes = {"a": {"href"}}
    cleaned = nh3.clean(html, tags=TAGS, attributes=attributes, url_schemes={"http", "https"}, link_rel=REL)
    return storable(cleaned)
