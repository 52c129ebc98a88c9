"""Name resolution that gives public addresses only."""

import asyncio
import socket

import can_ada
from aiohttp.abc import AbstractResolver, ResolveResult

from scoop.errors import FetchFailed
from scoop.fetch.addresses import is_public


class GuardedResolver(AbstractResolver):
    """Resolves names and refuses private addresses; the connection uses the address that was checked."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        addresses = [(str(info[4][0]), info[0]) for info in infos]
        if not all(is_public(address) for address, _ in addresses):
            raise FetchFailed(f"{host} has a private address, which is refused", health="refused_address")
        return [_result(host, address, port, kind) for address, kind in addresses]

    async def close(self) -> None:
        """Nothing to close."""


def _result(host: str, address: str, port: int, family: int) -> ResolveResult:
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)


def refuse_private_literal(url: can_ada.URL) -> None:
    """FetchFailed for a URL with a private address as its host: such a host never reaches the resolver."""
    try:
        is_open = is_public(url.hostname.strip("[]"))
    except ValueError:
        return  # a name, which the resolver checks
    if not is_open:
        raise FetchFailed(f"{url.hostname} is a private address, which is refused", health="refused_address")
