"""Alerts about sites and curators whose articles fail too often."""

from datetime import datetime

from scoop.core import failure_rates
from scoop.store import alerts, evaluations
from scoop.store.db import Connection
from scoop.store.reads import articles

EVALUATION_KINDS = (failure_rates.EVALUATIONS_KIND,)
SITE = "site"  # the kind whose articles have no text but that of their pages


async def alert_failing_articles(conn: Connection, *, now: datetime) -> None:
    """Raise an alert for every site of which too many articles failed within a day, and resolve the others."""
    counts = await articles.count_failures(conn, kind=SITE, since=now - failure_rates.PERIOD)
    messages = failure_rates.alarms(counts)
    subjects = [each.source for each in counts]
    await alerts.settle(conn, messages, subjects=subjects, kinds=[failure_rates.KIND])


async def alert_failing_evaluations(conn: Connection, *, now: datetime) -> None:
    """Raise an alert for every curator that could not evaluate too many articles, and resolve the others."""
    counts = await evaluations.count_failures(conn, since=now - failure_rates.PERIOD)
    subjects = {*(each.topic_slug for each in counts), *await alerts.list_subjects(conn, EVALUATION_KINDS)}
    await alerts.settle(conn, failure_rates.evaluation_alarms(counts), subjects=subjects, kinds=EVALUATION_KINDS)
