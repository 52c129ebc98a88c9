"""Questions about tools: which tools a question names, and the facts that may answer it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoop.core.mentions import ToolNames, folding, matcher
from scoop.core.sentiment_cache import Aggregate, percentages
from scoop.core.tools import Tool, root_of

MAX_QUESTION = 500  # characters
MAX_TOOLS = 5
MAX_PASSAGES = 3  # of a tool and label
COMPARED_HOURS = ((24, "24 hours"), (168, "7 days"), (720, "30 days"))
WINDOWS = (24, 48, 168, 336, 720)  # the windows, and those that have the window before in them
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFact:
    """Something that an answer may rest on, with where to read it."""

    number: int
    title: str
    text: str
    url: str
    publisher: str = ""


def named_tools(question: str, tools: Sequence[Tool]) -> list[Tool]:
    """The active tools that a question names, in its order; a merged one is the tool that its mentions count for.

    Of names that overlap the longest counts, in any script. An ordinary word, as Go or Slack, is a name if it is
    written like one; in a question without another name it is one however it is written.
    """
    active = {tool.tool_number: root for tool in tools if (root := root_of(tool, tools)).is_active}
    names = [
        ToolNames(tool_id=str(tool.tool_number), name=tool.name, aliases=tool.aliases)
        for tool in tools
        if tool.tool_number in active and tool.status == "active"
    ]
    found = list(_names_in(question, names)) if names else []
    sure = [number for number, is_sure in found if is_sure]
    return list({active[number].tool_number: active[number] for number in sure or [each for each, _ in found]}.values())


def _names_in(question: str, names: Sequence[ToolNames]) -> Iterator[tuple[int, bool]]:
    """The numbers of the tools that are named, each with whether the word can be nothing else."""
    folded = folding.fold(question)
    for found in matcher.build(names).occurrences(folded):
        start, end = matcher.place(question, folded, found)
        is_sure = not found.alias.is_ordinary or question[start:end] == found.alias.written
        yield int(found.alias.tool.tool_id), is_sure


def numbers_text(by_hours: Mapping[int, Aggregate]) -> str:
    """The numbers of a tool in sentences, each window with the one before it."""
    return "\n".join(_window_text(name, by_hours[hours], by_hours.get(2 * hours)) for hours, name in COMPARED_HOURS)


def _window_text(name: str, now: Aggregate, both: Aggregate | None) -> str:
    positive, negative, neutral = percentages(now.positive_count, now.negative_count, now.neutral_count)
    line = (
        f"Last {name}: {now.total} mentions in {now.story_count} stories of {now.publisher_family_count} publishers; "
        f"{positive} % positive, {neutral} % neutral, {negative} % negative; average {_average(now):+z.2f}."
    )
    if both is None:
        return line
    before = Aggregate(
        positive_count=both.positive_count - now.positive_count,
        negative_count=both.negative_count - now.negative_count,
        neutral_count=both.neutral_count - now.neutral_count,
        compound_sum=both.compound_sum - now.compound_sum,
    )
    return f"{line} The {name} before: {before.total} mentions, average {_average(before):+z.2f}."


def _average(aggregate: Aggregate) -> float:
    return aggregate.compound_sum / aggregate.total if aggregate.total else 0.0


def foreign_numbers(answer: str, sources: Sequence[str]) -> list[str]:
    """The numbers of an answer that no source has."""
    known = {number for source in sources for number in _NUMBER.findall(source)}
    return [number for number in _NUMBER.findall(answer) if number not in known]
