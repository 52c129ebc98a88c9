"""Nightly check of bot channels: delete duplicate posts, alert on missing ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from scoop import metrics
from scoop.channels import ChannelMakers, DeliveryRefused, Errand, NotSent, Unknown
from scoop.channels.discord_bot import DiscordBot
from scoop.core.alerts import AlertKind
from scoop.core.secrets import Secret
from scoop.fetch.client import Client
from scoop.model import Post
from scoop.stage_names import StageName
from scoop.stages.stage import Outcome, Stage
from scoop.store import alerts, posts, work
from scoop.store.db import Connection
from scoop.store.work import Subject

log = structlog.get_logger()

MESSAGES_READ = 500  # the newest of a channel
LATELY = timedelta(days=2)
ALERTS: tuple[AlertKind, ...] = ("post_doubled", "post_gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelProblems:
    """The problems of these topics' channels: a message by kind of alert and topic."""

    topic_slugs: Sequence[str]
    messages: Mapping[tuple[AlertKind, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcilePosts:
    """Compares the posts that bots sent lately with the messages in their channels."""

    client: Client
    channels: ChannelMakers
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[Post]:
        sent = await posts.list_posts(
            conn, states=["sent"], topic_ids=ids, kind=DiscordBot.name, sent_within=LATELY, limit=MESSAGES_READ
        )
        return [post for post in sent if post.digest_run_id is not None]  # operators may delete messages about alerts

    async def reconcile(self, sent: list[Post]) -> Outcome[ChannelProblems]:
        by_channel: dict[tuple[str, str], list[Post]] = {}
        for post in sent:
            by_channel.setdefault((post.topic_slug, post.channel), []).append(post)
        messages: dict[tuple[AlertKind, str], str] = {}
        for (topic_slug, channel), ours in by_channel.items():
            try:
                messages |= await self._check_channel(topic_slug, ours)
            except (NotSent, DeliveryRefused, Unknown) as failure:  # the next post there fails too, and says so
                log.info("channel not checked", topic=topic_slug, channel=channel, error=str(failure))
        return Outcome(output=ChannelProblems(topic_slugs=[slug for slug, _ in by_channel], messages=messages))

    async def _check_channel(self, topic_slug: str, ours: Sequence[Post]) -> dict[tuple[AlertKind, str], str]:
        bot = self.channels[DiscordBot.name](ours[0].options)
        assert isinstance(bot, DiscordBot)  # noqa: S101 - no other plugin can have its name
        errand = Errand(channel=DiscordBot.name, client=self.client, secrets=self.secrets, clock=self.clock)
        ids_by_marker: dict[str, list[int]] = {}
        for message_id, markers in await bot.recent(errand, MESSAGES_READ):
            for marker in markers:
                ids_by_marker.setdefault(marker, []).append(int(message_id))
        messages: dict[tuple[AlertKind, str], str] = {}
        for post in ours:
            _, *later = sorted(ids_by_marker.get(post.marker, [0]))
            for duplicate in later:
                await bot.delete(str(duplicate), errand)
                metrics.DUPLICATE_POSTS.add(channel=DiscordBot.name)
            if later:
                messages["post_doubled", topic_slug] = (
                    f"post {post.post_id} was {len(later) + 1} times in {post.channel}; Scoop deleted the later ones"
                )
            if post.marker not in ids_by_marker:
                messages["post_gone", topic_slug] = (
                    f"post {post.post_id} is no longer in {post.channel}; somebody may have deleted it. "
                    "Scoop does not send it again"
                )
        return messages

    async def save(self, conn: Connection, problems: ChannelProblems) -> list[Subject]:
        await alerts.settle(conn, problems.messages, subjects=problems.topic_slugs, kinds=ALERTS)
        return []


async def schedule(conn: Connection) -> None:
    """Enqueue the topics that posted lately."""
    await work.enqueue_missing(conn, StageName.RECONCILE_POSTS, await posts.list_posting_topics(conn, within=LATELY))


def stage(
    client: Client, channels: ChannelMakers, *, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> Stage[list[Post], ChannelProblems]:
    reconcile = ReconcilePosts(client=client, channels=channels, secrets=secrets, clock=clock)
    return Stage(
        name=StageName.RECONCILE_POSTS,
        load=reconcile.load,
        work=reconcile.reconcile,
        save=reconcile.save,
        batch=10,
        waits=True,
    )
