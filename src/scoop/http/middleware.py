"""Middleware for all requests: host check, CSRF check, trusted proxies, body limit, and security headers."""

import secrets
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scoop.errors import ConfigError
from scoop.http import error_responses
from scoop.http.errors import HttpProblem, PayloadTooLarge

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
SAFE = frozenset({"GET", "HEAD"})
MAX_BODY = 1 << 20
MAX_PUSHED = 64 << 20
PUSHED_AT = "/api/v1/items"
CACHE_CONTROL = "private, no-cache"  # of a response that does not say: what one user sees is not for a shared cache
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send `Origin: null` with our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Refuses forbidden requests, and adds security headers and a request id to every response.

    Unknown host names are refused (DNS rebinding). A request that changes something must come from Scoop's own pages
    or carry a key (request forgery). Forwarded headers are used only from the proxies in the settings.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] = frozenset(), proxies: str = "") -> None:
        self.app = app
        self.hosts = LOOPBACK | {host.lower() for host in hosts}
        self.proxies = networks(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Only the copy says GET: by its own scope the server knows that a response to HEAD has no body.
        request_id = scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        inner = {**scope, "method": "GET" if scope["method"] == "HEAD" else scope["method"]}
        headers = Headers(scope=scope)
        inner |= forwarded(scope, headers, self.proxies)

        has_ended = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_ended
            if message["type"] == "http.response.start":
                response_headers = MutableHeaders(scope=message)
                response_headers.update(HEADERS | {"X-Request-Id": request_id})
                response_headers.setdefault("Cache-Control", CACHE_CONTROL)
            elif scope["method"] == "HEAD":  # has no body; without this, a stream without end would never finish
                if has_ended:
                    return
                has_ended, message = True, {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        body = _CappedBody(receive, MAX_PUSHED if scope["path"] == PUSHED_AT else MAX_BODY)
        problem = self._problem(inner, headers) or body.problem(headers)
        if problem is not None:
            await error_responses.error_response(Request(inner), problem)(inner, receive, send_guarded)
            return
        await self.app(inner, body.receive, send_guarded)

    def _problem(self, scope: Scope, headers: Headers) -> HttpProblem | None:
        names = headers.getlist("host")
        if len(names) != 1 or _without_port(names[0]).lower() not in self.hosts:
            return error_responses.WRONG_HOST
        if scope["method"] not in METHODS:
            return error_responses.WRONG_METHOD
        if scope["method"] not in SAFE and not is_from_here(scope, headers):
            return error_responses.FOREIGN
        return None


def is_from_here(scope: Scope, headers: Headers) -> bool:
    """Whether a request comes from one of our own pages, or from a program that sends no cookies (CSRF check)."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    if origin is not None:
        return origin == f"{scope['scheme']}://{headers['host']}"
    is_for_programs = scope["path"].startswith(error_responses.WITHOUT_PAGES)
    return "authorization" in headers or (is_for_programs and "cookie" not in headers)


def networks(setting: str) -> Sequence[IPv4Network | IPv6Network]:
    """The networks of the setting `trusted_proxies`; ConfigError if one is invalid."""
    try:
        return [ip_network(network) for network in setting.replace(",", " ").split()]
    except ValueError as error:
        raise ConfigError(f"the setting trusted_proxies (SCOOP_TRUSTED_PROXIES): {error}") from error


def forwarded(scope: Scope, headers: Headers, proxies: Sequence[IPv4Network | IPv6Network]) -> Mapping[str, object]:
    """Client address and scheme from a trusted proxy's headers: the last address that is not itself a trusted proxy."""
    client = scope.get("client")
    if not client or not _is_in(client[0], proxies):
        return {}
    chain = [part.strip() for value in headers.getlist("x-forwarded-for") for part in value.split(",")]
    callers = [address for address in chain if not _is_in(address, proxies)]
    scheme = headers.get("x-forwarded-proto", scope["scheme"])
    return {
        "client": (callers[-1], 0) if callers else client,
        "scheme": scheme if scheme in {"http", "https"} else scope["scheme"],
    }


def is_within(next_page: str) -> bool:
    """Whether a redirect target from a request stays on this site (no open redirects)."""
    is_plain = next_page.isprintable() and "\\" not in next_page
    return is_plain and next_page.startswith("/") and not next_page.startswith("//")


def _is_in(address: str, among: Sequence[IPv4Network | IPv6Network]) -> bool:
    try:
        return any(ip_address(address) in network for network in among)
    except ValueError:
        return False


def _without_port(name: str) -> str:
    host, colon, port = name.rpartition(":")
    return host if colon and port.isdecimal() else name


class _CappedBody:
    """A request body with a size limit."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._read = 0

    def problem(self, headers: Headers) -> HttpProblem | None:
        length = headers.get("content-length", "0")
        return PayloadTooLarge(self._most) if not length.isdecimal() or int(length) > self._most else None

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._most:
            raise PayloadTooLarge(self._most)
        return message
