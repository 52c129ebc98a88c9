"""Slugs and counts as people write them."""

import re
from collections.abc import Iterable

from scoop.core import text
from scoop.model import Outlet

ABBREVIATIONS = frozenset({"ai", "eu", "uk", "un", "us", "usa"})
BROADCASTERS = frozenset(
    {"abc", "afp", "ap", "ard", "bbc", "bfm", "cbc", "cbs", "cgtn", "cnbc", "cnn", "dpa", "dw", "msnbc", "nbc", "ndtv"}
    | {"nhk", "npr", "nrk", "pbs", "rai", "rfi", "rte", "tf1", "upi", "wsj", "zdf"}
)
DEMO = "demo_"
_BREAK = re.compile(r"[\s_-]+")


def demo_collection(collection: str) -> str:
    """The collection in which the demo has its invented articles of a kind."""
    return f"{DEMO}{collection}"


def collection_name(collection: str) -> str:
    """A slug as a name, which its default topic has too: `ai_news` is AI News, `demo_ai_news` is AI News (demo)."""
    slug = text.one_line(collection)
    if slug.startswith(DEMO) and slug != DEMO:
        return f"{collection_name(slug.removeprefix(DEMO))} (demo)"
    words = _BREAK.split(slug.strip("_-"))
    return " ".join(word.upper() if word in ABBREVIATIONS else word[:1].upper() + word[1:] for word in words) or slug


def outlet_name(source: str, source_name: str | None) -> str:
    """The name that a source was given, else its slug as a name; a domain stays as it is, without `www`."""
    if source_name:
        return text.one_line(source_name)
    slug = text.one_line(source)
    if "." in slug or slug != slug.lower():
        return slug.removeprefix("www.")
    words = _BREAK.split(slug.strip("_-"))
    return (
        " ".join(word.upper() if word in ABBREVIATIONS | BROADCASTERS else word.capitalize() for word in words) or slug
    )


def distinct_outlets(outlets: Iterable[Outlet]) -> list[Outlet]:
    """The first outlet of each publisher and name: two sections of a paper under one name are one to readers."""
    first: dict[tuple[str, str], Outlet] = {}
    for outlet in outlets:
        first.setdefault((outlet.publisher_family, outlet_name(outlet.source, outlet.source_name)), outlet)
    return list(first.values())


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 item, 1,234 items; `many` is the plural if it is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def initials(name: str) -> str:
    """One or two letters in place of an outlet's icon."""
    words = [word for word in re.split(r"[\W_]+", name) if word]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return words[0][:1].upper() + words[0][1:2] if words else "?"
