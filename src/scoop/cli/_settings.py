"""Command-line options for adding and changing a noun, made from the definition of its settings."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from scoop.actions import settings as definition
from scoop.actions.settings import Setting
from scoop.errors import UsageError

Command = Callable[..., None]


def options(settings: Iterable[Setting], *defaults: type[Any], is_new: bool) -> Callable[[Command], Command]:
    """One option a setting; a command that changes the noun also has --reset NAME. `defaults` are its dataclasses."""
    named = [setting for setting in settings if setting.flag is not None]
    chosen = [setting for setting in named if not (setting.is_argument if is_new else setting.is_fixed)]
    made = [_option(setting, defaults, is_new=is_new) for setting in chosen]
    if not is_new:
        made.append(click.option("--reset", multiple=True, metavar="NAME", help="Set it to its default; repeatable."))

    def decorate(command: Command) -> Command:
        for option in reversed(made):
            command = option(command)
        return command

    return decorate


def read(settings: Iterable[Setting], values: Mapping[str, Any]) -> dict[str, Any]:
    """The patch that the options of a command describe; an option that was not given is left out."""
    by_name = {setting.name: setting for setting in settings}
    given = {name: value for name, value in values.items() if name in by_name and value not in (None, ())}
    patch: dict[str, Any] = dict.fromkeys(_reset_names(by_name, values.get("reset", ())))
    return patch | {name: _read_value(by_name[name], value) for name, value in given.items()}


def write(setting: Setting, value: Any) -> str:
    """A value as `show` prints it; blank where there is none."""
    if value is None:
        return ""
    if setting.is_list:
        return ", ".join(map(setting.write, value))
    if setting.is_table:
        return write_table(value)
    return ("yes" if value else "no") if isinstance(value, bool) else setting.write(value)


def write_table(values: Mapping[str, Any]) -> str:
    """Options as they are typed: NAME=VALUE, a list with commas."""
    return " ".join(f"{name}={_write_option(value)}" for name, value in values.items())


def _write_option(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _option(setting: Setting, defaults: Iterable[type[Any]], *, is_new: bool) -> Callable[[Command], Command]:
    flags = (setting.flag or f"--{setting.name.replace('_', '-')}").split("/")
    is_many = setting.is_list or setting.is_table
    return click.option(
        *flags,
        setting.name,
        type=click.Choice(setting.choices)
        if setting.choices
        else setting.type
        if setting.type in {int, bool}
        else None,
        multiple=is_many,
        required=is_new and setting.is_required,
        metavar=setting.metavar,
        help=_help(setting, _default(setting, defaults), is_new=is_new),
    )


def _default(setting: Setting, defaults: Iterable[type[Any]]) -> Any:
    values = (definition.default(each, setting.attribute) for each in defaults)
    return next((value for value in values if value not in (None, "")), None)


def _help(setting: Setting, default: Any, *, is_new: bool) -> str:
    repeatable = " Repeatable." if setting.is_list or setting.is_table else ""
    if setting.is_list and not is_new:
        repeatable = " Repeatable; '' alone empties the list."
    has_default = default not in (None, [], {}) and not setting.has_own_default
    return f"{setting.about}{repeatable}{f' Default: {default}.' if has_default else ''}"


def _read_value(setting: Setting, value: Any) -> Any:
    if setting.is_list:
        return [setting.read(text) for text in value if text.strip()]
    if setting.is_table:
        return dict(map(_pair, value))
    return setting.read(value) if setting.type is str else value


def _pair(text: str) -> tuple[str, Any]:
    """NAME=VALUE; a blank value is None, which removes what was set."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"{text!r} must be NAME=VALUE")
    return name.strip(), {"true": True, "false": False, "": None}.get(value.lower(), value)


def _reset_names(known: Mapping[str, Setting], names: Iterable[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise UsageError(f"--reset {name!r}: there is no such setting; there are {', '.join(known)}")
    return list(names)
