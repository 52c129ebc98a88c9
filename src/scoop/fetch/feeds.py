"""Parsing of fetched feeds: in this process if they are small, else in the sandbox."""

from collections.abc import Callable

from scoop.core import feed_reading
from scoop.core.feed_reading.feed import ParsedFeed
from scoop.errors import FetchFailed
from scoop.fetch.client import Response
from scoop.fetch.sandbox import Sandbox, SandboxExceeded

# The most hostile of 120 documents of this size (tiny items, marks, markup in titles) took 65 ms; one of 15 MiB takes
# many seconds, during which the event loop would serve nothing else.
MAX_BYTES_IN_PROCESS = 64 << 10

Parser = Callable[..., ParsedFeed | None]


async def parse(response: Response, sandbox: Sandbox) -> ParsedFeed:
    """The feed of a response, repaired if it is broken; FetchFailed if it takes too much time or memory."""
    feed = await parse_well_formed(response, sandbox)
    if feed is None:
        feed = await _sandboxed(feed_reading.parse_lenient, response, sandbox)
    return feed or ParsedFeed()


async def parse_well_formed(response: Response, sandbox: Sandbox) -> ParsedFeed | None:
    """The feed of a response; None if it is broken, FetchFailed if it takes too much time or memory."""
    if len(response.body) <= MAX_BYTES_IN_PROCESS:
        return feed_reading.parse_fast(response.body, content_type=_content_type(response), url=response.url)
    return await _sandboxed(feed_reading.parse_fast, response, sandbox)


async def _sandboxed(parser: Parser, response: Response, sandbox: Sandbox) -> ParsedFeed | None:
    try:
        return await sandbox.run(parser, response.body, content_type=_content_type(response), url=response.url)
    except SandboxExceeded as error:
        raise FetchFailed(f"{response.url} cannot be parsed: {error}", health="parse_error") from error


def _content_type(response: Response) -> str:
    return response.headers.get("Content-Type", "")
