"""Handover between systems: switch topics, and run the older system when our digest is late."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from scoop.core import digest_windows, text
from scoop.core.alerts import AlertKind
from scoop.core.handover_modes import Modes
from scoop.errors import UsageError
from scoop.fetch import child_process
from scoop.model import Topic
from scoop.stages import digest
from scoop.store import alerts, handover, topics
from scoop.store.db import Connection
from scoop.store.handover import Fallback, LeaveState

ALARM: AlertKind = "legacy_fallback"
LONGEST_RUN = timedelta(minutes=5)
LOST_AFTER = LONGEST_RUN + timedelta(
    minutes=1
)  # a program whose end is not recorded by then either ran unseen or did not run
TOOK_TOO_LONG, CANNOT_BE_RUN = 124, 127  # as in shells and timeout(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """The exit code of a program, and its last line of errors."""

    exit_code: int
    error: str


ProgramRunner = Callable[[Sequence[str], str, date], Awaitable[ProgramResult]]
"""Runs a program for a topic and a date."""


async def cut_over(conn: Connection, slug: str, modes: Modes, *, now: datetime) -> date | None:
    """Let Scoop post a topic, in the caller's transaction; return the date that stays with the older system, if any.

    That is the last date due: the older system has posted it, or is about to.
    """
    topic = await topics.lock(conn, slug)
    if not any(channel.enabled for channel in topic.channels):
        raise UsageError(
            f"{slug} has no channel to post to; add one: scoop topics channels add {slug} NAME --kind KIND, "
            f"or see what is wrong with those it has: scoop topics show {slug}"
        )
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    is_new = not modes.of(topic).posts
    await topics.put(conn, replace(topic, mode="prod", publish_v2=True))
    if not is_new:
        return None
    leaving = await handover.leave_to_legacy(conn, topic, day, digest.window_of(topic, day))
    return day if leaving == "left" else None


async def shadow(conn: Connection, slug: str) -> None:
    """Let Scoop make a topic's digests for comparison, inside the caller's transaction; the older system posts."""
    await topics.put(conn, replace(await topics.lock(conn, slug), mode="shadow"))


async def roll_back(conn: Connection, slug: str, modes: Modes, *, now: datetime) -> tuple[date, LeaveState | None]:
    """Let the older system post a topic again, in the caller's transaction; return the last date due and who has it.

    None if the older system posted it all along, or the date is too old.
    """
    topic = await topics.lock(conn, slug)
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    window = digest.window_of(topic, day)
    is_ours = modes.of(topic).posts
    await topics.put(conn, replace(topic, mode="shadow", publish_v2=False))
    leaving = await handover.leave_to_legacy(conn, topic, day, window) if is_ours else None
    return day, leaving if now - window.end <= digest.CATCH_UP_WITHIN else None


async def run_left(conn: Connection, topic: Topic, day: date, run: ProgramRunner) -> ProgramResult | None:
    """Run the older system's program for a date left to it; None if another process does or did."""
    if topic.legacy_command is None or not await handover.claim_fallback(conn, topic.topic_id, day):
        return None
    ended = await run(topic.legacy_command, topic.topic_slug, day)
    await handover.end_fallback(conn, topic.topic_id, day, exit_code=ended.exit_code, error=ended.error)
    return ended


async def fall_back(conn: Connection, modes: Modes, *, now: datetime, run: ProgramRunner) -> None:
    """Let the older system post what we have not posted in time, and alert the operator.

    If a post may have arrived, a person decides: better late than twice.
    """
    known = await topics.list_topics(conn)
    guarded = [topic for topic in known if _is_guarded(topic, modes)]
    claimed: list[tuple[Topic, date]] = []
    uncertain: set[int] = set()
    for topic in guarded:
        day = _overdue(topic, now)
        leaving = await _left(conn, topic, day) if day else None
        if day and leaving == "left":
            claimed.append((topic, day))
        elif leaving == "uncertain":
            uncertain.add(topic.topic_id)
    await _run_all(conn, claimed, run)
    messages = _messages(guarded, uncertain, await handover.list_fallbacks(conn), now=now)
    await alerts.settle(conn, messages, subjects=[topic.topic_slug for topic in known], kinds=[ALARM])


def _is_guarded(topic: Topic, modes: Modes) -> bool:
    has_program = topic.legacy_command is not None and topic.legacy_deadline is not None
    return has_program and topic.enabled and modes.of(topic).posts


def _overdue(topic: Topic, now: datetime) -> date | None:
    """The date whose digest should be out by now; a digest half a day late is not posted."""
    day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
    due = digest_windows.due_at(topic.digest_cron, topic.timezone, day)
    if due is None or topic.legacy_deadline is None:
        return None
    return day if topic.legacy_deadline <= now - due <= digest.CATCH_UP_WITHIN else None


async def _left(conn: Connection, topic: Topic, day: date) -> LeaveState | None:
    """Leave a late date to the older system and claim its program run, before anything runs."""
    if not await handover.is_handed_over(conn, topic.topic_id, day):
        return None
    async with conn.transaction():
        leaving = await handover.leave_to_legacy(conn, topic, day, digest.window_of(topic, day))
        if leaving == "left" and not await handover.claim_fallback(conn, topic.topic_id, day):
            return "legacys"
    return leaving


async def _run_all(conn: Connection, claimed: Iterable[tuple[Topic, date]], run: ProgramRunner) -> None:
    """Run the programs concurrently; the end of each is recorded as soon as it comes."""

    async def one(topic: Topic, day: date) -> tuple[Topic, date, ProgramResult]:
        return topic, day, await run(topic.legacy_command or (), topic.topic_slug, day)

    for running in asyncio.as_completed([one(topic, day) for topic, day in claimed]):
        topic, day, ended = await running
        await handover.end_fallback(conn, topic.topic_id, day, exit_code=ended.exit_code, error=ended.error)


def _messages(
    guarded: Iterable[Topic], uncertain: set[int], fallbacks: Mapping[int, Fallback], *, now: datetime
) -> dict[tuple[AlertKind, str], str]:
    """An alert for each topic whose last digest was late, by slug."""
    messages: dict[tuple[AlertKind, str], str] = {}
    for topic in guarded:
        day = digest_windows.latest(topic.digest_cron, topic.timezone, now)
        found = fallbacks.get(topic.topic_id)
        if topic.topic_id in uncertain:
            outcome = (
                "some of it may have arrived, so the older system was not asked to post it; look at the channel, then "
                "at scoop posts held"
            )
        else:
            outcome = _outcome(found, now) if found and found.run_date == day else ""
        if outcome:
            messages[ALARM, topic.topic_slug] = f"the digest of {topic.topic_slug} for {day} was late: {outcome}"
    return messages


def _outcome(fallback: Fallback, now: datetime) -> str:
    """The message about a fallback; empty while its program runs."""
    if fallback.exit_code == 0:
        return "the older system's program has posted it; for the cause of the delay: scoop work failed"
    if fallback.exit_code is not None:
        return (
            f"the older system's program failed with exit code {fallback.exit_code} "
            f"({fallback.error or 'no error output'}); the digest is not posted"
        )
    if now - fallback.claimed_at < LOST_AFTER:
        return ""
    return "it is unknown whether the older system's program ran; check the channel"


async def run_program(command: Sequence[str], topic_slug: str, day: date) -> ProgramResult:
    """Run a program with NP_TOPIC and NP_DATE in its environment; it is killed after the time limit."""
    variables = {"NP_TOPIC": topic_slug, "NP_DATE": str(day)}
    try:
        ended = await child_process.run(command, variables=variables, within=LONGEST_RUN)
    except TimeoutError:
        return ProgramResult(exit_code=TOOK_TOO_LONG, error=f"it took longer than {LONGEST_RUN} and was ended")
    except OSError as error:
        return ProgramResult(exit_code=CANNOT_BE_RUN, error=f"{command[0]}: {(error.strerror or str(error)).lower()}")
    return ProgramResult(exit_code=ended.exit_code, error=text.one_line(ended.last_error))
