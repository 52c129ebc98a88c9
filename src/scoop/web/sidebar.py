"""Beside the stories of a day: what is developing, how its digests stand, how the sources are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from scoop.core import digest_windows, health
from scoop.model import Health, Story
from scoop.store.db import Connection
from scoop.store.reads import days as day_reads
from scoop.store.reads import digests as digest_reads
from scoop.store.reads import sources as source_reads
from scoop.store.reads.digests import DayDigest
from scoop.web import labels
from scoop.web.context import PageContext

MAX_DEVELOPING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of state, the class of its colour, and what is to be added."""

    word: str
    kind: str
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLine:
    name: str
    href: str
    state: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Rail:
    """`developing` and `sources` are of now, and None on the page of another day."""

    digests: list[DigestLine]
    developing: list[Story] | None
    sources: Word | None


async def read(conn: Connection, context: PageContext, day: date, *, is_now: bool) -> Rail:
    found = await digest_reads.list_day_digests(conn, day)
    states = [(each, state(each, day, now=context.now)) for each in found]
    return Rail(
        digests=[
            DigestLine(name=each.topic_name, href=f"/digests/{each.topic_slug}/{day}", state=word)
            for each, word in states
            if word is not None
        ],
        developing=await _developing(conn, context) if is_now else None,
        sources=source_line(await source_reads.count_health(conn)) if is_now else None,
    )


async def _developing(conn: Connection, context: PageContext) -> list[Story]:
    return await day_reads.list_developing(
        conn,
        grown_since=context.now - labels.DEVELOPING_FOR,
        known_by=context.now - labels.NEW_FOR,
        limit=MAX_DEVELOPING,
    )


def state(digest: DayDigest, day: date, *, now: datetime) -> Word | None:
    """How the digest of a date stands; None where the date has none."""
    if digest.mode is None:
        return _unmade(digest, day, now=now)
    told = labels.counted(digest.entry_count or 0, "story", "stories")
    if "failed" in digest.post_states:
        return Word(word="failed", kind="bad", more=told)
    if "held" in digest.post_states:
        return Word(word="held", kind="watch", more="somebody must look")
    if {"waiting", "sending"} & set(digest.post_states):
        return Word(word="on its way", kind="watch", more=told)
    if digest.published_at:
        return Word(word="posted", kind="good", more=f"{_clock(digest, digest.published_at)}, {told}")
    if digest.left_to_legacy_at:
        return Word(word="left to the older system", kind="rest")
    if digest.mode == "shadow":
        return Word(word="shadow", kind="rest", more=f"{told}, not posted")
    return Word(word="made", kind="rest", more=f"{told}, not posted")


def _unmade(digest: DayDigest, day: date, *, now: datetime) -> Word | None:
    due_at = digest_windows.due_at(digest.digest_cron, digest.timezone, day)
    if due_at is None:
        return None
    if due_at > now:
        return Word(word="due", kind="rest", more=_clock(digest, due_at))
    if day == now.astimezone(ZoneInfo(digest.timezone)).date():
        return Word(word="late", kind="watch", more=f"due {_clock(digest, due_at)}")
    return Word(word="none was made", kind="rest")


def _clock(digest: DayDigest, moment: datetime) -> str:
    """The time of a topic, in its own timezone."""
    return f"{moment.astimezone(ZoneInfo(digest.timezone)):%H:%M}"


def source_line(sources_by_health: Mapping[Health, int]) -> Word:
    """How the sources are, in one line."""
    total = sum(sources_by_health.values())
    if not total:
        return Word(word="no sources yet", kind="rest")
    failing = sum(count for kind, count in sources_by_health.items() if kind not in {*health.ANSWERED, "new"})
    quiet, waiting = sources_by_health.get("stale", 0), sources_by_health.get("new", 0)
    said = labels.counted(total, "source", "sources")
    if failing:
        return Word(word=f"{failing:,} of {said} {'fails' if failing == 1 else 'fail'}", kind="bad")
    if quiet:
        return Word(word=f"{quiet:,} of {said} {'is' if quiet == 1 else 'are'} quiet", kind="watch")
    if waiting:
        return Word(word=f"{waiting:,} of {said} not visited yet", kind="rest")
    return Word(word=f"{'all ' if total > 1 else ''}{said} {'answer' if total > 1 else 'answers'}", kind="good")
