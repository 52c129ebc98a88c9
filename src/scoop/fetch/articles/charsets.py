"""Decoding of a page, whose declared encoding is often wrong."""

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

# UTF-16 without a byte order mark is recognised by the tag that a page starts with.
_STARTS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
PRESCAN_BYTES = 4096  # browsers read 1,024; some pages begin with a long comment
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<(?:meta\b[^>]{0,400}?charset|\?xml\b[^>]{0,200}?encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r\f") + b"\x7f"
_FORM_FEED_TO_SPACE = bytes.maketrans(b"\f", b" ")
# As in browsers, a label means the superset that is really sent under it.
_WIDER = {"shift_jis": "cp932", "gbk": "gb18030", "euc_kr": "cp949", "big5": "big5hkscs"}
_ESCAPED = "iso2022_jp"  # its bytes are valid ASCII, so also valid UTF-8
_UNBELIEVABLE = frozenset(
    {"utf-16-le", "utf-16-be"}
)  # if the declaration itself is readable as ASCII, the page is not UTF-16


def utf8(html: bytes, content_type: str) -> bytes:
    """The page in UTF-8, without control characters, on which the HTML parser fails."""
    return _decoded(html, content_type).encode().translate(_FORM_FEED_TO_SPACE, _CONTROLS)


def _decoded(html: bytes, content_type: str) -> str:
    for start, name in _STARTS:
        if html.startswith(start):
            return html.decode(name, "replace")
    declared = _declared(html, content_type)
    # Valid UTF-8 is UTF-8, whatever was declared: text in other encodings is not valid by chance.
    likely = [*declared, "utf-8"] if _ESCAPED in declared else ["utf-8", *declared]
    for name in likely:
        try:
            return html.decode(name)
        except UnicodeDecodeError:
            continue
    likely += _codecs([detect_encoding(html)])
    return min((html.decode(name, "replace") for name in dict.fromkeys(likely)), key=_damage)


def _declared(html: bytes, content_type: str) -> list[str]:
    labels = _IN_HEADER.findall(content_type)[:1]
    labels += [label.decode("ascii", "replace") for label in _IN_PAGE.findall(html, 0, PRESCAN_BYTES)[:1]]
    return [name for name in _codecs(labels) if name not in _UNBELIEVABLE]


def _codecs(labels: list[str]) -> list[str]:
    names = [map_encoding_to_html5(label, False) for label in labels]
    return [_WIDER.get(name, name) for name in names if name]


def _damage(decoded: str) -> int:
    return decoded.count("\ufffd")
