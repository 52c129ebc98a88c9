"""The task `mentions`: find tools in labelled texts, and measure how exact the ranges are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from scoop.core.item_stream import split_items
from scoop.core.mentions import ToolNames, matcher
from scoop.core.mentions.matcher import Matcher
from scoop.errors import InputError, UsageError
from scoop.evaluation import datasets
from scoop.evaluation.tasks import EvaluationTask

Range = tuple[int, int]
Named = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionRow:
    """A text with its mentions as [start, end, tool]; without them a row is not measured.

    Predictions that overlap `ignore` and hit no mention count as neither right nor wrong.
    """

    id: str | int
    text: str
    mentions: tuple[Named, ...] | None = None
    ignore: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToolRow:
    tool: str
    name: str
    aliases: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()


def task(tools_file: str | None) -> EvaluationTask:
    """The task for the tools of a file."""
    if tools_file is None:
        raise UsageError("--task mentions needs --tools FILE, the tools with their aliases")
    return EvaluationTask(
        read=rows, predict=partial(predict, matcher=matcher.build(tools(tools_file))), measure=measure
    )


def rows(file: str) -> list[MentionRow]:
    return _read(file, MentionRow)


def tools(file: str) -> list[ToolNames]:
    """The tools of a file: one JSON object per line with `tool`, `name` and `aliases`."""
    return [
        ToolNames(tool_id=row.tool, name=row.name, aliases=row.aliases, context_words=row.context_words)
        for row in _read(file, _ToolRow)
    ]


def _read(file: str, kind: type[Any]) -> list[Any]:
    with datasets.opened(file) as stream:
        read = [datasets.decoded(piece, kind) for piece in split_items(stream)]
        if not read:
            raise InputError("the file has no rows")
    return read


def predict(rows: Sequence[MentionRow], *, matcher: Matcher) -> list[dict[str, Any]]:
    return [
        {"id": row.id, "mentions": [[each.start, each.end, each.tool_id] for each in matcher.find(row.text)]}
        for row in rows
    ]


def measure(rows: Sequence[MentionRow], predictions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Precision, recall and F1 of exact ranges with the right tool."""
    by_id = {one["id"]: one for one in predictions}
    labelled = [row for row in rows if row.mentions is not None]
    hits = gold = counted = 0
    for row in labelled:
        found = {(start, end, tool) for start, end, tool in by_id.get(row.id, {}).get("mentions", ())}
        real = set(row.mentions or ())
        hits += len(found & real)
        gold += len(real)
        counted += len(found & real) + sum(not _is_ignored(one, row.ignore) for one in found - real)
    precision, recall = hits / counted if counted else 0.0, hits / gold if gold else 0.0
    return {
        "n": len(labelled),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * hits / (counted + gold), 4) if counted + gold else 0.0,
        "gold": gold,
        "predicted": counted,
        "missing": sum(row.id not in by_id for row in labelled),
    }


def _is_ignored(found: Named, ignored: Sequence[Range]) -> bool:
    return any(start < found[1] and found[0] < end for start, end in ignored)
