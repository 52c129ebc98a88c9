"""The bytes of a feed as UTF-8, whatever encoding they declare."""

import codecs
import re
from collections.abc import Iterator

from resiliparse.parse.encoding import detect_encoding

CHUNK = 1 << 16
SAMPLE_BYTES = 1 << 16
DECLARATION_BYTES = 1 << 10
PREAMBLE_BYTES = 1 << 14  # within which a feed begins, after warnings and blank lines of its generator

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BARE = ((b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']\s*([\w.:-]+)""", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARATION = re.compile(rb"<\?xml[^>]*\?>", re.IGNORECASE)
_BEGUN = re.compile(rb"^\s*\{|<(?:[\w.-]+:)?(?:rss|rdf|feed|channel|entry|html)\b", re.IGNORECASE)
_CONTROLS = bytes({*range(32)} - {9, 10, 13})
# The first bytes of é, a no-break space and ’ that were encoded twice.
_TWICE = (b"\xc3\x83\xc2", b"\xc3\x82\xc2", b"\xc3\xa2\xe2\x82\xac")
# The declared encoding and the real one, as browsers map them.
_MEANT = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-9": "cp1254", "tis-620": "cp874",
}  # fmt: skip
# Python has more, and some of them take unbounded time.
_OF_PAGES = re.compile(
    r"ascii|cp\d+|iso8859-\d+|iso2022_\w+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_\w+|tis-620|hz"
)


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """A byte that is not UTF-8 is most often Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101
    wrong = error.object[error.start : error.end]
    return wrong.decode("cp1252", "replace"), error.end


codecs.register_error("scoop.windows", _as_windows_1252)


def utf_8(body: bytes, content_type: str = "") -> bytes:
    """The feed in UTF-8, without byte order mark, declaration and any text before it."""
    encoding, start, is_valid = _encoding(body, content_type)
    if encoding != "utf-8" or not is_valid:
        body, start = b"".join(_recoded(body[start:], encoding)), 0
    if not body.isascii() and any(sign in body for sign in _TWICE):
        body, start = _once(body[start:]), 0
    return _from_the_beginning(body, start)


def without_controls(document: bytes) -> bytes:
    return document.translate(None, _CONTROLS)


def _from_the_beginning(body: bytes, start: int) -> bytes:
    """Without any text before the feed, and without a declaration that may now be wrong."""
    declaration = _DECLARATION.search(body, start, start + PREAMBLE_BYTES)
    if declaration and not _BEGUN.search(body, start, declaration.start()):
        return body[declaration.end() :].lstrip()
    return body[start:].lstrip() if start or body[:1].isspace() else body


def _encoding(body: bytes, content_type: str) -> tuple[str, int, bool]:
    """The encoding, the length of the byte order mark, and whether the body is valid UTF-8."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name, len(mark), name == "utf-8" and _is_strictly(body, "utf-8")
    for mark, name in _BARE:
        if body.startswith(mark):
            return name, 0, False
    declared = [*_DECLARED.findall(body[:DECLARATION_BYTES]), *_CHARSET.findall(content_type)]
    names = [_meant(name) for name in declared]
    # Other encodings are hardly ever valid UTF-8 by chance; only the shifting ones of Japan and China look like ASCII.
    if not any(name.startswith(("iso2022", "hz")) for name in names) and _is_strictly(body, "utf-8"):
        return "utf-8", 0, True
    return next((name for name in names if name and _is_strictly(body, name)), None) or _guessed(body), 0, False


def _guessed(body: bytes) -> str:
    """UTF-8 with some wrong bytes if most of it is UTF-8, else the detected encoding."""
    text = body[:SAMPLE_BYTES].decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    if wrong < sum(not letter.isascii() for letter in text) - wrong:
        return "utf-8"
    guess = _meant(detect_encoding(body[:SAMPLE_BYTES]))
    return guess if guess and _is_strictly(body, guess) else "cp1252"


def _meant(label: str | bytes) -> str:
    """The encoding that browsers use for a label; empty for one that no page is written in."""
    try:
        name = codecs.lookup(label if isinstance(label, str) else label.decode()).name
    except (LookupError, ValueError):
        return ""
    return _MEANT.get(name, name) if _OF_PAGES.fullmatch(name) else ""


def _is_strictly(body: bytes, encoding: str) -> bool:
    if body.isascii() and encoding == "utf-8":
        return True
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for at in range(0, len(body), CHUNK):
            decoder.decode(body[at : at + CHUNK], at + CHUNK >= len(body))
    except UnicodeError:
        return False
    return True


def _recoded(body: bytes, encoding: str) -> Iterator[bytes]:
    errors = "scoop.windows" if encoding == "utf-8" else "replace"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for at in range(0, len(body), CHUNK):
        yield decoder.decode(body[at : at + CHUNK], at + CHUNK >= len(body)).encode("utf-8", "replace")


def _once(body: bytes) -> bytes:
    """Undo a second encoding of UTF-8 as Windows-1252, if the whole body was encoded twice."""
    try:
        inner = b"".join(chunk.decode().encode("cp1252") for chunk in _whole_letters(body))
    except UnicodeError:
        return body
    return inner if _is_strictly(inner, "utf-8") else body


def _whole_letters(body: bytes) -> Iterator[bytes]:
    """Chunks of UTF-8 that end between two characters."""
    at = 0
    while at < len(body):
        end = min(at + CHUNK, len(body))
        while end < len(body) and body[end] & 0xC0 == 0x80:
            end += 1
        yield body[at:end]
        at = end
