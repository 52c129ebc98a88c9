"""Files that a page offers for download."""

import csv
import io
from collections.abc import Iterable, Sequence

from fastapi import Response


def csv_file(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A table as CSV; its first line names the columns."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return attachment(name, "text/csv; charset=utf-8", lines.getvalue())


def attachment(name: str, media_type: str, content: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
