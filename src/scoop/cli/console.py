"""Terminal output and argument types that commands share."""

import re
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import click

from scoop.cli import tables
from scoop.config import Config
from scoop.core import text

UNLIMITED = 10_000  # columns when the output is not a terminal
GROUPED = re.compile(r"\d{1,3}(,\d{3})+")
GOOD, WARNING, BAD = "green", "yellow", "red"
STATE_COLUMNS = {"health", "state", "status", "check"}
STATE_COLOURS = {
    **dict.fromkeys(("ok", "completed", "sent", "delivered", "done", "enabled", "pass", "active"), GOOD),
    **dict.fromkeys(("partial", "waiting", "running", "sending", "held", "warn", "quiet", "rate limited"), WARNING),
    **dict.fromkeys(("failed", "fail", "quarantined", "dead", "gone", "blocked", "refused", "not found"), BAD),
    **dict.fromkeys(("error", "timeout", "parse error", "server error", "unreachable", "invalid"), BAD),
}

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def ungrouped(number: str) -> str:
    """5294 for 5,294; any other text stays as it is."""
    return number.replace(",", "") if GROUPED.fullmatch(number.strip()) else number


class Number(click.IntRange):
    """The number of a story, document, run ...; also with grouped digits, as 5,294."""

    name = "number"

    def __init__(self) -> None:
        super().__init__(1, 2**63 - 1)  # the range of a BIGINT

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number: Any = ungrouped(value) if isinstance(value, str) else value
        return super().convert(number, param, ctx)


class Reference(click.ParamType[str]):
    """A number, UUID or URL that names a story or document; the number also with grouped digits."""

    name = "text"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> Any:
        return ungrouped(value) if isinstance(value, str) else value


ID = Number()
REFERENCE = Reference()


def settings() -> Config:
    """The settings of the command that runs."""
    ctx = click.get_current_context(silent=True)
    return ctx.obj if ctx is not None and isinstance(ctx.obj, Config) else Config()


def is_quiet() -> bool:
    return settings().log_level == "error"


def notice(line: str) -> None:
    """Say something that is neither result nor error, unless -q was given."""
    if not is_quiet():
        click.echo(line, err=True)


def print_json(value: Any) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def print_json_lines(values: Iterable[Any]) -> None:
    import msgspec

    for value in values:
        click.echo(msgspec.json.encode(value, enc_hook=str))


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    empty: str,
    cut: str | None = None,
    whole: Collection[str] = (),
    counts: Collection[str] = (),
) -> None:
    """A table for people.

    Where the terminal is too narrow, the column `cut` is shortened; without one, the last column is wrapped. Texts of
    the columns `whole`, which people type into other commands, are never shortened.
    The digits of the columns `counts` are grouped; those of others are not, as an id is typed without commas.
    """
    if not rows:
        notice(empty)
        return
    times = {index: _zone_name(row[index] for row in rows) for index in range(len(columns))}
    headings = [f"{column} ({times[index]})" if times[index] else column for index, column in enumerate(columns)]
    cells = [
        [_cell(value, groups=columns[index] in counts, names_zone=not times[index]) for index, value in enumerate(row)]
        for row in rows
    ]
    for line in tables.lines(
        headings,
        cells,
        width=shutil.get_terminal_size().columns if sys.stdout.isatty() else UNLIMITED,
        right={index for index in range(len(columns)) if _are_numbers([row[index] for row in rows])},
        cut=columns.index(cut) if cut is not None else None,
        whole={columns.index(column) for column in whole},
        style=_style(columns),
    ):
        click.echo(line)


def _style(columns: Sequence[str]) -> tables.Style:
    """Colours for headings and states; `click.echo` takes them out again where the output is not a terminal."""

    def style(column: int | None, cell: str) -> str:
        if column is None:
            return click.style(cell, bold=True)
        colour = STATE_COLOURS.get(cell.strip()) if columns[column] in STATE_COLUMNS else None
        return click.style(cell, fg=colour) if colour else cell

    return style


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_numbers(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers; some of its cells may be empty."""
    return any(map(_is_number, values)) and all(_is_number(value) or value in {None, ""} for value in values)


def _cell(value: Any, *, groups: bool, names_zone: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return format_time(value) if names_zone else _local(value).strftime("%Y-%m-%d %H:%M")
    return f"{value:,}" if groups and _is_number(value) else text.one_line(str(value))


def zone() -> tzinfo:
    """The timezone of the desk."""
    return UTC if settings().timezone == "UTC" else ZoneInfo(settings().timezone)


def format_time(moment: datetime) -> str:
    """A moment in the desk's timezone, which is named."""
    return _local(moment).strftime("%Y-%m-%d %H:%M %Z")


def parse_time(written: str | None) -> datetime | str | None:
    """The moment that an item names, for a table; what is not a date with a time stays as it is written."""
    try:
        return datetime.fromisoformat(written) if written and "T" in written else written
    except ValueError:
        return written


def format_value(value: datetime | str | None) -> str:
    return format_time(value) if isinstance(value, datetime) else value or ""


def _local(moment: datetime) -> datetime:
    return moment.astimezone(zone())


def _zone_name(values: Iterable[Any]) -> str:
    """The short name of the timezone if the column has times that share one; on both sides of a clock change not."""
    names = {_local(value).tzname() for value in values if isinstance(value, datetime)}
    return names.pop() or "" if len(names) == 1 else ""


def format_age(moment: datetime) -> str:
    """How long ago a moment was, in one unit."""
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
