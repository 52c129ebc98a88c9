"""The daily update of articles for learners: which are chosen, how it ended, and who hears of failures."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from scoop.core import listening as rules
from scoop.core.alerts import AlertKind
from scoop.core.grading import sources as grading_sources
from scoop.core.listening import JAPAN, ListeningCandidate, ListeningChoice, UpdateState
from scoop.errors import UsageError
from scoop.stages.lessons import LessonPolicy
from scoop.store import alerts, listening, sources
from scoop.store.db import Connection

JOB = "news_update"
KINDS: tuple[AlertKind, ...] = ("news_update_failed",)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateResult:
    """What one run of the update did: `saved` articles are new, the state has all of the date."""

    saved: int
    skipped_duplicates: int
    state: UpdateState


def today(now: datetime) -> date:
    """The date in Japan."""
    return now.astimezone(JAPAN).date()


async def run_daily(conn: Connection, policy: LessonPolicy, *, now: datetime) -> None:
    """Make the update of today's date, if it is missing or has room: at midnight in Japan, and after a late start.

    Web searches are visited first. What they bring fills the rooms that are left, minutes later.
    """
    if not policy.per_day:
        return
    day = today(now)
    state = await listening.get_state(conn)
    is_first = state is None or state.last_run_date_jst < day
    if is_first:
        await sources.enqueue_now(conn, await listening.list_searches(conn), force=False)
    elif state is not None and state.last_run_date_jst == day and await listening.count(conn, day) >= policy.per_day:
        return
    await update(conn, policy, day=day, now=now)


async def update(
    conn: Connection, policy: LessonPolicy, *, day: date, now: datetime, limit: int | None = None
) -> UpdateResult:
    """Choose articles for a date, as many as it has room for and at most `limit`, and store how that ended."""
    if day > today(now):
        raise UsageError(f"{day} has not begun in Japan yet")
    start = datetime.combine(day, time(), tzinfo=JAPAN)
    async with conn.transaction():
        await listening.lock(conn)
        before, chosen = await listening.get_state(conn), await listening.count(conn, day)
        room = rules.room(per_day=policy.per_day, chosen=chosen, limit=limit)
        candidates = await listening.list_candidates(
            conn, since=start - DAY, until=min(now, start + DAY), topics=policy.topics
        )
        choices = await _choose(conn, candidates, at=min(now, start + DAY), limit=room)
        await listening.put(conn, choices, day=day)
        skipped = sum(candidate.is_chosen for candidate in candidates)
        state = rules.state_after(
            before,
            day=day,
            at=now,
            saved=chosen + len(choices),
            skipped=skipped,
            problems=await listening.list_failing_searches(conn),
        )
        await listening.put_state(conn, state)
    await _alert(conn, state)
    return UpdateResult(saved=len(choices), skipped_duplicates=skipped, state=state)


async def _choose(
    conn: Connection, candidates: Sequence[ListeningCandidate], *, at: datetime, limit: int
) -> list[ListeningChoice]:
    """The best articles; of those that are nearly as good, the ones with text for lessons of every level."""
    ranked = rules.rank(candidates, at=at, limit=limit)
    bodies = await listening.list_bodies(conn, [choice.document_id for choice in ranked])
    words = {document_id: grading_sources.usable_words(body) for document_id, body in bodies.items()}
    return rules.choose(ranked, words, limit=limit)


async def _alert(conn: Connection, state: UpdateState) -> None:
    """Raise an alert after two days without an article, and resolve it after one that has some."""
    messages: dict[tuple[AlertKind, str], str] = {}
    if state.has_failed_for_days:
        messages["news_update_failed", JOB] = (
            f"no article was chosen for learners since {state.failed_since}: {state.error}"
        )
    await alerts.settle(conn, messages, subjects=[JOB], kinds=KINDS)
