"""Where a name occurs in a text."""

from dataclasses import dataclass

from scoop.core.mentions import ToolNames


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A name of a tool, as it was registered and as it is looked for; `is_ordinary`: it is also a word or a person."""

    tool: ToolNames
    written: str
    folded: str
    is_ordinary: bool


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An alias at its place in the folded text."""

    start: int
    end: int
    alias: Alias
