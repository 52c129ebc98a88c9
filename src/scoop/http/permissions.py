"""Permissions for plugins and their options over HTTP: the visitor's rights against the plugin's access level."""

from collections.abc import Mapping
from dataclasses import fields
from http import HTTPStatus
from types import ModuleType
from typing import Any

from scoop import channels, options, plugins, sources
from scoop.core.access import Visitor
from scoop.core.plugin_types import Access
from scoop.http.errors import Forbidden, HttpProblem
from scoop.model import ChannelSettings, SourceSettings


def may_set_up(by: Visitor, access: Access) -> bool:
    """Whether the visitor may set up something with this access level; level `cli` is never allowed over HTTP."""
    return access == "editor" or (access == "admin" and "admin" in by.rights)


def check_source(by: Visitor, new: SourceSettings, old: SourceSettings | None = None) -> None:
    """Forbidden for a kind of source, or an option of it, that needs more rights than the visitor has.

    All settings of a source with an option for admins count: kind, options and allowed paths choose what is read at
    that address. Anybody may enable or disable it.
    """
    if old is not None and _settings_of(old, enabled=new.enabled) == _settings_of(new):
        return
    for settings in (new, old):
        if settings is not None:
            _check(by, sources, settings.kind, settings.options)


def may_change_source(by: Visitor, source: SourceSettings) -> bool:
    return may_set_up(by, _access(sources, source.kind, source.options))


def visible_options(by: Visitor, source: SourceSettings) -> dict[str, Any]:
    """The options of a source that a visitor may see: those that are not for admins only."""
    plugin = plugins.discover(sources).get(source.kind)
    described = options.describe(plugin.Options) if plugin else {}
    is_admin = "admin" in by.rights
    return {
        name: value
        for name, value in source.options.items()
        if is_admin or (name in described and described[name].access == "editor")
    }


def check_channel(by: Visitor, new: ChannelSettings, old: ChannelSettings | None = None) -> None:
    """Forbidden for a kind of channel, or an option of it, that needs more rights than the visitor has."""
    if old is None or (old.kind, old.options) != (new.kind, new.options):
        _check(by, channels, new.kind, new.options)


def check_interests_from(by: Visitor, new: str | None, old: str | None = None) -> None:
    """Forbidden if a visitor without the right admin lets interests be read from a file of the server."""
    if new is not None and new != old and new.startswith("/") and "admin" not in by.rights:
        raise Forbidden("admin")


def _settings_of(settings: SourceSettings, **changes: Any) -> SourceSettings:
    """The settings alone, without the state of a source."""
    return SourceSettings(**{field.name: getattr(settings, field.name) for field in fields(SourceSettings)} | changes)


def _check(by: Visitor, package: ModuleType, kind: str, own: Mapping[str, Any]) -> None:
    access = _access(package, kind, own)
    if may_set_up(by, access):
        return
    if access == "admin":
        raise Forbidden("admin")
    noun = plugins.kind_of(package).noun
    raise HttpProblem(HTTPStatus.FORBIDDEN, f"a {noun} of the kind {kind} can only be set up on the command line")


def _access(package: ModuleType, kind: str, own: Mapping[str, Any]) -> Access:
    """The access level of a plugin with these options; admin for one that is no longer installed."""
    plugin = plugins.discover(package).get(kind)
    if plugin is None:
        return "admin"
    described = options.describe(plugin.Options)
    levels = {plugin.access, *(described[name].access for name, value in own.items() if value and name in described)}
    return next(level for level in ("cli", "admin", "editor") if level in levels)
