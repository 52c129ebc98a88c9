"""`scoop run-once`: do all due work, then exit."""

from typing import TYPE_CHECKING

import click

from scoop.cli import console, progress, runtime
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.worker import Report


@click.command("run-once")
@click.option("--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of processes.")
@click.option("--publish", is_flag=True, help="Also make due digests, and send posts and webhooks.")
@console.as_json
@click.pass_obj
def command(config: Config, processes: int, publish: bool, as_json: bool) -> None:
    """Run all stages until nothing is due.

    Visits due sources, makes documents of arrivals, folds documents into stories and assigns stories to topics. Several
    may run at once, on several machines; after a kill the next run continues where this one stopped.

    \b
    Examples:
      scoop run-once
      scoop run-once --publish --processes 2
      */15 * * * * scoop run-once           (in a crontab)
    """
    done = runtime.run_logged(config, run_once(config, processes, publish=publish))
    if as_json:
        console.print_json(done)
    else:
        click.echo(", ".join(f"{stage} {count:,}" for stage, count in done.items()) or "nothing was due")


async def run_once(config: Config, processes: int, *, publish: bool) -> dict[str, int]:
    """Work until nothing is due; give the number of settled subjects per stage."""
    from scoop import pipeline, worker
    from scoop.app import open_app

    stop = runtime.stop_on_signal()
    with progress.stages() as watcher:
        report = Counting(watcher)
        async with open_app(config, without=() if publish else pipeline.PUBLISHING) as app:
            if processes == 1:
                await worker.run(app, stop=stop, until_idle=True, report=report)
            else:
                stages = [stage.name for stage in app.stages]
                await worker.run_supervised(processes, stop=stop, until_idle=True, report=report, stages=stages)
    return report.done


class Counting:
    """Counts the settled subjects per stage, and passes all reports on."""

    def __init__(self, watcher: "Report") -> None:
        self._watcher = watcher
        self.done: dict[str, int] = {}

    def __call__(self, stage: str, done: int, /) -> None:
        self.done[stage] = self.done.get(stage, 0) + done
        self._watcher(stage, done)

    def message(self, line: str) -> None:
        self._watcher.message(line)
