"""How links are written, so that they keep to the way a reader came in."""

from collections.abc import Callable

from starlette.datastructures import URL
from starlette.requests import Request

Href = Callable[[str], str]
"""Turns a URL of the invented world into a link that works for the reader at hand."""


def as_reached(request: Request) -> Href:
    """By path for a reader on the loopback address, else by host name, with the port that was asked for."""
    if request.scope["root_path"]:
        return by_path
    return lambda url: str(URL(url).replace(port=request.url.port))


def by_path(url: str) -> str:
    return "/" + url.removeprefix("http://")
