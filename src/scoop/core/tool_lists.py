"""Lists of tools as TOML and CSV, and the starter list that ships with Scoop."""

import csv
import io
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from scoop.core import tools
from scoop.core.tools import Tool, ToolSettings
from scoop.errors import InputError, UsageError

ListFormat = Literal["toml", "csv"]
LISTS = ("categories", "aliases", "context_words")
COLUMNS = ("slug", "name", "vendor", *LISTS, "status", "merged_into")
SEPARATOR = "; "


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool of a list; `merged_into` is the slug of the tool that its mentions count for, or empty."""

    settings: ToolSettings
    merged_into: str = ""


DEFAULTS = {field.name: field.default for field in fields(ToolSettings)} | {"merged_into": ""}


@cache
def starter() -> tuple[ListedTool, ...]:
    """The tools of the starter list."""
    return tuple(read(files("scoop.core").joinpath("tools_starter.toml").read_text(), "toml"))


def listed(tools: Sequence[Tool]) -> list[ListedTool]:
    """All tools of a desk as a list."""
    slugs = {tool.tool_number: tool.slug for tool in tools}
    return [ListedTool(settings=tool, merged_into=slugs.get(tool.merged_into or 0, "")) for tool in tools]


def read(text: str, form: ListFormat) -> list[ListedTool]:
    """The tools of a list; InputError names the one that is wrong."""
    rows = _toml_rows(text) if form == "toml" else _csv_rows(text)
    return [_listed_tool(row, number) for number, row in enumerate(rows, start=1)]


def _toml_rows(text: str) -> list[Mapping[str, Any]]:
    try:
        rows = tomllib.loads(text).get("tools", [])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the list is not TOML: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("the list must have tables [[tools]]")
    return rows


def _csv_rows(text: str) -> list[Mapping[str, Any]]:
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if "name" not in (reader.fieldnames or ()):
        raise InputError(f"the first line must have the columns, at least name; all are {', '.join(COLUMNS)}")
    return [{column: _cell(column, cell) for column, cell in row.items() if column and cell} for row in reader]


def _cell(column: str, cell: str) -> str | list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()] if column in LISTS else cell


def _listed_tool(row: Mapping[str, Any], number: int) -> ListedTool:
    if unknown := sorted(row.keys() - set(COLUMNS)):
        raise InputError(f"tool {number}: there is no setting {unknown[0]!r}; there are {', '.join(COLUMNS)}")
    name = row.get("name")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"tool {number}: it needs a name")
    if wrong := [key for key, value in row.items() if not _has_form(key, value)]:
        raise InputError(
            f"tool {number}, {name}: {wrong[0]} must be {'a list of texts' if wrong[0] in LISTS else 'a text'}"
        )
    values = {key: tuple(value) if key in LISTS else value for key, value in row.items()}
    if values.get("status", "active") not in {"active", "archived"}:
        raise InputError(f"tool {number}, {name}: status must be active or archived")
    merged_into = str(values.pop("merged_into", ""))
    try:
        settings = tools.checked(ToolSettings(**{"slug": tools.slug_of(name), **values}))  # type: ignore[arg-type]
    except UsageError as error:
        raise InputError(f"tool {number}, {name}: {error}") from error
    return ListedTool(settings=settings, merged_into=merged_into)


def _has_form(column: str, value: Any) -> bool:
    if column in LISTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, str)


def write(listed: Sequence[ListedTool], form: ListFormat) -> str:
    """A list that `read` understands."""
    return _as_toml(listed) if form == "toml" else _as_csv(listed)


def _as_toml(listed: Sequence[ListedTool]) -> str:
    return "\n".join(
        "[[tools]]\n"
        + "".join(
            f"{column} = {json.dumps(value, ensure_ascii=False)}\n"  # a string or list of TOML, too
            for column, value in _values(tool).items()
            if value != DEFAULTS[column]
        )
        for tool in listed
    )


def _as_csv(listed: Sequence[ListedTool]) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for tool in listed:
        values = _values(tool).values()
        writer.writerow([SEPARATOR.join(value) if isinstance(value, tuple) else value for value in values])
    return lines.getvalue()


def _values(tool: ListedTool) -> dict[str, Any]:
    own = {column: getattr(tool.settings, column) for column in COLUMNS if column != "merged_into"}
    return own | {"merged_into": tool.merged_into}
