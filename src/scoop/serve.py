"""An ASGI app on a port, with limits on what one connection, one network and all of them may hold."""

import asyncio
import itertools
import resource
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from scoop.core import access

TICK_SECONDS = 0.1  # as uvicorn's own: ten make a second of its Date header
STOP_SECONDS = 10  # for requests in progress when the server stops
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: text/plain\r\ncontent-length: 21\r\n\r\ntoo many connections\n"
)
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits of a server's connections; networks in `exempt` have no number of their own, as reverse proxies."""

    head: timedelta = timedelta(seconds=10)
    """From connecting, or the first byte of a further request, to the end of the request's head."""
    head_bytes: int = 1 << 16
    body: timedelta = timedelta(seconds=20)
    """For the body of a request; each `body_rate` bytes that arrive extend it by a second."""
    body_rate: int = 1_000
    unread: timedelta = timedelta(seconds=30)
    """For a client that reads nothing of its response."""
    keep_alive: timedelta = timedelta(seconds=5)
    connections: int = 512
    connections_per_network: int = 64
    exempt: Sequence[IPv4Network | IPv6Network] = ()


DEFAULT_LIMITS = ServerLimits()


@asynccontextmanager
async def serving(
    app: ASGIApp,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    limits: ServerLimits = DEFAULT_LIMITS,
    stop: asyncio.Event | None = None,
) -> AsyncIterator[str]:
    """Serve the app for the length of a `with` block and give its base URL; a taken port is an OSError at once.

    `stop` ends the server before the block does: at a signal, requests must not run on while workers still finish.

    A handler that streams without end watches `request.state.stopping`, an event, to end with the server.
    """
    stopping = stop or asyncio.Event()
    config = uvicorn.Config(
        _with_stopping(app, stopping),
        http=_Connection,
        lifespan="auto",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # http/middleware.py reads them, from trusted proxies only
        timeout_keep_alive=max(1, round(limits.keep_alive.total_seconds())),
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = _Server(config, stopping, limits)
    is_ipv6 = ":" in host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        # asyncio does not set it for listeners made like this one; without it every second response waits 40 ms
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://{f'[{host}]' if is_ipv6 else host}:{listener.getsockname()[1]}"
        finally:
            stopping.set()
            server.should_exit = True
            await running


def _with_stopping(app: ASGIApp, stopping: asyncio.Event) -> ASGIApp:
    async def with_stopping(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope.setdefault("state", {})["stopping"] = stopping
        await app(scope, receive, send)

    return with_stopping


class _Server(uvicorn.Server):
    """Leaves signals to the program it runs in, stops at once when asked to, and enforces the limits each tick."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event, limits: ServerLimits) -> None:
        super().__init__(config)
        self.state = self.server_state = _State(limits)
        self.stopping = stopping

    async def main_loop(self) -> None:
        checked_at = time.monotonic()
        for tick in itertools.count():
            if await self.on_tick(tick) or self.stopping.is_set():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), TICK_SECONDS)
            now = time.monotonic()
            self.state.check(now - checked_at)
            checked_at = now

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class _State(ServerState):
    """The connections of a server, counted by network."""

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__()
        self.limits = limits
        # Half of the descriptors: the database, files and outbound requests need some, too.
        self.most = min(limits.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
        self.count_by_network: Counter[str] = Counter()

    def check(self, seconds: float) -> None:
        """Close connections that have used up their time; `seconds` have passed since the last check."""
        for connection in self._connections():
            connection.check(seconds)

    def admits(self, network: str | None) -> bool:
        """Whether one more connection fits; if the server is full, the one that waits longest makes room."""
        if network is not None and self.count_by_network[network] >= self.limits.connections_per_network:
            return False
        return len(self.connections) <= self.most or self._make_room()

    def release(self, network: str) -> None:
        self.count_by_network[network] -= 1
        if not self.count_by_network[network]:
            del self.count_by_network[network]

    def _make_room(self) -> bool:
        waiting = [connection for connection in self._connections() if connection.is_waiting]
        if not waiting:
            return False
        max(waiting, key=lambda connection: connection.waited).abort()
        return True

    def _connections(self) -> list["_Connection"]:
        return [connection for connection in self.connections if isinstance(connection, _Connection)]


class _Connection(HttpToolsProtocol):
    """A connection that is closed when its client takes too long, sends too much or reads nothing."""

    def __init__(
        self, config: uvicorn.Config, server_state: _State, app_state: dict[str, Any], **arguments: Any
    ) -> None:
        super().__init__(config, server_state, app_state, **arguments)
        self.state = server_state
        self.limits = server_state.limits
        self.network: str | None = None
        self.is_admitted = False
        self.in_head = True
        self.in_body = False
        self.waited = 0.0  # seconds in the head or the body of a request, or between two requests
        self.received = 0  # bytes of this head or body
        self.unsent = 0  # bytes of the response, at the last check
        self.unread = 0.0  # seconds since the client last read some

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.network = _counted_network(self.client, self.limits.exempt)
        self.is_admitted = self.state.admits(self.network)
        if self.is_admitted and self.network is not None:
            self.state.count_by_network[self.network] += 1
        elif not self.is_admitted:
            transport.write(REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.is_admitted and self.network is not None:
            self.state.release(self.network)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.is_waiting and not self.in_head:
            self._begin_head()  # here and not in on_message_begin: empty lines before a request begin none
        if self.in_head:
            self.received += len(data)
        super().data_received(data)
        if self.in_head and self.received > self.limits.head_bytes:
            self.transport.write(HEAD_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self.in_head:
            self._begin_head()

    def on_headers_complete(self) -> None:
        self.in_head, self.in_body, self.waited, self.received = False, True, 0.0, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.received += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.in_body, self.waited = False, 0.0
        super().on_message_complete()

    def resume_writing(self) -> None:
        self.unread = 0.0
        super().resume_writing()

    @property
    def is_waiting(self) -> bool:
        """Whether the client has yet to complete the head of a request, and nothing is being answered."""
        return self.cycle is None or (self.cycle.response_complete and not self.in_body)

    def check(self, seconds: float) -> None:
        if (self.is_waiting or self.in_head or self.in_body) and not self.flow.read_paused:
            self.waited += seconds
        unsent = self.transport.get_write_buffer_size()
        self.unread = self.unread + seconds if 0 < self.unsent <= unsent else 0.0
        self.unsent = unsent
        if self.waited > self._patience() or self.unread > self.limits.unread.total_seconds():
            self.abort()

    def abort(self) -> None:
        self.transport.abort()

    def _begin_head(self) -> None:
        self.in_head, self.waited, self.received = True, 0.0, 0

    def _patience(self) -> float:
        """How many seconds the client may take for the part of the request that it is sending."""
        if self.in_head:
            return self.limits.head.total_seconds()
        if self.in_body:
            return self.limits.body.total_seconds() + self.received / self.limits.body_rate
        return float("inf")  # between requests uvicorn's own timer counts


def _counted_network(client: tuple[str, int] | None, exempt: Sequence[IPv4Network | IPv6Network]) -> str | None:
    """The network whose connections are counted together; None if it is exempt."""
    if client is None or any(ip_address(client[0]) in network for network in exempt):
        return None
    return access.network(client[0])
