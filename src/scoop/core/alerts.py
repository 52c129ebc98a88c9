"""Alerts: their kinds, how urgent each is, and the message that announces several of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, get_args

from scoop.core import redaction
from scoop.core.display_names import counted
from scoop.model import AlertLevel, AlertTelling, Digest

LEVELS: tuple[AlertLevel, ...] = get_args(AlertLevel)
"""The levels, the most urgent first."""
NAMED = 9  # alerts of one message; Discord takes ten embeds, and a flood must stay one message
QUIET = timedelta(minutes=10)  # between two messages in which nothing is critical
FLAP = timedelta(hours=1)  # an alert that ends and begins again is not announced again before
AlertKind = Literal[
    "digest_late", "channel_refused", "service_denied", "source_died", "articles_failing", "legacy_fallback",
    "post_doubled", "interests_invalid", "evaluations_failing", "service_quota", "source_quiet", "post_gone",
    "firestore_reads", "firestore_writes", "sentiment_moved", "mentions_spiked", "news_update_failed",
    "budget_spent",
]  # fmt: skip
SOURCE_KINDS: tuple[AlertKind, ...] = ("source_died", "source_quiet", "articles_failing")
"""The kinds whose subject is a source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """How urgent a kind of alert is, and when it is raised."""

    level: AlertLevel
    about: str


RULES: dict[AlertKind, AlertRule] = {
    "digest_late": AlertRule(level="critical", about="A digest was due fifteen minutes ago and is not posted."),
    "channel_refused": AlertRule(
        level="critical", about="A channel accepts nothing: its token is invalid, or it is gone."
    ),
    "service_denied": AlertRule(
        level="critical", about="A model server or a store refuses the key or the account of the desk."
    ),
    "source_died": AlertRule(level="warning", about="A source failed for a day, or answered that it is gone."),
    "articles_failing": AlertRule(
        level="warning", about="More than 5 % of a site's articles of 24 hours, and at least two, failed."
    ),
    "legacy_fallback": AlertRule(level="warning", about="A digest was late, and the older system was asked to post."),
    "post_doubled": AlertRule(level="warning", about="A post was in its channel twice; the later one is deleted."),
    "interests_invalid": AlertRule(
        level="warning", about="The interests of a curator cannot be read; the last valid version stays in use."
    ),
    "evaluations_failing": AlertRule(
        level="warning", about="More than 5 % of a curator's articles of 24 hours, and at least two, are not evaluated."
    ),
    "news_update_failed": AlertRule(
        level="warning", about="The daily update found no article for learners on two days in a row."
    ),
    "service_quota": AlertRule(
        level="warning", about="A quota of a model server or a store is used up; its work rests until the next day."
    ),
    "budget_spent": AlertRule(
        level="warning", about="The budget of a task for model servers is spent; it ends when the next day begins."
    ),
    "source_quiet": AlertRule(level="info", about="A source has had nothing new for two weeks."),
    "post_gone": AlertRule(level="info", about="A post is no longer in its channel; somebody may have deleted it."),
    "sentiment_moved": AlertRule(
        level="warning", about="The average sentiment about a tool of a day is far from that of the week before."
    ),
    "mentions_spiked": AlertRule(
        level="warning", about="A tool has far more mentions than usual for the hour and weekday."
    ),
    "firestore_reads": AlertRule(level="info", about="More than 40,000 documents of Firestore were read today."),
    "firestore_writes": AlertRule(level="info", about="More than 15,000 documents of Firestore were written today."),
}


def level_of(kind: AlertKind) -> AlertLevel:
    return RULES[kind].level


def levels_from(level: AlertLevel) -> tuple[AlertLevel, ...]:
    """This level and those that are more urgent."""
    return LEVELS[: LEVELS.index(level) + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertNews:
    """An alert that began, or one that ended."""

    alert_id: int
    kind: str
    level: AlertLevel
    subject: str
    message: str
    is_over: bool


def is_announced_now(news: Sequence[AlertNews], *, last: datetime | None, now: datetime) -> bool:
    """Whether these are worth a message now: a critical alert at once, others together with those that follow."""
    is_urgent = any(each.level == "critical" and not each.is_over for each in news)
    return bool(news) and (is_urgent or last is None or now - last >= QUIET)


def announcement(news: Sequence[AlertNews], *, topic_slug: str, topic_name: str, day: date, timezone: str) -> Digest:
    """The message about alerts as a digest, which every channel takes: those that began first, by urgency."""
    ordered = sorted(news, key=lambda each: (each.is_over, LEVELS.index(each.level), each.alert_id))
    return Digest(
        topic_slug=topic_slug,
        topic_name=topic_name,
        run_date=day,
        timezone=timezone,
        tellings=tuple(_telling(each) for each in ordered[:NAMED]),
        tally=_tally(ordered),
    )


def _telling(news: AlertNews) -> AlertTelling:
    state = "resolved" if news.is_over else news.level
    return AlertTelling(
        story_id=0,
        story_uuid="",
        title=f"{state.capitalize()}: {news.kind.replace('_', ' ')}, {news.subject}",
        url=None,
        summary=redaction.redact_text(news.message),
        publishers=(),
        level=None if news.is_over else news.level,
    )


def _tally(news: Sequence[AlertNews]) -> str:
    """`2 critical alerts, 1 resolved`; more than are named are pointed out."""
    counts = Counter("resolved" if each.is_over else each.level for each in news)
    parts = [counted(counts[level], f"{level} alert") for level in LEVELS if counts[level]]
    parts += [f"{counts['resolved']:,} resolved"] if counts["resolved"] else []
    rest = len(news) - NAMED
    return ", ".join(parts) + (f"; {rest:,} not shown, see scoop alerts" if rest > 0 else "")
