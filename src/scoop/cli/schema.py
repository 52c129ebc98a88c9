"""`scoop schema`: what an item must look like."""

import click

from scoop.cli import usage


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Print the JSON Schema of a canonical item.

    \b
    Example:
      scoop schema item > item.v1.json
    """


@command.command("item")
@click.option("--json", "_as_json", is_flag=True, help="The default: a schema is JSON.")
def item(_as_json: bool) -> None:
    """The schema (Draft 2020-12) that pushed items must meet."""
    from scoop.core import items

    click.echo(items.schema_text(), nl=False)
