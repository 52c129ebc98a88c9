"""Progress of long work: bars on a terminal, silence otherwise (the logs tell)."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def items(what: str) -> Iterator[Callable[[int], None]]:
    """A counter of items with their rate."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    with _display() as display:
        task = display.add_task(what, total=None)
        yield lambda count: display.advance(task, count)


class Silent:
    """Reports to nobody."""

    def __call__(self, _stage: str, _done: int, /) -> None: ...
    def message(self, _line: str) -> None: ...


class Bars:
    """A counter for each stage, which appears when the stage first did something; lines scroll by above."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, /) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._display.add_task(stage, total=None)
        self._display.advance(self._tasks[stage], done)

    def message(self, line: str) -> None:
        self._display.console.print(line, markup=False, highlight=False, overflow="ellipsis", no_wrap=True)


@contextmanager
def stages() -> Iterator[Silent | Bars]:
    """What the stages do, as they do it."""
    if not sys.stderr.isatty():
        yield Silent()
        return
    with _display() as display:
        yield Bars(display)


def _display() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = task.finished_speed or task.speed
            return Text(f"{rate:,.0f}/s" if rate else "")

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description:<12}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:>10,.0f}"),
        Rate(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=False,
    )
