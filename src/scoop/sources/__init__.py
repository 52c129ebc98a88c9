"""Kinds of sources, one file each: a class with a `name`, `Options` and `fetch`, whose docstring is its page."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from scoop.fetch.client import Client
from scoop.model import Item, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What one visit of a source brought: items, where the next visit goes on, and the answer's headers."""

    items: list[Item] = field(default_factory=list)
    checkpoint: dict[str, Any] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)


class Kind(Protocol):
    """How items are gathered from one kind of source."""

    name: str
    Options: type[msgspec.Struct]

    async def fetch(self, client: Client, source: Source, checkpoint: dict[str, Any]) -> Harvest:
        """Visit the source once; Retry for what may pass, Reject for what cannot."""
        ...
