"""Text folded for matching names, with the place in the original of every sign."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple

_SPACES = "\t\n\x0b\x0c\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000 "
_WEIGHTLESS = "\xad\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff"
# What does not become exactly one sign; everything else keeps its place.
_IRREGULAR = re.compile(
    f"[{_SPACES}]{{2,}}|[{_WEIGHTLESS}]+|[^\\s{_WEIGHTLESS}][\u0300-\u036f\u3099\u309a]+"
    "|[\uff66-\uff9d][\uff9e\uff9f]?|[\uff61-\uff65\ufb00-\ufb06\u0130\u1e9e]"
)
_BLANKS_OF_ASCII = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_ASCII = bytes(range(128)).lower().translate(bytes.maketrans(_BLANKS_OF_ASCII.encode(), b" " * 9)) + bytes(128)
_ONE_TO_ONE = {
    **dict.fromkeys(f"{_BLANKS_OF_ASCII}\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", " "),
    **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
    **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys("\u2018\u2019\u02bc\u201b", "'"),
    **dict.fromkeys("\u2010\u2011", "-"),
}
_MAY_BE_IRREGULAR = f"{_WEIGHTLESS}\u0300-\u036f\u3099\u309a\uff61-\uff9f\ufb00-\ufb06\u0130\u1e9e"
_CHANGED = re.compile(f"[{_MAY_BE_IRREGULAR}{''.join(_ONE_TO_ONE)}]")


class Folded(NamedTuple):
    """Lower case, plain widths, single spaces. `places` and `shifts` say where signs were dropped or added.

    One is made of each text, also of those without names: a data class would take twice the time.
    """

    text: str
    places: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def start(self, at: int) -> int:
        """The place in the original of the sign at `at`."""
        return at + self.shifts[bisect_right(self.places, at) - 1] if self.places else at

    def end(self, at: int) -> int:
        """The place in the original behind the sign before `at`."""
        return self.start(at - 1) + 1 if self.places else at


def fold(content: str) -> Folded:
    if content.isascii():
        folded = content.encode().translate(_ASCII).decode()
    else:
        signs = set(_CHANGED.findall(content))
        if not signs <= _ONE_TO_ONE.keys():
            return _with_places(content)
        folded = _replaced(content, signs).lower()
    return Folded(folded) if "  " not in folded else _with_places(content)


def _replaced(content: str, signs: Collection[str]) -> str:
    """The text with these signs replaced, one after the other, as a text has few of them."""
    for sign in signs:
        content = content.replace(sign, _ONE_TO_ONE[sign])
    return content


def name(written: str) -> str:
    """A name in the form in which it is looked for."""
    return _with_places(written).text.strip()


def _regular(content: str) -> str:
    return _replaced(content, set(content) & _ONE_TO_ONE.keys()).lower()


def _with_places(content: str) -> Folded:
    parts, places, shifts = [], [0], [0]
    length = last = 0
    for irregular in _IRREGULAR.finditer(content):
        regular, single = _regular(content[last : irregular.start()]), _single(irregular[0])
        parts += [regular, single]
        length += len(regular) + len(single)
        last = irregular.end()
        places.append(length)
        shifts.append(last - length)
    parts.append(_regular(content[last:]))
    return Folded("".join(parts), tuple(places), tuple(shifts))


def _single(irregular: str) -> str:
    """What a run of blanks, a sign with its marks, or a sign of several letters becomes."""
    if irregular.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", irregular).lower()
    return re.sub(f"[{_WEIGHTLESS}\u0307]", "", plain)
