"""Podcasts of lessons: a feed for each topic and level, with an episode a day."""

from datetime import date
from typing import Annotated, Any
from urllib.parse import quote, urlencode
from uuid import UUID, uuid5

import msgspec
from fastapi import Path, Request, Response

from scoop import app
from scoop.actions import podcasts
from scoop.core.audio import mp3, transcripts
from scoop.core.audio.episodes import PodcastEpisode
from scoop.core.feed_writing import line, podcast
from scoop.core.feed_writing.podcast import Podcast, PodcastItem
from scoop.core.rendering import common
from scoop.http import byte_ranges, links, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn
from scoop.http.routes import needs
from scoop.model import Level
from scoop.store import posts
from scoop.store.db import Connection
from scoop.task_settings import NO_WRITER

router = routes.for_programs("Feeds", prefix="/podcast")

FEED_TYPE = "application/rss+xml"
CACHE_CONTROL = "private, max-age=300"
TopicName = Annotated[str, Path(max_length=200, pattern=r"^[^\x00]*$", description="The slug of a topic, or all.")]


def _content(media_type: str, about: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": about, "content": {media_type: {}}}}


@router.get("/{topic}/{level}.xml", responses=_content(FEED_TYPE, "The podcast"), response_class=Response)
@needs("read")
async def podcast_feed(
    request: Request, desk: CurrentDesk, visitor: CurrentVisitor, topic: TopicName, level: Level
) -> Response:
    """A podcast: the lessons of each day at one level, of a topic or of all.

    An app that cannot sign in adds `?key=` with a key whose only scope is read; all addresses in the feed have it, too.
    """
    now = desk.clock()
    if visitor.is_known:
        async with desk.writing() as conn:
            await podcasts.ask_missing(conn, level, has_writer=desk.lesson_writer != NO_WRITER, now=now)
    async with desk.reading() as conn:
        found = await podcasts.list_episodes(conn, topic, level, per_day=desk.config.lessons_per_day, now=now)
        desk_id = UUID(await posts.get_desk_id(conn))
        name = await podcasts.get_name(conn, topic, level)
    feed = Podcast(
        title=line(name),
        description=f"The news of each day, read aloud in English for learners at level {level}.",
        page_url=f"{links.base_url(request)}/listen",
        self_url=f"{links.base_url(request)}{quote(request.url.path)}",
        cover_url=f"{links.base_url(request)}/podcast-cover.png",
        updated_at=max((episode.published_at for episode in found), default=None),
        items=[_item(request, desk_id, topic, level, episode) for episode in found],
    )
    headers = {"Cache-Control": CACHE_CONTROL}
    return responses.with_etag(request, podcast.write(feed), f"{FEED_TYPE}; charset=utf-8", headers=headers)


@router.get("/{topic}/{level}/{day}.mp3", responses=_content(mp3.MEDIA_TYPE, "The episode"), response_class=Response)
@needs("read")
async def episode_sound(request: Request, desk: CurrentDesk, topic: TopicName, level: Level, day: date) -> Response:
    """The sound of an episode, whole or in parts (Range)."""
    async with desk.reading() as conn:
        episode = await _episode(conn, desk, topic, level, day)
    body = await podcasts.read(app.open_archive(desk.config), episode)
    return byte_ranges.respond(request, body, mp3.MEDIA_TYPE, headers={"Cache-Control": CACHE_CONTROL})


@router.get("/{topic}/{level}/{day}.vtt", responses=_content(transcripts.VTT_TYPE, "WebVTT"), response_class=Response)
@needs("read")
async def episode_transcript(
    request: Request, desk: CurrentDesk, conn: ReadConn, topic: TopicName, level: Level, day: date
) -> Response:
    """The text of an episode with the time of each sentence."""
    episode = await _episode(conn, desk, topic, level, day)
    body = transcripts.web_vtt(episode.sentences()).encode()
    return responses.with_etag(request, body, f"{transcripts.VTT_TYPE}; charset=utf-8")


@router.get(
    "/{topic}/{level}/{day}.json",
    responses=_content(transcripts.CHAPTERS_TYPE, "The chapters"),
    response_class=Response,
)
@needs("read")
async def episode_chapters(
    request: Request, desk: CurrentDesk, conn: ReadConn, topic: TopicName, level: Level, day: date
) -> Response:
    """The lessons of an episode as chapters."""
    episode = await _episode(conn, desk, topic, level, day)
    body = msgspec.json.encode(transcripts.chapters(episode.chapters()))
    return responses.with_etag(request, body, transcripts.CHAPTERS_TYPE)


async def _episode(conn: Connection, desk: Desk, topic: str, level: Level, day: date) -> PodcastEpisode:
    per_day = desk.config.lessons_per_day
    return await podcasts.get_episode(conn, topic, level, day, per_day=per_day, now=desk.clock())


def _item(request: Request, desk_id: UUID, topic: str, level: Level, episode: PodcastEpisode) -> PodcastItem:
    path = f"{links.base_url(request)}/podcast/{quote(topic)}/{level}/{episode.day}"
    key = request.query_params.get("key")
    query = f"?{urlencode({'key': key})}" if key else ""
    return PodcastItem(
        id=uuid5(desk_id, f"episode {topic} {level} {episode.day}").urn,
        title=line(f"{common.written_out(episode.day)}, {level}"),
        page_url=f"{links.base_url(request)}/listen",
        sound_url=f"{path}.mp3{query}",
        transcript_url=f"{path}.vtt{query}",
        chapters_url=f"{path}.json{query}",
        byte_count=episode.byte_count,
        duration_ms=episode.duration_ms,
        published_at=episode.published_at,
        lessons=[part.title for part in episode.parts],
    )
