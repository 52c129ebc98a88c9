"""Every arrow of the system, in reading order."""

from typing import Any

from scoop import plugins, sources
from scoop.fetch.client import Client
from scoop.stages import dedup, ingest, normalize
from scoop.stages.stage import Stage


def stages(client: Client) -> list[Stage[Any, Any]]:
    return [
        ingest.stage(client, plugins.discover(sources), then=("normalize",)),
        normalize.stage(then=("dedup",)),
        dedup.stage(then=()),
    ]
