"""Channel plugins, one file each: a class with `name`, `access`, `Options`, `parts` and `send`.

A delivery has four outcomes: `send` returns the id of the message, or raises NotSent (not delivered, may be retried),
DeliveryRefused (not delivered, and never will be) or Unknown (it may have been delivered).
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
    """The message was not delivered; it may be sent again."""


class Unknown(Retry):
    """The message may have been delivered, or not."""


class DeliveryRefused(Reject):
    """The message was not delivered and never will be; `is_dead`: no other message will be, either."""

    def __init__(self, reason: str, *, is_dead: bool = False) -> None:
        super().__init__(reason)
        self.is_dead = is_dead


class HttpOptions(PluginOptions, frozen=True, kw_only=True):
    """Options of every channel that uses HTTP.

    `connect_to`: connect to this address, as 127.0.0.1:8788, instead of the host; for a server of your own.
    `allow_private`: allow the host to have a private address.
    """

    connect_to: Annotated[str | None, ADMIN_ONLY] = None
    allow_private: Annotated[bool, ADMIN_ONLY] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a channel needs to send: the HTTP client, the secrets that options name, and the clock.

    `channel` is the name under which metrics count its requests.
    """

    channel: str
    client: Client
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]


class ChannelPlugin(Plugin, Protocol):
    """How a digest reaches its readers; made with the options of one channel of a topic.

    `finds`: a delivered message can be looked up. `repeats`: the receiver ignores a post that is sent again.
    """

    finds: ClassVar[bool]
    repeats: ClassVar[bool]

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        """The digest in parts that the channel accepts; no story is split."""
        ...

    async def send(self, post: Post, errand: Errand) -> str:
        """Send the post and return the id of the message; raise NotSent, DeliveryRefused or Unknown otherwise."""
        ...

    async def find(self, post: Post, errand: Errand) -> str | None:
        """The id of the message with the post's marker that was sent since `sending_at`, if there is one."""
        ...

    async def edit(self, post: Post, errand: Errand) -> None:
        """Replace the text of the message by `correction`; harmless when repeated."""
        ...


ChannelMakers = Mapping[str, Callable[[Mapping[str, Any]], ChannelPlugin]]
"""For each kind of channel, the function that makes it from the options of a channel."""
