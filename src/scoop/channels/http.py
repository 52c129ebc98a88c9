"""Deliveries over HTTP: requests, secrets by name, and the error that a response means."""

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any, TypeVar

import msgspec

from scoop import metrics
from scoop.channels import DeliveryRefused, Errand, HttpOptions, NotSent, Unknown
from scoop.core import retry_after, text, urls
from scoop.core.secrets import Secret
from scoop.errors import FetchFailed
from scoop.fetch.client import Request, Response
from scoop.model import Post

MAX_ANSWER_BYTES = 4 << 20  # a hundred Discord messages of full length
MAX_REASON = 300
NOT_NOW = frozenset({425, 429})
TIMED_OUT = 408

_NAME = re.compile(r"[a-z0-9_]{1,100}")

JsonT = TypeVar("JsonT")


class Final:
    """A channel whose messages cannot be looked up or changed once they are sent."""

    finds = False

    async def find(self, _post: Post, _errand: Errand) -> str | None:
        return None

    async def edit(self, post: Post, _errand: Errand) -> None:
        raise DeliveryRefused(f"a message sent by {post.kind} cannot be changed")


def check_name(option: str, name: str) -> None:
    """ValueError for a value that is not the name of a secret: it may be the secret itself, so it is not shown."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"option {option}: must be the name of a secret, never the secret itself; SCOOP_SECRET_AI_DESK has the "
            "name ai_desk"
        )


def secret(errand: Errand, name: str, *, variable: str | None = None) -> Secret:
    """The secret of that name; DeliveryRefused with the variable to set."""
    found = errand.secrets.get(name)
    if found is not None and found.is_usable:
        return found
    variable = variable or f"SCOOP_SECRET_{name.upper()}"
    problem = "is not set" if found is None else "is not one line of text"
    raise DeliveryRefused(f"the secret {name} {problem}: set {variable}, or {variable}_FILE to a file with it")


def request(options: HttpOptions, url: str, **more: Any) -> Request:
    """A request with the channel's options."""
    # The server may be closing a connection that was kept from an earlier request, and then it would be unknown
    # whether a post was delivered.
    headers = {"Connection": "close", "Content-Type": "application/json", **more.pop("headers", {})}
    private_host = urls.host_and_port(url) if options.allow_private else None
    return Request(
        url=url,
        headers=headers,
        connect_to=options.connect_to,
        private_host=private_host,
        typed_url=url,
        max_bytes=MAX_ANSWER_BYTES,
        cut=True,
        outage_pause=retry_after.FIRST_WAITS[0],
        **more,
    )


async def exchange(errand: Errand, request: Request) -> Response:
    """Send a request and count it; the response, whatever its status, or FetchFailed."""
    metrics.CHANNEL_REQUESTS.add(channel=errand.channel)
    try:
        response = await errand.client.send(request)
    except FetchFailed as failed:
        metrics.CHANNEL_ERRORS.add(channel=errand.channel, code=failed.health)
        raise
    if not is_success(response):
        metrics.CHANNEL_ERRORS.add(channel=errand.channel, code=str(response.status))
    return response


async def send(errand: Errand, request: Request) -> Response:
    """The response, whatever its status; NotSent if no byte of the request was sent, Unknown otherwise."""
    try:
        return await exchange(errand, request)
    except FetchFailed as failed:
        fix = "; allow it with the option allow_private" if failed.health == "refused_address" else ""
        error = NotSent if failed.is_unsent else Unknown
        raise error(f"{failed}{fix}", after=failed.after) from failed


def is_success(response: Response) -> bool:
    return 200 <= response.status < 300


def failure(
    response: Response, errand: Errand, *, reason: str = "", dead: Collection[int] = (), after: timedelta | None = None
) -> NotSent | DeliveryRefused | Unknown:
    """The error for a response without the id of a message; `dead` are the statuses of a channel that is gone."""
    message = f"{response.url} answered {response.status}{f': {reason}' if reason else ''}"
    requested = retry_after.retry_after(response.headers.get("Retry-After"), now=errand.clock())
    after = max((wait for wait in (after, requested) if wait is not None), default=None)
    if response.status in NOT_NOW:
        return NotSent(message, after=after)
    if 300 <= response.status < 400:
        return DeliveryRefused(f"{message}, a redirect, which is not followed: give the address that it leads to")
    if 400 <= response.status < 500 and response.status != TIMED_OUT:
        return DeliveryRefused(message, is_dead=response.status in dead)
    return Unknown(f"{message}, so it is unknown whether it accepted the post", after=after)


def decode(body: bytes, shape: type[JsonT]) -> JsonT | None:
    """The JSON in this shape, or None for any other content."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def one_line(received: str, *, hidden: str = "") -> str:
    """Text from a server as one short line, without the secret that it may repeat."""
    shown = text.one_line(received)
    return text.truncated(shown.replace(hidden, "…") if hidden else shown, MAX_REASON)


def correction(post: Post) -> tuple[str, bytes]:
    """The id of the message, and its new content."""
    if post.message_id is None or post.correction is None:
        raise DeliveryRefused(f"post {post.post_id} was not sent yet, or has no correction")
    return post.message_id, post.correction.encode()
