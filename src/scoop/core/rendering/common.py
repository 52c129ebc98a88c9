"""Phrases that all renderings of a digest share, before escaping."""

import re
import unicodedata
from datetime import date
from typing import NamedTuple

import can_ada

from scoop.core import text, urls
from scoop.core.rendering import phrases
from scoop.core.rendering.phrases import Phrases
from scoop.model import Digest, Telling

NAME_CHARACTERS = 100
HEADLINE_CHARACTERS = 250
SUMMARY_CHARACTERS = 300
CHANGE_CHARACTERS = 200
REASON_CHARACTERS = 200
PUBLISHER_CHARACTERS = 40
TWINS_NAMED = 3
UNTITLED = "Untitled"
DEVELOPED = "Developed:"
PROBABLY_THE_SAME = "Probably the same:"
INTRODUCTION_CHARACTERS = 500
TOPIC_CHARACTERS = 50

# Invisible characters that `readable` keeps: direction marks, blank fillers, Mongolian selectors.
_HIDDEN = re.compile("[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200e\u200f]")
_BLANK = re.compile("[\u2800\u3164\uffa0]")
# Joiners stay where they join something, as in Persian, Hindi and emoji.
_JOINER = re.compile(
    "([^\x00-\x7f\\s\u200c\u200d])([\u200c\u200d])[\u200c\u200d]*(?=[^\x00-\x7f\\s\u200c\u200d])|[\u200c\u200d]"
)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？][」』”’）]*")
# A DNS name or an IP address; any other host of a URL could be taken for markup.
_HOST = re.compile(r"[a-z0-9._-]{1,253}|\[[0-9a-f:.]+\]")
_LINK_END = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "()<>[]\\"})


class SafeLink(NamedTuple):
    """A link that is safe to show: the address, and its host in plain ASCII, so that a look-alike is visible."""

    href: str
    host: str


def shown(written: str) -> str:
    """The text on one line, without invisible characters."""
    visible = _BLANK.sub(" ", _HIDDEN.sub("", text.one_line(written)))
    return " ".join(_JOINER.sub(r"\1\2", visible).split())


def cut(line: str, limit: int) -> str:
    """At most `limit` characters, up to the end of a sentence, else of a word, if one ends in the second half."""
    if len(line) <= limit:
        return line
    room = limit - len(" …")
    end = max((found.end() for found in _SENTENCE_END.finditer(line, 0, room)), default=0)
    if end <= limit // 2:
        end = line.rfind(" ", 0, room + 1)
    if end <= limit // 2:
        return line[: _between_signs(line, room)] + "…"
    return f"{line[:end].rstrip(' ,;:-–—')} …"


def link(url: str | None) -> SafeLink | None:
    """The link of a URL; None if the URL must not be a link."""
    try:
        parsed = can_ada.parse(urls.percent_encoded(url or ""))
    except ValueError:
        return None
    # a name before an @ would be taken for the host
    if parsed.username or parsed.password or not _HOST.fullmatch(parsed.hostname):
        return None
    return SafeLink(parsed.href, parsed.hostname)


def destination(link: SafeLink) -> str:
    """The address escaped for a Markdown link."""
    return link.href.translate(_LINK_END)


def phrases_of(digest: Digest) -> Phrases:
    """The phrases in the language of a digest."""
    return phrases.of(digest.language)


def topic_name(digest: Digest) -> str:
    return cut(shown(digest.topic_name), NAME_CHARACTERS) or digest.topic_slug


def headline(telling: Telling) -> str:
    title = shown(telling.title)
    is_visible = any(unicodedata.category(sign)[0] in "LNPS" for sign in title)
    return cut(title, HEADLINE_CHARACTERS) if is_visible else UNTITLED


def summary(telling: Telling) -> str:
    """The beginning of the summary; empty if it only repeats the title."""
    written = shown(telling.summary)
    return "" if written == shown(telling.title) else cut(written, SUMMARY_CHARACTERS)


def change(telling: Telling) -> str:
    """The news in a developed story; empty for a new one."""
    return cut(shown(telling.change), CHANGE_CHARACTERS)


def introduction(digest: Digest) -> str:
    """The sentences before the articles of a curator; empty for other digests, and if there is no article."""
    return cut(shown(digest.introduction), INTRODUCTION_CHARACTERS) if digest.tellings else ""


def must_read(digest: Digest) -> Telling | None:
    """The article of a curator's digest to read first."""
    first = digest.tellings[0] if digest.tellings else None
    return first if first is not None and first.relevance is not None else None


def mark(digest: Digest, telling: Telling) -> str:
    """`Must read` for the article of a curator's digest to read first; empty for all others."""
    return phrases_of(digest).must_read if telling is must_read(digest) else ""


def relevance(telling: Telling) -> str:
    """`85/100`; empty for a story of a topic without interests."""
    return f"{telling.relevance.score}/100" if telling.relevance else ""


def matching_topics(telling: Telling, words: Phrases = phrases.ENGLISH) -> str:
    """The topics of a curator that an article matches."""
    topics = telling.relevance.topics if telling.relevance else ()
    names = [cut(name, TOPIC_CHARACTERS) for name in map(shown, topics) if name]
    return words.listed(names) if names else ""


def verdict(telling: Telling, words: Phrases = phrases.ENGLISH) -> str:
    """`85/100 · Go and PostgreSQL`: how relevant an article is, and to what; empty for other stories."""
    return " · ".join(filter(None, [relevance(telling), matching_topics(telling, words)]))


def reason(telling: Telling) -> str:
    """Why a curator chose an article; empty for other stories, and if nobody gave a reason."""
    return cut(shown(telling.relevance.reasoning), REASON_CHARACTERS) if telling.relevance else ""


def publisher_names(telling: Telling) -> tuple[str, ...]:
    """The publishers by name; by family where nobody looked their names up."""
    return telling.publisher_names or telling.publishers


def publisher(telling: Telling) -> str:
    """The publisher of a curator's article; the host of its link if that has no name."""
    name = shown(next(iter(publisher_names(telling)), ""))
    found = link(telling.url)
    return cut(name, PUBLISHER_CHARACTERS) or (found.host if found else "")


def told_by(telling: Telling) -> str:
    """The independent publishers of a story, counted and named; empty if the link's host says it.

    A curator's article has one publisher, which is only named: that is the same in every language.
    """
    names = [cut(name, PUBLISHER_CHARACTERS) for name in map(shown, publisher_names(telling)) if name]
    if len(names) > 1:
        return f"covered by {len(names)} independent publishers: {phrases.ENGLISH.listed(names)}"
    found = link(telling.url)
    is_host = found is not None and f".{found.host}".endswith(tuple(f".{name}" for name in names))
    if not names or is_host:
        return ""
    return names[0] if telling.relevance else f"covered by {names[0]}"


def source(telling: Telling) -> str:
    """The host of the link, and the publishers of the story."""
    found = link(telling.url)
    return " · ".join(filter(None, [found.host if found else "", told_by(telling)]))


def unnamed_twins(telling: Telling) -> str:
    """`and 2 more`, if a story has more twins than are named."""
    rest = len(telling.twins) - TWINS_NAMED
    return f"and {rest} more" if rest > 0 else ""


def tally(digest: Digest) -> str:
    """`5 new, 2 developed`; empty for an empty digest."""
    if digest.tally:
        return digest.tally
    if must_read(digest) is not None:
        return phrases_of(digest).new.format(count=len(digest.tellings))
    developed = sum(1 for telling in digest.tellings if change(telling))
    counts = {"new": len(digest.tellings) - developed, "developed": developed}
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def written_out(day: date) -> str:
    return phrases.ENGLISH.written_out(day)


def run_date(digest: Digest) -> str:
    """The date of a digest, written out in its language."""
    return phrases_of(digest).written_out(digest.run_date)


def heading(digest: Digest) -> str:
    """The date of a digest, and how many stories it has."""
    return f"{run_date(digest)} · {tally(digest) or phrases_of(digest).nothing_new}"


def dateline(digest: Digest) -> str:
    """The digest's place and day, as `Berlin 2026-10-25`."""
    place = digest.timezone.rpartition("/")[2].replace("_", " ")
    return f"{place} {digest.run_date}"


def imprint(digest: Digest, *, number: int, total: int, marker: str) -> str:
    """The line that identifies a part, as `Berlin 2026-10-25 · 1/3 · k7f2`."""
    return f"{dateline(digest)} · {number}/{total} · {marker}"


def _between_signs(line: str, end: int) -> int:
    """The nearest position up to `end` that splits neither an accent from its letter nor a joined emoji."""
    at = end
    while at and (unicodedata.category(line[at])[0] == "M" or "\u200d" in line[at - 1 : at + 1]):
        at -= 1
    return at or end
