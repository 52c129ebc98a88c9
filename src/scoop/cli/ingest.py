"""`scoop ingest`: fetch sources, or push a file of items."""

import asyncio
import sys
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from scoop.cli import console, progress, runtime
from scoop.config import Config
from scoop.core.display_names import counted
from scoop.errors import InputError

if TYPE_CHECKING:
    from scoop.app import App
    from scoop.worker import Report

TURN_SECONDS = 0.05


@click.command()
@click.option("--items", "file", metavar="FILE|-", help="A file of canonical v1 items, or - for standard input.")
@click.option("--source", "names", metavar="NAME|all", multiple=True, help="A source to fetch now; repeatable.")
@click.option("--force", is_flag=True, help="Fetch everything again, even if a server asked to wait.")
@console.as_json
@click.pass_obj
def command(config: Config, file: str | None, names: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Fetch sources, or push a file of items.

    A file holds canonical v1 items (`scoop schema item`): one JSON object, an array, or one object a line; gzip is
    recognised. Invalid items are kept apart with line, path and reason (`scoop refused`, at most 10,000 a file), the
    others enter the ledger. Pushing the same file again adds nothing.

    A named source is fetched now, even if it is not due and outside its windows. A server that asked to wait is not
    asked earlier, and an unchanged feed is not downloaded again; --force overrides both.

    \b
    Examples:
      scoop ingest --items news.ndjson.gz
      curl -s https://example.com/items.json | scoop ingest --items -
      scoop ingest --source all
      scoop ingest --source coastal_tribune --source stackwire
    """
    if (file is None) == (not names):
        raise click.UsageError("give either --items FILE or --source NAME")
    if file is not None and not config.np_write_raw_ledger:
        click.echo("nothing was written: the setting NP_WRITE_RAW_LEDGER is false", err=True)
        return
    if file is not None:
        refused = runtime.run_logged(config, _push(config, file, as_json=as_json))
        sys.exit(1 if refused else 0)
    failed = runtime.run_logged(config, _visit(config, None if "all" in names else names, force=force, as_json=as_json))
    sys.exit(1 if failed else 0)


async def _push(config: Config, file: str, *, as_json: bool) -> bool:
    """Push a file; True if any of it was refused or not read."""
    from scoop.app import open_database
    from scoop.stages.push import push

    with _opened(file) as stream, progress.items(f"reading {file}") as advance:
        async with open_database(config) as database:
            result = await push(database, stream, name=file, now=datetime.now(UTC), progress=advance)
    if as_json:
        console.print_json(result)
    else:
        read = counted(result.items, "item")
        click.echo(f"{read} read, {result.new:,} new, {result.refused:,} refused (run {result.run_id})")
    if result.problem:
        click.echo(f"scoop: {file}: {result.problem}", err=True)
    if result.refused:
        click.echo(f"scoop: list the refused items with their problems: scoop refused --run {result.run_id}", err=True)
    return bool(result.refused or result.problem)


def _opened(file: str) -> AbstractContextManager[IO[bytes]]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(file, "rb")
    except IsADirectoryError as error:
        raise InputError(f"{file} is a folder; give a file, or - for standard input") from error
    except OSError as error:
        raise InputError(f"cannot read {Path(file)}: {(error.strerror or str(error)).lower()}") from error


async def _visit(config: Config, slugs: tuple[str, ...] | None, *, force: bool, as_json: bool) -> bool:
    """Fetch sources now; True if any fetch failed."""
    from scoop.app import open_app
    from scoop.store import runs, sources

    stop = runtime.stop_on_signal()
    async with open_app(config, trigger="manual", force=force) as app, app.database.connection() as conn:
        named = await sources.list_ids(conn, slugs)
        resting = await sources.find_not_gathered(conn, named, gathers=app.modes.write_raw_ledger)
        if resting:
            skipped = counted(len(resting), "source")
            click.echo(f"{skipped} skipped: NP_WRITE_RAW_LEDGER is false for their topics", err=True)
        ids = [source_id for source_id in named if source_id not in resting]
        before = await runs.newest_id(conn)
        async with conn.transaction():  # another worker may make the visit: the run says that a person asked for it
            requested = await runs.request(conn, ids, now=datetime.now(UTC))
            await sources.enqueue_now(conn, ids, force=force)
        with progress.stages() as report:
            await _until_settled(app, ids, stop=stop, report=report)
        oldest = min([before, *(run.run_id - 1 for run in requested.values())])
        latest = await runs.latest(conn, after=oldest, limit=max(1, len(ids)))
        finished = [run for run in latest if run.status != "running"]
    if as_json:
        console.print_json(finished)
    else:
        rows = [
            (run.source, run.status, run.items_fetched, run.items_inserted, run.error_message or "") for run in finished
        ]
        columns = ("source", "status", "read", "new", "problem")
        console.print_table(columns, rows, empty="no source to fetch")
    return any(run.status == "failed" for run in finished)


async def _until_settled(app: "App", ids: list[int], *, stop: asyncio.Event, report: "Report") -> None:
    """Run the ingest stage until this process or another worker has fetched each source, within the rate limits."""
    from scoop import worker
    from scoop.stages.stage import Worker
    from scoop.store import sources, work

    async def loop() -> None:
        async with app.database.connection() as conn:
            me = Worker(await work.register_worker(conn), conn, report.message)
            while not stop.is_set() and await sources.count_pending(conn, ids):
                if not await worker.drain(app.stages[0], me, stop=stop, report=report):
                    await asyncio.sleep(TURN_SECONDS)

    await worker.run_loops(loop() for _ in range(worker.NETWORK_LOOPS))
