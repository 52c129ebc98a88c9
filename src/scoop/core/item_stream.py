"""Split a byte stream into raw items: one JSON object, an array, or one object a line, in bounded memory."""

import io
import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import IO

import msgspec

from scoop.core.items import NOT_JSON
from scoop.errors import InputError

MAX_ITEM_BYTES = 16 << 20  # 500,000 characters of body, each escaped, with room to spare
MAX_BLANK_LINES = 1_000_000  # in a stream; 512 MiB of them, 0.5 MB of gzip, would take minutes to skip
CHUNK = 1 << 20
BLANK = " \t\r\n"
ENDS = frozenset(BLANK + ",]")
SKIPPED = re.compile(f"[{BLANK}]*")
LONGEST_TOKEN = 16  # characters, except strings and numbers; an error nearer to the end may be a token cut in two
KEPT_BYTES = 1 << 20  # of an item that cannot be parsed
# Lenient, because it only finds where elements end; the item parser is strict. It accepts numbers of any length.
DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
GZIP_MAGIC = b"\x1f\x8b"
BREAKS_OFF = "the array breaks off here"
IS_ENDLESS = "the array does not end"


@dataclass(frozen=True, slots=True)
class RawItem:
    """The bytes of one item, its first line, its JSON path, and the problem if it cannot be parsed at all."""

    line: int
    raw: bytes
    problem: str | None = None
    path: str = "$"


def split_items(stream: IO[bytes]) -> Iterator[RawItem]:
    """Yield the items of a stream in any of the three forms."""
    first, number = _first_line(stream)
    if first.lstrip()[:1] == b"[":
        yield from _array(first, number, stream)
    elif first.lstrip()[:1] == b"{" and not _is_json(first):
        yield from _object_or_lines(first, number, stream)
    else:
        yield from _lines(chain([first], _limited_lines(stream)), number)


def _first_line(stream: IO[bytes]) -> tuple[bytes, int]:
    """The first line that is not blank, and its number."""
    first, number = stream.readline(MAX_ITEM_BYTES + 1).removeprefix(BOM_UTF8), 1
    while first and not first.strip():
        _count_blank(number)
        first, number = stream.readline(MAX_ITEM_BYTES + 1), number + 1
    if first.startswith(GZIP_MAGIC):
        raise InputError("this is gzip inside gzip; gunzip it once and try again")
    if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in first[:4]:
        raise InputError("this is not UTF-8 (it looks like UTF-16); save it as UTF-8 and try again")
    return first, number


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _object_or_lines(first: bytes, number: int, stream: IO[bytes]) -> Iterator[RawItem]:
    """A first line that is not JSON by itself: one item over several lines, or a broken line among valid ones."""
    head = first + stream.read(max(0, MAX_ITEM_BYTES + 1 - len(first)))
    lines = io.BytesIO(head).readlines()
    if len(head) <= MAX_ITEM_BYTES and _is_json(head):
        yield RawItem(number, head.strip())
    elif len(head) > MAX_ITEM_BYTES or any(line.lstrip()[:1] == b"{" and _is_json(line) for line in lines[1:]):
        lines[-1] += b"" if lines[-1].endswith(b"\n") else stream.readline(MAX_ITEM_BYTES + 1)
        yield from _lines(chain(lines, _limited_lines(stream)), number)
    else:
        yield _broken_object(head, number)


def _broken_object(raw: bytes, number: int) -> RawItem:
    """An item over several lines that is not JSON, with the line of the error if the parser reports it."""
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        return RawItem(number + error.lineno - 1, raw.strip(), f"{NOT_JSON}: {error.msg}")
    except (ValueError, RecursionError):
        pass
    return RawItem(number, raw.strip())


def _limited_lines(stream: IO[bytes]) -> Iterator[bytes]:
    blank = 0
    while line := stream.readline(MAX_ITEM_BYTES + 1):
        if line.isspace():
            blank = _count_blank(blank)
        yield line


def _count_blank(blank: int) -> int:
    if blank >= MAX_BLANK_LINES:
        raise InputError(f"has more than {MAX_BLANK_LINES:,} blank lines; remove them and try again")
    return blank + 1


def _lines(lines: Iterable[bytes], number: int) -> Iterator[RawItem]:
    is_continuation = False
    for line in lines:
        if not is_continuation and line.strip():
            is_too_long = len(line.rstrip(b"\r\n")) > MAX_ITEM_BYTES
            yield RawItem(number, line[:KEPT_BYTES], _too_long()) if is_too_long else RawItem(number, line.strip())
        is_continuation = not line.endswith(b"\n")
        number += not is_continuation


def _too_long() -> str:
    return f"is longer than {MAX_ITEM_BYTES >> 20} MiB; no item can be that large"


class _Text:
    """The unread text of a stream, with its current line."""

    def __init__(self, head: bytes, line: int, stream: IO[bytes]) -> None:
        self._decoder = getincrementaldecoder("utf-8")(errors="surrogateescape")
        self._stream = stream
        self.text = self._decoder.decode(head)
        self.at = 0
        self.line = line
        self.is_at_end = False

    def read_more(self) -> None:
        chunk = self._stream.read(CHUNK)  # a whole chunk: a large element is decoded again after each
        self.is_at_end = not chunk
        self.text, self.at = self.text[self.at :] + self._decoder.decode(chunk, final=self.is_at_end), 0

    def advance(self, to: int) -> None:
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def skip_blank(self) -> str:
        """Skip white space; return the next one, or an empty string at the end."""
        while True:
            self.advance(SKIPPED.match(self.text, self.at).end())  # type: ignore[union-attr]  # matches always
            if self.at < len(self.text) or self.is_at_end:
                return self.text[self.at : self.at + 1]
            self.read_more()

    def rest(self) -> bytes:
        """The beginning of the remaining text, to be kept with a problem."""
        while not self.is_at_end and len(self.text) - self.at < KEPT_BYTES:
            self.read_more()
        return self.text[self.at : self.at + KEPT_BYTES].encode("utf-8", "surrogateescape")


def _array(first: bytes, number: int, stream: IO[bytes]) -> Iterator[RawItem]:
    text = _Text(first, number, stream)
    text.skip_blank()
    text.advance(text.at + 1)
    following = text.skip_blank()
    for index in count():
        if following == "]":
            break
        item = _element(text, f"$[{index}]") if following else RawItem(text.line, b"", f"{IS_ENDLESS}: ] is missing")
        yield item
        if item.problem:
            return
        following = text.skip_blank()
        if following == ",":
            text.advance(text.at + 1)
            following = text.skip_blank()
        elif following != "]":
            yield RawItem(text.line, text.rest(), f"{BREAKS_OFF}: a comma or ] is missing {_remedy()}")
            return
    text.advance(text.at + 1)
    if text.skip_blank():
        yield RawItem(text.line, text.rest(), "follows the end of the array; put every item inside the array")


def _element(text: _Text, path: str) -> RawItem:
    """The next element; one whose end cannot be found ends the array, as the start of the next is unknown."""
    while True:
        is_all_read = text.is_at_end or len(text.text) - text.at > MAX_ITEM_BYTES
        try:
            _, end = DECODER.raw_decode(text.text, text.at)
        except json.JSONDecodeError as error:
            is_cut = error.msg.startswith("Unterminated") or error.pos > len(text.text) - LONGEST_TOKEN
            if is_all_read or not is_cut:
                line = text.line + text.text.count("\n", text.at, error.pos)
                reason = _too_long() if is_cut and not text.is_at_end else error.msg
                return RawItem(line, text.rest(), f"{BREAKS_OFF}: {reason} {_remedy()}", path)
        except RecursionError:
            return RawItem(text.line, text.rest(), f"{BREAKS_OFF}: nested too deeply {_remedy()}", path)
        else:
            # Only the next character proves that the element ended: 1 may continue as 1.5.
            if is_all_read or text.text[end : end + 1] in ENDS:
                item = RawItem(text.line, text.text[text.at : end].encode("utf-8", "surrogateescape"), path=path)
                text.advance(end)
                return item
        text.read_more()


def _remedy() -> str:
    return "(the items before it are kept; correct this one and push again, nothing is duplicated)"
