"""What kind of text a source has: by it and the language a text finds its model of sentiment."""

from collections.abc import Mapping

from scoop.core.sentiment import TextKind

_KINDS: Mapping[str, TextKind] = {
    "rss": "news", "site": "news", "tavily": "news", "http": "news", "newsstand": "news",
    "hackernews": "developer", "arxiv": "report", "reddit": "social", "youtube": "social",
}  # fmt: skip


def kind_of(source_kind: str, *, is_title: bool = False, is_about_code: bool = False) -> TextKind:
    """The kind of a text from a source; a title of a news source is a headline.

    `is_about_code`: the place is for developers, as a subreddit of a programming language is.
    """
    kind = _KINDS.get(source_kind, "unknown")
    if is_about_code and kind in ("social", "unknown"):
        return "developer"
    return "headline" if is_title and kind == "news" else kind
