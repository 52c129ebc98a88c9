"""An ASGI app on a port for the length of a `with` block."""

import asyncio
import itertools
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

SHUTDOWN_SECONDS = 10  # requests still running after this are cancelled
TICK_SECONDS = 0.1  # as uvicorn's own: ten make a second of its Date header


@asynccontextmanager
async def serving(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serves the app for the length of a `with` block and gives its base URL; a taken port is an OSError at once.

    What answers without end looks at `request.state.stopping`, an event, to end with the server.
    """
    stopping = asyncio.Event()
    config = uvicorn.Config(
        _telling(app, stopping),
        lifespan="auto",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        proxy_headers=False,  # whoever connects is who they are: nobody is trusted to say otherwise
    )
    server = _Server(config, stopping)
    is_ipv6 = ":" in host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        # asyncio forgets it for listeners made like this one; without it every second answer waits 40 ms
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://{f'[{host}]' if is_ipv6 else host}:{listener.getsockname()[1]}"
        finally:
            stopping.set()
            server.should_exit = True
            await running


def _telling(app: ASGIApp, stopping: asyncio.Event) -> ASGIApp:
    async def telling(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope.setdefault("state", {})["stopping"] = stopping
        await app(scope, receive, send)

    return telling


class _Server(uvicorn.Server):
    """Leaves signals to the program it runs in, and ends when told to, not at the next tick."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self.stopping = stopping

    async def main_loop(self) -> None:
        for tick in itertools.count():
            if await self.on_tick(tick):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), TICK_SECONDS)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
