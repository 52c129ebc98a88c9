"""YouTube: the feeds of one channel and its playlist, and the channel's page."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from xml.etree import ElementTree as ET

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scoop.newsstand import world
from scoop.newsstand.context import SiteContext

HOST = "www.youtube.com"
CHANNEL_ID = "UCscoopNewsstandOnAirTV1"
CHANNEL_URL = f"https://{HOST}/channel/{CHANNEL_ID}"
PLAYLIST_ID = "PLscoopNewsstandExplained"
CHANNEL, HANDLE = "Newsstand On Air", "NewsstandOnAir"
FEED_LENGTH = 15
VIEWS_PER_HOUR = 37
ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /feeds/videos.xml\n"
NAMESPACES = {
    "xmlns": "http://www.w3.org/2005/Atom",
    "xmlns:yt": "http://www.youtube.com/xml/schemas/2015",
    "xmlns:media": "http://search.yahoo.com/mrss/",
}


class Video(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    hours_ago: float
    views: int
    title: str
    description: str
    in_playlist: bool = False


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    return {HOST: YoutubeSite(context=context).routes()}


@dataclass(frozen=True, slots=True, kw_only=True)
class YoutubeSite:
    context: SiteContext

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/feeds/videos.xml", self.feed),
            Route("/robots.txt", robots),
            Route(f"/@{HANDLE}", channel_page),
            Route(f"/channel/{CHANNEL_ID}", channel_page),
        ]

    async def feed(self, request: Request) -> Response:
        params = request.query_params
        if params.get("channel_id") == CHANNEL_ID:
            return self._atom(self._out())
        if params.get("playlist_id") == PLAYLIST_ID:
            return self._atom([video for video in self._out() if video.in_playlist])
        raise HTTPException(404)

    def _out(self) -> list[Video]:
        now = self.context.clock()
        out = [video for video in _videos() if self.context.anchor - timedelta(hours=video.hours_ago) <= now]
        return sorted(out, key=lambda video: video.hours_ago)

    def _atom(self, videos: Sequence[Video]) -> Response:
        feed = ET.Element("feed", NAMESPACES)
        _add(feed, "id", f"yt:channel:{CHANNEL_ID[2:]}")
        _add(feed, "yt:channelId", CHANNEL_ID[2:])
        _add(feed, "title", CHANNEL)
        feed.extend(self._entry(video) for video in videos[:FEED_LENGTH])
        return Response(ET.tostring(feed, encoding="utf-8", xml_declaration=True), media_type="text/xml")

    def _entry(self, video: Video) -> ET.Element:
        published_at = self.context.anchor - timedelta(hours=video.hours_ago)
        age = self.context.clock() - published_at
        entry = ET.Element("entry")
        _add(entry, "id", f"yt:video:{video.id}")
        _add(entry, "yt:videoId", video.id)
        _add(entry, "yt:channelId", CHANNEL_ID)
        _add(entry, "title", video.title)
        _add(entry, "link", rel="alternate", href=f"https://{HOST}/watch?v={video.id}")
        _add(_add(entry, "author"), "name", CHANNEL)
        _add(entry, "published", published_at.isoformat())
        _add(entry, "updated", self.context.clock().isoformat())
        group = _add(entry, "media:group")
        _add(group, "media:title", video.title)
        _add(
            group, "media:thumbnail", url=f"https://i1.ytimg.com/vi/{video.id}/hqdefault.jpg", width="480", height="360"
        )
        _add(group, "media:description", video.description.strip())
        views = video.views + int(age / timedelta(hours=1) * VIEWS_PER_HOUR)
        _add(_add(group, "media:community"), "media:statistics", views=str(views))
        return entry


async def channel_page(_request: Request) -> Response:
    feed = f"https://{HOST}/feeds/videos.xml?channel_id={CHANNEL_ID}"
    link = f'<link rel="alternate" type="application/rss+xml" title="RSS" href="{feed}">'
    return HTMLResponse(f"<!doctype html><title>{CHANNEL}</title>{link}<h1>{CHANNEL}</h1>")


async def robots(_request: Request) -> Response:
    return PlainTextResponse(ROBOTS)


@cache
def _videos() -> list[Video]:
    tables = tomllib.loads((world.SHIPPED / "videos" / "youtube.toml").read_text("utf-8"))
    return msgspec.convert(tables["video"], list[Video])


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text
    return element
