"""`scoop worker`: run stages as a service."""

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
@click.option("--processes", type=click.IntRange(1, 64), help="Number of processes (default: the setting `processes`).")
@click.option("--until-idle", is_flag=True, help="Exit when nothing is due.")
@click.option("--stage", "stages", multiple=True, help="Only this stage, e.g. embed; may be repeated.")
@click.option(
    "--member",
    is_flag=True,
    hidden=True,
    help="Run as a child process: report to the parent, exit with it.",
)
@click.pass_obj
def command(config: Config, processes: int | None, until_idle: bool, stages: tuple[str, ...], member: bool) -> None:
    """Run the stages as a service, without the web page.

    Start it on as many machines as you like: all of them share the one queue. On SIGTERM and Ctrl-C it finishes its
    current batches.

    \b
    Examples:
      scoop worker
      scoop worker --processes 8
      scoop worker --stage embed       on the machine with a GPU
    """
    if member:
        runtime.run_logged(config, _run_process(config, until_idle=until_idle, stages=stages))
    else:
        runtime.run_logged(
            config, _supervise(config, processes or config.processes, until_idle=until_idle, stages=stages)
        )


async def _supervise(config: Config, processes: int, *, until_idle: bool, stages: tuple[str, ...]) -> None:
    from scoop import worker
    from scoop.app import open_database

    stop = runtime.stop_on_signal()
    with progress.stages() as report:
        async with open_database(config):
            await worker.run_supervised(processes, stop=stop, until_idle=until_idle, report=report, stages=stages)


async def _run_process(config: Config, *, until_idle: bool, stages: tuple[str, ...]) -> None:
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
    """Reports as JSON lines on standard output."""

    def __call__(self, stage: str, done: int, /) -> None:
        _write({"stage": stage, "done": done})

    def message(self, line: str) -> None:
        _write({"line": line})


def _write(message: dict[str, Any]) -> None:
    with suppress(BrokenPipeError):  # the parent is gone: the end of standard input stops us
        os.write(sys.stdout.fileno(), msgspec.json.encode(message) + b"\n")
