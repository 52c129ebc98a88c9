"""`scoop config`: the settings, where they come from, and whether they are right."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from scoop import config as settings
from scoop import task_settings
from scoop.cli import console, current_folder, usage
from scoop.config import Config
from scoop.core import suggestions
from scoop.errors import ConfigError, InputError, UsageError

if TYPE_CHECKING:
    from scoop.plugins import PluginSetting
    from scoop.task_settings import TaskSetting

HIDDEN = "(hidden)"


@click.group(cls=usage.CommandGroup)
def command() -> None:
    """Show the settings, where each comes from, and what is wrong with them.

    A setting comes from its variable, else from scoop.toml in the current folder or the file that SCOOP_CONFIG names,
    else from its default.

    \b
    Examples:
      scoop config show
      scoop config show port timezone
      scoop config path
      scoop config check
    """


@command.command()
@click.argument("names", metavar="[SETTING]...", nargs=-1)
@click.option("--changed", is_flag=True, help="Only settings that are not at their default.")
@console.as_json
def show(names: tuple[str, ...], changed: bool, as_json: bool) -> None:
    """Show all settings, or the ones named: value, and where it comes from. Secrets stay hidden.

    \b
    Examples:
      scoop config show
      scoop config show --changed
      scoop config show home database_url --json
    """
    rows = _effective()
    known = [row["setting"] for row in rows]
    if unknown := [name for name in names if name not in known]:
        question = suggestions.question(unknown[0], known)
        raise UsageError(f"there is no setting {unknown[0]!r}{question or '; see: scoop config show'}")
    shown = [
        row
        for row in rows
        if (not names or row["setting"] in names) and not (changed and row["origin"] == settings.DEFAULT)
    ]
    if as_json:
        console.print_json(shown)
        return
    console.print_table(
        ("setting", "from", "value"),
        [(row["setting"], row["origin"], row["value"]) for row in shown],
        empty="every setting is at its default",
    )


def _effective() -> list[dict[str, Any]]:
    config, origins = settings.load_with_origins(os.environ, current_folder())
    return [
        {
            "setting": setting.name,
            "value": _shown(getattr(config, setting.name), is_secret=settings.is_secret(setting)),
            "origin": origins.get(setting.name, settings.DEFAULT),
            "variable": settings.variable(setting),
        }
        for setting in fields(Config)
        if setting.name not in {"plugins", "tasks"}
    ] + [*_of_tasks(config), *_of_plugins(config)]


def _of_tasks(config: Config) -> list[dict[str, Any]]:
    """The writers of all tasks, and the options that were changed."""
    return [
        {
            "setting": setting.name,
            "value": setting.value,
            "origin": _origin_of_task(setting),
            "variable": setting.variable,
        }
        for setting in task_settings.list_settings(config.tasks)
        if setting.is_notable
    ]


def _origin_of_task(setting: "TaskSetting") -> str:
    if os.environ.get(setting.variable):
        return setting.variable
    return settings.DEFAULT if setting.is_default else str(settings.file_path(os.environ, current_folder()))


def _of_plugins(config: Config) -> list[dict[str, Any]]:
    """The options of plugins that are set, and those that can be set in no other way."""
    from scoop import plugins

    return [
        {
            "setting": setting.name,
            "value": _shown(setting.value, is_secret=setting.option.is_secret),
            "origin": _origin(config, setting),
            "variable": setting.variable,
        }
        for setting in plugins.list_settings(config.plugins)
        if setting.is_notable
    ]


def _origin(config: Config, setting: "PluginSetting") -> str:
    if setting.value is None:
        return settings.DEFAULT
    is_variable = setting.variable in config.plugins.variables
    return setting.variable if is_variable else str(settings.file_path(os.environ, current_folder()))


def _shown(value: Any, *, is_secret: bool) -> Any:
    if value is None or value == ():
        return None
    if is_secret:
        return HIDDEN
    if isinstance(value, tuple):
        return f"{len(value)} tables"
    return value if isinstance(value, bool | int) else without_password(str(value))


def without_password(value: str) -> str:
    """A URL without the user's password, wherever it is written; any other text as it is."""
    masked = re.sub(r"(://[^:/@]*):.*@", r"\1:…@", value)
    return re.sub(r"(?i)((?:password|secret|token|key)=)[^&]*", r"\1…", masked)


@command.command()
@console.as_json
def path(as_json: bool) -> None:
    """Print which file the settings are read from, whether or not it exists.

    \b
    Example:
      scoop config path
    """
    file = settings.file_path(os.environ, current_folder())
    if as_json:
        console.print_json({"path": str(file), "exists": file.exists()})
        return
    click.echo(file)
    if not file.exists():
        console.notice("it does not exist, so all settings come from variables and defaults")


@command.command()
@console.as_json
def check(as_json: bool) -> None:
    """Check all settings, and the sources and topics of scoop.toml; exit code 3 if something is wrong.

    \b
    Example:
      scoop config check
    """
    problems = list(find_problems())
    if as_json:
        console.print_json({"problems": problems})
    for problem in problems if not as_json else []:
        click.echo(f"scoop: {problem}", err=True)
    if not problems and not as_json:
        click.echo("the settings are right")
    sys.exit(ConfigError.exit_code if problems else 0)


def find_problems() -> Iterator[str]:
    """What is wrong with the settings, one sentence each."""
    from scoop import plugins
    from scoop.actions import sources, topics

    yield from settings.unknown_variables(os.environ).values()
    try:
        config = settings.load(os.environ, current_folder())
    except ConfigError as error:
        yield str(error)
        return
    yield from plugins.unknown_variables(config.plugins)
    try:
        plugins.check_settings(config.plugins)
    except ConfigError as error:
        yield str(error)
    for name, check_table, tables in (
        ("sources", sources.read_settings, config.sources),
        ("topics", topics.settings, config.topics),
    ):
        for number, table in enumerate(tables, 1):
            try:
                check_table(dict(table))
            except (UsageError, InputError, ConfigError) as error:
                yield f"[[{name}]] number {number}: {error}"
