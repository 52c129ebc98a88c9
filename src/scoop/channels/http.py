"""What becomes of a post over HTTP: an answer, or which of the three errors says what is known of it."""

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any, TypeVar

import msgspec

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
    """A channel whose messages, once they are sent, can neither be looked for nor changed."""

    finds = False

    async def find(self, _post: Post, _errand: Errand) -> str | None:
        return None

    async def edit(self, post: Post, _errand: Errand) -> None:
        raise DeliveryRefused(f"what was sent by {post.kind} cannot be changed any more")


def check_name(option: str, name: str) -> None:
    """ValueError where an option holds something else than the name of a secret, which may be the secret itself."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"option {option}: must be the name of a secret, never the secret itself; the name of what "
            "SCOOP_SECRET_AI_DESK holds is ai_desk"
        )


def secret(errand: Errand, name: str, *, variable: str | None = None) -> Secret:
    """The secret of that name; Refused with the variable to set."""
    found = errand.secrets.get(name)
    if found is not None and found.is_usable:
        return found
    variable = variable or f"SCOOP_SECRET_{name.upper()}"
    problem = "is not set" if found is None else "is not one line of text"
    raise DeliveryRefused(f"the secret {name} {problem}: set {variable}, or {variable}_FILE to a file with it")


def request(options: HttpOptions, url: str, **more: Any) -> Request:
    """A request as the channel's options want it."""
    # On a connection that was kept from an earlier request the server may just be hanging up, and then nobody could
    # tell whether a post arrived.
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
        **more,
    )


async def answer(errand: Errand, asked: Request) -> Response:
    """The answer, whatever it says; NotSent where nothing of the request has left, Unknown where it may have."""
    try:
        return await errand.client.send(asked)
    except FetchFailed as failed:
        fix = "; allow it with the option allow_private" if failed.health == "refused_address" else ""
        error = NotSent if failed.is_unsent else Unknown
        raise error(f"{failed}{fix}", after=failed.after) from failed


def is_success(given: Response) -> bool:
    return 200 <= given.status < 300


def outcome(
    given: Response, errand: Errand, *, said: str = "", dead: Collection[int] = (), after: timedelta | None = None
) -> NotSent | DeliveryRefused | Unknown:
    """What an answer means that brings no message's id; `dead`: the statuses of a channel that is no more."""
    reason = f"{given.url} answered {given.status}{f': {said}' if said else ''}"
    asked = retry_after.retry_after(given.headers.get("Retry-After"), now=errand.clock())
    after = max((wait for wait in (after, asked) if wait is not None), default=None)
    if given.status in NOT_NOW:
        return NotSent(reason, after=after)
    if 300 <= given.status < 400:
        return DeliveryRefused(f"{reason}, a redirect, which no post follows: give the address that it leads to")
    if 400 <= given.status < 500 and given.status != TIMED_OUT:
        return DeliveryRefused(reason, is_dead=given.status in dead)
    return Unknown(f"{reason}, and does not say whether it took the post", after=after)


def decoded(body: bytes, shape: type[JsonT]) -> JsonT | None:
    """JSON of a shape; nothing for what is not."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def line(said: str, *, hidden: str = "") -> str:
    """What a stranger said, in one line of no great length, without the secret that it may repeat."""
    shown = text.one_line(said)
    return text.truncated(shown.replace(hidden, "…") if hidden else shown, MAX_REASON)


def correction(post: Post) -> tuple[str, bytes]:
    """The id of the message that was sent, and what it shall say instead."""
    if post.message_id is None or post.correction is None:
        raise DeliveryRefused(f"post {post.post_id} was not sent yet, or nothing is to be corrected")
    return post.message_id, post.correction.encode()
