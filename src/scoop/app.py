"""Builds the application from the configuration: database, client, archive, plugins and stages."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scoop import task_settings
from scoop.config import AUTO_VOICE, BUILT_IN_VOICE, NO_VOICE, SPEECH_PROGRAM, Config
from scoop.core.handover_modes import Modes
from scoop.errors import ConfigError, Reject, UsageError
from scoop.stage_names import StageName
from scoop.store import db, metrics, migrations
from scoop.store.db import Database, ExternalServer, Server
from scoop.store.embedded import EmbeddedServer
from scoop.store.runs import Trigger
from scoop.task_settings import NO_WRITER

if TYPE_CHECKING:
    from scoop.actions.sources import SourcePreview
    from scoop.archive.objects import Archive
    from scoop.channels import ChannelMakers
    from scoop.embedders import Embedder, VectorCache
    from scoop.fetch.client import Client
    from scoop.model import DocumentsAhead, LessonsAhead, SourceSettings
    from scoop.plugins import Makers
    from scoop.projections import ListeningDocuments, Projection, SentimentDocuments
    from scoop.stages.alert_posts import Announcing
    from scoop.stages.lessons import LessonPolicy
    from scoop.stages.periodic import PeriodicJob
    from scoop.stages.stage import Stage
    from scoop.stages.summaries import SummaryPolicy
    from scoop.stages.texts import Task
    from scoop.stages.write import Writing
    from scoop.voices import Voice
    from scoop.writers import Writer

POOL_SIZE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    config: Config
    database: Database
    archive: "Archive"
    stages: "list[Stage[Any, Any]]"
    jobs: "list[PeriodicJob]"
    modes: Modes
    channels: "ChannelMakers"


def server(config: Config) -> Server:
    """The database server of the configuration."""
    return ExternalServer(config.database_url) if config.database_url else EmbeddedServer(config.home)


@asynccontextmanager
async def open_database(config: Config, *, name: str = "scoop") -> AsyncIterator[Database]:
    """The database, migrated to the schema of this version."""
    database = await db.connect(server(config), size=POOL_SIZE, name=name)
    try:
        await migrations.migrate(database)
        async with metrics.flushing(database):
            yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_app(
    config: Config,
    *,
    name: str = "scoop",
    trigger: Trigger = "schedule",
    force: bool = False,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    memory: "VectorCache | None" = None,
) -> AsyncIterator[App]:
    """The application with all stages, `only` some of them, or `without` some; `memory` caches embeddings."""
    # Imported here: the HTTP client and numpy take 0.4 s, and commands that only read do not need them.
    from scoop import pipeline
    from scoop.embedders import Remembering
    from scoop.fetch import sandbox
    from scoop.stages.summaries import NOTHING_AHEAD

    async with (
        open_database(config, name=name) as database,
        open_client(config) as client,
        sandbox.open_sandbox() as parser,
        open_voice(config, client) as voice,
    ):
        _check_plugins(config)
        await _put_configured(config, database)
        await _retry_allowed(config, database)
        archive = open_archive(config)
        embedder = open_embedder(config, client)
        tasks = open_tasks(config, client)
        policy = summary_policy(config) if "summary" in tasks else NOTHING_AHEAD
        projections = open_projections(config)
        every_stage = pipeline.stages(
            client,
            archive,
            parser,
            secrets=config.secrets,
            settings=config.plugins,
            trigger=trigger,
            force=force,
            embedder=embedder if memory is None else Remembering(embedder, memory),
            voice=voice,
            projections=projections,
            modes=modes(config),
            timezone=config.timezone,
            policy=policy,
            tasks=tasks,
            same_event_decides=config.same_event_decides,
        )
        unused = [] if projections else [StageName.PROJECT]
        unused += [] if voice is not None else [StageName.SPEAK]
        stages = _chosen(every_stage, only, [*without, *unused])
        yield App(
            config=config,
            database=database,
            archive=archive,
            stages=stages,
            jobs=_jobs(config, stages, archive, policy=policy, tasks=tasks, projections=projections),
            modes=modes(config),
            channels=channel_makers(config),
        )


def _jobs(
    config: Config,
    stages: "list[Stage[Any, Any]]",
    archive: "Archive",
    *,
    policy: "SummaryPolicy",
    tasks: "dict[str, Task]",
    projections: "Sequence[Projection]",
) -> "list[PeriodicJob]":
    from scoop import pipeline
    from scoop.stages.lessons import NO_LESSONS

    return pipeline.periodic_jobs(
        stages,
        archive,
        modes=modes(config),
        timezone=config.timezone,
        policy=policy,
        lesson_policy=lesson_policy(config) if "lesson" in tasks else NO_LESSONS,
        asks_about_pairs="same_event" in tasks,
        projections=projections,
        announcing=_announcing(config),
        sentiment_alert_at=config.sentiment_alert_at,
        budget_by_task={name: task.budget for name, task in tasks.items() if task.writer.waits},
    )


def _announcing(config: Config) -> "Announcing | None":
    """Where alerts are posted, if the operator chose a topic."""
    from scoop.stages.alert_posts import Announcing

    if not config.alert_topic:
        return None
    return Announcing(topic_slug=config.alert_topic, level=config.alert_level, channels=channel_makers(config))


def _check_plugins(config: Config) -> None:
    import structlog

    from scoop import plugins

    plugins.check_settings(config.plugins)
    for warning in plugins.unknown_variables(config.plugins):
        structlog.get_logger().warning(warning)


def channel_makers(config: Config) -> "ChannelMakers":
    """The kinds of channels, with the settings of the operator."""
    from scoop import channels, plugins

    return plugins.makers(channels, config.plugins)


def modes(config: Config) -> Modes:
    """The handover modes for topics that do not set their own."""
    return Modes(mode=config.np_mode, publish_v2=config.np_publish_v2, write_raw_ledger=config.np_write_raw_ledger)


def _chosen(stages: "list[Stage[Any, Any]]", names: Sequence[str], without: Sequence[str]) -> "list[Stage[Any, Any]]":
    known = [stage.name for stage in stages]
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no stage {unknown[0]!r}; the stages are {', '.join(known)}")
    return [stage for stage in stages if (not names or stage.name in names) and stage.name not in without]


async def _put_configured(config: Config, database: Database) -> None:
    """Add or change the sources and topics of the configuration file; the file wins."""
    if not config.sources and not config.topics:
        return
    from scoop.actions import sources as source_actions
    from scoop.actions import topics

    async with database.connection() as conn, conn.transaction():
        await source_actions.put_configured(conn, source_actions.read_configured(config.sources))
        await topics.put_topics(config.topics, conn, config.plugins, timezone=config.timezone)


async def _retry_allowed(config: Config, database: Database) -> None:
    """Fetch sources at once whose private address was refused, and is allowed by the settings now."""
    if not config.allow_private:
        return
    from scoop.actions import sources as source_actions

    async with database.connection() as conn:
        await source_actions.retry_allowed(conn, _allowed_hosts(config))


def _allowed_hosts(config: Config) -> list[str]:
    return config.allow_private.replace(",", " ").split()


def open_client(config: Config) -> AbstractAsyncContextManager["Client"]:
    """The HTTP client, with the private hosts that the operator allows."""
    from scoop.fetch import client

    return client.open_client(_allowed_hosts(config), contact=config.contact)


async def try_source(config: Config, settings: "SourceSettings", *, now: datetime) -> "SourcePreview":
    """Fetch a source without storing anything; FetchFailed if it gives nothing."""
    from scoop.actions import sources as source_actions
    from scoop.fetch import sandbox

    async with open_client(config) as client, sandbox.open_sandbox() as parser:
        return await source_actions.preview_source(
            settings, client=client, sandbox=parser, plugin_settings=config.plugins, now=now
        )


def open_embedder(config: Config, client: "Client") -> "Embedder":
    """The embedder that the operator chose."""
    from scoop import embedders, plugins

    makers = plugins.makers(embedders, config.plugins)
    if config.embedder not in makers:
        known = ", ".join(sorted(makers))
        raise ConfigError(f"the setting embedder (SCOOP_EMBEDDER) is {config.embedder!r}; it must be one of {known}")
    try:
        embedder: Embedder = makers[config.embedder]({}, client)
    except Reject as error:
        raise ConfigError(f"[embedders.{config.embedder}]: {error}") from error
    return embedder


@asynccontextmanager
async def open_voice(config: Config, client: "Client") -> "AsyncIterator[Voice | None]":
    """The voice that the operator chose; ConfigError names the setting if there is no such voice."""
    chosen = config.used_voice
    if config.voice == AUTO_VOICE and chosen != BUILT_IN_VOICE:
        _warn_of_voice(chosen)
    if chosen == NO_VOICE:
        yield None
        return
    from scoop import plugins, voices

    makers = plugins.makers(voices, config.plugins)
    if chosen not in makers:
        known = ", ".join([AUTO_VOICE, NO_VOICE, *sorted(makers)])
        raise ConfigError(f"the setting voice (SCOOP_VOICE) is {config.voice!r}; it must be one of {known}")
    try:
        voice: Voice = makers[chosen]({}, client)
    except Reject as error:
        raise ConfigError(f"[voices.{chosen}]: {error}") from error
    try:
        yield voice
    finally:
        await voice.close()


def _warn_of_voice(chosen: str) -> None:
    """Say which voice is used instead of the one inside Scoop, and how to have a better one."""
    import structlog

    used = f"{SPEECH_PROGRAM} reads lessons aloud" if chosen != NO_VOICE else "no lesson is read aloud"
    structlog.get_logger().warning(
        f"the voice {BUILT_IN_VOICE} is not installed: {used}; install the pinned packages (make setup) or, where "
        f"there is none for the machine, {SPEECH_PROGRAM}, or set voice (SCOOP_VOICE)"
    )


def open_tasks(config: Config, client: "Client") -> "dict[str, Task]":
    """The writers and budgets of the tasks that have a writer; ConfigError names the setting that is missing."""
    from scoop.core.budgets import Budget
    from scoop.stages.texts import Task

    return {
        name: Task(
            writer=_open_writer(config, name, settings.writer, client),
            budget=Budget(
                requests_per_day=settings.requests_per_day,
                tokens_per_day=settings.tokens_per_day,
                money_per_day=settings.money_per_day,
                requests_per_minute=settings.requests_per_minute,
                share_per_source=settings.share_per_source,
            ),
            parallel=settings.parallel,
            fallback=_open_writer(config, name, "local", client) if settings.when_spent == "local" else None,
        )
        for name, settings in config.tasks.items()
        if settings.writer != NO_WRITER
    }


def open_writing(config: Config, client: "Client") -> "Writing":
    """The work of the stage `write`, for commands that plan texts without writing them."""
    from scoop import pipeline

    return pipeline.writing(
        open_archive(config), summary_policy(config), open_tasks(config, client), timezone=config.timezone
    )


def _open_writer(config: Config, task: str, name: str, client: "Client") -> "Writer":
    from scoop import plugins, writers

    makers = plugins.makers(writers, config.plugins)
    if name not in makers:
        setting = f"writer in [tasks.{task}] ({task_settings.variable(task, 'writer')})"
        raise ConfigError(f"the setting {setting} is {name!r}; it must be none or one of {', '.join(sorted(makers))}")
    try:
        writer: Writer = makers[name]({}, client)
    except Reject as error:
        raise ConfigError(f"[writers.{name}]: {error}") from error
    return writer


def summary_policy(config: Config) -> "SummaryPolicy":
    """What is summarised ahead, and in which language; ConfigError names a language that there is not."""
    from scoop.core import language
    from scoop.stages.summaries import SummaryPolicy

    by_collection = dict(_collection_languages(config.collection_languages))
    for code in filter(None, (config.summary_language, *by_collection.values())):
        if language.canonical_tag(code) is None:
            raise ConfigError(f"{code!r} in summary_language or collection_languages is not a language, as ja or en")
    return SummaryPolicy(
        language=config.summary_language,
        language_by_collection=by_collection,
        min_publishers=config.summary_min_publishers,
        documents=_documents_ahead(config),
    )


def lesson_policy(config: Config) -> "LessonPolicy":
    """How many articles learners get a day, and which lessons are made ahead."""
    from scoop.stages.lessons import LessonPolicy

    by_cost: LessonsAhead = "all" if config.tasks["lesson"].writer == "local" else "readers"
    return LessonPolicy(
        per_day=config.lessons_per_day,
        topics=tuple(config.listening_topics.replace(",", " ").split()),
        ahead=by_cost if config.lessons_ahead == "auto" else config.lessons_ahead,
    )


def _documents_ahead(config: Config) -> "DocumentsAhead":
    if config.summarize_documents != "auto":
        return config.summarize_documents
    return "all" if config.tasks["summary"].writer == "local" else "sites"


def _collection_languages(setting: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, map(str.strip, setting.split(","))):
        collection, equals, code = part.partition("=")
        if not equals or not collection.strip() or not code.strip():
            raise ConfigError(f"collection_languages has {part!r}; write collection=language, as china_news=zh")
        yield collection.strip(), code.strip()


def open_projections(config: Config) -> "list[Projection]":
    """The projections that the operator chose."""
    names = config.project_to.replace(",", " ").split()
    if not names:
        return []
    from scoop import plugins, projections

    makers = plugins.makers(projections, config.plugins)
    return [_open_projection(makers, name) for name in dict.fromkeys(names)]


def open_sentiment_documents(config: Config) -> "SentimentDocuments | None":
    """The projection that sentiment is read from; None: it is read from the database."""
    if not config.sentiment_from:
        return None
    from scoop.projections import SentimentDocuments

    chosen = _find_projection(config, config.sentiment_from)
    if not isinstance(chosen, SentimentDocuments):
        raise _unreadable("sentiment_from", config.sentiment_from, "cached sentiment")
    return chosen


def open_listening_documents(config: Config) -> "ListeningDocuments | None":
    """The projection that the older listening API is read from; None: it is read from the database."""
    if not config.listening_from:
        return None
    from scoop.projections import ListeningDocuments

    chosen = _find_projection(config, config.listening_from)
    if not isinstance(chosen, ListeningDocuments):
        raise _unreadable("listening_from", config.listening_from, "lessons")
    return chosen


def _find_projection(config: Config, name: str) -> "Projection | None":
    return next((each for each in open_projections(config) if each.name == name), None)


def _unreadable(setting: str, name: str, contents: str) -> ConfigError:
    return ConfigError(
        f"the setting {setting} (SCOOP_{setting.upper()}) is {name!r}; it must be a projection of project_to that has "
        f"{contents}, as cosmos"
    )


def _open_projection(makers: "Makers", name: str) -> "Projection":
    try:
        projection: Projection = makers[name]({})
    except Reject as error:
        raise ConfigError(f"the setting project_to (SCOOP_PROJECT_TO) names {name!r}: {error}") from error
    return projection


def open_archive(config: Config) -> "Archive":
    """The archive of pages and run logs."""
    from scoop.archive.objects import Archive

    keys = {"access_key_id": config.archive_access_key_id, "secret_access_key": config.archive_secret_access_key}
    credentials = {name: value for name, value in keys.items() if value}
    return Archive.open(
        config.archive_url or str(config.home / "archive"), credentials=credentials, project=config.archive_project
    )
