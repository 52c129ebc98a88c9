"""`scoop runs`: what was gathered when."""

import click

from scoop.cli import edge
from scoop.config import Config


@click.command()
@click.option("--source", help="Only runs of this source.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many at most.")
@edge.as_json
@click.pass_obj
def command(config: Config, source: str | None, limit: int, as_json: bool) -> None:
    """The latest runs of sources and ingests.

    \b
    Examples:
      scoop runs
      scoop runs --source coastal_tribune --json
    """
    edge.run(_show(config, source, limit, as_json=as_json))


async def _show(config: Config, source: str | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import runs

    async with edge.reading(config) as conn:
        found = await runs.latest(conn, source=source, limit=limit)
    if as_json:
        edge.print_json(found)
        return
    edge.print_table(
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
            for r in found
        ],
        empty="nothing has run yet",
        wide="problem",
    )
