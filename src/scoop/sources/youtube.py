"""The youtube source: the newest videos of a channel or a playlist."""

import re
from dataclasses import replace
from typing import Annotated, ClassVar
from urllib.parse import urlencode

import msgspec

from scoop import sources
from scoop.core import retry_after
from scoop.errors import FetchFailed
from scoop.model import Item
from scoop.sources import Harvest, Visit, kept_headers, validators
from scoop.sources.http import parse_feed

NOT_MODIFIED = 304

_CHANNEL = r"UC[A-Za-z0-9_-]{22}"
_PLAYLIST = r"[A-Za-z0-9_-]{10,64}"
_SITE = r"https?://(?:www\.|m\.)?youtube\.com"
_NAMED = rf"{_SITE}/(?:@[^/?#\s]+|c/[^/?#\s]+|user/[^/?#\s]+)"
_A_CHANNEL = msgspec.Meta(
    pattern=rf"^(?:(?:{_SITE}/channel/)?{_CHANNEL}\b|{_NAMED})", description="a channel's id, UC..., or its address"
)
_A_PLAYLIST = msgspec.Meta(
    pattern=rf"^(?:{_SITE}/\S*[?&]list=)?{_PLAYLIST}\b", description="a playlist's id, PL..., or its address"
)
_CHANNEL_IN_PAGE = re.compile(rf"/feeds/videos\.xml\?channel_id=({_CHANNEL})")
_VIDEO = re.compile(r"yt:video:([A-Za-z0-9_-]{11})")


class YouTube:
    """The newest fifteen videos of a channel or a playlist, from its feed at YouTube.

    The description is the text and the preview the image. Views and likes are not stored: they change at every visit,
    so every visit would bring every video again.
    """

    name = "youtube"
    access = "editor"
    base_url = "https://www.youtube.com"
    targets: ClassVar = {
        r"https?://(?:www\.)?youtube\.com/channel/(?P<channel>UC[\w-]{22})/?.*": (
            "https://www.youtube.com/channel/UCXuqSBlHAE6Xw-yeJA0Tunw"
        ),
        r"https?://(?:www\.)?youtube\.com/playlist\?list=(?P<playlist>[\w-]+).*": (
            "https://www.youtube.com/playlist?list=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf"
        ),
        r"https?://(?:www\.)?youtube\.com/feeds/videos\.xml\?channel_id=(?P<channel>UC[\w-]{22})": (
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw"
        ),
    }

    class Options(sources.ServiceOptions, frozen=True, kw_only=True):
        """Give either `channel` or `playlist`.

        `channel`: its id, UC..., or its address. An address with a name, https://www.youtube.com/@name, needs a request
        for the channel's page at the first visit.
        `playlist`: its id, PL..., or its address.
        """

        channel: Annotated[str, _A_CHANNEL] | None = None
        playlist: Annotated[str, _A_PLAYLIST] | None = None

        def __post_init__(self) -> None:
            if (self.channel is None) == (self.playlist is None):
                raise ValueError("give one of the options channel (an id UC..., or its address) and playlist (PL...)")

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        options = self.options
        of = options.channel or options.playlist
        if visit.checkpoint.get("of") != of:  # the source follows another channel now
            visit = replace(visit, checkpoint={})
        query = await _query(visit, options)
        url = f"{visit.source.base_url.rstrip('/')}/feeds/videos.xml?{urlencode(query)}"
        # The feed is for programs that follow a channel; YouTube's robots.txt excludes it from search engines.
        response = await visit.get(url, headers=visit.conditions(), is_api=True)
        fresh_for = retry_after.fresh_for(response.headers, now=visit.now)
        if response.status == NOT_MODIFIED:
            return Harvest(checkpoint=dict(visit.checkpoint), health="not_modified", fresh_for=fresh_for)
        feed = await parse_feed(visit, response)
        videos = [video for entry in feed.items if (video := _item(entry))]
        return Harvest(
            items=videos,
            checkpoint={"of": of, **query, **validators(response)},
            health="ok" if videos else "empty",
            problems=feed.problems,
            response_headers=kept_headers(response),
            fresh_for=fresh_for,
            title=feed.title,
            home_url=feed.link,
        )


async def _query(visit: Visit, options: YouTube.Options) -> dict[str, str]:
    """The query of the feed; the id of a channel's name is resolved once and kept in the checkpoint."""
    if options.playlist is not None:
        return {"playlist_id": re.split(r"[?&]list=", options.playlist)[-1].partition("&")[0]}
    channel = str(options.channel)
    if match := re.search(rf"(?:^|/channel/)({_CHANNEL})", channel):
        return {"channel_id": match[1]}
    if "channel_id" in visit.checkpoint:
        return {"channel_id": visit.checkpoint["channel_id"]}
    page = await visit.get(channel)
    if not (named := _CHANNEL_IN_PAGE.search(page.body.decode("utf-8", "replace"))):
        raise FetchFailed(
            f"{channel} does not contain the channel's id; give it as the option channel (UC...)",
            health="parse_error",
        )
    return {"channel_id": named[1]}


def _item(entry: Item) -> Item | None:
    video = _VIDEO.fullmatch(entry["source_item_id"])
    if not video:
        return None
    return {
        **entry,
        "source_item_id": video[1],
        "canonical_url": f"https://www.youtube.com/watch?v={video[1]}",
        "source_metadata": {"platform": "youtube", "full_text": "never"},
    }
