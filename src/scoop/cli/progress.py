"""Progress of long work: bars on a terminal, silence otherwise (the logs tell)."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Report = Callable[[str, int], None]


@contextmanager
def items(what: str) -> Iterator[Callable[[int], None]]:
    """A counter of items with their rate."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    with _display() as display:
        task = display.add_task(what, total=None)
        yield lambda count: display.advance(task, count)


@contextmanager
def stages() -> Iterator[Report]:
    """A counter for each stage, which appears when the stage first did something."""
    if not sys.stderr.isatty():
        yield lambda _stage, _done: None
        return
    with _display() as display:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int) -> None:
            if stage not in tasks:
                tasks[stage] = display.add_task(stage, total=None)
            display.advance(tasks[stage], done)

        yield report


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
