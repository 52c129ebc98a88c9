"""Kinds of channels, one file each: a class with a `name`, `Options`, `parts` and `send`, whose docstring is its page.

What became of a post is one of four things, and each has its name: `send` gives the message's id, or raises NotSent
(it certainly did not arrive), Refused (nor ever will) or Unknown (it may have arrived).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Protocol

from scoop.core.plugin_types import ADMIN_ONLY, Plugin, PluginOptions
from scoop.core.secrets import Secret
from scoop.errors import Reject, Retry
from scoop.fetch.client import Client
from scoop.model import Digest, DigestPart, Post

Mark = Callable[[int], str]
"""The marker of the part with this number."""


class NotSent(Retry):
    """It certainly did not arrive, and may be sent again."""


class Unknown(Retry):
    """It may have arrived, or not."""


class DeliveryRefused(Reject):
    """It certainly did not arrive, nor will it; `is_dead`: nothing that is sent there will."""

    def __init__(self, reason: str, *, is_dead: bool = False) -> None:
        super().__init__(reason)
        self.is_dead = is_dead


class HttpOptions(PluginOptions, frozen=True, kw_only=True):
    """What every kind of channel that is reached over HTTP can be told.

    `connect_to`: ask this address, as 127.0.0.1:8788, whatever the host; for a server of one's own.
    `allow_private`: the channel's host may have a private address.
    """

    connect_to: Annotated[str | None, ADMIN_ONLY] = None
    allow_private: Annotated[bool, ADMIN_ONLY] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a channel sends with: the way out, the secrets, and the time."""

    client: Client
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]


class ChannelPlugin(Plugin, Protocol):
    """How a digest gets to its readers; made with the options of one channel of a topic.

    `finds`: what arrived can be looked for. `repeats`: sending the same post again does nothing.
    """

    finds: ClassVar[bool]
    repeats: ClassVar[bool]

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        """The digest in pieces that the channel takes, none of which cuts a story in two."""
        ...

    async def send(self, post: Post, errand: Errand) -> str:
        """Send it; the message's id. NotSent, Refused or Unknown for what did not surely arrive."""
        ...

    async def find(self, post: Post, errand: Errand) -> str | None:
        """The id of the message that carries the post's marker and was sent since `sending_at`, if there is one."""
        ...

    async def edit(self, post: Post, errand: Errand) -> None:
        """Make the message that was sent say what `correction` says; harmless when repeated."""
        ...


ChannelMakers = Mapping[str, Callable[[Mapping[str, Any]], ChannelPlugin]]
"""For each kind of channel, the function that makes it from the options of a channel."""
