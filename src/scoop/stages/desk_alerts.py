"""Alerts about channels that accept nothing, and about free quotas of Firestore that are nearly used up."""

from scoop.core.alerts import AlertKind
from scoop.metrics import FIRESTORE_READS, FIRESTORE_WRITES
from scoop.store import alerts, metrics, topics
from scoop.store.db import Connection

FIRESTORE = "firestore"
# Four fifths and three quarters of what Google gives for nothing on a day: 50,000 reads, 20,000 writes.
DAILY_READS, DAILY_WRITES = 40_000, 15_000
QUOTA_KINDS: tuple[AlertKind, ...] = ("firestore_reads", "firestore_writes")
CHANNEL_KINDS: tuple[AlertKind, ...] = ("channel_refused",)


async def alert_refused_channels(conn: Connection) -> None:
    """Raise an alert for every topic with a channel that refused a post for good, and resolve the others."""
    messages: dict[tuple[AlertKind, str], str] = {}
    known = await topics.list_topics(conn)
    channels = await topics.channels_by_topic(conn)
    for topic in known:
        problems = [f"{each.name}: {each.problem}" for each in channels.get(topic.topic_id, []) if each.problem]
        if problems:
            messages["channel_refused", topic.topic_slug] = (
                f"nothing is posted to these channels of {topic.topic_slug} any more: {'; '.join(problems)}. "
                f"When it is fixed: scoop topics channels enable {topic.topic_slug} NAME"
            )
    subjects = {*(topic.topic_slug for topic in known), *await alerts.list_subjects(conn, CHANNEL_KINDS)}
    await alerts.settle(conn, messages, subjects=subjects, kinds=CHANNEL_KINDS)


async def alert_firestore_quota(conn: Connection) -> None:
    """Raise an alert if more of Firestore was used today than is wise, and resolve it on the next day."""
    counts = await metrics.count_today(conn, [FIRESTORE_READS.name, FIRESTORE_WRITES.name])
    reads, writes = counts.get(FIRESTORE_READS.name, 0.0), counts.get(FIRESTORE_WRITES.name, 0.0)
    messages: dict[tuple[AlertKind, str], str] = {}
    if reads > DAILY_READS:
        messages["firestore_reads", FIRESTORE] = f"{reads:,.0f} documents were read today; 50,000 a day are free"
    if writes > DAILY_WRITES:
        messages["firestore_writes", FIRESTORE] = f"{writes:,.0f} documents were written today; 20,000 a day are free"
    await alerts.settle(conn, messages, subjects=[FIRESTORE], kinds=QUOTA_KINDS)
