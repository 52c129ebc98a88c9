"""`scoop completion`: completion of commands and options in a shell."""

import click

from scoop.cli import console

VARIABLE = "_SCOOP_COMPLETE"
START_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/scoop.fish",
}


@click.command()
@click.argument("shell", type=click.Choice(list(START_FILES)))
@console.as_json
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the script that completes commands in your shell.

    Load it whenever a shell starts; `scoop` must be in the PATH then.

    \b
    Examples:
      echo 'eval "$(scoop completion bash)"' >> ~/.bashrc
      echo 'eval "$(scoop completion zsh)"' >> ~/.zshrc
      scoop completion fish > ~/.config/fish/completions/scoop.fish
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - click has a class for each of our choices
    script = completion(ctx.find_root().command, {}, "scoop", VARIABLE).source()
    if as_json:
        console.print_json({"shell": shell, "file": START_FILES[shell], "script": script})
    else:
        click.echo(script)
