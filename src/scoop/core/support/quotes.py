"""Quotations of a claim: whether the sources have them word for word."""

import re
from collections.abc import Sequence

from scoop.core.support import CitedClaim
from scoop.core.support.passages import Sources
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
    count, long, short = _missing(view.claim, view.sources)
    return Signs((count, len(long), len(short)), _named(long))


def findings(claim: CitedClaim, sources: Sources) -> tuple[str, ...]:
    """A finding for each long quotation that no source has word for word."""
    return _named(_missing(claim, sources)[1])


def _missing(claim: CitedClaim, sources: Sources) -> tuple[int, list[str], list[str]]:
    """The number of quotations, and the long and the short ones that no source has."""
    quotes = list(_QUOTE.finditer(claim.text))
    long: list[str] = []
    short: list[str] = []
    for quote in quotes:
        written = next(part for part in quote.groups() if part)
        for part in _CUT.split(written):
            size = _missing_size(part, claim.language, sources)
            if size:
                (long if size > 1 else short).append(written)
    return len(quotes), long, short


def _named(quotes: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"the quotation {text!r} is not in the source" for text in dict.fromkeys(quotes))


def _missing_size(written: str, language: str, sources: Sources) -> int:
    """0 if a source has the words in this order, 2 if a long quotation is missing, 1 if a short one is."""
    tokens = tokenize(written, language)
    if not tokens.texts or f" {' '.join(tokens.texts)} " in sources.joined:
        return 0
    signs = tokens.kinds.count(SIGN)
    is_long = signs >= LONG_UNSPACED_QUOTE or len(tokens.texts) - signs >= LONG_QUOTE
    return 2 if is_long else 1
