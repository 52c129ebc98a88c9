"""The types with which plugins of every kind describe themselves."""

from typing import ClassVar, Literal, Protocol

import msgspec

Access = Literal["editor", "admin", "cli"]
"""Who may set a plugin or an option up: editors, admins, or only the operator (command line and settings)."""

ADMIN_ONLY = msgspec.Meta(extra={"access": "admin"})
"""Marks an option that only admins may set, as in `connect_to: Annotated[str | None, ADMIN_ONLY] = None`."""


class PluginOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The base of the `Options` of every plugin; its docstring explains each option as "`name`: meaning"."""


class Plugin(Protocol):
    """The fields of every plugin, of any kind; its docstring is its reference page.

    `base_url` and `hosts` are addresses of the plugin's service: its secrets are sent to these and to no other.
    """

    name: ClassVar[str]
    access: ClassVar[Access]
    base_url: ClassVar[str | None]
    hosts: ClassVar[tuple[str, ...]]
    Options: ClassVar[type[PluginOptions]]
