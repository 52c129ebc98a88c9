"""The page that shows a channel to its readers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, pairwise

import jinja2

from scoop.newsstand.discord import markdown
from scoop.newsstand.discord.state import GUILD_ID, Discord, StoredMessage
from scoop.newsstand.links import Href

FOLLOWS_WITHIN = timedelta(minutes=7)  # within this time Discord does not repeat the author
NO_COLOUR = 0x4E5058

# undefined is allowed: an embed may lack any of its keys
_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("scoop.newsstand"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage:
    """A message on the page; one that follows another of the same author has no header."""

    message: StoredMessage
    follows: bool


def render(discord: Discord, channel_id: str, *, href: Href, root: str) -> str:
    shown = _shown(discord.listed(channel_id))
    return _templates.get_template("discord.html").render(
        channels=discord.channels.values(),
        current=discord.channels[channel_id],
        counts={channel: len(discord.listed(channel)) for channel in discord.channels},
        days=[(day, list(group)) for day, group in groupby(shown, key=lambda shown: shown.message.posted_at.date())],
        path=f"{root}/channels/{GUILD_ID}",
        markdown=partial(markdown.render, href=href),
        markdown_line=partial(markdown.render_line, href=href),
        href=href,
        no_colour=NO_COLOUR,
        moment=datetime.fromisoformat,
    )


def _shown(messages: Sequence[StoredMessage]) -> list[ShownMessage]:
    follows = [False, *(_follows(earlier, later) for earlier, later in pairwise(messages))]
    return [
        ShownMessage(message=message, follows=is_follow_up)
        for message, is_follow_up in zip(messages, follows, strict=False)
    ]


def _follows(earlier: StoredMessage, later: StoredMessage) -> bool:
    is_same_day = earlier.posted_at.date() == later.posted_at.date()
    return is_same_day and earlier.author == later.author and later.posted_at - earlier.posted_at < FOLLOWS_WITHIN
