"""Decisions about tools: valid names, slugs, categories, who an alias belongs to, what a merge may join."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from scoop.core import text
from scoop.errors import Conflict, UsageError

ToolStatus = Literal["active", "archived"]
ToolOrigin = Literal["person", "candidate", "starter", "demo"]
MAX_NAME = 100
MAX_ALIASES = 50
MAX_CATEGORIES = 5
MAX_CONTEXT_WORDS = 50
MAX_SLUG = 64
AUDITED = ("name", "slug", "vendor", "categories", "aliases", "context_words", "status")
_SLUG = re.compile(r"^[a-z0-9_]{1,64}$")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SIGNS = {"+": " plus ", "#": " sharp "}  # C++ and C# must not both be c


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What people set of a tool."""

    slug: str
    name: str
    vendor: str = ""
    categories: tuple[str, ...] = ("other",)
    aliases: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()
    status: ToolStatus = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ToolSettings):
    """A tool; `merged_into` is the number of the tool that its mentions count for."""

    tool_number: int
    tool_id: UUID
    merged_into: int | None = None
    origin: ToolOrigin = "person"

    @property
    def is_active(self) -> bool:
        return self.status == "active" and self.merged_into is None


def slug_of(name: str) -> str:
    """A slug for a name: `VS Code` is vs_code, `C++` is c_plus_plus."""
    folded = text.normalized(name)
    for sign, word in _SIGNS.items():
        folded = folded.replace(sign, word)
    slug = _NOT_SLUG.sub("_", folded).strip("_")[:MAX_SLUG].strip("_")
    return slug or f"tool_{sum(map(ord, name)) % 100_000}"


def name_key(name: str) -> str:
    """A name as it is compared: two names with the same key are the same name."""
    return text.normalized(name)


def checked(settings: ToolSettings) -> ToolSettings:
    """The settings with names on one line and without repetitions; UsageError says what is wrong."""
    name = _one_name(settings.name, "name")
    if not _SLUG.match(settings.slug):
        raise UsageError(f"slug: {settings.slug!r} must be 1 to 64 of a-z, 0-9 and _")
    return ToolSettings(
        slug=settings.slug,
        name=name,
        vendor=text.one_line(settings.vendor)[:MAX_NAME],
        categories=_categories(settings.categories),
        aliases=_names(settings.aliases, "aliases", MAX_ALIASES),
        context_words=_names(settings.context_words, "context_words", MAX_CONTEXT_WORDS),
        status=settings.status,
    )


def _categories(given: Sequence[str]) -> tuple[str, ...]:
    found = _names(given, "categories", MAX_CATEGORIES)
    if not found:
        raise UsageError("categories: a tool needs one to five, as editor")
    return found


def _names(given: Iterable[str], field: str, most: int) -> tuple[str, ...]:
    by_key = {name_key(each): _one_name(each, field) for each in given}
    if len(by_key) > most:
        raise UsageError(f"{field}: {len(by_key)} are too many, at most {most}")
    return tuple(by_key.values())


def _one_name(given: str, field: str) -> str:
    name = text.one_line(given)
    if not name_key(name):
        raise UsageError(f"{field}: a name must have a visible character")
    if len(name) > MAX_NAME:
        raise UsageError(f"{field}: {name[:20]!r}... has {len(name)} characters, at most {MAX_NAME}")
    return name


def check_names(tool: ToolSettings, others: Sequence[Tool], *, number: int | None = None) -> None:
    """Conflict if the name or an alias of a tool belongs to another tool, or would lead back to the tool itself."""
    own = name_key(tool.name)
    owner_by_key = {key: other for other in others for key in _keys(other)}
    if own in owner_by_key:
        raise Conflict(f"the name {tool.name!r} belongs to the tool {owner_by_key[own].slug}")
    if any(other.slug == tool.slug for other in others):
        raise Conflict(f"the slug {tool.slug} is taken: choose another")
    for alias in tool.aliases:
        key = name_key(alias)
        if key == own:
            raise Conflict(f"the alias {alias!r} is the name of the tool itself: {chain_text([tool.name, tool.name])}")
        if (owner := owner_by_key.get(key)) is not None:
            raise _belongs(tool, alias, owner, others, number=number)


def _keys(tool: ToolSettings) -> Iterator[str]:
    yield name_key(tool.name)
    yield from map(name_key, tool.aliases)


def _belongs(tool: ToolSettings, alias: str, owner: Tool, others: Sequence[Tool], *, number: int | None) -> Conflict:
    """The refusal of an alias that another tool has; with the chain if the other tool leads to this one or back."""
    by_number = {other.tool_number: other for other in others}
    if number is not None and (leading := _chain(owner, by_number, to=number)) is not None:
        names = [tool.name, *(each.name for each in leading), tool.name]
        return Conflict(f"the alias {alias!r} would make a cycle: {chain_text(names)}")
    start = next((each for each in others if each.tool_number == _merged_into(tool)), None)
    if start is not None and (following := _chain(start, by_number, to=owner.tool_number)) is not None:
        names = [tool.name, *(each.name for each in following), owner.name, tool.name]
        return Conflict(f"the alias {alias!r} would make a cycle: {chain_text(names)}")
    return Conflict(f"the alias {alias!r} belongs to the tool {owner.slug}; merge the tools if they are one")


def _merged_into(tool: ToolSettings) -> int | None:
    return tool.merged_into if isinstance(tool, Tool) else None


def _chain(start: Tool, by_number: Mapping[int, Tool], *, to: int) -> list[Tool] | None:
    """The tools from `start` through its merges, before the one numbered `to`; None if it does not lead there."""
    found: list[Tool] = []
    at: Tool | None = start
    while at is not None and at.tool_number != to:
        if at in found:
            return None
        found.append(at)
        if at.merged_into == to:
            return found
        at = by_number.get(at.merged_into) if at.merged_into is not None else None
    return found if at is not None else None


def check_merge(source: Tool, target: Tool, tools: Sequence[Tool]) -> None:
    """Conflict if a merge would join a tool with itself, a merged tool, or lead back to where it began."""
    by_number = {tool.tool_number: tool for tool in tools}
    if source.tool_number == target.tool_number:
        raise Conflict(f"a tool cannot be merged into itself: {chain_text([source.name, source.name])}")
    if (leading := _chain(target, by_number, to=source.tool_number)) is not None:
        names = [source.name, *(each.name for each in leading), source.name]
        raise Conflict(f"the merge would make a cycle: {chain_text(names)}")
    if source.merged_into is not None:
        into = by_number[source.merged_into]
        raise Conflict(f"{source.slug} is merged into {into.slug} already; undo that merge first")


def root_of(tool: Tool, tools: Sequence[Tool]) -> Tool:
    """The tool that the mentions of a tool count for."""
    by_number = {each.tool_number: each for each in tools}
    while tool.merged_into is not None:
        tool = by_number[tool.merged_into]
    return tool


def differences(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """What a change of the audit log changed: `vendor: Acme → Apex`, `aliases: + Golang, - tsk`."""
    if before is None or after is None:
        return []
    names = [name for name in AUDITED if before.get(name) != after.get(name)]
    return [f"{name.replace('_', ' ')}: {_difference(before.get(name), after.get(name))}" for name in names]


def _difference(before: Any, after: Any) -> str:
    if isinstance(before, list) and isinstance(after, list):
        added = [f"+ {each}" for each in after if each not in before]
        return ", ".join([*added, *(f"- {each}" for each in before if each not in after)]) or "in another order"
    return f"{before or 'none'} → {after or 'none'}"


def chain_text(names: Sequence[str]) -> str:
    """`a → b → a`."""
    return " → ".join(names)
