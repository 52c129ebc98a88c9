"""The door: which names and methods are answered, and the headers that every answer carries."""

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scoop.web import problems

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
METHODS = ("GET", "HEAD")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Answers only to known host names, so that no foreign site can pose as this one (DNS rebinding)."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = LOOPBACK | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._answerer(scope)(scope, receive, send_guarded)

    def _answerer(self, scope: Scope) -> ASGIApp:
        if scope["type"] != "http":
            return self.app
        if not self._knows(Headers(scope=scope).getlist("host")):
            return problems.response(HTTPStatus.BAD_REQUEST)
        if scope["method"] not in METHODS:
            return problems.response(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(METHODS)})
        return self.app

    def _knows(self, names: list[str]) -> bool:
        return len(names) == 1 and _without_port(names[0]).lower() in self.hosts


def _without_port(name: str) -> str:
    host, colon, port = name.rpartition(":")
    return host if colon and port.isdecimal() else name
