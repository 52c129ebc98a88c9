"""The page of the command line, from the commands themselves."""

import inspect
from collections.abc import Iterator

import click

from generator.markdown import code, page_head, table
from scoop import cli

VERBATIM = "\b"  # click keeps the lines of a paragraph that begins with it


def cli_page() -> str:
    root = click.Context(cli.scoop, info_name="scoop")
    parts = [page_head("The command line", "Every command with its options. `-h` and `--help` show the same.")]
    for name, command, _ in walk(cli.scoop, root):
        parts.append(f"## {name}\n\n{_command(name, command)}")
    return "\n\n".join(parts) + "\n"


def walk(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    """The command and all below it, each with the name it is called by."""
    yield ctx.command_path, command, ctx
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None and not below.hidden:
                yield from walk(below, click.Context(below, info_name=name, parent=ctx))


def _command(name: str, command: click.Command) -> str:
    ctx = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(ctx)])
    return "\n\n".join([f"```text\n{usage}\n```", _help(command), _options(command, ctx)]).rstrip()


def _help(command: click.Command) -> str:
    """The help text, with what click keeps line by line as a block."""
    return "\n\n".join(map(_paragraph, help_paragraphs(command)))


def help_paragraphs(command: click.Command) -> list[str]:
    return inspect.cleandoc(command.help or "").split("\n\n")


def _paragraph(text: str) -> str:
    if not text.startswith(VERBATIM):
        return " ".join(text.split())
    lines = text.removeprefix(VERBATIM).strip("\n").split("\n")
    if not lines[0].endswith(":"):
        return _block(lines)
    return f"{lines[0].strip()}\n\n{_block(lines[1:])}"


def _block(lines: list[str]) -> str:
    return "```text\n" + inspect.cleandoc("\n".join(lines)) + "\n```"


def _options(command: click.Command, ctx: click.Context) -> str:
    rows = [
        (_option_name(option, ctx), _option_about(option))
        for option in command.get_params(ctx)
        if isinstance(option, click.Option) and not option.hidden and "--help" not in option.opts
    ]
    return table(("option", "meaning"), rows)


def _option_name(option: click.Option, ctx: click.Context) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return code(names)
    values = {click.IntRange: "N", click.DateTime: "DATE"}
    return code(f"{names} {values.get(type(option.type)) or option.make_metavar(ctx)}")


def _option_about(option: click.Option) -> str:
    limits = option.type if isinstance(option.type, click.IntRange) else click.IntRange()
    parts = [
        option.help or "",
        f"From {limits.min:,} to {limits.max:,}." if limits.max is not None else "",
        f"Default: {code(option.default)}." if option.show_default else "",
        "Required." if option.required else "",
    ]
    return " ".join(filter(None, parts))
