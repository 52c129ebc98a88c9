"""The lines on which the fields of a TOML or JSON file are, for error messages."""

import re
from collections.abc import Iterator, Mapping

FieldPath = tuple[str | int, ...]
"""Names of tables and fields, and numbers in lists from 0."""

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\],:]|\n|[^\s{}\[\],:"]+')
_HEADER = re.compile(r"\[\[?[ \t]*[\w.-]+[ \t]*\]")
_TABLE = re.compile(r"^\s*\[\[\s*([\w.-]+)\s*\]\]")
_FIELD = re.compile(r"""^\s*["']?([\w-]+)["']?\s*=""")


def is_json(written: str) -> bool:
    """Whether the text is JSON rather than TOML, whose tables begin with a bracket, too."""
    beginning = written.lstrip("\ufeff \t\r\n")
    return beginning.startswith("{") or (beginning.startswith("[") and _HEADER.match(beginning) is None)


def lines_of(written: str) -> Mapping[FieldPath, int]:
    """The line of each field, from 1; inside inline tables and lists of TOML only that of the field they belong to."""
    return dict(_json_lines(written) if is_json(written) else _toml_lines(written))


def _json_lines(written: str) -> Iterator[tuple[FieldPath, int]]:
    line, path, is_key = 1, list[str | int](), False
    for token in _TOKEN.finditer(written):
        sign = token[0]
        if sign == "\n":
            line += 1
        elif sign in "{[":
            if path:
                yield tuple(path), line
            path.append("" if sign == "{" else 0)
            is_key = sign == "{"
        elif sign in "}]":
            path = path[:-1]
            is_key = False
        elif sign == ",":
            last = path[-1] if path else ""
            path[-1:] = [last + 1] if isinstance(last, int) else [""]
            is_key = isinstance(last, str)
        elif is_key and token[1] is not None:
            path[-1:], is_key = [token[1]], False
            yield tuple(path), line
        elif sign != ":" and path:
            yield tuple(path), line


def _toml_lines(written: str) -> Iterator[tuple[FieldPath, int]]:
    table: FieldPath = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        if header := _TABLE.match(line):
            counts[header[1]] = counts.get(header[1], -1) + 1
            table = (header[1], counts[header[1]])
            yield table, number
        elif name := _FIELD.match(line):
            yield (*table, name[1]), number
