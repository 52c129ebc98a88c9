"""Every arrow of the system, in reading order."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from scoop import channels, plugins, sources
from scoop.archive.objects import Archive
from scoop.core.handover_modes import Modes
from scoop.embedders import Embedder, Settings
from scoop.embedders.local import Local
from scoop.fetch.client import Client
from scoop.fetch.sandbox import Sandbox
from scoop.stages import (
    assign_topics,
    dedup,
    deliver_webhooks,
    digest,
    embed,
    group,
    index,
    ingest,
    link,
    normalize,
    pages,
    publish,
    reconcile_posts,
)
from scoop.stages.stage import Stage
from scoop.store import posts, search, topics, webhooks
from scoop.store.runs import Trigger

PUBLISHING = (digest.NAME, posts.STAGE, reconcile_posts.NAME, webhooks.STAGE)  # what leaves the house
TELLING = (search.STAGE, topics.STAGE, *PUBLISHING)  # what comes after the stories


def stages(
    client: Client,
    archive: Archive,
    sandbox: Sandbox,
    *,
    secrets: Mapping[str, str],
    trigger: Trigger = "schedule",
    force: bool = False,
    embedder: Embedder | None = None,
    modes: Modes | None = None,
) -> list[Stage[Any, Any]]:
    """The stages; `trigger` is what the runs of visited sources say of their cause. The usual embedder is the local."""
    kinds = plugins.discover(channels)
    return [
        ingest.stage(
            client,
            archive,
            sandbox,
            plugins.discover(sources),
            secrets=secrets,
            trigger=trigger,
            force=force,
            pages="pages",
            then=("normalize",),
        ),
        pages.stage(client, archive, sandbox, then=("normalize",)),
        normalize.stage(then=("dedup",)),
        dedup.stage(then=("embed", "index"), stories_to=("assign-topics",)),
        embed.stage(embedder or Local(Settings(), client), then=("link",)),
        link.stage(then=("group",), stories_to=("assign-topics",)),
        group.stage(then=()),
        index.stage(),
        assign_topics.stage(then=("notify",)),
        digest.stage(kinds, modes=modes or Modes(), clock=_now),
        publish.stage(client, kinds, secrets=secrets, clock=_now),
        reconcile_posts.stage(client, secrets=secrets, clock=_now),
        deliver_webhooks.stage(client, secrets=secrets, clock=_now),
    ]


def _now() -> datetime:
    return datetime.now(UTC)
