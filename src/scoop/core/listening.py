"""Articles for learners: their days, the choice of a day's articles, and the state of the daily update."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from scoop.core import digest
from scoop.core.digest_windows import DigestWindow

JAPAN = ZoneInfo("Asia/Tokyo")
"""The timezone of the daily update, and of day keys unless a learner has another."""
SHOWN_DAYS = 7
MAX_PER_UPDATE = 10
MIN_WORDS = 160  # of an article: a lesson of C2 has no fewer
COMPARED = 3  # times as many articles as there is room for: the best of these that give every lesson come first
ALERT_AFTER = timedelta(days=1)  # between the first and the last of the failed dates: two days in a row

UpdateStatus = Literal["success", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningCandidate:
    """An event that may be chosen, by its best article in English; `weight` is that of its topic, 0 without one.

    `is_chosen`: an article of the event, or one with its URL, was chosen before.
    """

    document_id: int
    event_id: int
    title: str
    publishers: int
    last_seen_at: datetime
    weight: int
    is_chosen: bool
    points: int = 0
    relevance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningChoice:
    """A chosen article with its digest score."""

    document_id: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateState:
    """How the last update ended; `saved` counts the articles of its date, also those of an earlier run."""

    job_name: str = "news_update"
    last_run_at: datetime
    last_run_date_jst: date
    status: UpdateStatus
    saved: int
    skipped_duplicates: int
    error: str | None
    failed_since: date | None
    updated_at: datetime

    @property
    def has_failed_for_days(self) -> bool:
        """Whether two days in a row have failed."""
        return self.failed_since is not None and self.last_run_date_jst - self.failed_since >= ALERT_AFTER


def day_key(published_at: datetime | None, fetched_at: datetime, timezone: ZoneInfo = JAPAN) -> date:
    """The date of an article: that on which it was published, else fetched, in a timezone."""
    return (published_at or fetched_at).astimezone(timezone).date()


def first_day(today: date, days: int = SHOWN_DAYS) -> date:
    """The first of the last days, today among them."""
    return today - timedelta(days=days - 1)


def rank(candidates: Iterable[ListeningCandidate], *, at: datetime, limit: int) -> list[ListeningChoice]:
    """The best new articles by digest score, some more than there is room for."""
    scored = [
        ListeningChoice(document_id=candidate.document_id, score=_score(candidate, at))
        for candidate in candidates
        if not candidate.is_chosen
    ]
    return sorted(scored, key=lambda choice: (-choice.score, choice.document_id))[: max(0, limit) * COMPARED]


def room(*, per_day: int, chosen: int, limit: int | None) -> int:
    """How many more articles a date has room for; `limit` is that of a manual update, which needs no daily one."""
    if limit is None:
        return max(0, per_day - chosen)
    return max(0, min(limit, MAX_PER_UPDATE, (per_day or MAX_PER_UPDATE) - chosen))


def choose(ranked: Sequence[ListeningChoice], usable_words: Mapping[int, int], *, limit: int) -> list[ListeningChoice]:
    """The articles of a day, by their words in sentences that a lesson may use: first those with enough for C2."""
    fullest = sorted(ranked, key=lambda choice: usable_words.get(choice.document_id, 0) < MIN_WORDS)
    return fullest[:limit]


def _score(candidate: ListeningCandidate, at: datetime) -> float:
    """The score that the event would have in a digest that is due at this moment."""
    total, _ = digest.score(candidate, candidate.publishers, DigestWindow(start=at - timedelta(days=1), end=at))
    return total


def state_after(
    before: UpdateState | None, *, day: date, at: datetime, saved: int, skipped: int, problems: Sequence[str]
) -> UpdateState:
    """The state after an update: it failed if the day has no article at all."""
    failed = saved == 0
    first_failure = before.failed_since if before is not None else None
    return UpdateState(
        last_run_at=at,
        last_run_date_jst=day,
        status="failed" if failed else "success",
        saved=saved,
        skipped_duplicates=skipped,
        error="; ".join(problems or ("no new article in English with a text was found",)) if failed else None,
        failed_since=(first_failure or day) if failed else None,
        updated_at=at,
    )
