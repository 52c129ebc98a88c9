"""Cutting a stream of bytes into items: one JSON, an array, or one JSON a line. Memory stays small whatever comes."""

import io
import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import IO

import msgspec

from scoop.core.items import NOT_JSON
from scoop.errors import InputError

MAX_ITEM_BYTES = 16 << 20  # 500,000 characters of body, escaped in the worst way, with room to spare
CHUNK = 1 << 20
BLANK = " \t\r\n"
ENDS = frozenset(BLANK + ",]")
LONGEST_TOKEN = 16  # characters beside strings and numbers; an error nearer to the end may be a token cut in two
KEPT_BYTES = 1 << 20  # of what cannot be read
# Lenient, as it only finds where elements end: whoever reads them is strict. No number is too long for it.
DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
GZIP_MAGIC = b"\x1f\x8b"
BREAKS_OFF = "the array breaks off here"
IS_ENDLESS = "the array does not end"


@dataclass(frozen=True, slots=True)
class RawItem:
    """The bytes of one item, the line it begins at, its place in JSON, and why it cannot even be read, if so."""

    line: int
    raw: bytes
    problem: str | None = None
    path: str = "$"


def split_items(stream: IO[bytes]) -> Iterator[RawItem]:
    """The items of a stream, in whichever of the three forms it has."""
    first, number = _first_line(stream)
    if first.lstrip()[:1] == b"[":
        yield from _array(first, number, stream)
    elif first.lstrip()[:1] == b"{" and not _is_json(first):
        yield from _object_or_lines(first, number, stream)
    else:
        yield from _lines(chain([first], _limited_lines(stream)), number)


def _first_line(stream: IO[bytes]) -> tuple[bytes, int]:
    """The first line with anything on it, and its number."""
    first, number = stream.readline(MAX_ITEM_BYTES + 1).removeprefix(BOM_UTF8), 1
    while first and not first.strip():
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
    """A first line that is no JSON of its own: an item over several lines, or a broken line among good ones."""
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
    """An item over several lines that is no JSON, with the line where it breaks if that can be told."""
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        return RawItem(number + error.lineno - 1, raw.strip(), f"{NOT_JSON}: {error.msg}")
    except (ValueError, RecursionError):
        pass
    return RawItem(number, raw.strip())


def _limited_lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(MAX_ITEM_BYTES + 1):
        yield line


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
    """The unread text of a stream, with the line it stands at."""

    def __init__(self, head: bytes, line: int, stream: IO[bytes]) -> None:
        self._decoder = getincrementaldecoder("utf-8")(errors="surrogateescape")
        self._stream = stream
        self.text = self._decoder.decode(head)
        self.at = 0
        self.line = line
        self.is_at_end = False

    def read_more(self) -> None:
        chunk = self._stream.read(CHUNK)  # a whole one: a large element is decoded anew after each
        self.is_at_end = not chunk
        self.text, self.at = self.text[self.at :] + self._decoder.decode(chunk, final=self.is_at_end), 0

    def advance(self, to: int) -> None:
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def skip(self, characters: str) -> str:
        """Pass over these; give the next character, or nothing at the end."""
        while True:
            to = self.at
            while to < len(self.text) and self.text[to] in characters:
                to += 1
            self.advance(to)
            if to < len(self.text) or self.is_at_end:
                return self.text[to : to + 1]
            self.read_more()

    def rest(self) -> bytes:
        """What is left, to be kept with a problem; only the beginning where it is long."""
        while not self.is_at_end and len(self.text) - self.at < KEPT_BYTES:
            self.read_more()
        return self.text[self.at : self.at + KEPT_BYTES].encode("utf-8", "surrogateescape")


def _array(first: bytes, number: int, stream: IO[bytes]) -> Iterator[RawItem]:
    text = _Text(first, number, stream)
    text.skip(BLANK)
    text.advance(text.at + 1)
    following = text.skip(BLANK)
    for index in count():
        if following == "]":
            break
        piece = _element(text, f"$[{index}]") if following else RawItem(text.line, b"", f"{IS_ENDLESS}: ] is missing")
        yield piece
        if piece.problem:
            return
        following = text.skip(BLANK)
        if following == ",":
            text.advance(text.at + 1)
            following = text.skip(BLANK)
        elif following != "]":
            yield RawItem(text.line, text.rest(), f"{BREAKS_OFF}: a comma or ] is missing {_remedy()}")
            return
    text.advance(text.at + 1)
    if text.skip(BLANK):
        yield RawItem(text.line, text.rest(), "stands after the end of the array; put every item inside it")


def _element(text: _Text, path: str) -> RawItem:
    """The next element; one whose end cannot be found ends the array, for nothing tells where the next one begins."""
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
            # What follows tells whether the end of what was read is the end of the element: 1 may go on as 1.5.
            if is_all_read or text.text[end : end + 1] in ENDS:
                piece = RawItem(text.line, text.text[text.at : end].encode("utf-8", "surrogateescape"), path=path)
                text.advance(end)
                return piece
        text.read_more()


def _remedy() -> str:
    return "(what stands before went in; mend this place and ingest the file again, nothing is doubled)"
