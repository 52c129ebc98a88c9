"""Kinds of sources, one file each: a class with a `name`, `Options` and `fetch`, whose docstring is its page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, Protocol

import msgspec

from scoop.core import urls
from scoop.core.plugin_types import ADMIN_ONLY, Plugin, PluginOptions
from scoop.core.robots import Robots
from scoop.fetch.client import Client, Request, Response, response_failure
from scoop.fetch.robots import RobotsFiles
from scoop.fetch.sandbox import Sandbox
from scoop.model import Health, Item, Source

KEPT_HEADERS = ("Content-Type", "ETag", "Last-Modified", "Date", "Cache-Control")


class SourceOptions(PluginOptions, frozen=True, kw_only=True):
    """What every kind of source can be told.

    `connect_to`: ask this address, as 127.0.0.1:8788, whatever the host; for a server of one's own.
    `allow_private`: the source's host may have a private address.
    `full_text`: read the articles' pages: auto (where the source has only a teaser), always or never.
    `robots`: obey robots.txt, or ignore it for the source's own address; article pages always obey it.
    """

    connect_to: Annotated[str | None, ADMIN_ONLY] = None
    allow_private: Annotated[bool, ADMIN_ONLY] = False
    full_text: Literal["auto", "always", "never"] = "auto"
    robots: Literal["obey", "ignore"] = "obey"


class ServiceOptions(SourceOptions, frozen=True, kw_only=True):
    """Options of every kind that has one address for all its sources.

    `base_url`: use this server instead of the service's own; the keys of the service are sent to it.
    """

    base_url: Annotated[str | None, ADMIN_ONLY] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What one visit of a source brought, and what the next visit has to know."""

    items: list[Item] = field(default_factory=list)
    checkpoint: dict[str, Any] = field(default_factory=dict)
    health: Health = "ok"
    problems: list[str] = field(default_factory=list)
    response_headers: dict[str, str] = field(default_factory=dict)
    fresh_for: timedelta = timedelta()
    moved_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One visit, as a kind sees it: what is configured, where the last one stopped, and the polite way out."""

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
        """The answer, 200 or 304; FetchFailed for any other. APIs are for programs: robots.txt is not about them."""
        if not is_api and self.options.robots == "obey":
            await self.robots.check(self.client, self._request(url), now=self.now)
        return await self._answer(self._request(url, headers=headers or {}, secret_query=secret_query))

    async def post(
        self, url: str, *, json: Any = None, form: Mapping[str, str] | None = None, headers: Mapping[str, str]
    ) -> Response:
        """The answer of an API, 200; FetchFailed for any other."""
        return await self._answer(self._request(url, method="POST", headers=headers, json=json, form=form))

    async def rules(self) -> Robots:
        """What robots.txt says of the source's own site."""
        return await self.robots.rules(self.client, self._request(self.source.base_url), now=self.now)

    def conditions(self) -> dict[str, str]:
        """The headers by which a server can say that nothing has changed since the last visit."""
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

    async def _answer(self, request: Request) -> Response:
        answer = await self.client.send(request)
        self.log.append({"url": answer.url, "status": answer.status, "bytes": len(answer.body)})
        if answer.status in {200, 304}:
            return answer
        raise response_failure(answer, now=self.now)


class SourcePlugin(Plugin, Protocol):
    """How items are gathered from one kind of source; made with the options of one source.

    `base_url` is the address of a service that all its sources share. `targets` are patterns of what people paste to
    add a source, each with an example; the named groups of a pattern become options.
    """

    Options: ClassVar[type[SourceOptions]]
    targets: ClassVar[Mapping[str, str]]

    @property
    def options(self) -> SourceOptions: ...

    async def fetch(self, visit: Visit) -> Harvest:
        """Visit the source once; FetchFailed for what it cannot give now."""
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


def validators(answer: Response) -> dict[str, str]:
    """What the next visit sends back so that an unchanged answer need not come twice; opaque, byte for byte."""
    names = {"etag": "ETag", "last_modified": "Last-Modified"}
    found = {key: answer.headers.get(header, "") for key, header in names.items()}
    # What is not ASCII could not be sent back as it came.
    return {key: value for key, value in found.items() if value and value.isascii()}


def unconditional(checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """The checkpoint without what makes a server answer that nothing has changed; what was counted stays."""
    return {key: value for key, value in checkpoint.items() if key not in {"etag", "last_modified"}}


def kept_headers(answer: Response) -> dict[str, str]:
    """The headers that the ledger keeps with what an answer brought."""
    return {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}


def shared_options(options: Mapping[str, Any]) -> SourceOptions:
    """The options that all kinds share, out of a source's."""
    return msgspec.convert(
        {name: options[name] for name in SourceOptions.__struct_fields__ if name in options}, SourceOptions
    )
