"""Curator files: interests, and settings of the curator that reads them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from scoop.actions import curators as actions
from scoop.actions import settings as definition
from scoop.actions import topics as topic_actions
from scoop.actions.curator_settings import SETTINGS
from scoop.actions.settings import Setting
from scoop.actions.topic_settings import LISTS
from scoop.core import interests
from scoop.core.interests import CuratorFile, FieldCheck
from scoop.errors import UsageError
from scoop.model import ChannelSettings, Topic
from scoop.plugin_settings import NO_SETTINGS, PluginSettings
from scoop.stages.curate import FileRules
from scoop.store import curators as store
from scoop.store import topics
from scoop.store.curators import Curator
from scoop.store.db import Connection

SETTING_NAMES = ("name", "cron", "timezone", "collections", "sources", "freshness_days", "language")
"""The settings that a file may have; they hold at every read. `channels` is read only when the curator is added or
changed by a command: a file on the web must not say where posts go."""


def rules(plugin_settings: PluginSettings = NO_SETTINGS) -> FileRules:
    """What the stage `curate` does with a file."""
    return FileRules(parse=partial(parse, plugin_settings=plugin_settings), apply=apply)


def parse(written: str, plugin_settings: PluginSettings = NO_SETTINGS) -> CuratorFile:
    """The interests and settings of the text of a file; InvalidInterests names each line, field and fix."""
    by_name = {each.name: each for each in (*LISTS, *SETTINGS)}
    checks: dict[str, FieldCheck] = {name: partial(_check, by_name[name]) for name in SETTING_NAMES}
    return interests.parse_file(written, {**checks, "channels": partial(_channels, plugin_settings=plugin_settings)})


def _check(setting: Setting, value: Any) -> None:
    """UsageError for a value that the setting cannot have; also for null, which JSON has."""
    if value is None:
        raise UsageError("it is null; give a value, or leave it out")
    definition.check([setting], {setting.name: value})
    for source in value if setting.name == "sources" else ():
        topic_actions.source_rule(source, "include")


def _channels(value: Any, *, plugin_settings: PluginSettings) -> list[ChannelSettings]:
    if not isinstance(value, list):
        raise UsageError('it must be a list of tables, as [{name = "main", kind = "file", options = {...}}]')
    return [topic_actions.channel(each, plugin_settings) for each in value]


def settings_of(file: CuratorFile) -> dict[str, Any]:
    """The settings of a file that hold at every read, with its sources."""
    return {name: file.settings[name] for name in SETTING_NAMES if name in file.settings}


def with_bounds(topic: Topic, file: CuratorFile) -> Topic:
    """The topic of a curator with the collections and sources of a file, if it has any."""
    sources, keywords = topic_actions.rules(_only(file, "sources"), topic)
    return replace(
        topic,
        collections=file.settings.get("collections", topic.collections),
        source_rules=tuple(sources),
        keyword_rules=tuple(keywords),
    )


def _only(file: CuratorFile, name: str) -> dict[str, Any]:
    return {name: file.settings[name]} if name in file.settings else {}


async def put_channels(
    conn: Connection, curator: Curator, file: CuratorFile, plugin_settings: PluginSettings = NO_SETTINGS
) -> Sequence[ChannelSettings]:
    """Add the channels of a file to its curator, or change those with their names."""
    channels = _channels(file.settings.get("channels", []), plugin_settings=plugin_settings)
    for channel in channels:
        await topics.put_channel(conn, curator.topic_id, channel)
    return channels


async def apply(conn: Connection, curator: Curator, file: CuratorFile) -> None:
    """Change the settings of a curator to those of its file, in the caller's transaction; others stay."""
    wanted = settings_of(file)
    if sorted(wanted) != sorted(curator.settings_from_file):
        await store.set_settings_from_file(conn, curator.topic_id, sorted(wanted))
    await actions.put_settings(conn, curator, wanted)
