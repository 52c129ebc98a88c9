"""What reaches into this machine and its network: private addresses and files are for admins, programs for nobody."""

from collections.abc import Mapping
from dataclasses import fields
from http import HTTPStatus
from typing import Any

from scoop.core.access import Visitor
from scoop.http.errors import Forbidden, HttpProblem
from scoop.model import ChannelSettings, SourceSettings

INWARDS = ("connect_to", "allow_private", "base_url")
"""Options that point a source or channel at a server of one's own: in a private network, or one that gets its keys."""
PROGRAMS = frozenset({"command"})
FOR_ADMINS = frozenset({"file", "email"})
"""Kinds that write into the machine, or send a secret to whatever server they name."""


def check_source(by: Visitor, wanted: SourceSettings, known: SourceSettings | None = None) -> None:
    """Only admins add or change a source that may ask a private address; anybody may enable or disable it.

    All of its settings count: kind, options and allowed paths choose what is read at that address.
    """
    if known is not None and _settings_of(known, enabled=wanted.enabled) == _settings_of(wanted):
        return
    if any(_leads_inwards(settings.options) for settings in (wanted, known) if settings):
        _check_admin(by)


def may_change_source(by: Visitor, source: SourceSettings) -> bool:
    return "admin" in by.rights or not _leads_inwards(source.options)


def check_channel(by: Visitor, wanted: ChannelSettings, known: ChannelSettings | None = None) -> None:
    """Forbidden for a channel that runs a program; for whoever is no admin, for one that reaches into the machine."""
    if known is not None and (known.kind, known.options) == (wanted.kind, wanted.options):
        return
    if wanted.kind in PROGRAMS:
        told = (
            f"a channel of the kind {wanted.kind} runs a program: only the command line adds it (scoop topics channel)"
        )
        raise HttpProblem(HTTPStatus.FORBIDDEN, told)
    if wanted.kind in FOR_ADMINS or _leads_inwards(wanted.options):
        _check_admin(by)


def _settings_of(settings: SourceSettings, **changes: Any) -> SourceSettings:
    """The settings alone, without the state of a source."""
    return SourceSettings(**{field.name: getattr(settings, field.name) for field in fields(SourceSettings)} | changes)


def _leads_inwards(options: Mapping[str, Any]) -> bool:
    return any(options.get(name) for name in INWARDS)


def _check_admin(by: Visitor) -> None:
    if "admin" not in by.rights:
        raise Forbidden("admin")
