"""Documents searched a second on one core for 10,000 aliases, and the share of the bare automaton's speed.

python bench/mentions.py FILE...

FILEs have one JSON object per line with `text`. Rates are per second of CPU time, both in one run.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import ahocorasick

from common import figure
from scoop.core.levels import vocabulary
from scoop.core.mentions import ToolNames, matcher
from scoop.evaluation import datasets

ALIASES = 10_000
NAMES = ("Docker", "GitHub", "Python", "Go", "C", "R", "Slack", "Spring", "Apple", "Amazon", "Java", "React", "Word")


def tools() -> list[ToolNames]:
    """Real names, and rare words of the vocabulary as the names of others."""
    rare = [word for word in vocabulary._table() if word.isalpha() and len(word) > 5][-ALIASES:]
    names = list(dict.fromkeys([*NAMES, *(f"{word.title()}ify" for word in rare)]))[:ALIASES]
    return [ToolNames(tool_id=name, name=name) for name in names]


def rate(texts: list[str], search: Callable[[str], Any]) -> float:
    began = time.process_time()
    for text in texts:
        search(text)
    return len(texts) / (time.process_time() - began)


def main() -> None:
    texts: list[str] = []
    for file in sys.argv[1:]:
        with datasets.opened(file) as stream:
            texts += [json.loads(line)["text"] for line in stream]
    bare = ahocorasick.Automaton()
    every = tools()
    for tool in every:
        bare.add_word(tool.name.lower(), tool.tool_id)
    bare.make_automaton()
    prepared = matcher.build(every)
    floor = rate(texts, lambda text: sum(1 for _ in bare.iter(text.lower())))
    found = rate(texts, prepared.find)
    size = sum(map(len, texts)) / len(texts)
    figure("documents searched for mentions", found, "1/s", aliases=len(every), characters=round(size))
    figure("share of the bare automaton", found / floor, "1")


if __name__ == "__main__":
    main()
