"""Source plugins, one file each: a class with `name`, `access`, `Options`, `targets` and `fetch`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol

import msgspec

from scoop.core import feed_names, urls
from scoop.core.plugin_types import ADMIN_ONLY, Plugin, PluginOptions
from scoop.core.robots import Robots
from scoop.core.sentiment.kinds import TextKindSetting
from scoop.fetch.client import Client, Request, Response, response_failure
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Health, Item, Source

KEPT_HEADERS = ("Content-Type", "ETag", "Last-Modified", "Date", "Cache-Control")


class SourceOptions(PluginOptions, frozen=True, kw_only=True):
    """Options of every source.

    `connect_to`: connect to this address, as 127.0.0.1:8788, instead of the host; for a server of your own.
    `allow_private`: allow the host to have a private address.
    `full_text`: fetch the articles' pages: auto (if the source has only a teaser), always or never.
    `robots`: obey robots.txt, or ignore it for the source's own address; article pages always obey it.
    `text_kind`: what its texts are, for their sentiment; auto: by the kind of source, its host or its subreddit.
    """

    connect_to: Annotated[str | None, ADMIN_ONLY] = None
    allow_private: Annotated[bool, ADMIN_ONLY] = False
    full_text: Literal["auto", "always", "never"] = "auto"
    robots: Literal["obey", "ignore"] = "obey"
    text_kind: TextKindSetting = "auto"


class ServiceOptions(SourceOptions, frozen=True, kw_only=True):
    """Options of every source whose service has one address for all.

    `base_url`: use this server instead of the service's own; the keys of the service are sent to it.
    """

    base_url: Annotated[str | None, ADMIN_ONLY] = None


class NamedFeed(NamedTuple):
    """The name of a feed, and the host that its publisher is known by."""

    name: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """The result of one visit of a source; `checkpoint` is passed to the next visit.

    `listed_again` are items that an earlier visit brought: only their comments and points are read, and they become no
    arrivals. `title` and `home_url` are what a feed says of itself.
    """

    items: list[Item] = field(default_factory=list)
    listed_again: list[Item] = field(default_factory=list)
    checkpoint: dict[str, Any] = field(default_factory=dict)
    health: Health = "ok"
    problems: list[str] = field(default_factory=list)
    response_headers: dict[str, str] = field(default_factory=dict)
    fresh_for: timedelta = timedelta()
    moved_to: str | None = None
    title: str = ""
    home_url: str = ""

    def name(self, base_url: str) -> NamedFeed | None:
        """The name that the title of the feed gives a source, and the host of its pages; None without a title."""
        host = urls.find_host(self.home_url) or urls.host(base_url)
        return NamedFeed(feed_names.feed_name(self.title, host), host) if self.title else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One visit: the source, the checkpoint of the visit before, and requests that obey robots.txt and rate limits."""

    source: Source
    options: SourceOptions
    checkpoint: Mapping[str, Any]
    now: datetime
    client: Client
    robots: RobotsFiles
    sandbox: Sandbox
    log: list[dict[str, Any]] = field(default_factory=list)

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, secret_query: str = "", is_api: bool = False
    ) -> Response:
        """The response, 200 or 304; FetchFailed for any other. robots.txt does not apply to an API."""
        if not is_api and self.options.robots == "obey":
            await self.robots.check(self.client, self._request(url), now=self.now)
        return await self._send(self._request(url, headers=headers or {}, secret_query=secret_query))

    async def post(
        self, url: str, *, json: Any = None, form: Mapping[str, str] | None = None, headers: Mapping[str, str]
    ) -> Response:
        """The response of an API, 200; FetchFailed for any other."""
        return await self._send(self._request(url, method="POST", headers=headers, json=json, form=form))

    async def rules(self) -> Robots:
        """The robots.txt rules of the source's own site."""
        return await self.robots.rules(self.client, self._request(self.source.base_url), now=self.now)

    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request: the validators of the visit before."""
        names = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
        return {header: self.checkpoint[key] for key, header in names.items() if key in self.checkpoint}

    def _request(self, url: str, **more: Any) -> Request:
        options = self.options
        return Request(
            url=url,
            connect_to=options.connect_to,
            private_host=urls.host_and_port(str(self.source.base_url)) if options.allow_private else None,
            typed_url=self.source.base_url,
            interval=timedelta(milliseconds=self.source.request_interval_ms),
            **more,
        )

    async def _send(self, request: Request) -> Response:
        response = await self.client.send(request)
        self.log.append({"url": response.url, "status": response.status, "bytes": len(response.body)})
        if response.status in {200, 304}:
            return response
        raise response_failure(response, now=self.now)


class SourcePlugin(Plugin, Protocol):
    """How items are fetched from one kind of source; made with the options of one source.

    `base_url` is the address of a service that all its sources share. `targets` are patterns of what people paste to
    add a source, each with an example; the named groups of a pattern become options.
    """

    Options: ClassVar[type[SourceOptions]]
    targets: ClassVar[Mapping[str, str]]

    @property
    def options(self) -> SourceOptions: ...

    async def fetch(self, visit: Visit) -> Harvest:
        """Visit the source once; raise FetchFailed with a typed health if it gives nothing."""
        ...


SourceMakers = Mapping[str, Callable[[Mapping[str, Any]], SourcePlugin]]
"""For each kind of source, the function that makes it from the options of a source."""


def with_own_address(source: Source, plugin: SourcePlugin) -> Source:
    """The source at the address of its service, whatever address is stored with it.

    A key belongs to the host of its service. The column `base_url` may hold the address of an earlier kind, which an
    editor chose; only the option `base_url`, which is for admins, moves a source of a service to another server.
    """
    chosen = plugin.options.base_url if isinstance(plugin.options, ServiceOptions) else None
    return replace(source, base_url=chosen or plugin.base_url or source.base_url)


def validators(response: Response) -> dict[str, str]:
    """The validators of a response for the next conditional request, byte for byte."""
    names = {"etag": "ETag", "last_modified": "Last-Modified"}
    values = {key: response.headers.get(header, "") for key, header in names.items()}
    # A value that is not ASCII could not be sent back unchanged.
    return {key: value for key, value in values.items() if value and value.isascii()}


def unconditional(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """The checkpoint without the validators, so that the server sends everything; counters stay."""
    return {key: value for key, value in checkpoint.items() if key not in {"etag", "last_modified"}}


def kept_headers(response: Response) -> dict[str, str]:
    """The headers that the ledger stores with the items of a response."""
    return {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}


def shared_options(options: Mapping[str, Any]) -> SourceOptions:
    """The options that all kinds share, from the options of a source."""
    return msgspec.convert(
        {name: options[name] for name in SourceOptions.__struct_fields__ if name in options}, SourceOptions
    )
