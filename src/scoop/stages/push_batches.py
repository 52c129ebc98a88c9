"""Batches of pushed items, read from a byte stream within its limits: decompressed, split and validated."""

import gzip
import io
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, cast

from scoop.core import items
from scoop.core.item_stream import GZIP_MAGIC, RawItem, split_items
from scoop.errors import InputError
from scoop.model import Item
from scoop.stages import arrivals as item_arrivals
from scoop.store.arrivals import ItemRefusal, NewArrival

BATCH = 2000
BATCH_BYTES = 8 << 20
YIELD_EVERY = 16  # items, after which the reading thread lets the event loop run

Interruption = Callable[[], str | None]
"""Why a push should end early, or None while it should go on; also called from the reading thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushLimits:
    """How much of one stream is read; None is unlimited."""

    decoded_bytes: int | None = None
    items: int | None = None
    refused: int | None = None


UNLIMITED = PushLimits()


class PushInterrupted(InputError):
    """The push was asked to end before its stream did."""


@dataclass(slots=True)
class Batch:
    """The items of one transaction, in order: arrivals with their line, and refusals."""

    first: int = 0
    items: list[tuple[int, NewArrival] | ItemRefusal] = field(default_factory=list)
    bytes: int = 0

    def add(self, raw_item: RawItem, *, now: datetime) -> None:
        self.bytes += len(raw_item.raw)
        item, problems = _parse(raw_item)
        if problems:
            self.items.append(ItemRefusal(line=raw_item.line, problems=problems, raw_item=raw_item.raw))
        else:
            self.items.append((raw_item.line, item_arrivals.arrival(item, raw=raw_item.raw, now=now)))

    @property
    def end(self) -> int:
        return self.first + len(self.items)

    @property
    def is_full(self) -> bool:
        return len(self.items) >= BATCH or self.bytes >= BATCH_BYTES

    @property
    def arrivals(self) -> list[tuple[int, NewArrival]]:
        return [item for item in self.items if not isinstance(item, ItemRefusal)]

    @property
    def refusals(self) -> list[ItemRefusal]:
        return [item for item in self.items if isinstance(item, ItemRefusal)]


def read_batches(
    stream: IO[bytes], *, now: datetime, limits: PushLimits, interruption: Interruption
) -> Iterator[Batch]:
    """Read a stream to its end, to the first damage, or to a limit: InputError says which, after the last batch."""
    encoded = _LimitedReader(stream, max_bytes=limits.decoded_bytes, interruption=interruption)
    buffered = io.BufferedReader(encoded)
    decoded = encoded
    if buffered.peek(1)[:1] == GZIP_MAGIC[:1]:  # no JSON begins with it; a pipe may hold only one byte yet
        unzipped = cast(IO[bytes], gzip.GzipFile(fileobj=buffered))
        decoded = _LimitedReader(unzipped, max_bytes=limits.decoded_bytes, interruption=interruption)
        buffered = io.BufferedReader(decoded)
    yield from _split_batches(buffered, now=now, max_items=limits.items)
    encoded.raise_damage()
    decoded.raise_damage()


def _split_batches(stream: IO[bytes], *, now: datetime, max_items: int | None) -> Iterator[Batch]:
    batch = Batch()
    for raw_item in split_items(stream):
        if max_items is not None and batch.end >= max_items:
            if batch.items:
                yield batch
            raise InputError(f"more than {max_items:,} items; push the rest separately (nothing is duplicated)")
        batch.add(raw_item, now=now)
        if len(batch.items) % YIELD_EVERY == 0:
            time.sleep(0)
        if batch.is_full:
            yield batch
            batch = Batch(batch.end)
    if batch.items:
        yield batch


class _LimitedReader(io.RawIOBase):
    """Reads a stream up to its first damage, which it keeps; raises InputError at its limit or when interrupted."""

    def __init__(self, stream: IO[bytes], *, max_bytes: int | None, interruption: Interruption) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._interruption = interruption
        self._read = 0
        self._damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if reason := self._interruption():
            raise PushInterrupted(reason)
        try:
            chunk = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        except (OSError, EOFError, zlib.error) as error:
            self._damage = error
            return 0
        self._read += len(chunk)
        if self._max_bytes is not None and self._read > self._max_bytes:
            raise InputError(f"larger than {self._max_bytes:,} bytes; push it in parts (nothing is duplicated)")
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def raise_damage(self) -> None:
        if isinstance(self._damage, OSError) and not isinstance(self._damage, gzip.BadGzipFile):
            reason = (self._damage.strerror or str(self._damage)).lower()
            raise InputError(f"could not be read to its end: {reason}; the items before it are kept") from self._damage
        if self._damage is not None:
            raise InputError(
                f"the gzip stream is damaged ({self._damage}); the items before the damage are kept"
            ) from self._damage


def _parse(raw_item: RawItem) -> tuple[Item, list[items.ItemProblem]]:
    if raw_item.problem is not None:
        return {}, [items.ItemProblem(raw_item.path, raw_item.problem)]
    item, problems = items.parse_item(raw_item.raw)
    return item, [
        items.ItemProblem(raw_item.path + problem.path.removeprefix("$"), problem.reason) for problem in problems
    ]
