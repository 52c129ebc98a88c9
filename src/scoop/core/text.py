"""Text in two forms: readable for people, normalized for matching."""

import re
import unicodedata
from functools import cache
from math import ceil

_LINE_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES = re.compile("\n\n\n+")  # nine times as fast as "\n{3,}", which has no literal prefix to search for
_SPACES_BEFORE_BREAK = re.compile(r"(?<! ) ++\n")
_ASCII_CONTROLS = bytes({*range(32), 127} - {ord("\n")})
# Never shown or stored: controls, lone surrogates, bidirectional overrides, zero-width marks, and the tag characters,
# which can carry invisible text. The joiners U+200C and U+200D stay: Persian and Hindi need them.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Ignored in matching: unreadable characters inside words, joiners, direction marks, variation selectors.
_WEIGHTLESS = re.compile(
    "[\xad\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)

_HAN_AND_KANA = (
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_THAI_TO_KHMER = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
)
_UNSPACED = f"{_HAN_AND_KANA}{_THAI_TO_KHMER}"
_HAN_OR_KANA = re.compile(f"[{_HAN_AND_KANA}]")
_THAI_TO_KHMER_SIGN = re.compile(f"[{_THAI_TO_KHMER}]")
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(r"[^\W_]+")
_ASCII_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}

HAN_AND_KANA_PER_WORD = 2  # the mean of Japanese dictionary words; Chinese has about 1.7
THAI_TO_KHMER_PER_WORD = 4  # Thai, with its vowel and tone signs


def readable(text: str) -> str:
    """The text for people: NFC, without unreadable characters, trailing spaces and runs of blank lines."""
    trimmed = _trimmed_plain(text) if _is_plain(text) else _trimmed(text)
    return _BLANK_LINES.sub("\n\n", trimmed) if "\n\n\n" in trimmed else trimmed


def _is_plain(text: str) -> bool:
    """Whether the only white space is spaces and line breaks, and every other character is printable."""
    if text.isascii():  # deleting bytes takes a third of the time that isprintable takes
        encoded = text.encode()
        return len(encoded.translate(None, _ASCII_CONTROLS)) == len(encoded)
    return text.replace("\n", "").isprintable()


def _trimmed_plain(text: str) -> str:
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return (_SPACES_BEFORE_BREAK.sub("\n", composed) if " \n" in composed else composed).strip()


def _trimmed(text: str) -> str:
    composed = unicodedata.normalize("NFC", _UNREADABLE.sub("", _LINE_BREAK.sub("\n", text)))
    return "\n".join([line.rstrip() for line in composed.split("\n")]).strip()


def one_line(text: str) -> str:
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(readable(text).split())


def normalized(text: str) -> str:
    """The text for matching: NFKC, case-folded, with white space and control characters collapsed to single spaces."""
    folded = " ".join((text.lower() if text.isascii() else _folded(text)).split())
    return folded if folded.isprintable() else " ".join(_CONTROL.sub(" ", folded).split())


def words(normalized_text: str) -> list[str]:
    """The words; in scripts without spaces between words, every pair of neighbouring characters.

    An apostrophe joins: `don't` is `dont`, whichever apostrophe is used.
    """
    text = normalized_text.replace("'", "")
    if text.isascii():
        return text.translate(_ASCII_SEPARATORS).split()
    text = text.replace("\u2019", "").replace("\u02bc", "")
    if not _beyond_letters().search(text):
        return _WORD.findall(text)
    return [word for run in _run().findall(text) for word in _words_of_run(run)]


def word_count(text: str) -> int:
    """The number of words; scripts without spaces are counted by the length of their average word."""
    if text.isascii():
        return len(words(text))
    han_and_kana = len(_HAN_OR_KANA.findall(text))
    thai_to_khmer = len(_THAI_TO_KHMER_SIGN.findall(text))
    spaced = len(words(_UNSPACED_SIGN.sub(" ", text)))
    return spaced + ceil(han_and_kana / HAN_AND_KANA_PER_WORD) + ceil(thai_to_khmer / THAI_TO_KHMER_PER_WORD)


def han_and_kana(text: str) -> list[str]:
    """The Chinese and Japanese signs."""
    return _HAN_OR_KANA.findall(text)


def is_unspaced(sign: str) -> bool:
    """Whether it is a sign of a script without spaces between words."""
    return _UNSPACED_SIGN.match(sign) is not None


def truncated(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there is a space near the end."""
    if len(text) <= limit:
        return text
    near_end = limit - limit // 10
    space = max(text.rfind(" ", near_end, limit + 1), text.rfind("\n", near_end, limit + 1))
    return text[: space if space >= 0 else limit].rstrip()


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _WEIGHTLESS.sub("", text)).casefold()
    return unicodedata.normalize("NFKC", folded)


def _words_of_run(run: str) -> list[str]:
    if len(run) == 1 or not _UNSPACED_SIGN.match(run):
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


@cache
def _run() -> re.Pattern[str]:
    """A run of unspaced script, or of letters and digits with their marks."""
    letter = rf"[^\W_{_UNSPACED}]"
    return re.compile(f"[{_UNSPACED}]+|{letter}+(?:[{_marks()}]+{letter}*)*")


@cache
def _beyond_letters() -> re.Pattern[str]:
    """A character for which `\\w` is not enough."""
    return re.compile(f"[{_UNSPACED}{_marks()}]")


@cache
def _marks() -> str:
    """Combining vowel signs and accents, from the blocks of scripts in use."""
    blocks = (*range(0x300, 0x3100), *range(0xA600, 0xAC00))
    return "".join(chr(code) for code in blocks if unicodedata.category(chr(code)).startswith("M"))
