"""`scoop plugins`: the sources, channels, embedders, writers, voices and projections that can be used."""

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from scoop.cli import console, usage
from scoop.core import suggestions
from scoop.errors import UsageError
from scoop.plugin_settings import KINDS, Kind, variable

if TYPE_CHECKING:
    from scoop.options import Option


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """List the plugins: sources, channels, embedders, writers, voices and projections, with their options.

    Plugins of installed packages are listed beside Scoop's own.

    \b
    Examples:
      scoop plugins list
      scoop plugins show sources tavily
    """


@command.command("list")
@console.as_json
def list_plugins(as_json: bool) -> None:
    """List all plugins: the kind, the name, who may set it up, and the module it comes from.

    \b
    Examples:
      scoop plugins list
      scoop plugins list --json
    """
    rows = [
        {"kind": kind.name, "name": plugin.name, "access": plugin.access, "module": plugin.__module__}
        for kind, plugin in _plugins()
    ]
    if as_json:
        console.print_json(rows)
        return
    console.print_table(tuple(rows[0]), [tuple(row.values()) for row in rows], empty="There are no plugins.")


@command.command()
@click.argument("kind", type=click.Choice([kind.name for kind in KINDS]))
@click.argument("name")
@console.as_json
def show(kind: str, name: str, as_json: bool) -> None:
    """Show one plugin: its description, and its options with their variables.

    \b
    Examples:
      scoop plugins show sources tavily
      scoop plugins show channels email --json
    """
    from scoop import options

    plugins = {plugin.name: plugin for each, plugin in _plugins() if each.name == kind}
    if name not in plugins:
        hint = suggestions.question(name, plugins) or f"; there are {', '.join(sorted(plugins))}"
        raise UsageError(f"there is no plugin {name!r} among {kind}{hint}")
    described = options.describe(plugins[name].Options).values()
    rows = [_option(option, variable(kind, name, option.name)) for option in described]
    about = inspect.getdoc(plugins[name]) or ""
    if as_json:
        console.print_json(
            {"kind": kind, "name": name, "access": plugins[name].access, "about": about, "options": rows}
        )
        return
    click.echo(f"{about}\n")
    columns = ("option", "value", "variable", "about")
    console.print_table(columns, [tuple(row[column] for column in columns) for row in rows], empty="It has no options.")


def _plugins() -> Iterator[tuple[Kind, type[Any]]]:
    from importlib import import_module

    from scoop import plugins

    for kind in KINDS:
        for _, plugin in sorted(plugins.discover(import_module(kind.package)).items()):
            yield kind, plugin


def _option(option: "Option", named: str) -> dict[str, Any]:
    return {
        "option": option.name,
        "value": option.words,
        "default": option.default,
        "access": option.access,
        "variable": named,
        "about": option.about,
    }
