"""Every arrow and every periodic job of the system, in reading order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from scoop import channels, plugins
from scoop import sources as source_kinds
from scoop.actions import curator_files, handover, listening, pair_answers
from scoop.archive import retention
from scoop.archive.objects import Archive
from scoop.core import sentiment_cache as cache_rules
from scoop.core import tool_candidates
from scoop.core.budgets import Budget
from scoop.core.handover_modes import Modes
from scoop.core.secrets import Secret
from scoop.embedders import Embedder, local
from scoop.embedders.local import Local
from scoop.fetch.client import Client
from scoop.fetch.sandbox import Sandbox
from scoop.plugin_settings import NO_SETTINGS, PluginSettings
from scoop.projections import Projection
from scoop.stage_names import StageName
from scoop.stages import (
    alert_posts,
    article_alerts,
    assign_topics,
    curate,
    dedup,
    deliver_webhooks,
    desk_alerts,
    digest,
    embed,
    evaluations,
    group,
    index,
    ingest,
    lessons,
    link,
    mention_answers,
    mentions,
    normalize,
    pages,
    project,
    publish,
    reanalyze,
    reconcile_posts,
    same_event,
    sentiment_alerts,
    sentiment_cache,
    speak,
    summaries,
    tool_answers,
    translations,
    write,
)
from scoop.stages.alert_posts import Announcing
from scoop.stages.lessons import NO_LESSONS, LessonPolicy
from scoop.stages.periodic import CronSchedule, PeriodicJob
from scoop.stages.stage import Stage
from scoop.stages.summaries import NOTHING_AHEAD, SummaryPolicy
from scoop.stages.texts import Task
from scoop.stages.write import Writing
from scoop.store import metrics, posts, sentiment_jobs, sources, tools, webhooks, work
from scoop.store.runs import Trigger
from scoop.voices import Voice

PUBLISHING = (StageName.DIGEST, StageName.PUBLISH, StageName.RECONCILE_POSTS, StageName.DELIVER_WEBHOOKS)
AFTER_STORIES = (
    StageName.INDEX,
    StageName.ASSIGN_TOPICS,
    StageName.MENTIONS,
    StageName.REANALYZE,
    StageName.WRITE,
    StageName.SPEAK,
    StageName.CURATE,
    *PUBLISHING,
)
NIGHTLY = "0 3 * * *"
PROJECT_EVERY = timedelta(seconds=5)
MEASURE_EVERY = timedelta(minutes=5)
NO_BUDGETS: Mapping[str, Budget] = {}
ALERT_INTERVAL = timedelta(minutes=5)  # between two counts of the articles that failed


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
    Entrance(StageName.LINK, "scoop.store.review_queue", "the thresholds are calibrated"),
    Entrance(
        StageName.DEDUP, "scoop.stages.dedup", "a URL or text that joined documents turns out to identify nothing"
    ),
    Entrance(StageName.GROUP, "scoop.store.review", "stories are merged, split or kept apart"),
    Entrance(StageName.ASSIGN_TOPICS, "scoop.store.review", "stories are merged, split or kept apart"),
    Entrance(StageName.ASSIGN_TOPICS, "scoop.store.hidden", "the removed demo is shown again"),
    Entrance(
        StageName.ASSIGN_TOPICS, "scoop.store.topics", "a topic's rules change, or a story is no longer suppressed"
    ),
    Entrance(StageName.REANALYZE, "scoop.store.sentiment_jobs", "a tool changes, or somebody asks for it"),
    Entrance(StageName.WRITE, "scoop.store.briefs", "a text is asked for, by a reader or ahead"),
    Entrance(StageName.WRITE, "scoop.stages.lessons", "a lesson is easier than that of a lower level, and is repaired"),
    Entrance(StageName.CURATE, "scoop.stages.assign_topics", "a curator's topic gets stories"),
    Entrance(StageName.SPEAK, "scoop.store.recordings", "a learner opens a lesson, or it is spoken ahead"),
    Entrance(StageName.CURATE, "scoop.stages.curate", "every minute, for curators"),
    Entrance(StageName.CURATE, "scoop.cli.curate", "somebody curates by command"),
    Entrance(StageName.DIGEST, "scoop.stages.digest", "a topic's digest is due"),
    Entrance(
        StageName.PUBLISH, "scoop.store.posts", "a digest is published or corrected, or somebody decides on a post"
    ),
    Entrance(StageName.RECONCILE_POSTS, "scoop.stages.reconcile_posts", "it is night, and a topic has posted lately"),
    Entrance(StageName.DELIVER_WEBHOOKS, "scoop.store.webhooks", "a digest is posted"),
    Entrance(StageName.PROJECT, "scoop.store.projections", "every few seconds if a projection is configured"),
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
    voice: Voice | None = None,
    projections: Sequence[Projection] = (),
    modes: Modes | None = None,
    timezone: str = "UTC",
    policy: SummaryPolicy = NOTHING_AHEAD,
    tasks: Mapping[str, Task] | None = None,
    same_event_decides: bool = False,
) -> list[Stage[Any, Any]]:
    """The stages; the runs of visited sources record `trigger`. Without an embedder the local one is used.

    `timezone` is that of the desk, `policy` says what is summarised ahead, `tasks` have the writers;
    `same_event_decides`: answers about pairs are decisions.
    """
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
        dedup.stage(
            then=(StageName.EMBED, StageName.INDEX, StageName.MENTIONS),
            stories_to=(StageName.ASSIGN_TOPICS,),
            policy=policy,
        ),
        embed.stage(embedder or Local(Local.Options(), client), then=(StageName.LINK,)),
        link.stage(then=(StageName.GROUP,), stories_to=(StageName.ASSIGN_TOPICS,)),
        group.stage(then=(StageName.DELIVER_WEBHOOKS,), policy=policy),
        index.stage(),
        assign_topics.stage(then=(StageName.DELIVER_WEBHOOKS,), again=(StageName.ASSIGN_TOPICS,), timezone=timezone),
        mentions.stage(local.encode, asks_model="sentiment" in (tasks or {})),
        reanalyze.stage(local.encode, asks_model="sentiment" in (tasks or {}), then=(StageName.REANALYZE,)),
        write.stage(writing(archive, policy, tasks or {}, timezone=timezone, same_event_decides=same_event_decides)),
        speak.stage(voice, archive),
        curate.stage(client, curator_files.rules(settings), clock=_now),
        digest.stage(kinds, modes=modes or Modes(), clock=_now),
        publish.stage(client, kinds, secrets=secrets, clock=_now, then=(StageName.PUBLISH,)),
        reconcile_posts.stage(client, kinds, secrets=secrets, clock=_now),
        deliver_webhooks.stage(client, secrets=secrets, clock=_now),
        project.stage(projections, then=(StageName.PROJECT,)),
    ]


def writing(
    archive: Archive,
    policy: SummaryPolicy,
    tasks: Mapping[str, Task],
    *,
    timezone: str,
    same_event_decides: bool = False,
) -> Writing:
    """The work of the stage `write`: every kind of text, with the writers of the tasks."""
    return Writing(
        kinds={
            "summary": summaries.text_kind(policy),
            "translation": translations.text_kind(),
            "same_event": same_event.text_kind(decides=same_event_decides),
            "evaluation": evaluations.text_kind(),
            "lesson": lessons.text_kind(),
            "sentiment": mention_answers.text_kind(),
            "question": tool_answers.text_kind(),
        },
        tasks=tasks,
        archive=archive,
        embed=local.encode,
        clock=_now,
        timezone=timezone,
    )


def periodic_jobs(
    stages: Sequence[Stage[Any, Any]],
    archive: Archive,
    *,
    modes: Modes,
    timezone: str,
    policy: SummaryPolicy = NOTHING_AHEAD,
    lesson_policy: LessonPolicy = NO_LESSONS,
    asks_about_pairs: bool = False,
    projections: Sequence[Projection] = (),
    announcing: Announcing | None = None,
    sentiment_alert_at: int = 20,
    budget_by_task: Mapping[str, Budget] = NO_BUDGETS,
) -> list[PeriodicJob]:
    """What workers of these stages do by the clock; nightly jobs follow `timezone`.

    `policy` says what is summarised ahead, `lesson_policy` what learners get; `asks_about_pairs`: a model judges pairs
    of the review queue. `announcing` says where alerts are posted; `sentiment_alert_at` is the move of an average, in
    hundredths. `budget_by_task` has the budgets of the tasks whose writers cost money.
    """
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
        *_curator_jobs(),
        PeriodicJob(name="measure curators", when=MEASURE_EVERY, run=lambda conn, _now: metrics.measure_memory(conn)),
        PeriodicJob(
            name="schedule digests",
            run=lambda conn, now: digest.schedule(conn, modes, now=now),
            needs=StageName.DIGEST,
        ),
        PeriodicJob(name="look after posts", when=minutely, run=lambda conn, _now: posts.hold_stranded(conn)),
        PeriodicJob(
            name="alert spent budgets",
            when=minutely,
            run=lambda conn, now: desk_alerts.alert_spent_budgets(conn, budget_by_task, now=now, timezone=timezone),
        ),
        *_alert_jobs(modes, announcing),
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
        *_sentiment_jobs(sentiment_alert_at),
        *_asking_jobs(policy, asks_about_pairs=asks_about_pairs),
        *_listening_jobs(lesson_policy),
        *([_schedule_projections(projections)] if projections else []),
    ]
    return [job for job in jobs if job.needs in {None, *(stage.name for stage in stages)}]


def _alert_jobs(modes: Modes, announcing: Announcing | None) -> Iterator[PeriodicJob]:
    """The jobs that raise alerts, and the one that announces all of them."""
    minutely = timedelta(minutes=1)
    yield PeriodicJob(
        name="alert late digests",
        when=minutely,
        run=lambda conn, now: digest.alert_late_digests(conn, modes, now=now),
    )
    yield PeriodicJob(
        name="alert failing articles",
        when=ALERT_INTERVAL,
        run=lambda conn, now: article_alerts.alert_failing_articles(conn, now=now),
    )
    yield PeriodicJob(
        name="alert failing evaluations",
        when=ALERT_INTERVAL,
        run=lambda conn, now: article_alerts.alert_failing_evaluations(conn, now=now),
    )
    yield PeriodicJob(
        name="alert refused channels", when=minutely, run=lambda conn, _now: desk_alerts.alert_refused_channels(conn)
    )
    yield PeriodicJob(
        name="alert firestore quota",
        when=ALERT_INTERVAL,
        run=lambda conn, _now: desk_alerts.alert_firestore_quota(conn),
    )
    if announcing is not None:
        yield PeriodicJob(
            name="announce alerts", when=minutely, run=lambda conn, now: alert_posts.announce(conn, announcing, now=now)
        )


def _curator_jobs() -> Iterator[PeriodicJob]:
    """The jobs of curators: they look for articles, and forget old ones."""
    yield PeriodicJob(
        name="schedule curators",
        when=curate.LOOK_EVERY,
        run=lambda conn, _now: curate.schedule(conn),
        needs=StageName.CURATE,
    )
    yield PeriodicJob(
        name="forget evaluations",
        when=CronSchedule(expression=curate.FORGET_CRON, timezone=curate.FORGET_TIMEZONE),
        run=lambda conn, now: curate.forget(conn, now=now),
    )


def _sentiment_jobs(alert_at: int) -> Iterator[PeriodicJob]:
    """The jobs that keep sentiment fresh: the cache is refreshed and cleaned, failed re-analyses are ended."""
    yield PeriodicJob(
        name="refresh sentiment",
        when=cache_rules.REFRESH_EVERY,
        run=lambda conn, now: sentiment_cache.refresh(conn, now=now),
        needs=StageName.MENTIONS,
        waits=True,
    )
    yield PeriodicJob(
        name="add up mentions",
        when=timedelta(seconds=15),  # a new desk shows zeros until then
        run=lambda conn, now: sentiment_cache.follow_changes(conn, now=now),
        needs=StageName.MENTIONS,
        waits=True,
    )
    yield PeriodicJob(
        name="alert sentiment",
        when=cache_rules.REFRESH_EVERY,
        run=lambda conn, now: sentiment_alerts.alert_changes(conn, now=now, moved_by=alert_at / 100),
        needs=StageName.MENTIONS,
        waits=True,
    )
    yield PeriodicJob(
        name="clean sentiment",
        when=CronSchedule(expression=NIGHTLY, timezone="UTC"),
        run=lambda conn, now: sentiment_cache.clean(conn, now=now),
    )
    yield PeriodicJob(
        name="forget tool candidates",
        when=timedelta(days=1),
        run=lambda conn, now: tools.forget_candidates(conn, now=now, kept_for=tool_candidates.KEPT_FOR),
    )
    yield PeriodicJob(
        name="end failed analyses",
        when=timedelta(minutes=1),
        run=lambda conn, _now: sentiment_jobs.fail_quarantined(conn),
        needs=StageName.REANALYZE,
    )


def _asking_jobs(policy: SummaryPolicy, *, asks_about_pairs: bool) -> Iterator[PeriodicJob]:
    """The jobs that ask for texts before people do."""
    yield PeriodicJob(
        name="ask for summaries",
        when=timedelta(minutes=1),
        run=lambda conn, now: summaries.ask_ahead(conn, policy, now=now),
        needs=StageName.WRITE,
    )
    yield PeriodicJob(
        name="speak lessons ahead",
        when=timedelta(minutes=1),
        run=lambda conn, now: speak.ask_ahead(conn, now=now),
        needs=StageName.SPEAK,
    )
    if asks_about_pairs:
        yield PeriodicJob(
            name="ask about pairs",
            when=timedelta(minutes=1),
            run=lambda conn, now: pair_answers.ask_ahead(conn, now=now),
            needs=StageName.WRITE,
        )


def _listening_jobs(policy: LessonPolicy) -> Iterator[PeriodicJob]:
    """The daily update of articles for learners, looked for every minute, and the lessons that are made ahead."""
    yield PeriodicJob(
        name="update articles for learners",
        when=timedelta(minutes=1),
        run=lambda conn, now: listening.run_daily(conn, policy, now=now),
        needs=StageName.WRITE,
    )
    yield PeriodicJob(
        name="ask for lessons",
        when=timedelta(minutes=1),
        run=lambda conn, now: lessons.ask_ahead(conn, policy, now=now),
        needs=StageName.WRITE,
    )


def _schedule_projections(projections: Sequence[Projection]) -> PeriodicJob:
    return PeriodicJob(
        name="schedule projections",
        when=PROJECT_EVERY,
        run=lambda conn, _now: project.schedule(conn, projections),
        needs=StageName.PROJECT,
    )


def _now() -> datetime:
    return datetime.now(UTC)
