"""Every arrow of the system, in reading order."""

from typing import Any

from scoop import plugins, sources
from scoop.fetch.client import Client
from scoop.stages import dedup, ingest, normalize
from scoop.stages.stage import Stage
from scoop.store.runs import Trigger


def stages(client: Client, trigger: Trigger = "schedule") -> list[Stage[Any, Any]]:
    """The stages; `trigger` is what the runs of visited sources say of their cause."""
    return [
        ingest.stage(client, plugins.discover(sources), trigger=trigger, then=("normalize",)),
        normalize.stage(then=("dedup",)),
        dedup.stage(then=()),
    ]
