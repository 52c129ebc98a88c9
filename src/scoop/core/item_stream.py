"""Cutting a stream of bytes into items: one JSON, an array, or one JSON a line. Memory stays small whatever comes."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO

import msgspec

from scoop.errors import InputError

MAX_ITEM_BYTES = 16 << 20  # 500,000 characters of body, escaped in the worst way, with room to spare
CHUNK = 1 << 20
BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of one item, the line it begins at, and why it cannot even be read as JSON, if so."""

    line: int
    raw: bytes
    problem: str | None = None


def pieces(stream: IO[bytes]) -> Iterator[Piece]:
    """The items of a stream, in whichever of the three forms it has."""
    first = _first_line(stream)
    if first.lstrip()[:1] == b"[":
        yield from _array(first, stream)
    elif _is_json(first) or not first.lstrip().startswith(b"{"):
        yield from _lines(chain([first], _limited_lines(stream)))
    else:
        yield from _object_or_lines(first, stream)


def _first_line(stream: IO[bytes]) -> bytes:
    first = stream.readline(MAX_ITEM_BYTES + 1)
    if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in first[:4]:
        raise InputError("this is not UTF-8 (it looks like UTF-16); save it as UTF-8 and try again")
    return first.removeprefix(BOM_UTF8)


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _object_or_lines(first: bytes, stream: IO[bytes]) -> Iterator[Piece]:
    """A first line that is no JSON of its own: an item over several lines, or a broken line among many."""
    head = first + stream.read(max(0, MAX_ITEM_BYTES - len(first)))
    if len(head) < MAX_ITEM_BYTES and _is_json(head):
        yield Piece(1, head.strip())
        return
    *whole, last = head.splitlines(keepends=True)
    rest = last if last.endswith(b"\n") else last + stream.readline(MAX_ITEM_BYTES + 1)
    yield from _lines(chain(whole, [rest], _limited_lines(stream)))


def _limited_lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(MAX_ITEM_BYTES + 1):
        yield line


def _lines(lines: Iterator[bytes]) -> Iterator[Piece]:
    number, is_continuation = 1, False
    for line in lines:
        is_whole = line.endswith(b"\n") or len(line) <= MAX_ITEM_BYTES
        if not is_continuation and line.strip():
            yield Piece(number, line.strip()) if is_whole else Piece(number, line, _too_long())
        is_continuation = not is_whole
        number += is_whole


def _too_long() -> str:
    return f"is longer than {MAX_ITEM_BYTES >> 20} MiB; no item can be that large"


class _Text:
    """The unread text of a stream, with the line it stands at."""

    def __init__(self, head: bytes, stream: IO[bytes]) -> None:
        self._decoder = getincrementaldecoder("utf-8")(errors="surrogateescape")
        self._stream = stream
        self.text = self._decoder.decode(head)
        self.at = 0
        self.line = 1
        self.is_at_end = False

    def read_more(self) -> None:
        chunk = self._stream.read(CHUNK)
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


def _array(first: bytes, stream: IO[bytes]) -> Iterator[Piece]:
    text = _Text(first, stream)
    text.skip(BLANK)
    text.advance(text.at + 1)
    separators = BLANK
    while (following := text.skip(separators)) != "]":
        piece = _element(text) if following else Piece(text.line, b"", "the array does not end: a closing ] is missing")
        yield piece
        if piece.problem:
            return
        if text.skip(BLANK) not in {",", "]"}:
            yield Piece(text.line, b"", f"the array breaks off here: a comma or ] is missing {_remedy()}")
            return
        separators = BLANK + ","


def _element(text: _Text) -> Piece:
    """The next element; what cannot be read ends the array, for nothing tells where the next one begins."""
    decoder = json.JSONDecoder()
    while True:
        try:
            _, end = decoder.raw_decode(text.text, text.at)
        except json.JSONDecodeError as error:
            if text.is_at_end or len(text.text) - text.at > MAX_ITEM_BYTES:
                broken = text.text[text.at : text.at + CHUNK].encode("utf-8", "surrogateescape")
                line = text.line + text.text.count("\n", text.at, error.pos)
                return Piece(line, broken, f"the array breaks off here: {error.msg} {_remedy()}")
            text.read_more()
            continue
        except RecursionError:
            return Piece(text.line, b"", f"the array breaks off here: nested too deeply {_remedy()}")
        if end == len(text.text) and not text.is_at_end:
            text.read_more()  # the end of what was read may not be the end of the element
            continue
        piece = Piece(text.line, text.text[text.at : end].encode("utf-8", "surrogateescape"))
        text.advance(end)
        return piece


def _remedy() -> str:
    return "(what stands before went in; mend this place and ingest the file again, nothing is doubled)"
