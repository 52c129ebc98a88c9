"""`scoop alerts`: problems that an operator should look at."""

import click

from scoop.cli import console, runtime
from scoop.config import Config
from scoop.core.alerts import LEVELS
from scoop.model import AlertLevel


@click.command()
@click.option("--all", "with_resolved", is_flag=True, help="Include resolved alerts.")
@click.option("--level", type=click.Choice(LEVELS), help="Only alerts of this level.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Maximum number.")
@console.as_json
@click.pass_obj
def command(config: Config, with_resolved: bool, level: AlertLevel | None, limit: int, as_json: bool) -> None:
    """List problems that need attention: late digests, dead sources, failing articles.

    A source is dead when it failed for a day or answered that it is gone, and stale when it had nothing new for two
    weeks. The articles of a site are failing when more than 5 % of those of the last 24 hours, and at least two, could
    not be fetched or summarised. An alert is resolved when its cause ends.

    An alert is critical if something has stopped until a person acts, a warning if something is failing, else info.

    \b
    Examples:
      scoop alerts
      scoop alerts --level critical
      scoop alerts --all --json
    """
    runtime.run(_show(config, with_resolved, level, limit, as_json=as_json))


async def _show(config: Config, with_resolved: bool, level: AlertLevel | None, limit: int, *, as_json: bool) -> None:
    from scoop.store import alerts

    async with runtime.open_connection(config) as conn:
        listed = await alerts.latest(
            conn, with_resolved=with_resolved, levels=[level] if level else LEVELS, limit=limit
        )
    if as_json:
        console.print_json(listed)
        return
    console.print_table(
        ("since", "level", "alert", "until", "what happened"),
        [
            (alert.raised_at, alert.level, alert.kind.replace("_", " "), alert.resolved_at, alert.message)
            for alert in listed
        ],
        empty="There are no alerts.",
    )
