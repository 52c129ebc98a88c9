"""Decides whether an item has its article or only a teaser."""

import re

from scoop.core import native_ids, text
from scoop.model import Item

WHOLE_FROM_WORDS = 80  # of the shortest news articles; a shorter text is a teaser
CUT_BELOW_WORDS = 300  # below this, a text that ends as if cut is a teaser
WHOLE_FROM_CHARACTERS = 5_000  # more than 300 words in every script
TAIL_CHARACTERS = 120
CUT_WORDS = (
    "続きを読む",
    "全文を読む",
    "阅读全文",
    "閱讀全文",
    "more",
    "read",
    "reading",
    "article",
    "weiterlesen",
    "suite",
)
_FIRST_SIGNS = re.compile(r"\A\W+")


def page_url(item: Item, *, full_text: str) -> str | None:
    """The page with the full text of an item; None if the item is complete.

    `full_text` is the option of the source: auto, always or never. The item's own `never` or `required` wins.
    """
    url: str | None = item.get("canonical_url")
    if needs_page(item):
        return url
    own = item["source_metadata"].get("full_text")
    # The page of a platform has no more text than its feed or API.
    if url is None or "never" in (own, full_text) or native_ids.from_url(url):
        return None
    return url if full_text == "always" or is_teaser(item.get("body_text", "")) else None


def needs_page(item: Item) -> bool:
    """Whether an item is incomplete without its page: one of a site crawl has only the words of a link as its title."""
    return bool(item["source_metadata"].get("full_text") == "required")


def is_teaser(body: str) -> bool:
    if len(body) > WHOLE_FROM_CHARACTERS:
        return False
    words = text.word_count(body)
    return words < WHOLE_FROM_WORDS or (words < CUT_BELOW_WORDS and _is_cut(body[-TAIL_CHARACTERS:]))


def _is_cut(tail: str) -> bool:
    """Whether a text ends in dots or in words such as "read more", with any punctuation after them."""
    words = _FIRST_SIGNS.sub("", tail[::-1])[::-1]  # from the end: a search from the front takes eight times as long
    signs = tail[len(words) :]
    return "…" in signs or "..." in signs or words.lower().endswith(CUT_WORDS)
