"""Options for sources in the operator's own network: a private address, or a fixed address for a host."""

from collections.abc import Callable
from typing import Any

import click


def options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command."""
    for option in (
        click.option("--allow-private", is_flag=True, help="Its host may have a private address."),
        click.option("--connect-to", metavar="ADDRESS:PORT", help="Fetch it from this address, whatever its host."),
    ):
        function = option(function)
    return function


def read(allow_private: bool, connect_to: str | None) -> dict[str, Any]:
    """The source options that were given on the command line."""
    values = {"allow_private": allow_private or None, "connect_to": connect_to}
    return {name: value for name, value in values.items() if value is not None}
