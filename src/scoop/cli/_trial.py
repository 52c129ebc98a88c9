"""Shared parts of `scoop evaluate` and `scoop replay`, which run in a scratch database."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from scoop.cli import progress, runtime
from scoop.core import text
from scoop.errors import ScoopError

if TYPE_CHECKING:
    from scoop.evaluation.scratch import GroupDifference

SHOWN_CHARACTERS = 100  # of a title


@contextmanager
def watched() -> Iterator[tuple[asyncio.Event, progress.Reporter]]:
    """A stop event set by signals, and a progress report; an interrupted run ends without an error message."""
    stop = runtime.stop_on_signal()
    try:
        with progress.stages(progress.Summaries) as report:
            yield stop, report
    except ScoopError:
        if stop.is_set():  # Ctrl-C also reaches the database server: its errors are only a consequence
            raise click.Abort from None
        raise


def show_difference(heading: str, difference: "GroupDifference", *, one: str = "story", many: str = "stories") -> None:
    """Print a join or split with titles; `one` and `many` are the names of the groups."""
    summary = (
        f"{difference.documents:,} documents of {difference.parts:,} {many} became one"
        if difference.kind == "join"
        else f"a {one} of {difference.documents:,} documents became {difference.parts:,}"
    )
    click.echo(f"\n{heading}: {summary}")
    for title in difference.titles:
        click.echo(f"  {line(title)}")


def line(title: str) -> str:
    """An untrusted title on one line, without control characters."""
    return text.truncated(text.one_line(title), SHOWN_CHARACTERS)
