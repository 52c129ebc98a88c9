"""Mentions of tools in texts: `matcher.build()` prepares the names, `find()` returns exact ranges."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNames:
    """A tool with everything it is called; `context_words` near an ambiguous name speak for the tool."""

    tool_id: str
    name: str
    aliases: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMention:
    """A tool is named in `text[start:end]`, by this alias as it was registered."""

    start: int
    end: int
    tool_id: str
    alias: str
