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
from scoop.stage_names import StageName
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
from scoop.store.runs import Trigger

PUBLISHING = (StageName.DIGEST, StageName.PUBLISH, StageName.RECONCILE_POSTS, StageName.DELIVER_WEBHOOKS)
TELLING = (StageName.INDEX, StageName.ASSIGN_TOPICS, *PUBLISHING)  # after the stories are made


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
            pages=StageName.PAGES,
            then=(StageName.NORMALIZE,),
        ),
        pages.stage(client, archive, sandbox, then=(StageName.NORMALIZE,)),
        normalize.stage(then=(StageName.DEDUP,)),
        dedup.stage(then=(StageName.EMBED, StageName.INDEX), stories_to=(StageName.ASSIGN_TOPICS,)),
        embed.stage(embedder or Local(Settings(), client), then=(StageName.LINK,)),
        link.stage(then=(StageName.GROUP,), stories_to=(StageName.ASSIGN_TOPICS,)),
        group.stage(then=()),
        index.stage(),
        assign_topics.stage(then=(StageName.DELIVER_WEBHOOKS,)),
        digest.stage(kinds, modes=modes or Modes(), clock=_now),
        publish.stage(client, kinds, secrets=secrets, clock=_now),
        reconcile_posts.stage(client, secrets=secrets, clock=_now),
        deliver_webhooks.stage(client, secrets=secrets, clock=_now),
    ]


def _now() -> datetime:
    return datetime.now(UTC)
