"""How many articles of a site or a curator failed within a day, and when an operator is alerted."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import get_args

from scoop.core import health
from scoop.core.alerts import AlertKind
from scoop.core.display_names import counted
from scoop.model import Health

PERIOD = timedelta(days=1)
ALERT_ABOVE = 0.05  # of the articles of a day
MIN_FAILURES = 2  # one failure is above the rate wherever there are fewer than twenty articles a day
KIND: AlertKind = "articles_failing"
EVALUATIONS_KIND: AlertKind = "evaluations_failing"
FETCH_PROBLEMS = frozenset(get_args(Health)) - health.ANSWERED - {"new"}
"""Problems of article pages that could not be fetched; a page that is short, empty or behind a paywall was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleCounts:
    """The articles of a source within a day, and those that failed."""

    source: str
    articles: int
    not_fetched: int
    not_summarized: int

    @property
    def failed(self) -> int:
        return self.not_fetched + self.not_summarized


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCounts:
    """The articles that a curator evaluated within a day, and those that it could not; `problem` is one reason."""

    topic_slug: str
    evaluated: int
    failed: int
    problem: str | None


def evaluation_alarms(counts: Iterable[EvaluationCounts]) -> dict[tuple[AlertKind, str], str]:
    """The messages of the alerts, by kind and curator."""
    return {
        (EVALUATIONS_KIND, each.topic_slug): (
            f"{each.topic_slug}: {counted(each.failed, 'article')} could not be evaluated, and {each.evaluated:,} of "
            f"the last 24 hours were. One failed with: {each.problem} See scoop work failed --stage write"
        )
        for each in counts
        if _is_too_much(each.failed, each.failed + each.evaluated)
    }


def alarms(counts: Iterable[ArticleCounts]) -> dict[tuple[AlertKind, str], str]:
    """The messages of the alerts, by kind and source."""
    return {(KIND, each.source): _message(each) for each in counts if _is_too_much(each.failed, each.articles)}


def _is_too_much(failed: int, articles: int) -> bool:
    return failed >= MIN_FAILURES and failed > ALERT_ABOVE * articles


def _message(counts: ArticleCounts) -> str:
    failures = {"not fetched": counts.not_fetched, "without a summary": counts.not_summarized}
    parts = ", ".join(f"{number:,} {word}" for word, number in failures.items() if number)
    articles = counted(counts.articles, "article")
    share = counts.failed / counts.articles
    return f"{counts.source}: {counts.failed:,} of {articles} of the last 24 hours failed ({share:.0%}): {parts}"
