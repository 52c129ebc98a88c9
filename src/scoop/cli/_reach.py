"""Options for sources in the own network: a private address, or an address of one's own for any host."""

from collections.abc import Callable
from typing import Any

import click


def options(function: Callable[..., None]) -> Callable[..., None]:
    """Options for a source in the own network."""
    for option in (
        click.option("--allow-private", is_flag=True, help="Its host may have a private address."),
        click.option("--connect-to", metavar="ADDRESS:PORT", help="Fetch it from this address, whatever its host."),
    ):
        function = option(function)
    return function


def read(allow_private: bool, connect_to: str | None) -> dict[str, Any]:
    """The options of a source that `options` stand for."""
    given = {"allow_private": allow_private or None, "connect_to": connect_to}
    return {name: value for name, value in given.items() if value is not None}
