"""Messages, responses and errors of Discord, shared by the bot and the webhook channel."""

import re
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec

from scoop.channels import DeliveryRefused, Errand, NotSent, Unknown, http
from scoop.core import retry_after as retry_header
from scoop.fetch.client import Request, Response

HOST = "https://discord.com"
API = "/api/v10"
ANYONE = "anyone"  # for a server with Discord's API that needs no token, as the newsstand
EPOCH_MS = 1_420_070_400_000  # 2015-01-01: Discord's ids count milliseconds from here
GONE = 404
DEAD = frozenset({401, 403, GONE})  # invalid token, no access to the channel, or no such channel
DEAD_FOR_EDITS = frozenset({401})  # 403 and 404 are about the message, not the channel
MAX_DEPTH = 10  # of nested errors; embeds.0.fields.0.value is 5 deep

_MARKER = re.compile(r"\b[a-z2-7]{16,25}\b", re.IGNORECASE)

Snowflake = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,20}\Z")]


class _Footer(msgspec.Struct):
    text: str = ""


class _Embed(msgspec.Struct):
    footer: _Footer | None = None


class Author(msgspec.Struct):
    id: Snowflake


class _Created(msgspec.Struct):
    id: Snowflake


class DiscordMessage(msgspec.Struct):
    """A message of a channel, with the parts that may contain a marker."""

    id: Snowflake
    author: Author
    content: str = ""
    embeds: list[_Embed] = []

    def small_texts(self) -> list[str]:
        return [self.content, *(embed.footer.text for embed in self.embeds if embed.footer)]

    def carries(self, marker: str) -> bool:
        return any(marker in text for text in self.small_texts())

    def markers(self) -> tuple[str, ...]:
        """The words that may be markers of posts."""
        return tuple(word for text in self.small_texts() for word in _MARKER.findall(text))


class _DiscordError(msgspec.Struct):
    """Discord's error response; `errors` is nested like the payload."""

    message: str = ""
    code: int = 0
    errors: Any = None
    retry_after: float = 0.0
    is_global: bool = msgspec.field(name="global", default=False)


def snowflake(moment: datetime) -> int:
    """The lowest id of a message sent at that moment."""
    return max(0, int(moment.timestamp() * 1000) - EPOCH_MS) << 22


async def create(request: Request, errand: Errand, *, hidden: str) -> str:
    """Post a message and return its id."""
    response = await http.send(errand, request)
    created = http.decode(response.body, _Created) if http.is_success(response) else None
    if created is None:
        raise failure(response, errand, dead=DEAD, hidden=hidden)
    return created.id


async def change(request: Request, errand: Errand, *, hidden: str) -> None:
    """Change a message."""
    response = await http.send(errand, request)
    if not http.is_success(response):
        raise failure(response, errand, dead=DEAD_FOR_EDITS, hidden=hidden)


async def delete(request: Request, errand: Errand, *, hidden: str) -> None:
    """Delete a message, unless it is already deleted."""
    response = await http.send(errand, request)
    if not http.is_success(response) and response.status != GONE:
        raise failure(response, errand, dead=DEAD_FOR_EDITS, hidden=hidden)


def failure(
    response: Response, errand: Errand, *, dead: Collection[int], hidden: str
) -> NotSent | DeliveryRefused | Unknown:
    """The error for a response without a message; `hidden` is the secret that it must not repeat."""
    error = http.decode(response.body, _DiscordError) or _DiscordError()
    reason = http.one_line(_reason(error), hidden=hidden)
    return http.failure(response, errand, reason=reason, dead=dead, after=_wait(error))


def _reason(error: _DiscordError) -> str:
    message = f"{error.message} ({error.code})" if error.code else error.message
    scope = " for all requests of this bot" if error.is_global else ""
    return "; ".join(filter(None, [f"{message}{scope}", *_flatten(error.errors, ())]))


def _flatten(errors: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The messages of Discord's nested errors, each with the path of its field."""
    if not isinstance(errors, dict) or len(path) > MAX_DEPTH:
        return
    for key, below in errors.items():
        if key == "_errors" and isinstance(below, list):
            yield from (f"{'.'.join(path)}: {each.get('message')}" for each in below if isinstance(each, dict))
        else:
            yield from _flatten(below, (*path, key))


def _wait(error: _DiscordError) -> timedelta | None:
    if error.retry_after <= 0:
        return None
    return timedelta(seconds=min(error.retry_after, retry_header.LONGEST_WAIT.total_seconds()))
