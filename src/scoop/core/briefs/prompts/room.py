"""The room of documents in a prompt: how many tokens a text has, and how the documents share what there is."""

import re
from collections.abc import Sequence
from math import ceil

ASCII_PER_TOKEN = 4
OTHERS_PER_TOKEN = 2  # letters with accents, Cyrillic, Arabic and others

# Ideographs, kana and Hangul: common tokenizers give each about a token.
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_ASCII = re.compile(r"[\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, rounded up."""
    narrow = _WIDE.sub("", text)
    others = len(_ASCII.sub("", narrow))
    wide, ascii_signs = len(text) - len(narrow), len(narrow) - others
    return ceil(wide + others / OTHERS_PER_TOKEN + ascii_signs / ASCII_PER_TOKEN)


def share(sizes: Sequence[int], room: int) -> list[int]:
    """What each document gets of the room: small ones all that they need, the others equal parts of the rest."""
    shares = [0] * len(sizes)
    for done, at in enumerate(sorted(range(len(sizes)), key=lambda at: sizes[at])):
        shares[at] = min(sizes[at], max(0, room) // (len(sizes) - done))
        room -= shares[at]
    return shares


def cut(text: str, tokens: int) -> str:
    """The longest beginning of a text that has at most so many tokens."""
    if estimate_tokens(text) <= tokens:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if estimate_tokens(text[:middle]) <= tokens:
            fits = middle
        else:
            too_long = middle
    return text[:fits]


def fit(texts: Sequence[str], room: int) -> list[str]:
    """The texts, each cut to its share of the room."""
    shares = share([estimate_tokens(text) for text in texts], room)
    return [cut(text, tokens) for text, tokens in zip(texts, shares, strict=True)]
