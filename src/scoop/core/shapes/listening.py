"""Users, articles, generated texts and the state of the daily update in camelCase, as a document store has them."""

from collections.abc import Iterable, Mapping
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
    """An article; `source` is the name of its site, `summary` a short text about it.

    `fetched_at` is that of its first version, so that its day stays, `last_fetched_at` that of the newest.
    """

    article_id: str
    url: str | None
    title: str
    source: str
    published_at: datetime | None
    fetched_at: datetime
    last_fetched_at: datetime
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
    measured_level: Level
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
        "fetchedAt": iso(facts.last_fetched_at),
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


def measured_text(facts: GeneratedTextFacts) -> Shape:
    """A generated text with the level that it has by measurement."""
    return {**generated_text(facts), "measuredLevel": facts.measured_level}


def stored_text(facts: GeneratedTextFacts) -> Shape:
    """A measured text for a store whose ids cannot have `#`: they have a colon, and the field `textId` the real id."""
    return {
        **measured_text(facts),
        "id": stored_text_id(facts.article_id, facts.level),
        "textId": text_id(facts.article_id, facts.level),
    }


def read_stored(document: Mapping[str, Any]) -> Shape:
    """A stored document in its shape outside: with the real id of a text, without the fields that a store adds."""
    shape = {name: value for name, value in document.items() if not name.startswith("_") and name != "textId"}
    return {**shape, "id": document.get("textId", document["id"])}


def text_response(text: Shape, *, hit: bool) -> Shape:
    """A measured text as the API answers with it; `hit`: it existed before the request."""
    times = {name: text[name] for name in ("createdAt", "updatedAt")}
    return {**text, "text": text["generatedText"], "cache": {"hit": hit, **times}}


def newest_first(articles: Iterable[Shape]) -> list[Shape]:
    """Articles by date, the newest first; one that is just moving between two days is in the list once."""
    by_id = {each["id"]: each for each in sorted(articles, key=lambda each: str(each["updatedAt"]))}
    return sorted(by_id.values(), key=lambda each: (each["publishedAt"] or each["fetchedAt"], each["id"]), reverse=True)


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


def stored_text_id(article_id: str, level: Level) -> str:
    """The id of a generated text in a store, `art_...:B1`."""
    return f"{article_id}:{level}"


def day(value: date) -> str:
    return value.isoformat()


def iso(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
