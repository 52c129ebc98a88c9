"""Runs one stage, for `scoop normalize`, `scoop dedup` and `scoop assign-topics`."""

import click

from scoop.cli import console, progress, runtime
from scoop.config import Config


async def run_stage(config: Config, name: str, limit: int | None) -> int:
    from scoop import worker
    from scoop.app import open_app
    from scoop.stages.stage import Worker
    from scoop.store import work

    stop = runtime.stop_on_signal()
    async with open_app(config) as app, app.database.connection() as conn:
        stage = next(stage for stage in app.stages if stage.name == name)
        this_worker = Worker(await work.register_worker(conn), conn)
        await work.release_orphans(conn)
        with progress.stages() as report:
            return await worker.drain(stage, this_worker, stop=stop, report=report, limit=limit)


def print_done(stage: str, done: int, *, as_json: bool) -> None:
    if as_json:
        console.print_json({"stage": stage, "done": done})
    else:
        click.echo(f"{stage} {done:,}")
