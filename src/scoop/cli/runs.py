"""`scoop runs`: the runs of sources and ingests."""

import sys

import click

from scoop.cli import console, runtime
from scoop.config import Config


@click.command()
@click.option("--source", help="Only runs of this source.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Maximum number.")
@click.option("--log", "log_of", type=console.ID, metavar="RUN", help="Print the log of this run, as JSON lines.")
@console.as_json
@click.pass_obj
def command(config: Config, source: str | None, limit: int, log_of: int | None, as_json: bool) -> None:
    """List the latest runs of sources and ingests.

    \b
    Examples:
      scoop runs
      scoop runs --source coastal_tribune --json
      scoop runs --log 42
    """
    if log_of is not None:
        sys.stdout.buffer.write(runtime.run(_log(config, log_of)))
        return
    runtime.run(_show(config, source, limit, as_json=as_json))


async def _log(config: Config, run_id: int) -> bytes:
    from scoop.app import open_archive
    from scoop.store import runs

    async with runtime.open_connection(config) as conn:
        key = await runs.log_key(conn, run_id)
    return (await open_archive(config).get(key)).data


async def _show(config: Config, source: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.actions import filters
    from scoop.store import runs

    async with runtime.open_connection(config) as conn:
        await filters.check_source(conn, source)
        listed = await runs.latest(conn, source=source, limit=limit)
    if as_json:
        console.print_json(listed)
        return
    console.print_table(
        ("run", "started", "source", "status", "read", "new", "bad", "problem"),
        [
            (
                r.run_id,
                r.started_at,
                r.source,
                r.status,
                r.items_fetched,
                r.items_inserted,
                r.items_failed,
                r.error_message or "",
            )
            for r in listed
        ],
        empty="There are no runs yet.",
    )
