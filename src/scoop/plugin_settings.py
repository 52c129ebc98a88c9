"""The kinds of plugins, and the settings of plugins as scoop.toml and the environment have them, not yet checked."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scoop.errors import ConfigError

# Every command reads the settings: this module imports no plugin and no library.

FILE = "_FILE"
"""Ends the name of a variable that names a file with the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of plugin: its package, the name of the Protocol there, and the values of fields that may be left out.

    The name of the package is also the group of the entry points by which other packages offer plugins.
    """

    package: str
    protocol: str
    noun: str
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in settings: `sources` in [sources.tavily] and SCOOP_SOURCES_TAVILY_API_KEY."""
        return self.package.rpartition(".")[2]


KINDS = (
    Kind(package="scoop.sources", protocol="SourcePlugin", noun="source", defaults={"targets": {}}),
    Kind(package="scoop.channels", protocol="ChannelPlugin", noun="channel", defaults={"finds": False}),
    Kind(package="scoop.embedders", protocol="Embedder", noun="embedder", defaults={"waits": True}),
    Kind(package="scoop.writers", protocol="Writer", noun="writer", defaults={"waits": True}),
    Kind(package="scoop.voices", protocol="Voice", noun="voice", defaults={"waits": True, "peak_memory": None}),
    Kind(package="scoop.projections", protocol="Projection", noun="projection", defaults={"waits": True, "files": ()}),
)
PREFIXES = tuple(f"SCOOP_{kind.name.upper()}_" for kind in KINDS)
"""The beginnings of variables that belong to plugins."""
OLD_NAMES = {
    "embedding_url": ("embedders", "openai", "base_url"),
    "embedding_model": ("embedders", "openai", "model"),
    "embedding_version": ("embedders", "openai", "version"),
    "embedding_api_key": ("embedders", "openai", "api_key"),
    "tavily_api_key": ("sources", "tavily", "api_key"),
    "reddit_client_id": ("sources", "reddit", "client_id"),
    "reddit_client_secret": ("sources", "reddit", "client_secret"),
    "reddit_user": ("sources", "reddit", "user"),
    "reddit_feed_token": ("sources", "reddit", "feed_token"),
    "discord_bot_token": ("channels", "discord_bot", "bot_token"),
}
"""Settings that moved into the section of a plugin: kind, plugin and option. The old names go on working."""
OLD_SECRETS = frozenset(OLD_NAMES) - {"embedding_url", "embedding_model", "embedding_version"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSettings:
    """The sections of plugins, as `[sources.tavily]`, and their variables, as SCOOP_SOURCES_TAVILY_API_KEY."""

    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def override(self, kind: str, name: str, values: Mapping[str, Any]) -> "PluginSettings":
        """The settings with other values for some options of a plugin."""
        replaced = {variable(kind, name, option) for option in values}
        of_kind = self.tables.get(kind, {})
        return PluginSettings(
            tables={**self.tables, kind: {**of_kind, name: {**of_kind.get(name, {}), **values}}},
            variables={named: value for named, value in self.variables.items() if named not in replaced},
        )


NO_SETTINGS = PluginSettings()


def variable(kind: str, name: str, option: str) -> str:
    """The environment variable of an option: SCOOP_SOURCES_TAVILY_API_KEY is api_key of [sources.tavily]."""
    return f"SCOOP_{kind}_{name}_{option}".upper()


def take(environ: Mapping[str, str], values: dict[str, Any]) -> PluginSettings:
    """The settings of plugins in the environment and in the values of the file, from which they are removed."""
    tables = {kind.name: _sections(kind.name, values) for kind in KINDS}
    variables = with_files({name: value for name, value in environ.items() if name.startswith(PREFIXES)})
    return PluginSettings(tables=_with_old_settings(tables, values), variables=_old_variables(environ) | variables)


def with_files(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that have a value; X_FILE gives X the content of the file it names, unless X is set, too."""
    files = {name: path for name, path in variables.items() if name.endswith(FILE) and path}
    values = {name: value for name, value in variables.items() if value and name not in files}
    return {name.removesuffix(FILE): read_value(name, path) for name, path in files.items()} | values


def read_value(setting: str, path: str) -> str:
    """The content of a file that a setting names; ConfigError names both."""
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{setting} names {path}, which cannot be read: {error}") from error


def _sections(kind: str, values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The sections of one kind.

    TOML reads `[sources.tavily]` after a `[[sources]]` as a part of that source: it is taken out of it here. The only
    table that is a source's own is `options`.
    """
    if kind == "sources" and isinstance(values.get(kind), list):
        tables = [table for table in values[kind] if isinstance(table, dict)]
        found = {name: table.pop(name) for table in tables for name in _section_names(table)}
    else:
        found = values.pop(kind, {})
    if not isinstance(found, dict) or not all(isinstance(section, dict) for section in found.values()):
        or_list = "tables that begin with [[sources]], or " if kind == "sources" else ""
        raise ConfigError(f"the setting {kind} must be {or_list}sections of plugins that begin with [{kind}.NAME]")
    return {name: _with_file_values(f"[{kind}.{name}]", section) for name, section in found.items()}


def _section_names(table: Mapping[str, Any]) -> list[str]:
    return [name for name, value in table.items() if isinstance(value, dict) and name != "options"]


def _with_file_values(title: str, section: Mapping[str, Any]) -> dict[str, Any]:
    """The section, in which `api_key_file` gives `api_key` the content of the file it names."""
    suffix = FILE.lower()
    files = {name: path for name, path in section.items() if name.endswith(suffix)}
    read = {name.removesuffix(suffix): read_value(f"{title} {name}", str(path)) for name, path in files.items()}
    return read | {name: value for name, value in section.items() if name not in files}


def _old_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The values of variables that are set by their old names."""
    new_names = {f"SCOOP_{name.upper()}": variable(*place) for name, place in OLD_NAMES.items()}
    names = [name for old_name in new_names for name in (old_name, f"{old_name}{FILE}") if name in environ]
    values = with_files({name: environ[name] for name in names})
    for name in values:
        _warn_once(f"{name} is the old name of {new_names[name]}; set that instead")
    return {new_names[name]: value for name, value in values.items()}


def _with_old_settings(tables: dict[str, dict[str, Any]], values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The sections, with the settings that the file has by their old names."""
    for name in [name for name in OLD_NAMES if name in values]:
        kind, plugin, option = OLD_NAMES[name]
        value = values.pop(name)
        if value != "":
            tables[kind].setdefault(plugin, {}).setdefault(option, value)
        _warn_once(f"{name} in scoop.toml is the old name of {option} in [{kind}.{plugin}]; set that instead")
    return tables


@cache
def _warn_once(message: str) -> None:
    sys.stderr.write(f"scoop: {message}\n")
