"""Users, articles, generated texts and the state of the daily update in camelCase, as a document store has them."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from scoop.core import listening
from scoop.core.listening import UpdateState
from scoop.model import Level

Shape = dict[str, Any]
"""A noun in this form; times are ISO 8601 in UTC with milliseconds, as JavaScript writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerFacts:
    """A person who listens."""

    user_id: int
    level: Level
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningArticleFacts:
    """An article; `source` is the name of its site, `summary` a short text about it."""

    article_id: str
    url: str | None
    title: str
    source: str
    published_at: datetime | None
    fetched_at: datetime
    summary: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedTextFacts:
    """The lesson of an article at a level."""

    article_id: str
    level: Level
    text: str
    prompt_version: str
    created_at: datetime
    updated_at: datetime


def user_name(user_id: int) -> str:
    """The id of a user outside."""
    return f"user_{user_id}"


def user(facts: LearnerFacts) -> Shape:
    name = user_name(facts.user_id)
    return {
        "id": name,
        "userId": name,
        "type": "user",
        "level": facts.level,
        "createdAt": iso(facts.created_at),
        "updatedAt": iso(facts.updated_at),
    }


def article(facts: ListeningArticleFacts) -> Shape:
    """An article under the key of its day in Japan, which changes if its date is corrected."""
    return {
        "id": facts.article_id,
        "type": "article",
        "dayKey": listening.day_key(facts.published_at, facts.fetched_at).isoformat(),
        "url": facts.url,
        "title": facts.title,
        "source": facts.source,
        "publishedAt": facts.published_at and iso(facts.published_at),
        "fetchedAt": iso(facts.fetched_at),
        "summary": facts.summary,
        "createdAt": iso(facts.created_at),
        "updatedAt": iso(facts.updated_at),
    }


def generated_text(facts: GeneratedTextFacts) -> Shape:
    return {
        "id": text_id(facts.article_id, facts.level),
        "type": "generated_text",
        "articleId": facts.article_id,
        "level": facts.level,
        "generatedText": facts.text,
        "promptVersion": facts.prompt_version,
        "createdAt": iso(facts.created_at),
        "updatedAt": iso(facts.updated_at),
    }


def stored_text(facts: GeneratedTextFacts) -> Shape:
    """A generated text for a store whose ids cannot have `#`: they have a colon, and the field `textId` the real id."""
    shape = generated_text(facts)
    return {**shape, "id": shape["id"].replace("#", ":"), "textId": shape["id"]}


def job_state(state: UpdateState) -> Shape:
    return {
        "id": "news_update_state",
        "type": "job_state",
        "jobName": state.job_name,
        "lastRunAt": iso(state.last_run_at),
        "lastRunDateJst": day(state.last_run_date_jst),
        "status": state.status,
        "saved": state.saved,
        "skippedDuplicates": state.skipped_duplicates,
        "error": state.error,
        "updatedAt": iso(state.updated_at),
    }


def text_id(article_id: str, level: Level) -> str:
    """The id of a generated text, `art_...#B1`."""
    return f"{article_id}#{level}"


def day(value: date) -> str:
    return value.isoformat()


def iso(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
