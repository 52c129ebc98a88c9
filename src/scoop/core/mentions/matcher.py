"""Find tools by name: thousands of aliases in one pass over a text."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

import ahocorasick

from scoop.core.mentions import ToolMention, ToolNames, boundaries, context, folding
from scoop.core.mentions.folding import Folded
from scoop.core.mentions.occurrences import Alias, Occurrence


class Matcher:
    """The names of all tools, prepared; safe to share between threads."""

    def __init__(self, aliases: Sequence[Alias]) -> None:
        """ASCII names are looked for between spaces, all others everywhere, as many may touch other words."""
        self._beyond_ascii, self._of_ascii = ahocorasick.Automaton(), ahocorasick.Automaton()
        by_key: defaultdict[str, list[tuple[int, Alias]]] = defaultdict(list)
        for alias in aliases:
            if alias.folded.isascii():
                key = boundaries.key(alias.folded)
                by_key[key].append((len(key) - alias.folded[0].isalnum(), alias))
            else:
                self._beyond_ascii.add_word(alias.folded, alias)
        for key, same in by_key.items():
            self._of_ascii.add_word(key, same)
        self._beyond_ascii.make_automaton()
        self._of_ascii.make_automaton()
        self.is_empty = not aliases

    def find(self, text: str) -> list[ToolMention]:
        """The mentions in order; where names overlap, the longest one."""
        if self.is_empty:
            return []
        folded = folding.fold(text)
        every = self.occurrences(folded)
        if not every:
            return []
        found = [(each, *place(text, folded, each)) for each in every]
        return [
            ToolMention(start=start, end=end, tool_id=each.alias.tool.tool_id, alias=each.alias.written)
            for each, start, end in found
            if not each.alias.is_ordinary or context.is_tool(text, start, end, each, every)
        ]

    def occurrences(self, folded: Folded) -> list[Occurrence]:
        """All names that stand alone, whether they mean the tool or not; of those that overlap, the longest."""
        hits = self._hits(folded.text)
        return _longest(list(_standing_alone(folded.text, hits))) if hits else []

    def _hits(self, folded: str) -> list[tuple[int, Alias]]:
        """Where names are, at least those that stand alone."""
        hits = []
        if self._of_ascii:
            for last, same in self._of_ascii.iter(boundaries.spaced(folded)):
                hits += [(last - back, alias) for back, alias in same if last >= back]
        if self._beyond_ascii and not folded.isascii():
            hits += [(last + 1 - len(alias.folded), alias) for last, alias in self._beyond_ascii.iter(folded)]
        return hits


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


def _standing_alone(folded: str, hits: Sequence[tuple[int, Alias]]) -> Iterator[Occurrence]:
    for start, alias in hits:
        end = start + len(alias.folded)
        if folded.startswith(alias.folded, start) and boundaries.stands_alone(folded, start, end):
            yield Occurrence(start, end, alias)


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
