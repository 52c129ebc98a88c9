"""`scoop stats`: counts of everything in the database."""

import click

from scoop.cli import console, runtime
from scoop.config import Config


@click.command()
@console.as_json
@click.pass_obj
def command(config: Config, as_json: bool) -> None:
    """Count sources, runs, arrivals, documents, stories and decisions.

    \b
    Example:
      scoop stats --json
    """
    runtime.run(_show(config, as_json=as_json))


async def _show(config: Config, *, as_json: bool) -> None:
    from scoop.store.reads import stats as stats_reads

    async with runtime.open_connection(config) as conn:
        stats = await stats_reads.get_stats(conn)
    if as_json:
        console.print_json(stats)
        return
    names = ("sources", "runs", "arrivals", "refused", "documents", "stories", "merged_stories", "members", "events")
    rows = [(name.replace("_", " "), getattr(stats, name)) for name in names]
    console.print_table(("what", "count"), rows, empty="", counts=["count"])
    console.print_table(
        ("collection", "arrivals", "documents", "stories"),
        [(c.collection, c.arrivals, c.documents, c.stories) for c in stats.collections],
        empty="nothing has arrived yet; `scoop sources add URL` adds a source",
        counts=["arrivals", "documents", "stories"],
    )
    if stats.match_types:
        console.print_table(("joined by", "documents"), list(stats.match_types.items()), empty="", counts=["documents"])
