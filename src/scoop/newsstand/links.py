"""Links that keep to the address by which the reader came."""

from collections.abc import Callable

from starlette.datastructures import URL
from starlette.requests import Request

Href = Callable[[str], str]
"""Turns a URL of the invented world into a link that works for the current reader."""


def as_reached(request: Request) -> Href:
    """A path for a reader on the loopback address, else a host name with the requested port."""
    if request.scope["root_path"]:
        return by_path
    return lambda url: str(URL(url).replace(port=request.url.port))


def by_path(url: str) -> str:
    return "/" + url.removeprefix("http://")
