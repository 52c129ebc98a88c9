"""Progress of long work on standard error: steps, counters on a terminal, summaries elsewhere. -q hides it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from scoop.cli import console

SUMMARY_SECONDS = 10.0  # between two summaries where there is no terminal


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what begins, and how long it took: nobody should wait for seconds without knowing for what."""
    if console.is_quiet():
        yield
        return
    is_terminal = sys.stderr.isatty()
    click.echo(f"{what} ...", err=True, nl=not is_terminal)
    began = time.monotonic()
    is_done = False
    try:
        yield
        is_done = True
    finally:
        if is_terminal:
            click.echo(f" {time.monotonic() - began:.1f} s" if is_done else "", err=True)


@contextmanager
def items(what: str) -> Iterator[Callable[[int], None]]:
    """A counter of items with their rate."""
    if not sys.stderr.isatty() or console.is_quiet():
        yield lambda _count: None
        return
    with _display() as display:
        task = display.add_task(what, total=None)
        yield lambda count: display.advance(task, count)


class Silent:
    """Reports nothing: the logs say what failed, and cron mails whatever is printed."""

    def __call__(self, _stage: str, _done: int, /) -> None: ...
    def message(self, _line: str) -> None: ...
    def close(self) -> None: ...


class Summaries:
    """A line with the counts of all stages every few seconds, for services and pipes."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._printed_at = time.monotonic()
        self._is_new = False

    def __call__(self, stage: str, done: int, /) -> None:
        self._counts[stage] = self._counts.get(stage, 0) + done
        self._is_new = True
        if time.monotonic() - self._printed_at >= SUMMARY_SECONDS:
            self.close()

    def message(self, line: str) -> None:
        click.echo(line, err=True)

    def close(self) -> None:
        """Print what was counted since the last line."""
        if self._is_new:
            click.echo("done: " + ", ".join(f"{stage} {count:,}" for stage, count in self._counts.items()), err=True)
        self._printed_at, self._is_new = time.monotonic(), False


class Bars:
    """A counter for each stage, which appears when the stage first did something; messages scroll by above."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._tasks: dict[str, Any] = {}
        self._starting = display.add_task("starting", total=None)

    def __call__(self, stage: str, done: int, /) -> None:
        self._display.update(self._starting, visible=False)
        if stage not in self._tasks:
            self._tasks[stage] = self._display.add_task(stage, total=None)
        self._display.advance(self._tasks[stage], done)

    def message(self, line: str) -> None:
        self._display.console.print(line, markup=False, highlight=False, overflow="ellipsis", no_wrap=True)

    def close(self) -> None:
        self._display.update(self._starting, visible=False)


Reporter = Silent | Summaries | Bars


@contextmanager
def stages(elsewhere: type[Silent] | type[Summaries] = Silent) -> Iterator[Reporter]:
    """What the stages do, as they do it: bars on a terminal, `elsewhere` where there is none."""
    if console.is_quiet():
        yield Silent()
    elif sys.stderr.isatty():
        with _display() as display:
            yield from _closing(Bars(display))
    else:
        yield from _closing(elsewhere())


def _closing(reporter: Reporter) -> Iterator[Reporter]:
    try:
        yield reporter
    finally:
        reporter.close()


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
        TextColumn("{task.description:<13}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:>10,.0f}"),
        Rate(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=False,
    )
