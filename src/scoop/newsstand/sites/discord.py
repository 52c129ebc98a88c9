"""Discord: messages by bots and webhooks through its API, and a page that shows them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from scoop.newsstand import links
from scoop.newsstand.context import SiteContext
from scoop.newsstand.discord import forms, page, refusals
from scoop.newsstand.discord.refusals import DiscordError
from scoop.newsstand.discord.state import GUILD_ID, Discord, DiscordUser, ReplyMode, StoredMessage
from scoop.newsstand.links import Href

HOST = "discord.com"
MESSAGES_MAX, MESSAGES_DEFAULT = 100, 50
ID_MAX = 2**63 - 1
PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"}

Endpoint = Callable[[Request], Awaitable[Response]]


def sites(context: SiteContext) -> Mapping[str, Sequence[BaseRoute]]:
    routes = DiscordApi(discord=context.discord).routes()
    pages = DiscordPages(discord=context.discord)
    return {
        HOST: [
            Mount("/api/v10", routes=routes),
            Mount("/api", routes=routes),  # as in the webhook URLs that Discord issues
            Route("/channels", pages.first),
            Route(f"/channels/{GUILD_ID}/{{channel_id}}", pages.channel),
        ]
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordApi:
    discord: Discord

    def routes(self) -> list[BaseRoute]:
        listing, one = "/channels/{channel_id}/messages", "/channels/{channel_id}/messages/{message_id}"
        webhook, sent = "/webhooks/{webhook_id}/{token}", "/webhooks/{webhook_id}/{token}/messages/{message_id}"
        return [
            self._route("GET", "/users/@me", self.me),
            self._route("POST", listing, self.create),
            self._route("GET", listing, self.listing),
            self._route("GET", one, self.read),
            self._route("PATCH", one, self.edit),
            self._route("DELETE", one, self.delete),
            self._route("POST", webhook, self.execute),
            self._route("GET", sent, self.read),
            self._route("PATCH", sent, self.edit),
            self._route("DELETE", sent, self.delete),
        ]

    async def me(self, request: Request) -> Response:
        return JSONResponse(_user(self._bot(request)))

    async def create(self, request: Request) -> Response:
        bot = self._bot(request)
        channel = self.discord.channel(request.path_params["channel_id"])
        form = await _new(request)
        mode = self._mode(channel.channel_id)
        message = self.discord.post(form, bot, channel.channel_id) if mode.is_accepted else None
        return self._answer(mode, JSONResponse(_message(message)) if message else Response(status_code=204))

    async def execute(self, request: Request) -> Response:
        webhook = self.discord.webhook(request.path_params["webhook_id"], request.path_params["token"])
        form = await _new(request)
        mode = self._mode(webhook.channel_id)
        message = self.discord.post_by(webhook, form) if mode.is_accepted else None
        waits = request.query_params.get("wait") == "true"
        if not waits and mode is ReplyMode.REJECT_500:
            return Response(status_code=204)  # without ?wait=true the client does not learn of the failure
        return self._answer(mode, JSONResponse(_message(message)) if message and waits else Response(status_code=204))

    async def listing(self, request: Request) -> Response:
        self._bot(request)
        channel = self.discord.channel(request.path_params["channel_id"])
        params = request.query_params
        limit = forms.whole_number(params.get("limit", str(MESSAGES_DEFAULT)), "limit", least=1, most=MESSAGES_MAX)
        after = forms.whole_number(params.get("after", "0"), "after", least=0, most=ID_MAX)
        before = forms.whole_number(params.get("before", str(ID_MAX)), "before", least=0, most=ID_MAX)
        between = [each for each in self.discord.listed(channel.channel_id) if after < int(each.message_id) < before]
        # nearest to the named message first, and always newest first
        page = between[:limit] if "after" in params else between[-limit:]
        return JSONResponse([_message(message) for message in reversed(page)])

    async def read(self, request: Request) -> Response:
        _, message = self._found(request)
        if message.listed_at > self.discord.clock():
            raise refusals.unknown_message()
        return JSONResponse(_message(message))

    async def edit(self, request: Request) -> Response:
        form = await _form(request)
        author_id, message = self._found(request)
        if message.author.user_id != author_id:
            raise refusals.not_the_author()
        return JSONResponse(_message(self.discord.edit(message, form)))

    async def delete(self, request: Request) -> Response:
        author_id, message = self._found(request)
        if message.author.user_id != author_id:
            raise refusals.missing_permissions()
        self.discord.delete(message)
        return Response(status_code=204)

    def _route(self, method: str, path: str, endpoint: Endpoint) -> Route:
        """The endpoint at its path, with rate limit headers in every response."""

        async def answer(request: Request) -> Response:
            place = [request.path_params.get(name, "") for name in ("channel_id", "webhook_id", "token")]
            bucket = " ".join([method, path, *place])
            asker = request.headers.get("authorization", "") or (request.client.host if request.client else "")
            try:
                self.discord.limits.check(bucket, asker)
                response = await endpoint(request)
            except DiscordError as refusal:
                response = JSONResponse(refusal.body, status_code=refusal.status, headers=refusal.headers)
            response.headers.update(self.discord.limits.headers(bucket))
            return response

        return Route(path, answer, methods=[method])

    def _bot(self, request: Request) -> DiscordUser:
        return self.discord.bot(request.headers.get("authorization", ""))

    def _found(self, request: Request) -> tuple[str, StoredMessage]:
        """The author and the message; a webhook sees only its own."""
        params = request.path_params
        if "webhook_id" not in params:
            bot = self._bot(request)
            channel = self.discord.channel(params["channel_id"])
            return bot.user_id, self.discord.by_id(channel.channel_id, params["message_id"])
        webhook = self.discord.webhook(params["webhook_id"], params["token"])
        message = self.discord.by_id(webhook.channel_id, params["message_id"])
        if message.webhook_id != webhook.webhook_id:
            raise refusals.unknown_message()
        return webhook.webhook_id, message

    def _mode(self, channel_id: str) -> ReplyMode:
        """The scripted mode of the channel's next message; 429 if that is the mode."""
        mode = self.discord.next_mode(channel_id)
        if mode in {ReplyMode.REJECT_429, ReplyMode.REJECT_429_GLOBAL}:
            raise refusals.limited(self.discord.busy_seconds, is_global=mode is ReplyMode.REJECT_429_GLOBAL)
        return mode

    def _answer(self, mode: ReplyMode, answer: Response) -> Response:
        match mode:
            case ReplyMode.ACCEPT_500 | ReplyMode.REJECT_500:
                raise refusals.broken()
            case ReplyMode.ACCEPT_DROP | ReplyMode.REJECT_DROP:
                return Silence()
            case ReplyMode.ACCEPT_HANG:
                return Silence(self.discord.hang_seconds)
            case ReplyMode.ACCEPT_204:
                return Response(status_code=204)
        return answer


class Silence(Response):
    """No response: close the connection, after a while or when the client has gone."""

    def __init__(self, seconds: float = 0) -> None:
        super().__init__()
        self.seconds = seconds

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.seconds):
                while (await receive())["type"] != "http.disconnect":
                    pass
        with suppress(KeyError):
            # an invalid status: the server notices before it writes, and closes the connection
            await send({"type": "http.response.start", "status": 0, "headers": []})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordPages:
    discord: Discord

    async def first(self, request: Request) -> Response:
        return self._page(request, next(iter(self.discord.channels)))

    async def channel(self, request: Request) -> Response:
        return self._page(request, request.path_params["channel_id"])

    def _page(self, request: Request, channel_id: str) -> Response:
        if channel_id not in self.discord.channels:
            raise HTTPException(404)
        root = request.scope["root_path"]
        text = page.render(self.discord, channel_id, href=_href(request), root=root)
        return HTMLResponse(text, headers=PAGE_HEADERS)


def _href(request: Request) -> Href:
    """Rewrite links to the invented world for the current reader; leave all others."""
    as_reached = links.as_reached(request)

    def href(url: str) -> str:
        host = url.removeprefix("http://").partition("/")[0]
        return as_reached(url) if url.startswith("http://") and host.endswith(".example") else url

    return href


async def _new(request: Request) -> forms.MessageForm:
    form = await _form(request)
    if not form.content and not form.embeds:
        raise refusals.empty_message()
    return form


async def _form(request: Request) -> forms.MessageForm:
    return forms.read(await request.body(), request.headers.get("content-type", ""))


def _user(user: DiscordUser) -> dict[str, Any]:
    return {
        "id": user.user_id,
        "username": user.username,
        "global_name": None,
        "discriminator": "0000",
        "avatar": None,
        "bot": True,
    }


def _message(message: StoredMessage) -> dict[str, Any]:
    payload = {
        "id": message.message_id,
        "type": 0,
        "channel_id": message.channel_id,
        "author": _user(message.author),
        "content": message.content,
        "embeds": list(message.embeds),
        "timestamp": message.posted_at.isoformat(),
        "edited_timestamp": message.edited_at.isoformat() if message.edited_at else None,
        "mention_everyone": any(mention in {"@everyone", "@here"} for mention in message.pinged),
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "components": [],
        "pinned": False,
        "tts": False,
        "flags": 0,
    }
    nonce = {"nonce": message.nonce} if message.nonce is not None else {}
    return payload | nonce | ({"webhook_id": message.webhook_id} if message.webhook_id else {})
