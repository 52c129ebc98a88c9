"""Learners: their settings, word lists, reviews and figures."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

import fastapi
from fastapi import Request, Response
from pydantic import Field

from scoop.actions import learners as actions
from scoop.actions.learners import LearnerStats
from scoop.api import document
from scoop.core import dictionary
from scoop.core.access import Visitor
from scoop.core.audio import marked_text
from scoop.core.dictionary import DictionaryEntry
from scoop.core.word_reviews import Answer
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated
from scoop.http.pagination import Listed
from scoop.http.params import RecordId, RequestModel, ShortText
from scoop.http.routes import needs
from scoop.model import Level
from scoop.store import learner_words, learners, lessons
from scoop.store.learner_words import LearnerWord

router = routes.for_programs("Lessons")

CSV_NAME = "scoop-words.csv"
IS_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}
OptionalText = Annotated[str, Field(max_length=2_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerSettings:
    """Your level and the timezone of your days."""

    level: Level
    timezone: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WordResource:
    """A word of your list; `due_at` is when to review it."""

    word_id: int
    word: str
    lemma: str
    word_class: str
    level: str
    definition: str
    example: str
    lesson_id: int | None
    due_at: datetime
    reviewed_at: datetime | None
    review_count: int
    created_at: datetime


class LearnerChange(RequestModel):
    """The settings to change; one that is left out stays."""

    level: Level | None = None
    timezone: Annotated[ShortText | None, Field(description="As Asia/Tokyo.")] = None


class NewWordBody(RequestModel):
    """A word as it is in a text, with its sentence; the dictionary gives what is left out."""

    word: ShortText
    word_class: Annotated[str, Field(max_length=20)] = ""
    definition: OptionalText = ""
    example: OptionalText = ""
    lesson_id: RecordId | None = None


class ReviewBody(RequestModel):
    answer: Annotated[Answer, Field(description="How well you knew it: again, hard, good or easy.")]


class WordsQuery(RequestModel):
    due: Annotated[bool, Field(description="Only words that are due now.")] = False


class LookUpQuery(RequestModel):
    word: ShortText


def _user_id(by: Visitor) -> int:
    if by.user_id is None:
        raise Unauthenticated
    return by.user_id


@router.get("/learner", response_model=LearnerSettings)
@needs("read")
async def get_learner(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    """Your settings as a learner."""
    return responses.json(request, await _settings(conn, _user_id(by)))


@router.patch("/learner", response_model=LearnerSettings)
@needs("read")
async def change_learner(request: Request, conn: WriteConn, by: CurrentVisitor, body: LearnerChange) -> Response:
    """Change your level or timezone."""
    user_id = _user_id(by)
    await actions.change_settings(conn, user_id, level=body.level, timezone=body.timezone)
    return responses.json(request, await _settings(conn, user_id))


async def _settings(conn: ReadConn, user_id: int) -> LearnerSettings:
    learner = await learners.get_learner(conn, user_id)
    return LearnerSettings(
        level=learner.level, timezone=learner.timezone, created_at=learner.created_at, updated_at=learner.updated_at
    )


@router.get("/learner/stats", response_model=LearnerStats)
@needs("read")
async def get_stats(request: Request, conn: ReadConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Your lessons heard to the end, your days in a row, and your words that are due."""
    return responses.json(request, await actions.get_stats(conn, _user_id(by), now=desk.clock()))


@router.get("/words/look-up", response_model=Listed[DictionaryEntry])
@needs("read")
async def look_up_word(request: Request, query: Annotated[LookUpQuery, fastapi.Query()]) -> Response:
    """The meanings of a word as it is in a text: lemma, word class, level and definition."""
    return responses.json(request, Listed(items=dictionary.look_up(query.word), next_cursor=None))


@router.get(
    "/lessons/{lesson_id}/words",
    response_model=Listed[DictionaryEntry],
    responses=document.problems(HTTPStatus.NOT_FOUND),
)
@needs("read")
async def list_lesson_words(request: Request, conn: ReadConn, lesson_id: RecordId) -> Response:
    """The meanings of all words of a lesson, so that a device can look them up without a connection."""
    lesson = await lessons.by_id(conn, lesson_id)
    words = marked_text.words(sentence.text for sentence in lesson.sentences)
    entries = [entry for word in words for entry in dictionary.look_up(word)]
    return responses.json(request, Listed(items=entries, next_cursor=None))


@router.get("/learner/words", response_model=Listed[WordResource])
@needs("read")
async def list_words(
    request: Request,
    conn: ReadConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    query: Annotated[WordsQuery, fastapi.Query()],
) -> Response:
    """Your words, those that are due first."""
    due_by = desk.clock() if query.due else None
    words = await learner_words.list_words(conn, _user_id(by), due_by=due_by)
    return responses.json(request, Listed(items=[_resource(word) for word in words], next_cursor=None))


@router.get("/learner/words.csv", response_class=Response, responses=IS_CSV)
@needs("read")
async def export_words(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    """Your words as CSV, which Anki imports."""
    body = actions.as_csv(await learner_words.list_words(conn, _user_id(by)))
    headers = {"Content-Disposition": f'attachment; filename="{CSV_NAME}"'}
    return responses.with_etag(request, body.encode(), "text/csv; charset=utf-8", headers=headers)


@router.post("/learner/words", response_model=WordResource, status_code=HTTPStatus.CREATED)
@needs("read")
async def add_word(
    request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, body: NewWordBody
) -> Response:
    """Add a word to your list; another form of a word that is there gives it a new example."""
    word = await actions.add_word(
        conn,
        _user_id(by),
        body.word,
        word_class=body.word_class,
        definition=body.definition,
        example=body.example,
        lesson_id=body.lesson_id,
        now=desk.clock(),
    )
    return responses.json(request, _resource(word), status=HTTPStatus.CREATED)


@router.post(
    "/learner/words/{word_id}/review",
    response_model=WordResource,
    responses=document.problems(HTTPStatus.NOT_FOUND),
)
@needs("read")
async def review_word(
    request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, word_id: RecordId, body: ReviewBody
) -> Response:
    """Answer how well you knew a word; the response says when it is due again."""
    word = await actions.review_word(conn, _user_id(by), word_id, body.answer, now=desk.clock())
    return responses.json(request, _resource(word))


@router.delete(
    "/learner/words/{word_id}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=document.problems(HTTPStatus.NOT_FOUND),
)
@needs("read")
async def remove_word(conn: WriteConn, by: CurrentVisitor, word_id: RecordId) -> Response:
    """Remove a word from your list."""
    await learner_words.remove(conn, _user_id(by), word_id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _resource(word: LearnerWord) -> WordResource:
    return WordResource(
        word_id=word.word_id,
        word=word.word,
        lemma=word.lemma,
        word_class=word.word_class,
        level=word.level,
        definition=word.definition,
        example=word.example,
        lesson_id=word.lesson_id,
        due_at=word.due_at,
        reviewed_at=word.reviewed_at,
        review_count=word.review_count,
        created_at=word.created_at,
    )
