"""The newsstand's sites: one module is one group of sites, found by walking the folder."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from starlette.routing import BaseRoute

from scoop.newsstand.context import SiteContext


class SiteModule(Protocol):
    """What every site module defines."""

    def sites(self, context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
        """Routes by host name."""
