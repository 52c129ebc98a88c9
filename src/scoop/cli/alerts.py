"""`scoop alerts`: problems that an operator should look at."""

import click

from scoop.cli import console, runtime
from scoop.config import Config


@click.command()
@click.option("--all", "with_resolved", is_flag=True, help="Include resolved alerts.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Maximum number.")
@console.as_json
@click.pass_obj
def command(config: Config, with_resolved: bool, limit: int, as_json: bool) -> None:
    """List problems that need attention: dead sources, late digests, missing posts.

    A source is dead when it failed for a day or answered that it is gone, and stale when it had nothing new for two
    weeks. An alert is resolved when its cause ends.

    \b
    Examples:
      scoop alerts
      scoop alerts --all --json
    """
    runtime.run(_show(config, with_resolved, limit, as_json=as_json))


async def _show(config: Config, with_resolved: bool, limit: int, *, as_json: bool) -> None:
    from scoop.store import alerts

    async with runtime.open_connection(config) as conn:
        listed = await alerts.latest(conn, with_resolved=with_resolved, limit=limit)
    if as_json:
        console.print_json(listed)
        return
    console.print_table(
        ("since", "alert", "until", "what happened"),
        [(alert.raised_at, alert.kind.replace("_", " "), alert.resolved_at, alert.message) for alert in listed],
        empty="There are no alerts.",
    )
