"""Quotations of a claim: whether the sources have them word for word."""

import re

from scoop.core.support.signs import Signs
from scoop.core.support.tokens import SIGN, tokenize
from scoop.core.support.views import View

FEATURES = ("quotes", "quotes_missing", "short_quotes_missing")
LONG_QUOTE = 4  # words; a shorter quotation may be a title, or irony
LONG_UNSPACED_QUOTE = 7  # characters
_QUOTE = re.compile(
    r"“([^”“]{2,600})”|\"([^\"]{2,600})\"|„([^“”\"]{2,600})[“”\"]|«([^»]{2,600})»|»([^«]{2,600})«|「([^」]{2,600})」|『([^』]{2,600})』"
    r"|(?<!\w)[‘']([^’']{12,600})[’'](?!\w)|｢([^｣]{2,600})｣"
)
_CUT = re.compile(r"\.\.\.|…|\[[^\]]*\]|\([^)]*\)|（[^）]*）")


def check(view: View) -> Signs:
    quotes = list(_QUOTE.finditer(view.claim.text))
    if not quotes:
        return Signs((0.0, 0.0, 0.0))
    long: list[str] = []
    short: list[str] = []
    for quote in quotes:
        written = next(part for part in quote.groups() if part)
        for part in _CUT.split(written):
            size = _missing_size(view, part)
            if size:
                (long if size > 1 else short).append(written)
    findings = tuple(f"the quotation {text!r} is not in the source" for text in dict.fromkeys(long))
    return Signs((len(quotes), len(long), len(short)), findings)


def _missing_size(view: View, written: str) -> int:
    """0 if a source has the words in this order, 2 if a long quotation is missing, 1 if a short one is."""
    tokens = tokenize(written, view.claim.language)
    if not tokens.texts or f" {' '.join(tokens.texts)} " in view.sources.joined:
        return 0
    signs = tokens.kinds.count(SIGN)
    is_long = signs >= LONG_UNSPACED_QUOTE or len(tokens.texts) - signs >= LONG_QUOTE
    return 2 if is_long else 1
