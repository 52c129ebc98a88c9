"""Decodes the Content-Encoding of a body in small pieces, within a size limit."""

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OFFERED = "gzip, deflate, br, zstd"
MAX_LAYERS = 3  # a body that is encoded more often is an attack
STEP = 1 << 16  # decoded bytes at a time
ZSTD_WINDOW_LOG_MAX = 23  # RFC 9659: a server may require at most 8 MiB of a client


class Undecodable(Exception):
    """The body does not match its Content-Encoding, or is truncated."""


class BodyTooLarge(Exception):
    """The decoded body exceeds the limit."""


class Decoder(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The decoded data, in small pieces."""
        ...

    def is_complete(self) -> bool:
        """Whether the end of the stream was decoded."""
        ...


class DecodedBody:
    """A body that is being received: every chunk is decoded and counted at once."""

    def __init__(self, content_encoding: str, *, max_bytes: int) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",") if name.strip()]
        names = [name for name in names if name != "identity"]
        if len(names) > MAX_LAYERS:
            raise Undecodable(f"the body is encoded {len(names)} times over")
        self._decoders = [_decoder(name) for name in reversed(names)]
        self._max_bytes = max_bytes
        self._decoded = bytearray()
        self._received = [0] * len(names)  # bytes that reached each layer

    def feed(self, data: bytes) -> None:
        for piece in self._through(data, 0):
            room = self._max_bytes - len(self._decoded)
            self._decoded += piece[:room]
            if len(piece) > room:
                raise BodyTooLarge

    def whole(self) -> bytes:
        """The decoded body; Undecodable if it is truncated."""
        if any(self._received) and not all(decoder.is_complete() for decoder in self._decoders):
            raise Undecodable("the encoded body ends too early")
        return bytes(self._decoded)

    def beginning(self) -> bytes:
        """The part that was decoded within the limit."""
        return bytes(self._decoded)

    def _through(self, data: bytes, layer: int) -> Iterator[bytes]:
        if layer == len(self._decoders):
            yield data
            return
        self._received[layer] += len(data)
        if self._received[layer] > self._max_bytes:
            raise BodyTooLarge
        for piece in self._decoders[layer].pieces(data):
            yield from self._through(piece, layer + 1)


def _decoder(name: str) -> Decoder:
    if name in {"gzip", "x-gzip"}:
        return _Zlib(zlib.MAX_WBITS | 16)
    if name == "deflate":
        return _Deflate()
    if name == "br":
        return _Brotli()
    if name == "zstd":
        return _Zstd()
    raise Undecodable(f"the body is encoded as {name[:40]!r}, which was not offered")


class _Zlib:
    def __init__(self, window_bits: int) -> None:
        self._window_bits = window_bits
        self._inner = zlib.decompressobj(window_bits)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner.eof:  # another member follows, or padding, which is ignored
                if not data.startswith(b"\x1f\x8b"):
                    return
                self._inner = zlib.decompressobj(self._window_bits)
            try:
                piece = self._inner.decompress(data, STEP)
            except zlib.error as error:
                raise Undecodable(f"the body does not match its encoding: {error}") from error
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail
            yield piece

    def is_complete(self) -> bool:
        return self._inner.eof


class _Deflate:
    """By RFC 9110 `deflate` has a zlib wrapper; some servers send the raw stream."""

    def __init__(self) -> None:
        self._inner: _Zlib | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None and data:
            is_wrapped = data[0] & 0x0F == 8 and (len(data) < 2 or int.from_bytes(data[:2], "big") % 31 == 0)
            self._inner = _Zlib(zlib.MAX_WBITS if is_wrapped else -zlib.MAX_WBITS)
        return self._inner.pieces(data) if self._inner else iter(())

    def is_complete(self) -> bool:
        return self._inner is not None and self._inner.is_complete()


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        try:
            yield self._inner.process(data, output_buffer_limit=STEP)
            while not self._inner.can_accept_more_data():
                yield self._inner.process(b"", output_buffer_limit=STEP)
        except brotli.error as error:
            raise Undecodable(f"the body is not brotli: {error}") from error

    def is_complete(self) -> bool:
        return bool(self._inner.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._inner = self._fresh()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data or not (self._inner.needs_input or self._inner.eof):
            if self._inner.eof:
                self._inner = self._fresh()
            try:
                piece = self._inner.decompress(data, STEP)
            except zstd.ZstdError as error:
                raise Undecodable(f"the body is not zstd: {error}") from error
            data = self._inner.unused_data if self._inner.eof else b""
            yield piece

    def is_complete(self) -> bool:
        return self._inner.eof

    @staticmethod
    def _fresh() -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG_MAX})
