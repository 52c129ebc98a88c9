"""The page of the settings, from config.py and the options of the plugins."""

from dataclasses import MISSING, Field, fields
from typing import Any

from generator.markdown import code, page_head, table
from scoop import plugins, task_settings
from scoop.config import CONFIG_FILE, Config, variable
from scoop.plugin_settings import OLD_NAMES

HOME_DEFAULT = "the user's data folder: `~/.local/share/scoop`, on macOS `~/Library/Application Support/scoop`"


def settings_page() -> str:
    about = (
        f"A setting comes from its variable, else from `{CONFIG_FILE}` in the current folder (or from the file that "
        "`SCOOP_CONFIG` names), else from its default. An empty variable is the default. A key that the file has and "
        "this page has not is an error (exit code 3). Secrets of this first table are never read from the file: set "
        "their variable, or the variable with `_FILE` at its end to a file that holds the value."
    )
    rows = [
        (code(setting.name), _variable(setting), _default(setting), setting.metadata["about"])
        for setting in fields(Config)
    ]
    listed = table(("setting", "variable", "default", "about"), rows)
    example = '```toml\n# scoop.toml\nport = 9000\ntimezone = "Europe/Berlin"\n```'
    return "\n\n".join([page_head("Settings", about), listed, example, _task_settings(), _plugin_settings()]) + "\n"


def _task_settings() -> str:
    about = (
        "A task is a kind of text that a writer makes: `summary`, `translation` (of articles, for readers), "
        "`same_event` (whether two stories of the review queue report one event), `evaluation` (of articles, for "
        "curators) and `support` (whether articles say what a sentence of a summary says). Each has a section: the "
        "option `writer` of `[tasks.summary]` is also the variable `SCOOP_TASKS_SUMMARY_WRITER`. A limit of 0 is none; "
        "days are those of the setting `timezone`."
    )
    rows = [
        (code(name), code(_pattern(name)), _task_default(name), option.metadata["about"])
        for name, option in task_settings.OPTIONS.items()
    ]
    listed = table(("option", "variable", "default", "about"), rows)
    example = '```toml\n# scoop.toml\n[tasks.translation]\nwriter = "openai"\nmoney_per_day = 2.5\n```'
    return f"## Settings of tasks\n\n{about}\n\n{listed}\n\n{example}"


def _pattern(option: str) -> str:
    return task_settings.variable("TASK", option)


def _task_default(option: str) -> str:
    by_task = {task: getattr(settings, option) for task, settings in task_settings.DEFAULTS.items()}
    if len(set(by_task.values())) == 1:
        return code(next(iter(by_task.values())))
    return ", ".join(f"{code(value)} ({task})" for task, value in by_task.items())


def _plugin_settings() -> str:
    about = (
        "Every plugin has a section of its own: the option `api_key` of `[sources.tavily]` is also the variable "
        "`SCOOP_SOURCES_TAVILY_API_KEY`. With `_file` at the end of the option, or `_FILE` at the end of the variable, "
        "the setting names a file that holds the value. What a section says holds for every source or channel of that "
        "kind that does not say otherwise. All options of all plugins can be set so; the pages of "
        "[sources](sources.md), [channels](channels.md), [embedders](embedders.md), [writers](writers.md), "
        "[voices](voices.md) and [projections](projections.md) list them. These are secrets, which can be set in no "
        "other way, and settings that had another name before. An old name goes on working, and prints what replaces "
        "it."
    )
    old_names = {".".join(place): name for name, place in OLD_NAMES.items()}
    rows = [
        (
            code(f"[{each.kind}.{each.plugin}] {each.option.name}"),
            code(each.variable),
            _old_name(old_names.get(each.name)),
            each.option.about,
        )
        for each in plugins.list_settings()
        if each.option.is_secret or each.name in old_names
    ]
    listed = table(("setting", "variable", "old name", "about"), rows)
    example = '```toml\n# scoop.toml\n[sources.tavily]\napi_key_file = "/run/secrets/tavily"\n```'
    return f"## Settings of plugins\n\n{about}\n\n{listed}\n\n{example}"


def _old_name(name: str | None) -> str:
    return f"{code(name)}, {code(f'SCOOP_{name.upper()}')}" if name else ""


def _variable(setting: Field[Any]) -> str:
    special = {
        "sources": "only in the file",
        "topics": "only in the file",
        "named_secrets": "`SCOOP_SECRET_…`",
        "plugins": "one for each option",
        "tasks": "one for each option",
    }
    return special.get(setting.name) or code(variable(setting))


def _default(setting: Field[Any]) -> str:
    if setting.name == "home":
        return HOME_DEFAULT
    if setting.default is MISSING or setting.default is None:
        return "none"
    return code(setting.default) if setting.default not in ("", ()) else "none"
