"""The sidebar of a day: developing stories, the state of its digests, the health of the sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from scoop.core import digest_windows, health
from scoop.model import Health, Story
from scoop.store.db import Connection
from scoop.store.reads import front_page as front_page_reads
from scoop.store.reads.digests import DayDigest
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
    developing: list[Story] | None
    sources: StateLabel | None


async def read(conn: Connection, context: PageContext, day: date) -> Sidebar:
    if day == context.today:
        contents = await front_page_reads.get_sidebar_of_today(
            conn,
            day,
            grown_since=context.now - labels.DEVELOPING_FOR,
            known_by=context.now - labels.NEW_FOR,
            limit=MAX_DEVELOPING,
        )
    else:
        contents = await front_page_reads.get_sidebar(conn, day)
    states = [(digest, digest_state(digest, day, now=context.now)) for digest in contents.digests]
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


def digest_state(digest: DayDigest, day: date, *, now: datetime) -> StateLabel | None:
    """The state of a topic's digest of a date; None if the date has none."""
    if digest.mode is None:
        return _unmade(digest, day, now=now)
    stories = labels.counted(digest.entry_count or 0, "story", "stories")
    if "failed" in digest.post_states:
        return StateLabel(word="failed", kind="bad", more=stories)
    if "held" in digest.post_states:
        return StateLabel(word="held", kind="watch", more="needs a decision")
    if {"waiting", "sending"} & set(digest.post_states):
        return StateLabel(word="sending", kind="watch", more=stories)
    if digest.published_at:
        return StateLabel(word="posted", kind="good", more=f"{_clock(digest, digest.published_at)}, {stories}")
    if digest.left_to_legacy_at:
        return StateLabel(word="left to the older system", kind="rest")
    if digest.mode == "shadow":
        return StateLabel(word="shadow", kind="rest", more=f"{stories}, not posted")
    return StateLabel(word="made", kind="rest", more=f"{stories}, not posted")


def _unmade(digest: DayDigest, day: date, *, now: datetime) -> StateLabel | None:
    due_at = digest_windows.due_at(digest.digest_cron, digest.timezone, day)
    if due_at is None:
        return None
    if due_at > now:
        return StateLabel(word="due", kind="rest", more=_clock(digest, due_at))
    if day == now.astimezone(ZoneInfo(digest.timezone)).date():
        return StateLabel(word="late", kind="watch", more=f"due {_clock(digest, due_at)}")
    return StateLabel(word="not made", kind="rest")


def _clock(digest: DayDigest, moment: datetime) -> str:
    """The time in the topic's timezone."""
    return f"{moment.astimezone(ZoneInfo(digest.timezone)):%H:%M}"


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
