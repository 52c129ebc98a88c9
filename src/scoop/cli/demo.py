"""`scoop demo`: the newsstand."""

from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.newsstand.installation import RemovedDemo


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """The newsstand: a small fictional world to try Scoop on.

    \b
    Examples:
      scoop demo newsstand                 serve it, to look at it in a browser
      scoop demo items | scoop ingest --items -
      scoop demo remove                    remove its sources and hide their stories
      scoop demo add                       bring it back
    """


@command.command()
@click.option("--port", type=click.IntRange(0, 65535), help="The port (default: the setting `newsstand_port`).")
@click.pass_obj
def newsstand(config: Config, port: int | None) -> None:
    """Serve the newsstand on the loopback address until Ctrl-C."""
    runtime.run(_serve(config, config.newsstand_port if port is None else port))


async def _serve(config: Config, port: int) -> None:
    from scoop import demo

    stop = runtime.stop_on_signal()
    async with demo.serve_newsstand(port, config.home) as url:
        click.secho(f"The newsstand is open: {url}", bold=True)
        await stop.wait()


@command.command()
@click.option("--json", "_as_json", is_flag=True, help="The default: one JSON item a line.")
@click.pass_obj
def items(config: Config, _as_json: bool) -> None:
    """Print the newsstand's articles as canonical v1 items, one JSON a line."""
    from datetime import UTC, datetime

    from scoop import demo
    from scoop.newsstand import items, world

    now = datetime.now(UTC)
    anchor = demo.anchor(config.home, now=now)
    console.print_json_lines(items.demo_items(world.load(world.SHIPPED), anchor, now, f"demo {now.isoformat()}"))


@command.command()
@console.as_json
@click.pass_obj
def add(config: Config, as_json: bool) -> None:
    """Add the newsstand's outlets as sources, and show again what they brought before."""
    count = runtime.run(_add(config))
    if as_json:
        console.print_json({"sources": count})
    else:
        click.echo(f"{count} sources of the newsstand added; they are fetched while `scoop up` runs: start it again")


async def _add(config: Config) -> int:
    from scoop.newsstand import installation

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await installation.add(conn, config.newsstand_port)


@command.command()
@console.as_json
@click.pass_obj
def remove(config: Config, as_json: bool) -> None:
    """Remove the newsstand's outlets as sources, and hide everything that they brought.

    The ledger keeps it: `scoop demo add` shows it again.
    """
    removed = runtime.run(_remove(config))
    if as_json:
        console.print_json(removed)
    else:
        click.echo(f"{removed.sources} sources of the newsstand removed, {removed.stories} of their stories hidden")


async def _remove(config: Config) -> "RemovedDemo":
    from scoop.newsstand import installation

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await installation.remove(conn)
