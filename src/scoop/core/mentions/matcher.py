"""Find tools by name: thousands of aliases in one pass over a text."""

import unicodedata
from collections.abc import Iterator, Sequence

import ahocorasick

from scoop.core.mentions import ToolMention, ToolNames, boundaries, context, folding
from scoop.core.mentions.folding import Folded
from scoop.core.mentions.occurrences import Alias, Occurrence

SHORT = 4  # signs; shorter names occur inside many words, so they are looked for with the sign before them
_BEFORE = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


class Matcher:
    """The names of all tools, prepared; safe to share between threads."""

    def __init__(self, aliases: Sequence[Alias]) -> None:
        self._of_ascii, self._of_any = ahocorasick.Automaton(), ahocorasick.Automaton()
        for alias in aliases:
            self._of_any.add_word(alias.folded, alias)
            for before in _BEFORE if _needs_start(alias.folded) else ("",):
                self._of_ascii.add_word(before + alias.folded, alias)
        self._of_ascii.make_automaton()
        self._of_any.make_automaton()
        self.is_empty = not aliases

    def find(self, text: str) -> list[ToolMention]:
        """The mentions in order; where names overlap, the longest one."""
        if self.is_empty:
            return []
        folded = folding.fold(text)
        every = self.occurrences(folded)
        found = [(each, *place(text, folded, each)) for each in every]
        return [
            ToolMention(start=start, end=end, tool_id=each.alias.tool.tool_id, alias=each.alias.written)
            for each, start, end in found
            if not each.alias.is_ordinary or context.is_tool(text, start, end, each, every)
        ]

    def occurrences(self, folded: Folded) -> list[Occurrence]:
        """All names that stand alone, whether they mean the tool or not; of those that overlap, the longest."""
        return _longest(list(self._occurrences(folded.text)))

    def _occurrences(self, folded: str) -> Iterator[Occurrence]:
        of_ascii = folded.isascii()
        hits = self._of_ascii.iter(" " + folded) if of_ascii else self._of_any.iter(folded)
        for last, alias in hits:
            end = last if of_ascii else last + 1
            start = end - len(alias.folded)
            if boundaries.stands_alone(folded, start, end):
                yield Occurrence(start, end, alias)


def build(tools: Sequence[ToolNames]) -> Matcher:
    """A matcher for tools; a name that two tools have belongs to the first of them."""
    by_folded: dict[str, Alias] = {}
    names = [(tool.name, tool) for tool in tools]
    names += [(alias, tool) for tool in tools for alias in tool.aliases]
    for written, tool in names:
        folded = folding.name(written)
        if folded:
            by_folded.setdefault(
                folded, Alias(tool=tool, written=written, folded=folded, is_ordinary=context.is_ordinary(folded))
            )
    return Matcher(list(by_folded.values()))


def _needs_start(folded: str) -> bool:
    return len(folded) <= SHORT and folded[0].isascii() and folded[0].isalnum()


def _longest(occurrences: list[Occurrence]) -> list[Occurrence]:
    """Those that overlap none that is longer, in order."""
    if len(occurrences) < 2:
        return occurrences
    kept: list[Occurrence] = []
    for one in sorted(occurrences, key=lambda each: (each.start - each.end, each.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda each: each.start)


def place(text: str, folded: Folded, found: Occurrence) -> tuple[int, int]:
    """The range in the original, with the accents of its last letter."""
    end = folded.end(found.end)
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return folded.start(found.start), end
