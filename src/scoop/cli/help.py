"""`scoop help`: the help of a command by its name."""

import click

from scoop.cli import console


@click.command()
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@console.as_json
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Show the help of a command.

    \b
    Examples:
      scoop help
      scoop help sources add
      scoop help stories --json
    """
    found, context = _resolve(ctx.find_root(), names)
    if as_json:
        console.print_json(found.to_info_dict(context))
    else:
        click.echo(found.get_help(context))


def _resolve(root: click.Context, names: tuple[str, ...]) -> tuple[click.Command, click.Context]:
    """The command of these names, with the context in which it would run."""
    found, context = root.command, root
    for name in names:
        below = found.get_command(context, name) if isinstance(found, click.Group) else None
        if below is None:
            raise click.NoSuchCommand(name, ctx=context)
        found, context = below, click.Context(below, info_name=below.name, parent=context)
    return found, context
