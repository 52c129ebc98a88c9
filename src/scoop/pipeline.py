"""Every arrow of the system, in reading order."""

from collections.abc import Mapping
from typing import Any

from scoop import plugins, sources
from scoop.archive import Archive
from scoop.fetch.chamber import Chamber
from scoop.fetch.client import Client
from scoop.stages import dedup, ingest, normalize, pages
from scoop.stages.stage import Stage
from scoop.store.runs import Trigger


def stages(
    client: Client,
    archive: Archive,
    chamber: Chamber,
    *,
    secrets: Mapping[str, str],
    trigger: Trigger = "schedule",
    force: bool = False,
) -> list[Stage[Any, Any]]:
    """The stages; `trigger` is what the runs of visited sources say of their cause."""
    return [
        ingest.stage(
            client, archive, chamber, plugins.discover(sources),
            secrets=secrets, trigger=trigger, force=force, pages="pages", then=("normalize",),
        ),
        pages.stage(client, archive, chamber, then=("normalize",)),
        normalize.stage(then=("dedup",)),
        dedup.stage(then=()),
    ]  # fmt: skip
