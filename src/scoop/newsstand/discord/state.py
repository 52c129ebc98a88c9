"""State of the fake Discord: who may post where, stored messages, and scripted failures."""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from scoop.channels import discord
from scoop.newsstand.discord import refusals
from scoop.newsstand.discord.forms import Embed, MessageForm
from scoop.newsstand.discord.limits import DiscordLimits

EPOCH = datetime(2015, 1, 1, tzinfo=UTC)  # Discord's ids count milliseconds from here
TIME_BITS = 22  # the lower bits count ids of the same millisecond
GUILD_ID = "1280000000000000001"
DEMO_TOKEN = discord.ANYONE
WEBHOOK_TOKEN_CHARACTERS = 68
CHANNELS: Mapping[str, str] = MappingProxyType(
    {
        "ai_news": "1281000000000000001",
        "world_news": "1281000000000000002",
        "china_news": "1281000000000000003",
        "morning_picks": "1281000000000000004",
    }
)
BOT_PINGS = {"parse": ["users", "roles", "everyone"]}  # default pings of a message without allowed_mentions
WEBHOOK_PINGS = {"parse": ["users"]}

# A preceding escape is ignored: better one ping too many here than one in a real channel.
_MENTION = re.compile(r"@(?P<everyone>everyone|here)|<@!?(?P<users>\d+)>|<@&(?P<roles>\d+)>")


class ReplyMode(Enum):
    """How the next message is treated and answered."""

    ACCEPT = "stored and answered"
    ACCEPT_204 = "stored, answered without a body"
    ACCEPT_500 = "stored, answered with a failure"
    ACCEPT_DROP = "stored, and the connection closed without an answer"
    ACCEPT_HANG = "stored, and no answer while the client waits"
    REJECT_500 = "not stored, answered with a failure"
    REJECT_DROP = "not stored, and the connection closed without an answer"
    REJECT_429 = "not stored, as one too many on this route"
    REJECT_429_GLOBAL = "not stored, as one too many in all"

    @property
    def is_accepted(self) -> bool:
        return self.name.startswith("ACCEPT")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordUser:
    """The author of a message: a bot or a webhook."""

    user_id: str
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordChannel:
    channel_id: str
    name: str
    is_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWebhook:
    webhook_id: str
    token: str
    channel_id: str
    name: str

    @property
    def url(self) -> str:
        """The webhook's URL as Discord issues it."""
        return f"https://discord.com/api/webhooks/{self.webhook_id}/{self.token}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A stored message; `pinged` lists the mentioned, `listed_at` is when listing it becomes possible."""

    message_id: str
    channel_id: str
    author: DiscordUser
    content: str
    embeds: tuple[Embed, ...]
    posted_at: datetime
    listed_at: datetime
    pinged: tuple[str, ...]
    nonce: str | int | None = None
    webhook_id: str | None = None
    edited_at: datetime | None = None


BOT = DiscordUser(user_id="1280000000000000002", username="Scoop")
WEBHOOKS: Mapping[str, StoredWebhook] = MappingProxyType(
    {
        slug: StoredWebhook(
            webhook_id=channel_id.replace("1281", "1282", 1),
            token=f"newsstand-{slug}-webhook-".ljust(WEBHOOK_TOKEN_CHARACTERS, "0"),
            channel_id=channel_id,
            name="Scoop webhook",
        )
        for slug, channel_id in CHANNELS.items()
    }
)


def _demo_channels() -> dict[str, DiscordChannel]:
    return {
        channel_id: DiscordChannel(channel_id=channel_id, name=slug.replace("_", "-"))
        for slug, channel_id in CHANNELS.items()
    }


@dataclass(slots=True, kw_only=True)
class Discord:
    """A fake Discord; tests set what they need.

    `chance` picks the mode of an unscripted message. `lateness` is how long a new message is hidden from
    readers, `nonce_window` how long a nonce is remembered, `hang_seconds` how long a response is withheld, and
    `busy_seconds` the Retry-After of a scripted 429.
    """

    clock: Callable[[], datetime]
    limits: DiscordLimits
    chance: Callable[[], ReplyMode] = lambda: ReplyMode.ACCEPT
    lateness: timedelta = timedelta()
    nonce_window: timedelta = timedelta(minutes=5)
    hang_seconds: float = 600
    busy_seconds: float = 0.35
    bots: dict[str, DiscordUser] = field(default_factory=lambda: {DEMO_TOKEN: BOT})
    channels: dict[str, DiscordChannel] = field(default_factory=_demo_channels)
    webhooks: dict[str, StoredWebhook] = field(
        default_factory=lambda: {webhook.webhook_id: webhook for webhook in WEBHOOKS.values()}
    )
    _messages: dict[str, dict[str, StoredMessage]] = field(default_factory=lambda: defaultdict(dict))
    _by_nonce: dict[tuple[str, str], StoredMessage] = field(default_factory=dict)
    _scripts: dict[str, deque[ReplyMode]] = field(default_factory=lambda: defaultdict(deque))
    _last_id: int = 0
    _file: Path | None = None

    def keep_in(self, file: Path) -> None:
        """Load the file, and save every later message to it."""
        self._file = file
        with suppress(OSError, msgspec.DecodeError):  # a broken file is overwritten
            for message in msgspec.json.decode(file.read_bytes(), type=list[StoredMessage]):
                self._messages[message.channel_id][message.message_id] = message

    def add(self, *channels: DiscordChannel) -> None:
        self.channels |= {channel.channel_id: channel for channel in channels}

    def script(self, channel_id: str, modes: Iterable[ReplyMode]) -> None:
        """Script the outcome of the channel's next messages, in order; invalid messages use up none."""
        self._scripts[channel_id].extend(modes)

    def next_mode(self, channel_id: str) -> ReplyMode:
        script = self._scripts[channel_id]
        return script.popleft() if script else self.chance()

    def messages(self, channel_id: str) -> list[StoredMessage]:
        """All stored messages, oldest first, listed or not."""
        return list(self._messages[channel_id].values())

    def listed(self, channel_id: str) -> list[StoredMessage]:
        """The messages listed now, oldest first."""
        now = self.clock()
        return [message for message in self.messages(channel_id) if message.listed_at <= now]

    def by_id(self, channel_id: str, message_id: str) -> StoredMessage:
        message = self._messages[channel_id].get(message_id)
        if message is None:
            raise refusals.unknown_message()
        return message

    def bot(self, authorization: str) -> DiscordUser:
        scheme, _, token = authorization.partition(" ")
        if scheme != "Bot" or token not in self.bots:
            raise refusals.unauthorized()
        return self.bots[token]

    def channel(self, channel_id: str) -> DiscordChannel:
        channel = self.channels.get(channel_id)
        if channel is None:
            raise refusals.unknown_channel()
        if not channel.is_open:
            raise refusals.missing_access()
        return channel

    def webhook(self, webhook_id: str, token: str) -> StoredWebhook:
        webhook = self.webhooks.get(webhook_id)
        if webhook is None:
            raise refusals.unknown_webhook()
        if webhook.token != token:
            raise refusals.wrong_webhook_token()
        return webhook

    def post(self, form: MessageForm, author: DiscordUser, channel_id: str) -> StoredMessage:
        """Post a bot's message, or return the earlier one with the same nonce."""
        told_before = self._told_before(form, author) if form.enforce_nonce else None
        if told_before is not None:
            return told_before
        message = self._new(form, author, channel_id, default_pings=BOT_PINGS)
        message = self._keep(replace(message, nonce=form.nonce))
        if form.nonce is not None:
            self._by_nonce[author.user_id, str(form.nonce)] = message
        return message

    def post_by(self, webhook: StoredWebhook, form: MessageForm) -> StoredMessage:
        author = DiscordUser(user_id=webhook.webhook_id, username=form.username or webhook.name)
        message = self._new(form, author, webhook.channel_id, default_pings=WEBHOOK_PINGS)
        return self._keep(replace(message, webhook_id=webhook.webhook_id))

    def edit(self, message: StoredMessage, form: MessageForm) -> StoredMessage:
        """Edit a message; an edit pings nobody."""
        changes = {name: getattr(form, name) for name in ("content", "embeds") if name in form.keys}
        edited = replace(message, edited_at=self.clock(), **changes)
        if not edited.content and not edited.embeds:
            raise refusals.empty_message()
        return self._keep(edited)

    def delete(self, message: StoredMessage) -> None:
        del self._messages[message.channel_id][message.message_id]
        self._remember()

    def _told_before(self, form: MessageForm, author: DiscordUser) -> StoredMessage | None:
        earlier = self._by_nonce.get((author.user_id, str(form.nonce)))
        if form.nonce is None or earlier is None or self.clock() - earlier.posted_at >= self.nonce_window:
            return None
        return self._messages[earlier.channel_id].get(earlier.message_id)

    def _new(
        self, form: MessageForm, author: DiscordUser, channel_id: str, *, default_pings: Mapping[str, Any]
    ) -> StoredMessage:
        now = self.clock()
        allowed = default_pings if form.allowed_mentions is None else form.allowed_mentions
        return StoredMessage(
            message_id=self._next_id(now),
            channel_id=channel_id,
            author=author,
            content=form.content,
            embeds=form.embeds,
            posted_at=now,
            listed_at=now + self.lateness,
            pinged=pinged(form.content, allowed),
        )

    def _keep(self, message: StoredMessage) -> StoredMessage:
        self._messages[message.channel_id][message.message_id] = message
        self._remember()
        return message

    def _remember(self) -> None:
        if self._file is not None:
            kept = [message for messages in self._messages.values() for message in messages.values()]
            self._file.write_bytes(msgspec.json.encode(kept))

    def _next_id(self, now: datetime) -> str:
        self._last_id = max(self._last_id + 1, snowflake(now))
        return str(self._last_id)


def snowflake(moment: datetime) -> int:
    """The smallest id of that moment."""
    return (moment - EPOCH) // timedelta(milliseconds=1) << TIME_BITS


def pinged(content: str, allowed: Mapping[str, Any]) -> tuple[str, ...]:
    """Mentions in a text that are allowed to ping; embeds never ping."""
    mentions = ((match[0], str(match.lastgroup), match[match.lastgroup or 0]) for match in _MENTION.finditer(content))
    return tuple(
        mention for mention, kind, name in mentions if kind in allowed.get("parse", ()) or name in allowed.get(kind, ())
    )
