"""The sidebar of a day: developing events, the state of its digests, the health of the sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from scoop.core import digest_windows, health
from scoop.model import Event, Health
from scoop.store.db import Connection
from scoop.store.reads import front_page as front_page_reads
from scoop.store.reads.digests import DayDigest, TopicDigest
from scoop.store.reads.events import LanguageOf
from scoop.web import labels
from scoop.web.context import PageContext

MAX_DEVELOPING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLabel:
    """The name of a state, the CSS class of its colour, and details."""

    word: str
    kind: str
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLine:
    name: str
    href: str
    state: StateLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidebar:
    """`developing` and `sources` are None on the page of another day than today."""

    digests: list[DigestLine]
    developing: list[Event] | None
    sources: StateLabel | None


async def read(conn: Connection, context: PageContext, day: date, language_of: LanguageOf) -> Sidebar:
    if day == context.today:
        contents = await front_page_reads.get_sidebar_of_today(
            conn, day, now=context.now, limit=MAX_DEVELOPING, language_of=language_of
        )
    else:
        contents = await front_page_reads.get_sidebar(conn, day)
    states = [
        (digest, digest_state(digest, day, now=context.now, timezone=str(context.timezone)))
        for digest in contents.digests
    ]
    by_health = contents.sources_by_health
    return Sidebar(
        digests=[
            DigestLine(name=digest.topic_name, href=f"/digests/{digest.topic_slug}/{day}", state=state)
            for digest, state in states
            if state is not None
        ],
        developing=contents.developing,
        sources=summarize_sources(by_health) if by_health is not None else None,
    )


def digest_state(digest: DayDigest, day: date, *, now: datetime, timezone: str) -> StateLabel | None:
    """The state of a topic's digest of a date; None if the date has none.

    Times name the topic's timezone if it is not `timezone`, the desk's.
    """
    if digest.mode is None:
        return _unmade(digest, day, now=now, timezone=timezone)
    return made_state(digest, timezone=timezone)


def made_state(digest: TopicDigest, *, timezone: str) -> StateLabel:
    """The state of a digest that was made."""
    stories = labels.counted(digest.entry_count or 0, "story", "stories")
    if "failed" in digest.post_states:
        return StateLabel(word="failed", kind="bad", more=stories)
    if "held" in digest.post_states:
        return StateLabel(word="held", kind="watch", more="needs a decision")
    if {"waiting", "sending"} & set(digest.post_states):
        return StateLabel(word="sending", kind="watch", more=stories)
    if digest.published_at:
        return StateLabel(
            word="posted", kind="good", more=f"{_clock(digest, digest.published_at, timezone)}, {stories}"
        )
    if digest.left_to_legacy_at:
        return StateLabel(word="left to the older system", kind="rest")
    if digest.mode == "shadow":
        return StateLabel(word="shadow", kind="rest", more=f"{stories}, not posted")
    return StateLabel(word="made", kind="rest", more=f"{stories}, not posted")


def _unmade(digest: DayDigest, day: date, *, now: datetime, timezone: str) -> StateLabel | None:
    due_at = digest_windows.due_at(digest.digest_cron, digest.timezone, day)
    if due_at is None:
        return None
    is_today = day == now.astimezone(ZoneInfo(digest.timezone)).date()
    if due_at > now:
        return StateLabel(word="due", kind="rest", more=_clock(digest, due_at, timezone))
    if due_at < digest.created_at:  # the topic is younger: its first digest is the next one
        coming = digest_windows.upcoming(digest.digest_cron, digest.timezone, now)
        return StateLabel(word="due", kind="rest", more=_date_and_clock(digest, coming, timezone)) if is_today else None
    if is_today and digest.has_channels:
        return StateLabel(word="late", kind="watch", more=f"due {_clock(digest, due_at, timezone)}")
    return StateLabel(word="not made", kind="rest")


def _date_and_clock(digest: TopicDigest, moment: datetime, timezone: str) -> str:
    local = moment.astimezone(ZoneInfo(digest.timezone))
    return f"{local:%a} {local.day} {local:%b}, {_clock(digest, moment, timezone)}"


def _clock(digest: TopicDigest, moment: datetime, timezone: str) -> str:
    """The time in the topic's timezone, which is named if it is not that of the desk."""
    name = f" {digest.timezone}" if digest.timezone != timezone else ""
    return f"{moment.astimezone(ZoneInfo(digest.timezone)):%H:%M}{name}"


def summarize_sources(sources_by_health: Mapping[Health, int]) -> StateLabel:
    """The health of all sources in one line, the worst first."""
    total = sum(sources_by_health.values())
    if not total:
        return StateLabel(word="no sources yet", kind="rest")
    failing = sum(count for kind, count in sources_by_health.items() if kind not in {*health.ANSWERED, "new"})
    quiet, unvisited = sources_by_health.get("stale", 0), sources_by_health.get("new", 0)
    sources = labels.counted(total, "source", "sources")
    if failing:
        return StateLabel(word=f"{failing:,} of {sources} {'fails' if failing == 1 else 'fail'}", kind="bad")
    if quiet:
        return StateLabel(word=f"{quiet:,} of {sources} {'is' if quiet == 1 else 'are'} quiet", kind="watch")
    if unvisited:
        return StateLabel(word=f"{unvisited:,} of {sources} not visited yet", kind="rest")
    return StateLabel(word=f"all {sources} answer" if total > 1 else f"{sources} answers", kind="good")
