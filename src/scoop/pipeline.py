"""Every arrow and every periodic job of the system, in reading order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from scoop import channels, plugins
from scoop import sources as source_kinds
from scoop.actions import handover
from scoop.archive import retention
from scoop.archive.objects import Archive
from scoop.core.handover_modes import Modes
from scoop.core.secrets import Secret
from scoop.embedders import Embedder
from scoop.embedders.local import Local
from scoop.fetch.client import Client
from scoop.fetch.sandbox import Sandbox
from scoop.plugin_settings import NO_SETTINGS, PluginSettings
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
from scoop.stages.periodic import CronSchedule, PeriodicJob
from scoop.stages.stage import Stage
from scoop.store import posts, sources, webhooks, work
from scoop.store.runs import Trigger

PUBLISHING = (StageName.DIGEST, StageName.PUBLISH, StageName.RECONCILE_POSTS, StageName.DELIVER_WEBHOOKS)
AFTER_STORIES = (StageName.INDEX, StageName.ASSIGN_TOPICS, *PUBLISHING)
NIGHTLY = "0 3 * * *"


@dataclass(frozen=True, slots=True)
class Entrance:
    """An arrow that starts outside a stage: `module` enqueues work for `stage` when `cause` happens."""

    stage: StageName
    module: str
    cause: str


ENTRANCES = (
    Entrance(StageName.INGEST, "scoop.store.sources", "a source is due, or somebody asks for a visit"),
    Entrance(StageName.NORMALIZE, "scoop.stages.push", "items are pushed"),
    Entrance(StageName.NORMALIZE, "scoop.store.replays", "a replay copies arrivals into its scratch database"),
    Entrance(StageName.DEDUP, "scoop.store.review", "a review decision is undone"),
    Entrance(StageName.LINK, "scoop.stages.embed", "another embedding model becomes the active one"),
    Entrance(StageName.LINK, "scoop.store.review", "the thresholds are calibrated"),
    Entrance(StageName.GROUP, "scoop.store.review", "stories are merged, split or kept apart"),
    Entrance(StageName.ASSIGN_TOPICS, "scoop.store.review", "stories are merged, split or kept apart"),
    Entrance(
        StageName.ASSIGN_TOPICS, "scoop.store.topics", "a topic's rules change, or a story is no longer suppressed"
    ),
    Entrance(StageName.DIGEST, "scoop.stages.digest", "a topic's digest is due"),
    Entrance(
        StageName.PUBLISH, "scoop.store.posts", "a digest is published or corrected, or somebody decides on a post"
    ),
    Entrance(StageName.RECONCILE_POSTS, "scoop.stages.reconcile_posts", "it is night, and a topic has posted lately"),
    Entrance(StageName.DELIVER_WEBHOOKS, "scoop.store.webhooks", "a digest is posted"),
)


def stages(
    client: Client,
    archive: Archive,
    sandbox: Sandbox,
    *,
    secrets: Mapping[str, Secret],
    settings: PluginSettings = NO_SETTINGS,
    trigger: Trigger = "schedule",
    force: bool = False,
    embedder: Embedder | None = None,
    modes: Modes | None = None,
) -> list[Stage[Any, Any]]:
    """The stages; the runs of visited sources record `trigger`. Without an embedder the local one is used."""
    kinds = plugins.makers(channels, settings)
    return [
        ingest.stage(
            client,
            archive,
            sandbox,
            plugins.makers(source_kinds, settings),
            trigger=trigger,
            force=force,
            pages=StageName.PAGES,
            then=(StageName.NORMALIZE,),
        ),
        pages.stage(client, archive, sandbox, then=(StageName.NORMALIZE,)),
        normalize.stage(then=(StageName.DEDUP,)),
        dedup.stage(then=(StageName.EMBED, StageName.INDEX), stories_to=(StageName.ASSIGN_TOPICS,)),
        embed.stage(embedder or Local(Local.Options(), client), then=(StageName.LINK,)),
        link.stage(then=(StageName.GROUP,), stories_to=(StageName.ASSIGN_TOPICS,)),
        group.stage(then=()),
        index.stage(),
        assign_topics.stage(then=(StageName.DELIVER_WEBHOOKS,), again=(StageName.ASSIGN_TOPICS,)),
        digest.stage(kinds, modes=modes or Modes(), clock=_now),
        publish.stage(client, kinds, secrets=secrets, clock=_now, then=(StageName.PUBLISH,)),
        reconcile_posts.stage(client, kinds, secrets=secrets, clock=_now),
        deliver_webhooks.stage(client, secrets=secrets, clock=_now),
    ]


def periodic_jobs(
    stages: Sequence[Stage[Any, Any]], archive: Archive, *, modes: Modes, timezone: str
) -> list[PeriodicJob]:
    """What workers of these stages do by the clock; nightly jobs follow `timezone`."""
    nightly, daily, minutely = (
        CronSchedule(expression=NIGHTLY, timezone=timezone),
        timedelta(days=1),
        timedelta(minutes=1),
    )
    jobs = [
        PeriodicJob(name="release orphans", run=lambda conn, _now: work.release_orphans(conn)),
        PeriodicJob(
            name="schedule visits", run=lambda conn, _now: sources.enqueue_due(conn, gathers=modes.write_raw_ledger)
        ),
        PeriodicJob(
            name="schedule digests",
            run=lambda conn, now: digest.schedule(conn, modes, now=now),
            needs=StageName.DIGEST,
        ),
        PeriodicJob(name="look after posts", when=minutely, run=lambda conn, _now: posts.hold_stranded(conn)),
        PeriodicJob(
            name="alert late digests",
            when=minutely,
            run=lambda conn, now: digest.alert_late_digests(conn, modes, now=now),
        ),
        PeriodicJob(name="sweep channels", when=nightly, run=lambda conn, _now: reconcile_posts.schedule(conn)),
        PeriodicJob(name="forget deliveries", when=daily, run=lambda conn, _now: webhooks.delete_old(conn)),
        PeriodicJob(name="tidy the archive", when=daily, run=lambda _conn, now: retention.tidy(archive, now=now)),
        PeriodicJob(
            name="fall back",
            when=minutely,
            run=lambda conn, now: handover.fall_back(conn, modes, now=now, run=handover.run_program),
            needs=StageName.DIGEST,
            waits=True,
        ),
    ]
    return [job for job in jobs if job.needs in {None, *(stage.name for stage in stages)}]


def _now() -> datetime:
    return datetime.now(UTC)
