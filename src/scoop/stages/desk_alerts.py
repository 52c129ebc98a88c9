"""Alerts about channels that accept nothing, spent budgets, and free quotas of Firestore that are nearly used up."""

from collections.abc import Mapping
from datetime import datetime

from scoop.core import budgets
from scoop.core.alerts import AlertKind
from scoop.core.budgets import Budget
from scoop.metrics import FIRESTORE_READS, FIRESTORE_WRITES
from scoop.store import alerts, metrics, model_calls, topics
from scoop.store.db import Connection

FIRESTORE = "firestore"
# Four fifths and three quarters of what Google gives for nothing on a day: 50,000 reads, 20,000 writes.
DAILY_READS, DAILY_WRITES = 40_000, 15_000
QUOTA_KINDS: tuple[AlertKind, ...] = ("firestore_reads", "firestore_writes")
CHANNEL_KINDS: tuple[AlertKind, ...] = ("channel_refused",)
BUDGET_KINDS: tuple[AlertKind, ...] = ("budget_spent",)


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


async def alert_spent_budgets(
    conn: Connection, budget_by_task: Mapping[str, Budget], *, now: datetime, timezone: str
) -> None:
    """Raise an alert for every task whose budget of the day is spent, and resolve those of the day before."""
    since = budgets.day_start(now, timezone)
    messages: dict[tuple[AlertKind, str], str] = {}
    for task, budget in budget_by_task.items():
        spent = budgets.list_spent(budget, await model_calls.get_usage(conn, task, since=since))
        if spent:
            messages["budget_spent", task] = (
                f"no request is sent for {task} until midnight ({timezone}): {', '.join(spent)} used. "
                f"What it was spent on: scoop spend --by source. To change it: [tasks.{task}]"
            )
    subjects = {*budget_by_task, *await alerts.list_subjects(conn, BUDGET_KINDS)}
    await alerts.settle(conn, messages, subjects=subjects, kinds=BUDGET_KINDS)


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
