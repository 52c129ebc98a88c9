"""`scoop metrics`: what the desk has counted."""

import click

from scoop.cli import console, runtime
from scoop.config import Config


@click.command()
@console.as_json
@click.pass_obj
def command(config: Config, as_json: bool) -> None:
    """Print the metrics of the desk in the text format of Prometheus.

    They are the same as at /metrics of the web page: counters of all processes since the desk was set up. Each process
    adds its counts every five seconds.

    \b
    Examples:
      scoop metrics
      scoop metrics --json
    """
    runtime.run(_show(config, as_json=as_json))


async def _show(config: Config, *, as_json: bool) -> None:
    from scoop import metrics
    from scoop.core import prometheus_text
    from scoop.store import metrics as store

    async with runtime.open_connection(config) as conn:
        families = metrics.families(await store.list_samples(conn))
    if as_json:
        console.print_json(families)
    else:
        click.echo(prometheus_text.render(families), nl=False)
