"""`scoop refused`: items that did not pass the door."""

import click

from scoop.cli import edge
from scoop.config import Config

SHOWN_BYTES = 2000


@click.command()
@click.option("--run", "run_id", type=int, help="Only what this run refused.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many at most.")
@edge.as_json
@click.pass_obj
def command(config: Config, run_id: int | None, limit: int, as_json: bool) -> None:
    """Items that were refused, with place and reason.

    Each is kept as it came; mend it and ingest it again.

    \b
    Examples:
      scoop refused
      scoop refused --run 7 --json
    """
    edge.run(_show(config, run_id, limit, as_json=as_json))


async def _show(config: Config, run_id: int | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import arrivals

    async with edge.reading(config) as conn:
        found = await arrivals.refused(conn, run_id=run_id, limit=limit)
    if as_json:
        edge.print_json(
            [
                {
                    "run_id": r.run_id, "input": r.input, "line": r.line, "path": r.path, "reason": r.reason,
                    "refused_at": r.refused_at, "item": r.raw_item[:SHOWN_BYTES].decode("utf-8", "replace"),
                }
                for r in found
            ]
        )  # fmt: skip
        return
    edge.print_table(
        ("run", "input", "line", "path", "reason"),
        [(r.run_id, r.input, r.line, r.path, r.reason) for r in found],
        empty="nothing was refused",
        wide="reason",
    )
