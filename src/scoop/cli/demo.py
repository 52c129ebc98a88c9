"""`scoop demo`: the newsstand."""

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """The newsstand: a small fictional world to try Scoop on.

    \b
    Examples:
      scoop demo newsstand                 serve it, to look at it in a browser
      scoop demo items | scoop ingest --items -
      scoop demo remove                    forget its outlets as sources
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
    console.print_json_lines(items.items(world.load(world.SHIPPED), anchor, now, f"demo {now.isoformat()}"))


@command.command()
@console.as_json
@click.pass_obj
def remove(config: Config, as_json: bool) -> None:
    """Forget the newsstand's outlets as sources; what they brought stays."""
    count = runtime.run(_remove(config))
    if as_json:
        console.print_json({"removed": count})
    else:
        click.echo(f"{count} sources of the newsstand removed; their documents and stories stay")


async def _remove(config: Config) -> int:
    from scoop import demo

    async with runtime.open_connection(config) as conn:
        return await demo.remove_sources(conn)
