"""The rss source: feeds in RSS, Atom and JSON Feed."""

from collections.abc import Sequence

from scoop import sources
from scoop.core import retry_after
from scoop.core.feed_reading.feed import ParsedFeed
from scoop.errors import FetchFailed
from scoop.fetch import feeds
from scoop.fetch.client import Response
from scoop.sources import Harvest, Visit, kept_headers, validators

NOT_MODIFIED = 304


class NotAFeed(FetchFailed):
    """The response is not a feed; `alternates` are the feeds that the page names."""

    def __init__(self, reason: str, *, alternates: Sequence[str]) -> None:
        super().__init__(reason, health="parse_error")
        self.alternates = alternates


class Rss:
    """A feed: RSS 0.9x to 2.0, Atom 0.3 and 1.0, or JSON Feed. The source's URL is the feed's.

    A feed that has not changed is not parsed again. A feed with a time to live is not fetched earlier, one that has
    moved permanently is followed after three visits, and one that is gone (410) is not fetched again.
    """

    name = "rss"
    access = "editor"

    class Options(sources.SourceOptions, frozen=True, kw_only=True):
        """A feed has no options of its own."""

    def __init__(self, options: Options) -> None:
        self.options = options

    async def fetch(self, visit: Visit) -> Harvest:
        response = await visit.get(visit.source.base_url, headers=visit.conditions())
        fresh_for = retry_after.fresh_for(response.headers, now=visit.now)
        if response.status == NOT_MODIFIED:
            return Harvest(
                checkpoint={**visit.checkpoint, **validators(response)},
                health="not_modified",
                fresh_for=fresh_for,
                moved_to=response.moved_to,
            )
        feed = await _read(visit, response)
        return Harvest(
            items=feed.items,
            checkpoint=dict(validators(response)),
            health="ok" if feed.items else "empty",
            problems=feed.problems,
            response_headers=kept_headers(response),
            fresh_for=max(fresh_for, feed.ttl or retry_after.NO_TIME),
            moved_to=response.moved_to,
            title=feed.title,
            home_url=feed.link,
        )


async def _read(visit: Visit, response: Response) -> ParsedFeed:
    """The feed of a response; NotAFeed for any other document."""
    feed = await feeds.parse(response, visit.sandbox)
    if not feed.format:
        reason = feed.problems[0] if feed.problems else "it is neither RSS, Atom nor JSON Feed"
        raise NotAFeed(f"{response.url} is not a feed: {reason}", alternates=feed.alternates)
    return feed
