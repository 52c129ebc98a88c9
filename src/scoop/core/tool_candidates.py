"""Names in texts that look like tools nobody has added yet."""

import re
from collections import Counter
from collections.abc import Collection
from datetime import timedelta

from scoop.core.tools import name_key

PROPOSED_AT = 50  # mentions within the window
WINDOW = timedelta(days=7)
KEPT_FOR = timedelta(days=30)
MAX_NAMES = 20  # of one text
# LangChain, PostgreSQL, Next.js, spaCy, Node-RED: a capital inside a word, or the ending of a library or domain.
_PRODUCT_NAME = re.compile(
    r"\b(?:[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+[A-Z]*|[A-Z][a-z0-9]+[A-Z]{2,}|[a-z]{1,6}[A-Z][a-z]+[A-Za-z]*"
    r"|[A-Z][A-Za-z0-9]*\.(?:js|ai|io|dev))\b"
)


def names_in(text: str, *, known: Collection[str]) -> dict[str, int]:
    """The names that look like tools, with their number; those whose key is in `known` are left out."""
    counts = Counter(found[0] for found in _PRODUCT_NAME.finditer(text) if name_key(found[0]) not in known)
    return dict(counts.most_common(MAX_NAMES))
