"""What both ways into Discord share: its answers, its messages, its reasons."""

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
ANYONE = "anyone"  # for a server of one's own that speaks as Discord does, and wants no token
EPOCH_MS = 1_420_070_400_000  # the first second of 2015, from which Discord's ids count
GONE = 404
DEAD = frozenset({401, 403, GONE})  # the token is wrong, the channel is closed to us, or there is none
DEAD_FOR_EDITS = frozenset({401})  # else it is the message that is gone
MAX_DEPTH = 10  # of nested errors: embeds.0.fields.0.value is 5 deep

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
    """A message of a channel, as far as a marker may be in it."""

    id: Snowflake
    author: Author
    content: str = ""
    embeds: list[_Embed] = []

    def small_texts(self) -> list[str]:
        return [self.content, *(embed.footer.text for embed in self.embeds if embed.footer)]

    def carries(self, marker: str) -> bool:
        return any(marker in text for text in self.small_texts())

    def markers(self) -> tuple[str, ...]:
        """What may be markers of posts."""
        return tuple(found for text in self.small_texts() for found in _MARKER.findall(text))


class _Complaint(msgspec.Struct):
    """Why Discord refuses; `errors` is nested as the payload is."""

    message: str = ""
    code: int = 0
    errors: Any = None
    retry_after: float = 0.0
    is_global: bool = msgspec.field(name="global", default=False)


def snowflake(moment: datetime) -> int:
    """The first id that a message of that moment can have."""
    return max(0, int(moment.timestamp() * 1000) - EPOCH_MS) << 22


async def create(asked: Request, errand: Errand, *, hidden: str) -> str:
    """Post a message; its id."""
    given = await http.answer(errand, asked)
    created = http.decoded(given.body, _Created) if http.is_success(given) else None
    if created is None:
        raise outcome(given, errand, dead=DEAD, hidden=hidden)
    return created.id


async def change(asked: Request, errand: Errand, *, hidden: str) -> None:
    """Change a message."""
    given = await http.answer(errand, asked)
    if not http.is_success(given):
        raise outcome(given, errand, dead=DEAD_FOR_EDITS, hidden=hidden)


async def delete(asked: Request, errand: Errand, *, hidden: str) -> None:
    """Delete a message, which may be gone already."""
    given = await http.answer(errand, asked)
    if not http.is_success(given) and given.status != GONE:
        raise outcome(given, errand, dead=DEAD_FOR_EDITS, hidden=hidden)


def outcome(
    given: Response, errand: Errand, *, dead: Collection[int], hidden: str
) -> NotSent | DeliveryRefused | Unknown:
    """What an answer without a message means; `hidden` is the secret that it must not tell."""
    complaint = http.decoded(given.body, _Complaint) or _Complaint()
    return http.outcome(
        given, errand, said=http.line(_reason(complaint), hidden=hidden), dead=dead, after=_wait(complaint)
    )


def _reason(complaint: _Complaint) -> str:
    named = f"{complaint.message} ({complaint.code})" if complaint.code else complaint.message
    whole = " for all that this bot asks" if complaint.is_global else ""
    return "; ".join(filter(None, [f"{named}{whole}", *_flat(complaint.errors, ())]))


def _flat(errors: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The reasons inside Discord's nested errors, each with the path of its field."""
    if not isinstance(errors, dict) or len(path) > MAX_DEPTH:
        return
    for key, below in errors.items():
        if key == "_errors" and isinstance(below, list):
            yield from (f"{'.'.join(path)}: {each.get('message')}" for each in below if isinstance(each, dict))
        else:
            yield from _flat(below, (*path, key))


def _wait(complaint: _Complaint) -> timedelta | None:
    if complaint.retry_after <= 0:
        return None
    return timedelta(seconds=min(complaint.retry_after, retry_header.LONGEST_WAIT.total_seconds()))
