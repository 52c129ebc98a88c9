"""Curators as commands and programs see them: settings, interests and channels, and the state of their work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime

from scoop.actions.curators import InterestTrial, TriedArticle
from scoop.core import curation, digest_windows
from scoop.core.curation import EvaluationState, RejectReason
from scoop.core.interests import Interests
from scoop.model import Topic
from scoop.store import curators, evaluations, topics
from scoop.store.curators import Curator, CuratorSettings
from scoop.store.db import Connection
from scoop.store.topics import TopicChannel


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorReport(CuratorSettings):
    """A curator: its settings, the interests in use and its channels; options are visible to editors only.

    `problem` is why newer interests in the file or URL were refused. `settings_from_file` are settings that this file
    has, too: they are changed there.
    """

    topic_id: int
    topic_slug: str
    topic_name: str
    timezone: str
    digest_cron: str
    collections: list[str]
    sources: list[str]
    discord_channel_id: str | None
    enabled: bool
    interests: Interests | None
    interests_version: int | None
    settings_from_file: list[str]
    problem: str | None
    channels: list[TopicChannel]
    next_digest_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorStatus:
    """The work of a curator: when it looked and read its interests, and how many articles it has in each state."""

    topic_slug: str
    checked_at: datetime | None
    read_at: datetime | None
    articles: Mapping[EvaluationState, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialArticle:
    """An article of a trial and its score by the local scorer; `was_relevant` by the interests in use.

    `kept_out` is why a gained article is not posted all the same; empty if nothing is in the way.
    """

    article_id: str
    title: str
    url: str | None
    publisher_name: str
    seen_at: datetime
    relevance_score: int
    score_parts: Mapping[str, int]
    matching_topics: Sequence[str]
    topic_scores: Mapping[str, int]
    reasoning: str
    is_ai_generated: bool
    reason: RejectReason | None
    was_relevant: bool | None
    kept_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """What interests would have caught since a moment, the best first, and what they would gain and lose.

    `kept_out_count` is how many of the gained articles are not posted all the same.
    """

    since: datetime
    tried: int
    count_by_topic: Mapping[str, int]
    relevant: Sequence[TrialArticle]
    gained: Sequence[TrialArticle]
    lost: Sequence[TrialArticle]
    kept_out_count: int


def report_trial(trial: InterestTrial) -> TrialReport:
    """A trial without the texts of its articles."""
    return TrialReport(
        since=trial.since,
        tried=trial.tried,
        count_by_topic=trial.count_by_topic,
        relevant=[_tried(each) for each in trial.relevant],
        gained=[_tried(each) for each in trial.gained],
        lost=[_tried(each) for each in trial.lost],
        kept_out_count=trial.kept_out_count,
    )


def _tried(tried: TriedArticle) -> TrialArticle:
    article, evaluation = tried.article, tried.evaluation
    return TrialArticle(
        article_id=article.article_id,
        title=article.title,
        url=article.url,
        publisher_name=article.publisher_name,
        seen_at=article.seen_at,
        relevance_score=evaluation.score,
        score_parts=curation.parts_by_name(evaluation.parts),
        matching_topics=evaluation.matching_topics,
        topic_scores=evaluation.topic_scores,
        reasoning=evaluation.reasoning,
        is_ai_generated=evaluation.is_ai_generated,
        reason=tried.reason,
        was_relevant=tried.was_relevant,
        kept_out=tried.kept_out,
    )


async def list_reports(conn: Connection, *, now: datetime, with_options: bool = True) -> list[CuratorReport]:
    """All curators; the options of channels only `with_options`."""
    topic_by_id = {topic.topic_id: topic for topic in await topics.list_topics(conn)}
    channels = await topics.channels_by_topic(conn)
    return [
        _report(each, topic_by_id[each.topic_id], channels.get(each.topic_id, []), now=now, with_options=with_options)
        for each in await curators.list_curators(conn)
    ]


async def get_report(conn: Connection, slug: str, *, now: datetime, with_options: bool = True) -> CuratorReport:
    """One curator; the options of its channels only `with_options`."""
    curator = await curators.by_slug(conn, slug)
    topic, channels = await topics.by_slug(conn, slug), await topics.list_channels(conn, curator.topic_id)
    return _report(curator, topic, channels, now=now, with_options=with_options)


def _report(
    curator: Curator, topic: Topic, channels: list[TopicChannel], *, now: datetime, with_options: bool
) -> CuratorReport:
    own = {each.name for each in fields(CuratorReport)} & {each.name for each in fields(Curator)}
    shared = ("timezone", "digest_cron", "collections", "discord_channel_id")
    return CuratorReport(
        **{name: getattr(curator, name) for name in own},
        **{name: getattr(topic, name) for name in shared},
        sources=[rule.source for rule in topic.source_rules if rule.rule_type == "include"],
        channels=[channel if with_options else replace(channel, options={}) for channel in channels],
        next_digest_at=digest_windows.upcoming(topic.digest_cron, topic.timezone, now) if topic.enabled else None,
    )


async def list_statuses(conn: Connection) -> list[CuratorStatus]:
    """The work of all curators."""
    counts = await evaluations.count_states(conn)
    return [_status(each, counts.get(each.topic_id, {})) for each in await curators.list_curators(conn)]


async def get_status(conn: Connection, slug: str) -> CuratorStatus:
    """The work of one curator."""
    curator = await curators.by_slug(conn, slug)
    return _status(curator, (await evaluations.count_states(conn, curator.topic_id)).get(curator.topic_id, {}))


def _status(curator: Curator, counts: Mapping[EvaluationState, int]) -> CuratorStatus:
    return CuratorStatus(
        topic_slug=curator.topic_slug, checked_at=curator.checked_at, read_at=curator.read_at, articles=counts
    )
