"""`scoop publishers`: the names of publishers."""

from typing import TYPE_CHECKING

import click

from scoop.cli import console, runtime, usage
from scoop.config import Config

if TYPE_CHECKING:
    from scoop.store.publishers import Publisher


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Names of publishers: list, change.

    A publisher family is a newsroom with all its domains. Digests and pages show its name.

    \b
    Examples:
      scoop publishers list --like post
      scoop publishers change washingtonpost.com --name "The Washington Post"
    """


@command.command("list")
@click.option("--like", metavar="WORDS", help="Only publishers with these words in their name or family.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Maximum number.")
@console.as_json
@click.pass_obj
def list_publishers(config: Config, like: str | None, limit: int, as_json: bool) -> None:
    """List the publishers of your documents and sources by name."""
    listed = runtime.run(_list(config, like, limit))
    if as_json:
        console.print_json(listed)
        return
    console.print_table(
        ("name", "family", "changed by"),
        [(publisher.name, publisher.family, "a person" if publisher.is_edited else "") for publisher in listed],
        whole=["family"],
        empty="no publisher matches" if like else "there are no publishers yet",
    )


async def _list(config: Config, like: str | None, limit: int) -> "list[Publisher]":
    from scoop.store import publishers

    async with runtime.open_connection(config) as conn:
        return await publishers.list_publishers(conn, words=like, limit=limit)


@command.command()
@click.argument("family")
@click.option("--name", help="Its new name.")
@click.option("--reset", is_flag=True, help="Use the default name again.")
@console.as_json
@click.pass_obj
def change(config: Config, family: str, name: str | None, reset: bool, as_json: bool) -> None:
    """Change the name of a publisher. FAMILY is in the list."""
    if reset == (name is not None):
        raise click.UsageError("give one of --name and --reset")
    changed = runtime.run(_change(config, family, name))
    if as_json:
        console.print_json(changed)
    else:
        click.echo(f"{changed.family} is called {changed.name}")


async def _change(config: Config, family: str, name: str | None) -> "Publisher":
    from scoop.actions import publishers

    async with runtime.open_connection(config) as conn, conn.transaction():
        return await publishers.rename(conn, family, name)
