"""Groups of commands with aliases, and the messages about a command line that is wrong."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from scoop.config import Config
from scoop.core import suggestions

HABITS = {"ls": "list", "rm": "remove", "delete": "remove", "edit": "change", "update": "change", "get": "show"}
"""What users of other programs type; accepted in every group that has the command on the right."""


class CommandGroup(click.Group):
    """A group that accepts old spellings of its commands; help and documentation show the current ones only.

    `aliases` maps an old spelling, with options it must hold, to the current one: {"enable --off": "disable"}.
    """

    group_class = type  # groups below are of this class too

    def __init__(self, *args: Any, aliases: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.aliases = aliases or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)  # as they are written in the file: list, show, add, change, remove

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with the whole first line of their help; click cuts it."""
        shown = [command for command in self.commands.values() if not command.hidden]
        if shown:
            with formatter.section("Commands"):
                formatter.write_dl([(command.name or "", first_line(command)) for command in shown])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take `list` for a group that lists by itself: `scoop work list` is `scoop work`."""
        is_default = self.invoke_without_command and "list" not in self.commands
        return super().parse_args(ctx, args[1:] if is_default and args[:1] in (["list"], ["ls"]) else args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        current = self.aliases.get(cmd_name) or HABITS.get(cmd_name)
        return command or (super().get_command(ctx, current) if current else None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, current_spelling(args, self.aliases))
        return command.name if command else name, command, rest


def first_line(command: click.Command) -> str:
    return (command.help or "").strip().partition("\n")[0]


def current_spelling(arguments: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """The arguments with an old spelling at their beginning replaced by the current one."""
    for old, current in aliases.items():
        name, *options = old.split()
        if arguments[:1] == [name] and set(options) <= set(arguments):
            return [*current.split(), *(word for word in arguments[1:] if word not in options)]
    return list(arguments)


# Verbosity

LEVELS = {"verbose": "debug", "quiet": "error"}
_ABOUT = {"verbose": "Log what is done, in detail.", "quiet": "Print results and errors only: no progress, no notices."}


def verbosity(*, hidden: bool) -> list[click.Parameter]:
    """-v and -q, which set the log level of one command."""
    return [
        click.Option(
            [f"-{name[0]}", f"--{name}"],
            is_flag=True,
            expose_value=False,
            hidden=hidden,
            callback=_note_log_level,
            help=about,
        )
        for name, about in _ABOUT.items()
    ]


def _note_log_level(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        level = LEVELS[param.name or ""]
        os.environ["SCOOP_LOG_LEVEL"] = level  # for the settings, if they are still to be read, and worker processes
        if isinstance(ctx.obj, Config):
            ctx.obj = replace(ctx.obj, log_level=level)


def accept_verbosity(command: click.Command) -> None:
    """Let -v and -q follow the command as well as precede it."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            accept_verbosity(below)
    elif not command.context_settings.get("ignore_unknown_options"):  # else they are for the program that is called
        command.params.extend(verbosity(hidden=True))


# Messages


def message(error: click.UsageError) -> str:
    """What is wrong with the command line, and what to do, in one line."""
    if error.ctx is None:  # the parser does not say which command it was
        return _problem(error, "scoop")
    problem = _problem(error, error.ctx.command_path)
    names = error.ctx.command_path.split()[1:]
    return f"{problem}{' See' if problem.endswith('?') else '; see'}: {' '.join(['scoop help', *names])}"


def _problem(error: click.UsageError, path: str) -> str:
    match error:
        case click.NoSuchCommand():
            return f"{_no(path)} command {error.command_name!r}{_meant_command(error)}"
        case click.NoSuchOption():
            return f"{_no(path)} option {error.option_name}{_meant_option(error)}"
        case click.MissingParameter():
            return f"{path} needs {_described(error)}"
        case click.BadParameter():
            return _bad_value(error)
        case click.BadOptionUsage():
            return f"{error.option_name} {'takes no' if 'does not take' in error.message else 'needs a'} value"
    if match := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message, re.DOTALL):
        return f"{path} takes no further argument: {match[1]}"
    return error.message[:1].lower() + error.message[1:].rstrip(".")


def _no(path: str) -> str:
    return f"{path} has no" if " " in path else "there is no"


OFTEN_MEANT = {
    "start": "up",
    "serve": "up",
    "run": "up",
    "server": "up",
    "status": "doctor",
    "check": "doctor",
    "health": "doctor",
    "fetch": "ingest",
    "feeds": "sources",
    "queue": "work",
    "jobs": "work",
    "settings": "config",
    "migrate": "db migrate",
    "articles": "stories",
    "logs": "runs",
}


def _meant_command(error: click.NoSuchCommand) -> str:
    ctx = error.ctx
    if ctx is None or not isinstance(ctx.command, click.Group):
        return ""
    if ctx.parent is None and error.command_name in OFTEN_MEANT:
        return f"; did you mean {OFTEN_MEANT[error.command_name]}?"
    return suggestions.question(error.command_name, ctx.command.list_commands(ctx))


def _meant_option(error: click.NoSuchOption) -> str:
    if error.ctx is None:
        return ""
    options = [option for option in error.ctx.command.get_params(error.ctx) if isinstance(option, click.Option)]
    names = [name for option in options if not option.hidden for name in option.opts if name.startswith("--")]
    return suggestions.question(error.option_name, names)


def _described(error: click.MissingParameter) -> str:
    """The parameter that is missing, with its help where it has one."""
    if error.param is None:
        return "an argument"
    about = getattr(error.param, "help", None)
    return f"{_name(error)} ({about.rstrip('.')})" if about else _name(error)


def _name(error: click.BadParameter) -> str:
    if isinstance(error.param, click.Option):
        return max(error.param.opts, key=len)
    return (error.param.metavar or (error.param.name or "").upper()) if error.param else "the argument"


def _bad_value(error: click.BadParameter) -> str:
    required = _requirement(error.param.type) if error.param else ""
    value = re.match(r"'?(.*?)'? (?:is not|does not match)", error.message, re.DOTALL)
    if required and value:
        return f"{_name(error)} is {value[1]!r}; it must be {required}"
    said = error.message[:1].lower() + error.message[1:].rstrip(".")
    return f"{_name(error)}: {said}"


def _requirement(kind: "click.ParamType[Any]") -> str:
    match kind:
        case click.IntRange() | click.FloatRange():
            return f"{'a whole number' if isinstance(kind, click.IntRange) else 'a number'}{_range(kind)}"
        case click.Choice():
            return f"one of {', '.join(map(str, kind.choices))}"
        case click.DateTime():
            return "a date, as 2026-11-15"
    return {"integer": "a whole number", "float": "a number"}.get(kind.name, "")


def _range(kind: click.IntRange | click.FloatRange) -> str:
    if kind.max is None:
        return "" if kind.min is None else f" of at least {kind.min}"
    return f" from {kind.min:,} to {kind.max:,}"
