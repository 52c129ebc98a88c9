"""`scoop alerts`: what an operator should look at."""

import click

from scoop.cli import console, runtime
from scoop.config import Config


@click.command()
@click.option("--all", "with_resolved", is_flag=True, help="Those that are over, too.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many at most.")
@console.as_json
@click.pass_obj
def command(config: Config, with_resolved: bool, limit: int, as_json: bool) -> None:
    """What an operator should look at: sources that died or went quiet.

    A source has died when it failed for a day, or said that it is gone; it is quiet when it has told nothing new for
    two weeks. An alert ends by itself when the source recovers.

    \b
    Examples:
      scoop alerts
      scoop alerts --all --json
    """
    runtime.run(_show(config, with_resolved, limit, as_json=as_json))


async def _show(config: Config, with_resolved: bool, limit: int, *, as_json: bool) -> None:
    from scoop.store import alerts

    async with runtime.open_connection(config) as conn:
        found = await alerts.latest(conn, with_resolved=with_resolved, limit=limit)
    if as_json:
        console.print_json(found)
        return
    console.print_table(
        ("since", "alert", "until", "what happened"),
        [(alert.raised_at, alert.kind.replace("_", " "), alert.resolved_at, alert.message) for alert in found],
        empty="all is well",
    )
