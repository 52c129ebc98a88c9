"""Every night a bot's channels are read: what stands there twice goes, and what is gone is told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from scoop.channels import ChannelMakers, DeliveryRefused, Errand, NotSent, Unknown
from scoop.channels.discord_bot import DiscordBot
from scoop.core.secrets import Secret
from scoop.fetch.client import Client
from scoop.model import Post
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, posts, work
from scoop.store.db import Connection
from scoop.store.work import Subject

log = structlog.get_logger()

LOOKED_AT = 500  # of a channel's messages, the newest
LATELY = timedelta(days=2)
ALARMS = ("post_doubled", "post_gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What was found wrong, by kind of alarm and topic, with a sentence each."""

    topic_slugs: Sequence[str]
    messages: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Reads the channels to which bots posted lately."""

    client: Client
    channels: ChannelMakers
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[Post]:
        return await posts.list_posts(
            conn, states=["sent"], topic_ids=ids, kind=DiscordBot.name, sent_within=LATELY, limit=LOOKED_AT
        )

    async def sweep(self, sent: list[Post]) -> Outcome[Swept]:
        by_channel: dict[tuple[str, str], list[Post]] = {}
        for post in sent:
            by_channel.setdefault((post.topic_slug, post.channel), []).append(post)
        messages: dict[tuple[str, str], str] = {}
        for (topic_slug, channel), ours in by_channel.items():
            try:
                messages |= await self._channel(topic_slug, ours)
            except (NotSent, DeliveryRefused, Unknown) as failure:  # the next post there will say the same, louder
                log.info("channel not swept", topic=topic_slug, channel=channel, error=str(failure))
        return Outcome(output=Swept(topic_slugs=[slug for slug, _ in by_channel], messages=messages))

    async def _channel(self, topic_slug: str, ours: Sequence[Post]) -> dict[tuple[str, str], str]:
        bot = self.channels[DiscordBot.name](ours[0].options)
        assert isinstance(bot, DiscordBot)  # noqa: S101 - no other plugin can have its name
        errand = Errand(client=self.client, secrets=self.secrets, clock=self.clock)
        found: dict[str, list[int]] = {}
        for message_id, markers in await bot.recent(errand, LOOKED_AT):
            for marker in markers:
                found.setdefault(marker, []).append(int(message_id))
        messages: dict[tuple[str, str], str] = {}
        for post in ours:
            _, *later = sorted(found.get(post.marker, [0]))
            for double in later:
                await bot.delete(str(double), errand)
            if later:
                messages["post_doubled", topic_slug] = (
                    f"post {post.post_id} stood {len(later) + 1} times in {post.channel}; the later ones were deleted"
                )
            if post.marker not in found:
                messages["post_gone", topic_slug] = (
                    f"post {post.post_id} is no longer in {post.channel}; somebody may have deleted it, "
                    "so it is not sent again"
                )
        return messages

    async def save(self, conn: Connection, swept: Swept) -> list[Subject]:
        for kind, subject, message in await alerts.settle(
            conn, swept.messages, subjects=swept.topic_slugs, kinds=ALARMS
        ):
            log.warning(message, alert=kind, subject=subject)
        return []


async def schedule(conn: Connection) -> None:
    """Put the topics that posted lately before the stage."""
    await work.enqueue_missing(conn, StageName.RECONCILE_POSTS, await posts.posting_topics(conn, within=LATELY))


def stage(
    client: Client, channels: ChannelMakers, *, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> Stage[list[Post], Swept]:
    sweep = Sweep(client=client, channels=channels, secrets=secrets, clock=clock)
    return Stage(
        name=StageName.RECONCILE_POSTS, load=sweep.load, work=sweep.sweep, save=sweep.save, batch=10, waits=True
    )
