"""The interests of a curator: topics with aliases and priorities, and how many articles it posts."""

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from scoop.core import interest_lines, text
from scoop.core.interest_lines import FieldPath
from scoop.errors import InputError, ScoopError

Priority = Literal["high", "medium", "low"]

WEIGHTS: Mapping[Priority, float] = {"high": 2.0, "medium": 1.0, "low": 0.5}
MAX_TOPICS = 50
MAX_TOPIC_CHARACTERS = 50
MAX_ALIASES = 50  # of a topic
MAX_ALIAS_CHARACTERS = 100
MAX_DESCRIPTION_CHARACTERS = 1_000
MAX_ARTICLES = 10
MAX_SCORE = 100

_FIELDS = ("topics", "max_articles", "min_articles", "min_relevance_score")
_TOPIC_FIELDS = ("topic", "aliases", "priority", "description")
_OTHER_NAMES = {"interests": "topics", "name": "topic", "min_score": "min_relevance_score"}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_BLOB_PARTS = 5  # of a path: owner, repository, "blob", a branch or commit, and at least one name


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """A topic of a reader; the aliases are other words for it, and names that belong to it."""

    topic: str
    aliases: tuple[str, ...] = ()
    priority: Priority = "medium"
    description: str = ""

    @property
    def weight(self) -> float:
        """By which the score of its articles is multiplied when the best are selected."""
        return WEIGHTS[self.priority]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interests:
    """The topics of a curator, and how many articles of at least which score it posts."""

    topics: tuple[Interest, ...]
    max_articles: int = 5
    min_articles: int = 3
    min_relevance_score: int = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorFile:
    """The interests in a file, and the settings of the curator that it has besides."""

    interests: Interests
    settings: Mapping[str, Any]


FieldCheck = Callable[[Any], object]
"""The check of a setting: it raises an error whose message is the fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestProblem:
    """A wrong field of an interests file with the fix; the line is known only if the text of the file is."""

    field: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        return f"{place}{self.field}: {self.message}" if self.field else f"{place}{self.message}"


class InvalidInterests(InputError):
    """The interests cannot be used; `problems` has all that is wrong with them."""

    def __init__(self, problems: tuple[InterestProblem, ...]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def parse(data: Any) -> Interests:
    """The interests of a decoded TOML or JSON file; raises InvalidInterests with every problem.

    Names may be written in camelCase, `interests` is another name for `topics`, `name` for `topic`, and a topic without
    aliases may be a string.
    """
    return _parsed(data, {}, {}).interests


def parse_text(written: str) -> Interests:
    """The interests of the text of a TOML or JSON file; problems have the line of their field."""
    return parse_file(written, {}).interests


def parse_file(written: str, checks: Mapping[str, FieldCheck]) -> CuratorFile:
    """The interests of the text of a TOML or JSON file, and the settings in it that have a check."""
    data = decode(written)
    return _parsed(data, interest_lines.lines_of(written), checks)


def decode(written: str) -> Any:
    """The fields of a TOML or JSON file; raises InvalidInterests with the line of a syntax error."""
    written = written.removeprefix("\ufeff")
    try:
        return json.loads(written) if interest_lines.is_json(written) else tomllib.loads(written)
    except json.JSONDecodeError as error:
        raise _syntax_error("JSON", error.msg, error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else written.count("\n") + 1
        raise _syntax_error("TOML", _TOML_PLACE.sub("", str(error)), line) from error
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of thousands of digits
        raise _syntax_error("TOML or JSON", "too many brackets or digits", 1) from error


def raw_url(url: str) -> str:
    """The address of a file's content: that of a GitHub page about a file becomes its raw form, others stay."""
    parts = urlsplit(url)
    names = parts.path.split("/")[1:]
    if parts.hostname not in {"github.com", "www.github.com"} or len(names) < _BLOB_PARTS or names[2] != "blob":
        return url
    path = "/".join(["", *names[:2], *names[3:]])
    return urlunsplit((parts.scheme, "raw.githubusercontent.com", path, "", ""))


def _syntax_error(kind: str, message: str, line: int) -> InvalidInterests:
    fix = "check the quotes, commas and brackets on this line and the one before"
    return InvalidInterests((InterestProblem(field="", message=f"not valid {kind}: {message}; {fix}", line=line),))


def _parsed(data: Any, lines: Mapping[FieldPath, int], checks: Mapping[str, FieldCheck]) -> CuratorFile:
    report = _Report(lines=lines)
    found = _curator_file(data, report, checks)
    if report.problems:
        raise InvalidInterests(tuple(report.problems))
    return found


@dataclass(slots=True, kw_only=True)
class _Report:
    """The problems so far, and where fields are."""

    lines: Mapping[FieldPath, int]
    problems: list[InterestProblem] = field(default_factory=list)

    def add(self, path: FieldPath, message: str) -> None:
        self.problems.append(InterestProblem(field=_spelled(path), message=message, line=self._line(path)))

    def _line(self, path: FieldPath) -> int | None:
        return next((self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), None)


def _spelled(path: FieldPath) -> str:
    """A path as people read it; the first topic is number 1."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def _curator_file(data: Any, report: _Report, checks: Mapping[str, FieldCheck]) -> CuratorFile:
    if not isinstance(data, Mapping):
        report.add((), "the file must be a table with `topics`; see the example in the documentation")
        return CuratorFile(interests=Interests(topics=()), settings={})
    fields = _named(data, (), (*_FIELDS, *checks), report)
    return CuratorFile(interests=_interests(fields, report), settings=dict(_settings(fields, checks, report)))


def _interests(fields: "Fields", report: _Report) -> Interests:
    most = _whole_number(fields, "max_articles", 5, (1, MAX_ARTICLES), report)
    least = _whole_number(fields, "min_articles", min(3, most), (1, most), report)
    score = _whole_number(fields, "min_relevance_score", 70, (0, MAX_SCORE), report)
    topics = tuple(_topics(fields, report))
    return Interests(topics=topics, max_articles=most, min_articles=least, min_relevance_score=score)


def _settings(fields: "Fields", checks: Mapping[str, FieldCheck], report: _Report) -> Iterator[tuple[str, Any]]:
    for name, check in checks.items():
        if name in fields:
            written, value = fields[name]
            try:
                check(value)
            except (ValueError, ScoopError) as error:
                report.add((written,), str(error).removeprefix(f"{name}: "))
            yield name, value


Fields = Mapping[str, tuple[str, Any]]
"""By the usual name: the name as written, and the value."""


def _named(data: Mapping[Any, Any], path: FieldPath, names: Collection[str], report: _Report) -> Fields:
    """The fields by their usual names; unknown ones are reported."""
    fields: dict[str, tuple[str, Any]] = {}
    for written, value in data.items():
        usual = _CAPITAL.sub("_", str(written)).lower().replace("-", "_")
        name = usual if usual in names else _OTHER_NAMES.get(usual, usual)
        if str(written).startswith("$"):
            continue  # "$schema", which editors use
        if name not in names:
            report.add((*path, str(written)), _unknown(name, names))
        elif name in fields:
            report.add((*path, str(written)), f"{fields[name][0]} says the same; keep one of the two")
        else:
            fields[name] = (str(written), value)
    return fields


def _unknown(name: str, names: Collection[str]) -> str:
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
    return f"unknown field; {hint}"


def _whole_number(fields: Fields, name: str, default: int, bounds: tuple[int, int], report: _Report) -> int:
    written, value = fields.get(name, (name, default))
    low, high = bounds
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        limit = "max_articles" if name == "min_articles" else ""
        report.add((written,), f"{_shown(value)} must be a whole number from {low} to {high}{limit and f' ({limit})'}")
        return default
    return value


def _topics(fields: Fields, report: _Report) -> Iterator[Interest]:
    written, values = fields.get("topics", ("topics", None))
    if not isinstance(values, list | tuple) or not 1 <= len(values) <= MAX_TOPICS:
        count = f"there are {len(values)}" if isinstance(values, list | tuple) else "there is no list of them"
        report.add((written,), f"{count}; give 1 to {MAX_TOPICS} topics")
        return
    seen: dict[str, int] = {}
    for number, value in enumerate(values):
        interest = _topic(value, (written, number), report)
        key = text.normalized(interest.topic)
        if key and key in seen:
            report.add((written, number), f"{interest.topic!r} is also topic {seen[key] + 1}; remove or rename one")
        seen.setdefault(key, number)
        yield interest


def _topic(value: Any, path: FieldPath, report: _Report) -> Interest:
    if isinstance(value, str):
        value = {"topic": value}
    if not isinstance(value, Mapping):
        report.add(path, f"{_shown(value)} must be a table with `topic`, or a string")
        return Interest(topic="")
    fields = _named(value, path, _TOPIC_FIELDS, report)
    written, name = fields.get("topic", ("topic", ""))
    description_field, description = fields.get("description", ("description", ""))
    return Interest(
        topic=_line_of_text(name, (*path, written), (1, MAX_TOPIC_CHARACTERS), report),
        aliases=tuple(_aliases(fields, path, report)),
        priority=_priority(fields, path, report),
        description=_line_of_text(description, (*path, description_field), (0, MAX_DESCRIPTION_CHARACTERS), report),
    )


def _priority(fields: Fields, path: FieldPath, report: _Report) -> Priority:
    written, value = fields.get("priority", ("priority", "medium"))
    for priority in WEIGHTS:
        if isinstance(value, str) and value.strip().lower() == priority:
            return priority
    report.add((*path, written), f"{_shown(value)} must be one of {', '.join(WEIGHTS)}")
    return "medium"


def _aliases(fields: Fields, path: FieldPath, report: _Report) -> Iterator[str]:
    written, values = fields.get("aliases", ("aliases", []))
    if not isinstance(values, list | tuple):
        report.add((*path, written), f'{_shown(values)} must be a list of strings, as ["golang"]')
        return
    if len(values) > MAX_ALIASES:
        report.add((*path, written), f"there are {len(values)}; {MAX_ALIASES} is the most")
    seen: set[str] = set()
    for number, value in enumerate(values):
        alias = _line_of_text(value, (*path, written, number), (1, MAX_ALIAS_CHARACTERS), report)
        if text.normalized(alias) not in seen:
            yield alias
        seen.add(text.normalized(alias))


def _line_of_text(value: Any, path: FieldPath, bounds: tuple[int, int], report: _Report) -> str:
    low, high = bounds
    if not isinstance(value, str):
        report.add(path, f"{_shown(value)} must be a string in quotes")
        return ""
    line = text.one_line(value)
    if not low <= len(line) <= high:
        size = "it is empty" if not line else f"it has {len(line)} characters"
        report.add(path, f"{size}; give {low} to {high} characters")
    return line


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."  # a glance is enough
