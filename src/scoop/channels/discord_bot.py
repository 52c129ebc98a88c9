"""The discord_bot channel: posts as a bot, and can look messages up."""

from datetime import timedelta
from typing import Annotated, Any, TypeVar

import msgspec

from scoop import channels
from scoop.channels import DeliveryRefused, Errand, Mark, Unknown, discord, http
from scoop.channels.discord import Author, DiscordMessage
from scoop.core.rendering import discord as rendering
from scoop.core.secrets import Secret
from scoop.errors import FetchFailed
from scoop.fetch.client import Request
from scoop.model import Digest, DigestPart, Post

PAGE = 100  # messages of one listing, the limit of Discord's API
MAX_PAGES = 50
MARGIN = timedelta(minutes=2)  # between Discord's clock and this machine's
FOUND = 200
OWN_TOKEN = "discord_bot_token"  # noqa: S105 - the name that stands for `bot_token`
TOKEN_VARIABLE = "SCOOP_CHANNELS_DISCORD_BOT_BOT_TOKEN"  # noqa: S105 - its name

MessageT = TypeVar("MessageT")


class DiscordBot:
    """A Discord channel, as a bot of your own: the channel that never posts twice.

    The bot needs the permissions View Channel, Send Messages, Embed Links and Read Message History. If a response is
    lost, Scoop looks for the post in the channel before it sends it again.
    """

    name = "discord_bot"
    access = "editor"
    base_url = discord.HOST
    finds = True
    repeats = False

    class Options(channels.HttpOptions, frozen=True, kw_only=True):
        """The channel and the bot.

        `channel_id`: the id of the channel; the topic's own by default.
        `bot_token`: the token of your bot.
        `token`: the name of another secret with a token, if you have several bots: ai_bot for SCOOP_SECRET_AI_BOT.
        """

        channel_id: Annotated[
            str, msgspec.Meta(pattern=r"^[0-9]{17,20}\Z", description="the id of a channel, 17 to 20 digits")
        ] = ""
        bot_token: Secret | None = None
        token: str = OWN_TOKEN

        def __post_init__(self) -> None:
            http.check_name("token", self.token)

    def __init__(self, options: Options) -> None:
        self._options = options
        self._own_id: str | None = None

    def parts(self, digest: Digest, mark: Mark) -> list[DigestPart]:
        return rendering.parts(digest, mark)

    async def send(self, post: Post, errand: Errand) -> str:
        token = self._token(errand)
        payload = msgspec.json.decode(post.payload, type=dict[str, msgspec.Raw])
        content = msgspec.json.encode({**payload, "nonce": post.marker, "enforce_nonce": True})
        return await discord.create(self._request("", token, method="POST", content=content), errand, hidden=token)

    async def find(self, post: Post, errand: Errand) -> str | None:
        if post.sending_at is None:
            return None
        own_id = await self._bot(errand)
        after = discord.snowflake(post.sending_at - MARGIN)
        for _ in range(MAX_PAGES):
            page = await self._list(errand, f"after={after}")
            matches = [int(each.id) for each in page if each.author.id == own_id and each.carries(post.marker)]
            if matches:
                return str(min(matches))
            if len(page) < PAGE:
                return None
            after = max(int(each.id) for each in page)
        raise Unknown(f"more than {PAGE * MAX_PAGES:,} messages were posted since: look for {post.marker} yourself")

    async def edit(self, post: Post, errand: Errand) -> None:
        token = self._token(errand)
        message_id, content = http.correction(post)
        request = self._request(f"/{message_id}", token, method="PATCH", content=content)
        await discord.change(request, errand, hidden=token)

    async def delete(self, message_id: str, errand: Errand) -> None:
        """Delete one of the bot's own messages."""
        token = self._token(errand)
        await discord.delete(self._request(f"/{message_id}", token, method="DELETE"), errand, hidden=token)

    async def recent(self, errand: Errand, limit: int) -> list[tuple[str, tuple[str, ...]]]:
        """The bot's own messages among the last `limit`, newest first: id, and the words that may be markers."""
        own_id = await self._bot(errand)
        messages: list[DiscordMessage] = []
        before = ""
        while len(messages) < limit:
            page = await self._list(errand, before)
            messages += page
            if len(page) < PAGE:
                break
            before = f"before={min(int(each.id) for each in page)}"
        return [(each.id, each.markers()) for each in messages[:limit] if each.author.id == own_id]

    async def _bot(self, errand: Errand) -> str:
        """The bot's own id."""
        if self._own_id is None:
            self._own_id = (await self._fetch(errand, f"{discord.API}/users/@me", Author)).id
        return self._own_id

    async def _list(self, errand: Errand, where: str) -> list[DiscordMessage]:
        return await self._fetch(errand, f"{self._path}?limit={PAGE}&{where}", list[DiscordMessage])

    async def _fetch(self, errand: Errand, path: str, shape: type[MessageT]) -> MessageT:
        """The response of Discord; DeliveryRefused if the bot has no access, Unknown if there is no answer."""
        token = self._token(errand)
        try:
            response = await http.exchange(errand, self._request_to(path, token))
        except FetchFailed as failed:
            raise Unknown(f"the post cannot be looked up: {failed}", after=failed.after) from failed
        decoded = http.decode(response.body, shape) if response.status == FOUND else None
        if decoded is None:
            failure = discord.failure(response, errand, dead=discord.DEAD, hidden=token)
            if isinstance(failure, DeliveryRefused):
                raise failure
            raise Unknown(f"the post cannot be looked up: {failure}", after=failure.after)
        return decoded

    def _token(self, errand: Errand) -> str:
        """The bot's token; a server of your own, as the newsstand, may need none."""
        name, own = self._options.token, self._options.bot_token
        if name == OWN_TOKEN and own is not None:
            return own.for_url(discord.HOST)
        if self._options.connect_to is not None and name not in errand.secrets:
            return discord.ANYONE
        variable = TOKEN_VARIABLE if name == OWN_TOKEN else None
        return http.secret(errand, name, variable=variable).bound_to(discord.HOST).for_url(discord.HOST)

    @property
    def _path(self) -> str:
        if not self._options.channel_id:
            raise DeliveryRefused(
                "the channel is missing: give the option channel_id, or the topic a discord_channel_id"
            )
        return f"{discord.API}/channels/{self._options.channel_id}/messages"

    def _request(self, path: str, token: str, **more: Any) -> Request:
        return self._request_to(f"{self._path}{path}", token, **more)

    def _request_to(self, path: str, token: str, **more: Any) -> Request:
        headers = {"Authorization": f"Bot {token}"}
        return http.request(self._options, f"{discord.HOST}{path}", headers=headers, **more)
