"""Names in texts that look like tools nobody has added yet."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import timedelta

from scoop.core.levels import vocabulary
from scoop.core.mentions import context
from scoop.core.tools import name_key

PROPOSED_AT = 50  # mentions within the window
WINDOW = timedelta(days=7)
KEPT_FOR = timedelta(days=30)
MAX_NAMES = 20  # of one text
MAX_READ = 10_000  # characters of one text
# In four texts of five of developers the words are more technical than this, in 19 of 20 of news and social media less.
TECHNICAL_FROM = 0.3
NEAR = 100  # characters on either side of a name, which must be technical, too
RARE_BELOW, RARE_NAME_BELOW = 2.4, 3.2  # Zipf frequency; zig has 3.0, and is no word of the dictionary
# LangChain, PostgreSQL, Next.js, spaCy, Node-RED: a capital inside a word, or the ending of a library or domain.
_PRODUCT_NAME = re.compile(
    r"\b(?:[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+[A-Z]*|[A-Z][a-z0-9]+[A-Z]{2,}|[a-z]{1,6}[A-Z][a-z]+[A-Za-z]*"
    r"|[A-Z][A-Za-z0-9]*\.(?:js|ai|io|dev))\b"
)
_CAPITALISED = re.compile(r"(?<![\w@#/.\-'’])[A-Z][a-z]{2,}(?![\w/@]|\.\w|['’]\w)")  # Deno, Zig, Terraform


def names_in(text: str, *, language: str, known: Collection[str]) -> dict[str, int]:
    """The names that look like tools, with their number; those whose key is in `known` are left out."""
    read = text[:MAX_READ]
    names = [found[0] for found in _PRODUCT_NAME.finditer(read)]
    if language == "en" and context.technicality(read) > TECHNICAL_FROM:  # of other languages no words are known
        names += _unknown_words(read)
    counts = Counter(name for name in names if name_key(name) not in known)
    return dict(counts.most_common(MAX_NAMES))


def _unknown_words(text: str) -> Iterator[str]:
    """Capitalised words inside sentences that no dictionary has, among words of developers."""
    for found in _CAPITALISED.finditer(text):
        start, end = found.span()
        if not _is_rare(found[0]) or context.begins_sentence(text[:start]):
            continue
        if context.technicality(f"{text[max(0, start - NEAR) : start]} {text[end : end + NEAR]}") > TECHNICAL_FROM:
            yield found[0]


def _is_rare(name: str) -> bool:
    word = vocabulary.look_up(name)
    return word.zipf < (RARE_BELOW if word.senses else RARE_NAME_BELOW)
