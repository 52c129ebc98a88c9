"""Posts about alerts: what began or ended goes to the channels of the operators' topic, through the outbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from scoop.channels import ChannelMakers
from scoop.core import alerts, delivery
from scoop.core.alerts import AlertNews
from scoop.errors import NotFound
from scoop.model import AlertLevel, Topic
from scoop.stages import digest
from scoop.store import alerts as store
from scoop.store import posts, topics
from scoop.store.db import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcing:
    """Where alerts are posted: the channels of a topic, for those of a level and above."""

    topic_slug: str
    level: AlertLevel
    channels: ChannelMakers


async def announce(conn: Connection, announcing: Announcing, *, now: datetime) -> None:
    """Announce the alerts that began or ended, each once, if it is time for a message."""
    async with conn.transaction():
        topic = await _find_topic(conn, announcing.topic_slug)
        if not any(channel.enabled for channel in topic.channels):
            return  # they are announced once there is a channel
        news = await store.list_news(conn, alerts.levels_from(announcing.level), flap=alerts.FLAP)
        if alerts.is_announced_now(news, last=await store.last_announced_at(conn), now=now):
            await _post(conn, topic, news, announcing.channels, now=now)


async def _post(
    conn: Connection, topic: Topic, news: Sequence[AlertNews], channels: ChannelMakers, *, now: datetime
) -> None:
    day = now.astimezone(ZoneInfo(topic.timezone)).date()
    message = alerts.announcement(
        news, topic_slug=topic.topic_slug, topic_name=topic.topic_name, day=day, timezone=topic.timezone
    )
    key = partial(delivery.alert_key, await posts.get_desk_id(conn), topic.topic_slug, now)
    drafted = digest.draft_posts(topic, message, channels, key)
    await digest.disable_unusable(conn, topic, drafted)
    if drafted.parts_by_channel:
        alert_ids = [each.alert_id for each in news]
        await store.mark_announced(conn, alert_ids)
        await posts.put_alerts(
            conn, alert_ids, topic_id=topic.topic_id, day=day, parts_by_channel=drafted.parts_by_channel
        )


async def _find_topic(conn: Connection, slug: str) -> Topic:
    try:
        return await topics.by_slug(conn, slug)
    except NotFound as error:
        raise NotFound(f"the setting alert_topic (SCOOP_ALERT_TOPIC): {error}") from error
