"""Curators: topics that choose by interests, the versions of these, and the labels that tune the local scorer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from scoop.core.interests import Interests
from scoop.core.relevance import RelevanceLabel
from scoop.errors import NotFound
from scoop.store import briefs, db, evaluations, topics
from scoop.store.db import Connection

SQL = db.blocks(__name__)
MAX_LABELS = 500  # that tune the scorer, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorSettings:
    """The settings of a curator that topics do not have; `interests_from` is None if they are changed in Scoop."""

    interests_from: str | None = None
    freshness_days: int = 3
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curator(CuratorSettings):
    """A topic that chooses by interests; `interests` are the last valid ones, `problem` why newer ones were refused.

    `settings_from_file` are the settings that the file of its interests has, too.
    """

    topic_id: int
    topic_slug: str
    topic_name: str
    enabled: bool
    interests: Interests | None
    interests_id: int | None
    interests_version: int | None
    settings_from_file: list[str]
    problem: str | None
    read_at: datetime | None
    checked_at: datetime | None

    @property
    def freshness(self) -> timedelta:
        return timedelta(days=self.freshness_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestVersion:
    """A version of the interests of a curator, and where it came from."""

    interests_id: int
    version: int
    interests: Interests
    origin: str
    created_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleLabel:
    """A thumb up or down for an article."""

    document_id: int
    article_id: str
    title: str
    is_wanted: bool
    untuned_score: int
    untuned_topic_scores: Mapping[str, int]
    labelled_by: str
    labelled_at: datetime

    def relevance(self) -> RelevanceLabel:
        """The label as the scorer reads it."""
        return RelevanceLabel(
            is_wanted=self.is_wanted,
            untuned_score=self.untuned_score,
            untuned_topic_scores=self.untuned_topic_scores,
        )


async def list_curators(conn: Connection) -> list[Curator]:
    return [_curator(row) for row in await conn.fetch(SQL["curators"], None)]


async def by_slug(conn: Connection, slug: str) -> Curator:
    topic = await topics.by_slug(conn, slug)
    found = await find(conn, topic.topic_id)
    if found is None:
        raise NotFound(f"{slug} is a topic without interests; `scoop curators list` shows the curators")
    return found


async def find(conn: Connection, topic_id: int) -> Curator | None:
    """The curator of a topic; None if the topic has no interests."""
    row = await conn.fetchrow(SQL["curators"], topic_id)
    return None if row is None else _curator(row)


async def put(conn: Connection, topic_id: int, settings: CuratorSettings) -> None:
    """Make a topic a curator, or change its settings; another file of interests is read at the next look."""
    await conn.execute(SQL["put"], topic_id, settings.interests_from, settings.freshness_days, settings.language)


async def put_interests(conn: Connection, topic_id: int, interests: Interests, *, origin: str, by: str = "") -> int:
    """Use these interests from now on, inside the caller's transaction; a new version if they differ from the last.

    What a model evaluated is judged by them without another evaluation; the local scorer scores what is fresh again.
    """
    before = await find(conn, topic_id)
    row = await conn.fetchrow(SQL["append_version"], topic_id, asdict(interests), origin, by)
    if row["is_new"]:
        await conn.execute(SQL["max_entries"], topic_id, interests.max_articles)
        old = before.interests if before is not None else None
        again = await evaluations.judge_again(
            conn, topic_id, interests, have_topics_changed=old is not None and old.topics != interests.topics
        )
        language = before.language if before is not None else ""
        await briefs.ask(conn, "evaluation", "evaluation", dict.fromkeys(again, language))
    return int(row["interests_id"])


async def set_settings_from_file(conn: Connection, topic_id: int, names: Sequence[str]) -> None:
    """Note which settings are read from the file of the interests."""
    await conn.execute(SQL["set_settings_from_file"], topic_id, names)


async def set_problem(conn: Connection, topic_id: int, problem: str) -> None:
    """Note why the interests could not be read; the last valid version stays in use."""
    await conn.execute(SQL["set_problem"], topic_id, problem)


async def forget_reading(conn: Connection, topic_id: int) -> None:
    """Let the file or URL of the interests be read at the next look, however lately it was read."""
    await conn.execute(SQL["forget_reading"], topic_id)


async def touch(conn: Connection, topic_id: int) -> None:
    """Note that a curator looked for new articles."""
    await conn.execute(SQL["touch"], topic_id)


async def list_enabled(conn: Connection) -> list[int]:
    """The curators that look for articles."""
    return [row["topic_id"] for row in await conn.fetch(SQL["enabled"])]


async def list_versions(
    conn: Connection, topic_id: int, *, before: int | None = None, limit: int = 30
) -> list[InterestVersion]:
    """The versions of the interests of a curator, or those before one, the newest first."""
    return [_version(row) for row in await conn.fetch(SQL["versions"], topic_id, before, limit)]


async def get_version(conn: Connection, curator: Curator, version: int) -> InterestVersion:
    row = await conn.fetchrow(SQL["version"], curator.topic_id, version)
    if row is None:
        slug = curator.topic_slug
        raise NotFound(f"{slug} has no version {version} of its interests; all: scoop curators history {slug}")
    return _version(row)


async def list_labels(conn: Connection, topic_id: int, *, limit: int = MAX_LABELS) -> list[ArticleLabel]:
    """The labels of a curator's articles, the newest first."""
    return [ArticleLabel(**row) for row in await conn.fetch(SQL["labels"], topic_id, limit)]


async def put_label(conn: Connection, topic_id: int, document_id: int, label: RelevanceLabel, *, by: str = "") -> None:
    """Store a thumb up or down; it replaces the one before."""
    scores = dict(label.untuned_topic_scores)
    await conn.execute(SQL["put_label"], topic_id, document_id, label.is_wanted, label.untuned_score, scores, by)


async def remove_label(conn: Connection, topic_id: int, document_id: int) -> None:
    """Remove the label of an article; NotFound if it has none."""
    if await conn.fetchval(SQL["remove_label"], topic_id, document_id) is None:
        raise NotFound("the article has no label to remove")


def _curator(row: Mapping[str, Any]) -> Curator:
    return Curator(**{**row, "interests": _interests(row["interests"])})


def _version(row: Mapping[str, Any]) -> InterestVersion:
    return InterestVersion(**{**row, "interests": _interests(row["interests"])})


def _interests(stored: Any) -> Any:
    return None if stored is None else msgspec.convert(stored, Interests)
