"""Podcasts: the episodes of a topic and level, one a day, and their sound."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import cache
from itertools import groupby

from scoop.archive.objects import Archive
from scoop.core import text
from scoop.core.audio import episodes, mp3
from scoop.core.audio.episodes import GAP_MS, EpisodePart, PodcastEpisode
from scoop.core.listening import JAPAN
from scoop.errors import NotFound
from scoop.model import Level
from scoop.stages import lessons
from scoop.store import listening, recordings, topics
from scoop.store.db import Connection
from scoop.store.recordings import RecordedArticle

ALL = "all"
SHOWN = timedelta(days=30)
EVERY_TOPIC = "News"


async def list_topics(conn: Connection) -> list[tuple[str, str]]:
    """The topics that have podcasts, by slug, with their names; all together first."""
    own = [(topic.topic_slug, topic.topic_name) for topic in await topics.list_topics(conn) if topic.enabled]
    return [(ALL, "All topics"), *own]


async def get_name(conn: Connection, topic: str, level: Level) -> str:
    name = EVERY_TOPIC if topic == ALL else (await topics.by_slug(conn, topic)).topic_name
    return text.one_line(f"{name} in English, {level}")


async def list_episodes(
    conn: Connection, topic: str, level: Level, *, per_day: int, now: datetime
) -> list[PodcastEpisode]:
    """The episodes of the last days, the latest first.

    The one of today appears when all `per_day` articles are chosen and their lessons of this level recorded: apps do
    not load an episode again that becomes longer.
    """
    topic_id = None if topic == ALL else (await topics.by_slug(conn, topic)).topic_id
    today = now.astimezone(JAPAN).date()
    recorded = await recordings.list_recorded(conn, level, since=today - SHOWN, topic_id=topic_id)
    unfinished = await recordings.list_unfinished_days(conn, level, since=today)
    if await listening.count(conn, today) < per_day:
        unfinished.add(today)
    return [
        _episode(day, articles)
        for day, articles in groupby(recorded, key=lambda article: article.chosen_on)
        if day not in unfinished
    ]


async def get_episode(
    conn: Connection, topic: str, level: Level, day: date, *, per_day: int, now: datetime
) -> PodcastEpisode:
    episodes_of_level = await list_episodes(conn, topic, level, per_day=per_day, now=now)
    found = [episode for episode in episodes_of_level if episode.day == day]
    if not found:
        raise NotFound(f"there is no episode of {day} at level {level}; the feed lists those that there are")
    return found[0]


async def ask_missing(conn: Connection, level: Level, *, has_writer: bool, now: datetime) -> None:
    """Ask for the lessons of this level and their recordings: somebody has subscribed to it."""
    if has_writer:
        await lessons.ask_levels(conn, [level], now=now)
    await recordings.ask_level(conn, level, since=now.astimezone(JAPAN).date() - SHOWN)


async def read(archive: Archive, episode: PodcastEpisode) -> bytes:
    """The MP3 of an episode."""
    return episodes.join([(await archive.get(part.object_key)).data for part in episode.parts], _gap())


@cache
def _gap() -> bytes:
    return mp3.silence(GAP_MS)


def _episode(day: date, articles: Iterable[RecordedArticle]) -> PodcastEpisode:
    of_day = list(articles)
    return PodcastEpisode(
        day=day,
        published_at=max(article.updated_at for article in of_day),
        gap_bytes=len(_gap()),
        parts=[
            EpisodePart(
                title=article.title,
                url=article.url,
                object_key=article.object_key,
                byte_count=article.byte_count,
                duration_ms=article.duration_ms,
                sentences=article.sentences,
            )
            for article in of_day
        ],
    )
