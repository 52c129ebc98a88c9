"""`scoop worker`: work as a service."""

import asyncio
import os
import sys
from contextlib import suppress
from typing import Any

import click
import msgspec

from scoop.cli import progress, runtime
from scoop.config import Config


@click.command()
@click.option(
    "--processes", type=click.IntRange(1, 64), help="How many processes work (default: the setting `processes`)."
)
@click.option("--until-idle", is_flag=True, help="Exit when nothing is due.")
@click.option("--stage", "stages", multiple=True, help="Only this stage, as embed; may be given several times.")
@click.option(
    "--member", is_flag=True, hidden=True, help="Be one of a crew: report on standard output, end with the parent."
)
@click.pass_obj
def command(config: Config, processes: int | None, until_idle: bool, stages: tuple[str, ...], member: bool) -> None:
    """Work on what is due, as a service without the web page.

    Start it on as many machines as you like: all of them share the one queue. SIGTERM and Ctrl-C let it finish what it
    has in hand.

    \b
    Examples:
      scoop worker
      scoop worker --processes 8
      scoop worker --stage embed       on the machine that has the power for it
    """
    if member:
        runtime.run_logged(config, _be_member(config, until_idle=until_idle, stages=stages))
    else:
        runtime.run_logged(config, _lead(config, processes or config.processes, until_idle=until_idle, stages=stages))


async def _lead(config: Config, processes: int, *, until_idle: bool, stages: tuple[str, ...]) -> None:
    from scoop import worker
    from scoop.app import open_database

    stop = runtime.stop_on_signal()
    with progress.stages() as report:
        async with open_database(config):
            await worker.run_supervised(processes, stop=stop, until_idle=until_idle, report=report, stages=stages)


async def _be_member(config: Config, *, until_idle: bool, stages: tuple[str, ...]) -> None:
    from scoop import worker
    from scoop.app import open_app

    stop = runtime.stop_on_signal()
    watch = asyncio.create_task(_stop_with_parent(stop))
    async with open_app(config, name="scoop worker", only=stages) as app:
        await worker.run(app, stop=stop, until_idle=until_idle, report=ToParent())
    watch.cancel()


async def _stop_with_parent(stop: asyncio.Event) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()
    stop.set()


class ToParent:
    """Reports as JSON on standard output, one a line."""

    def __call__(self, stage: str, done: int, /) -> None:
        _write({"stage": stage, "done": done})

    def message(self, line: str) -> None:
        _write({"line": line})


def _write(message: dict[str, Any]) -> None:
    with suppress(BrokenPipeError):  # the parent is gone: its end of standard input tells us to stop
        os.write(sys.stdout.fileno(), msgspec.json.encode(message) + b"\n")
