"""The discord_webhook channel: posts to a webhook of a Discord channel."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import can_ada

from scoop import channels
from scoop.channels import DeliveryRefused, Errand, Mark, discord, http
from scoop.core.rendering import discord as rendering
from scoop.fetch.client import Request
from scoop.model import Digest, DigestPart, Post

_PATH = re.compile(r"/api(?:/v[0-9]+)?/webhooks/([0-9]{1,20})/([A-Za-z0-9_-]+)/?")
_THREAD = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _WebhookAddress:
    """A webhook's address, with the token apart so that it is never shown."""

    url: str
    thread: str
    token: str = field(repr=False)


class DiscordWebhook:
    """A Discord channel, by one of its webhooks: no bot is needed.

    A webhook cannot read the channel. If a response is lost, the post is held until you decide whether to send it
    again.
    """

    name = "discord_webhook"
    access = "editor"
    finds = False
    repeats = False

    class Options(channels.HttpOptions, frozen=True, kw_only=True):
        """The webhook.

        `url`: the name of the secret that holds the webhook's address, as ai_webhook for SCOOP_SECRET_AI_WEBHOOK.
        """

        url: str = ""

        def __post_init__(self) -> None:
            http.check_name("url", self.url)

    def __init__(self, options: Options) -> None:
        self._options = options

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        return rendering.parts(digest, mark)

    async def send(self, post: Post, errand: Errand) -> str:
        address = self._address(errand)
        request = self._request(address, f"?wait=true{address.thread}", method="POST", content=post.payload.encode())
        return await discord.create(request, errand, hidden=address.token)

    async def find(self, _post: Post, _errand: Errand) -> str | None:
        return None

    async def edit(self, post: Post, errand: Errand) -> None:
        address = self._address(errand)
        message_id, content = http.correction(post)
        request = self._request(
            address, f"?{address.thread}", path=f"/messages/{message_id}", method="PATCH", content=content
        )
        await discord.change(request, errand, hidden=address.token)

    def _request(self, address: _WebhookAddress, query: str, *, path: str = "", **more: Any) -> Request:
        return http.request(self._options, f"{address.url}{query}", secret_path=f"/{address.token}{path}", **more)

    def _address(self, errand: Errand) -> _WebhookAddress:
        name = self._options.url
        try:
            parsed = can_ada.parse(http.secret(errand, name).own_address())
        except ValueError:
            parsed = None
        match = _PATH.fullmatch(parsed.pathname) if parsed and parsed.protocol == "https:" else None
        if not parsed or not match:
            raise DeliveryRefused(
                f"the secret {name} is not the address of a Discord webhook: set SCOOP_SECRET_{name.upper()} to "
                "an address such as https://discord.com/api/webhooks/ID/TOKEN"
            )
        threads = [each for each in parse_qs(parsed.search[1:]).get("thread_id", []) if _THREAD.fullmatch(each)]
        return _WebhookAddress(
            url=f"https://{parsed.host}{discord.API}/webhooks/{match[1]}",
            thread=f"&thread_id={threads[0]}" if threads else "",
            token=match[2],
        )
