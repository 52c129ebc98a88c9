"""Every arrow of the system, in reading order."""

from collections.abc import Mapping
from typing import Any

from scoop import plugins, sources
from scoop.archive import Archive
from scoop.embedders import Embedder, Settings
from scoop.embedders.local import Local
from scoop.fetch.chamber import Chamber
from scoop.fetch.client import Client
from scoop.stages import dedup, embed, group, ingest, link, normalize, pages
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
    embedder: Embedder | None = None,
) -> list[Stage[Any, Any]]:
    """The stages; `trigger` is what the runs of visited sources say of their cause. The usual embedder is the local."""
    return [
        ingest.stage(
            client, archive, chamber, plugins.discover(sources),
            secrets=secrets, trigger=trigger, force=force, pages="pages", then=("normalize",),
        ),
        pages.stage(client, archive, chamber, then=("normalize",)),
        normalize.stage(then=("dedup",)),
        dedup.stage(then=("embed",)),
        embed.stage(embedder or Local(Settings(), client), then=("link",)),
        link.stage(then=("group",)),
        group.stage(then=()),
    ]  # fmt: skip
