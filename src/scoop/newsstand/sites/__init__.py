"""The faces of the newsstand: one module here is one face, found by walking the folder."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from starlette.routing import BaseRoute

from scoop.newsstand.context import Stand


class Face(Protocol):
    """What a module here defines."""

    def sites(self, stand: Stand) -> Mapping[str, Sequence[BaseRoute]]:
        """The host names this face answers to, each with the routes served there."""
