"""Exports: events, stories and documents as NDJSON, CSV or Parquet, one page at a time in constant memory."""

import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from scoop.store.db import Connection
from scoop.store.reads import exports as export_reads
from scoop.store.reads.exports import ExportFilter, Lines

if TYPE_CHECKING:
    import pyarrow as pa

PAGE = 1_000  # rows of one query, and of one row group of Parquet
LIST_SEPARATOR = "; "  # in a cell of CSV
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "'")  # what a spreadsheet would run, and the apostrophe that escapes it

What = Literal["events", "stories", "documents"]
ExportFormat = Literal["ndjson", "csv", "parquet"]
ColumnKind = Literal["text", "number", "moment", "texts"]
MEDIA: dict[ExportFormat, str] = {
    "ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet",
}  # fmt: skip
COLUMNS: dict[What, dict[str, ColumnKind]] = {
    "events": {
        "event_uuid": "text", "collection": "text", "title": "text", "url": "text", "lead": "text", "language": "text",
        "summary": "text", "summary_language": "text", "summary_disclaimer": "text",
        "lead_story_uuid": "text", "status": "text", "merged_into": "text", "first_seen_at": "moment",
        "last_seen_at": "moment", "developed_at": "moment", "story_count": "number", "item_count": "number",
        "source_count": "number", "publisher_family_count": "number", "language_count": "number", "sources": "texts",
        "publisher_families": "texts", "languages": "texts", "story_uuids": "texts", "article_ids": "texts",
    },
    "stories": {
        "story_uuid": "text", "collection": "text", "title": "text", "url": "text", "status": "text",
        "coverage_id": "text", "first_seen_at": "moment", "last_seen_at": "moment", "item_count": "number",
        "sources": "texts", "publisher_families": "texts", "article_ids": "texts",
        "source_names": "texts", "publisher_names": "texts",
    },
    "documents": {
        "article_id": "text", "collection": "text", "source": "text", "source_item_id": "text", "url": "text",
        "title": "text", "body_text": "text", "language": "text", "published_at": "moment", "fetched_at": "moment",
        "seen_at": "moment", "source_domain": "text", "publisher_family": "text", "authors": "texts", "tags": "texts",
        "image_url": "text", "story_uuid": "text", "source_name": "text", "publisher_name": "text",
    },
}  # fmt: skip
READERS: dict[What, Callable[..., Awaitable[Lines]]] = {
    "events": export_reads.event_lines,
    "stories": export_reads.story_lines,
    "documents": export_reads.document_lines,
}

ExportPage = Callable[[int], Awaitable[Lines]]
"""Gives the lines after a cursor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Bytes of an export and their number of rows."""

    content: bytes
    rows: int


async def read_page(conn: Connection, what: What, choice: ExportFilter, after: int) -> Lines:
    return await READERS[what](conn, choice, after=after, limit=PAGE)


async def encode(pages: ExportPage, what: What, form: ExportFormat) -> AsyncIterator[Chunk]:
    """Encode all pages as chunks, in order."""
    writer = _writer(what, form)
    yield Chunk(content=writer.head(), rows=0)
    place = 0
    while (page := await pages(place)).lines:
        place = page.place
        yield Chunk(content=writer.rows(page.lines), rows=len(page.lines))
    yield Chunk(content=writer.foot(), rows=0)


class _Ndjson:
    """One JSON object a line."""

    def head(self) -> bytes:
        return b""

    def rows(self, lines: Sequence[str]) -> bytes:
        return "".join(f"{line}\n" for line in lines).encode()

    def foot(self) -> bytes:
        return b""


class _Csv:
    """Comma-separated with a header; a cell that a spreadsheet would run as a formula starts with an apostrophe."""

    def __init__(self, what: What) -> None:
        self._columns = COLUMNS[what]

    def head(self) -> bytes:
        return self._lines([list(self._columns)])

    def rows(self, lines: Sequence[str]) -> bytes:
        return self._lines([[_cell(row[name]) for name in self._columns] for row in map(_row, lines)])

    def foot(self) -> bytes:
        return b""

    def _lines(self, rows: Sequence[Sequence[str]]) -> bytes:
        buffer = io.StringIO(newline="")
        csv.writer(buffer).writerows(rows)
        return buffer.getvalue().encode()


class _Parquet:
    """A row group for each page."""

    def __init__(self, what: What) -> None:
        import pyarrow.parquet  # takes 0.2 s, which other formats need not spend

        self._columns = COLUMNS[what]
        self._schema = _schema(self._columns)
        self._sink = _Sink()
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, self._schema, compression="zstd")

    def head(self) -> bytes:
        return self._sink.take()

    def rows(self, lines: Sequence[str]) -> bytes:
        import pyarrow as pa

        rows = [{name: _value(row[name], kind) for name, kind in self._columns.items()} for row in map(_row, lines)]
        self._writer.write_table(pa.Table.from_pylist(rows, schema=self._schema))
        return self._sink.take()

    def foot(self) -> bytes:
        self._writer.close()
        return self._sink.take()


class _Sink(io.RawIOBase):
    """Buffers written bytes until they are taken."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = bytearray()
        self._written = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._written

    def write(self, content: Any) -> int:
        self._buffer += content
        self._written += len(content)
        return len(content)

    def take(self) -> bytes:
        taken = bytes(self._buffer)
        self._buffer.clear()
        return taken


def _writer(what: What, form: ExportFormat) -> _Ndjson | _Csv | _Parquet:
    if form == "ndjson":
        return _Ndjson()
    return _Csv(what) if form == "csv" else _Parquet(what)


def _row(line: str) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.json.decode(line)
    if "members" in row:
        row["article_ids"] = [member["article_id"] for member in row["members"]]
    return row


def _cell(value: Any) -> str:
    cell = LIST_SEPARATOR.join(value) if isinstance(value, list) else "" if value is None else str(value)
    return f"'{cell}" if cell.startswith(FORMULAS) else cell


def _value(value: Any, kind: ColumnKind) -> Any:
    return datetime.fromisoformat(value) if kind == "moment" and value is not None else value


def _schema(columns: dict[str, ColumnKind]) -> "pa.Schema":
    import pyarrow as pa

    kinds = {
        "text": pa.string(),
        "number": pa.int64(),
        "moment": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
