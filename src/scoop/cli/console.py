"""Terminal output and argument types that commands share."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click
import msgspec

COLUMN_GAP = 3  # what rich puts between two columns
UNLIMITED = 10_000  # columns when the output is not a terminal

ID = click.IntRange(1, 2**63 - 1)  # the range of a BIGINT

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def print_json_lines(values: Iterable[Any]) -> None:
    for value in values:
        click.echo(msgspec.json.encode(value, enc_hook=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, empty: str, wide: str = "") -> None:
    """A table for people; the column named `wide` takes the room that is left."""
    if not rows:
        click.echo(empty, err=True)
        return
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else UNLIMITED)
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(cell_len(line[index]) for line in (columns, *cells)) for index in range(len(columns))]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        is_number = all(isinstance(row[index], int) for row in rows)
        room = console.width - sum(widths) + widths[index] - COLUMN_GAP * (len(columns) - 1) if column == wide else None
        table.add_column(
            column, justify="right" if is_number else "left", no_wrap=True, max_width=room, overflow="ellipsis"
        )
    for line in cells:
        table.add_row(*map(Text, line))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def format_age(moment: datetime) -> str:
    """How long something lasts, in one unit."""
    return _in_one_unit(datetime.now(UTC) - moment)


def format_wait(moment: datetime) -> str:
    """How long it is until a moment, in one unit."""
    left = moment - datetime.now(UTC)
    return f"in {_in_one_unit(left)}" if left > timedelta() else "now"


def _in_one_unit(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
