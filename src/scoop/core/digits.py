"""Numbers of two texts in two languages, compared by their significant digits."""

import re
import unicodedata
from dataclasses import dataclass

MAX_WORD_DIGITS = 2  # significant digits of a number that a language may write as a word, as "twenty-five"
NAMED = 5  # numbers in one finding

_SPACES = "\u00a0\u202f\u2009 "
_NUMBER = re.compile(rf"\d+(?:(?:[.,'\u2019\u066b\u066c]|[{_SPACES}](?=\d{{3}}(?!\d)))\d+)*")
_DIGITS = re.compile(r"\d+")
# 1億200万 is 1 0200 0000: what follows a myriad sign has four digits.
_AFTER_MYRIAD = re.compile(r"(?<=\d)[万萬億亿兆](\d{1,4})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNumber:
    """A number as it is written: its significant digits as a whole, and those of the parts between separators.

    Zeros at both ends do not count: 1.5 million, 150万 and 1,500,000 are all 15. The parts are those of a time or a
    date, as 15.30 or 12.05.2026, which another language writes with other signs.
    """

    spelled: str
    whole: str
    parts: frozenset[str]

    def is_among(self, known: set[str]) -> bool:
        return self.whole in known or self.parts <= known


def numbers(written: str) -> list[WrittenNumber]:
    """The numbers of a text."""
    plain = "".join(_ascii_digit(sign) for sign in written)
    joined = _AFTER_MYRIAD.sub(lambda match: match[1].zfill(4), plain)
    return [_number(found) for found in _NUMBER.findall(joined)]


def _number(spelled: str) -> WrittenNumber:
    parts = _DIGITS.findall(spelled)
    return WrittenNumber(
        spelled=spelled, whole=_significant("".join(parts)), parts=frozenset(_significant(part) for part in parts)
    )


def _significant(digits: str) -> str:
    return digits.strip("0") or "0"


def _ascii_digit(sign: str) -> str:
    return sign if sign.isascii() or not sign.isdecimal() else str(unicodedata.decimal(sign))


def lost_numbers(original: str, translated: str) -> list[str]:
    """The numbers that a translation lacks; one digit may have become a word."""
    return _missing(original, translated, max_word_digits=1)


def added_numbers(original: str, translated: str) -> list[str]:
    """The numbers that only a translation has; small ones may have been words."""
    return _missing(translated, original, max_word_digits=MAX_WORD_DIGITS)


def _missing(written: str, other: str, *, max_word_digits: int) -> list[str]:
    known = {key for number in numbers(other) for key in (number.whole, *number.parts)}
    lacking = [
        number.spelled
        for number in numbers(written)
        if len(number.whole) > max_word_digits and not number.is_among(known)
    ]
    return list(dict.fromkeys(lacking))[:NAMED]
