"""Questions about tools: which tools a question names, and the facts that may answer it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoop.core import text
from scoop.core.sentiment_cache import Aggregate, percentages
from scoop.core.tools import Tool, name_key

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
    """The tools whose name or alias is in a question."""
    asked = text.normalized(question)
    return [tool for tool in tools if any(_has(asked, name) for name in (tool.name, *tool.aliases))]


def _has(asked: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name_key(name))}(?!\w)", asked) is not None


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
