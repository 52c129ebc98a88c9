"""Redaction of source addresses: only admins see internal addresses, and secrets only if they ask for them."""

from dataclasses import replace
from typing import Annotated, Literal, TypeVar

from fastapi import Depends, Query

from scoop.core import health, redaction
from scoop.core.access import Visitor
from scoop.http import permissions
from scoop.http.deps import CurrentVisitor
from scoop.http.errors import Forbidden
from scoop.model import Source

SourceT = TypeVar("SourceT", bound=Source)
Secrets = Annotated[
    Literal["hide", "show"],
    Query(description="`show` gives addresses with their queries, users and passwords; for admins only."),
]
INTERNAL = "(internal address)"


def check_secrets(by: Visitor, secrets: str) -> bool:
    """Whether to show secrets; Forbidden if a visitor who is not an admin asks for them."""
    if secrets == "show" and "admin" not in by.rights:
        raise Forbidden("admin")
    return secrets == "show"


async def _shows_secrets(by: CurrentVisitor, secrets: Secrets = "hide") -> bool:
    return check_secrets(by, secrets)


ShowsSecrets = Annotated[bool, Depends(_shows_secrets)]
"""Whether the request asks for whole addresses (`?secrets=show`), as an argument of a handler."""


def shown_source(by: Visitor, source: SourceT, *, secrets: bool = False) -> SourceT:
    """The source as a visitor sees it; with `secrets`, which `check_secrets` allows to admins, as it is."""
    if secrets:
        return source
    redacted = replace(
        source,
        base_url=redaction.redact_url(source.base_url),
        moved_to=source.moved_to and redaction.redact_url(source.moved_to),
        health_note=redaction.redact_text(source.health_note),
        options={name: _redact_option(value) for name, value in source.options.items()},
    )
    return redacted if "admin" in by.rights else _without_internal(by, redacted)


def _without_internal(by: Visitor, source: SourceT) -> SourceT:
    """The source without the addresses of the desk's own network."""
    options = permissions.visible_options(by, source)
    if not source.options.get("allow_private"):
        return replace(source, options=options)
    note = health.SENTENCES[source.health]  # the note of a failure names the host
    return replace(source, options=options, base_url=INTERNAL, moved_to=None, health_note=note)


def _redact_option(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_redact_option(part) for part in value]
    return redaction.redact_text(value) if isinstance(value, str) else value
