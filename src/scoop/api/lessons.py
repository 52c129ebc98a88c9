"""Lessons: articles by day, texts by level, and how far each person is."""

from dataclasses import dataclass
from datetime import date, datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

import fastapi
from fastapi import Path, Request, Response
from pydantic import AwareDatetime, Field

from scoop.actions import learners as learner_actions
from scoop.actions import lessons as actions
from scoop.api import document
from scoop.core.access import Visitor
from scoop.core.disclaimers import disclaimer
from scoop.core.listening import JAPAN, SHOWN_DAYS
from scoop.http import responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated
from scoop.http.lessons import LessonWaits, Waits
from scoop.http.params import RequestModel
from scoop.http.routes import needs
from scoop.model import Lesson, LessonFinding, LessonSentence, Level
from scoop.store import learners, lessons
from scoop.store.db import Connection
from scoop.store.learners import LessonPlace
from scoop.store.lessons import LessonProgress, LessonState
from scoop.store.reads import lessons as reads
from scoop.store.reads.lessons import ListeningArticle

router = routes.for_programs("Lessons")

ArticleId = Annotated[str, Path(pattern="^art_[0-9a-f]{32}$")]
MAX_POSITION = 24 * 60 * 60 * 1000  # milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleOfDay:
    """An article for learners; `levels` are those that have a lesson, `places` where you stopped in them."""

    article_id: str
    title: str
    publisher: str
    url: str | None
    published_at: datetime | None
    fetched_at: datetime
    summary: str
    event_uuid: UUID | None
    levels: list[Level]
    places: list[LessonPlace]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonDay:
    """The articles of one date, the newest first."""

    day: date
    articles: list[ArticleOfDay]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonDays:
    """The last days, the latest first, by date in `timezone`; `level` is yours, B1 for an anonymous request."""

    level: Level
    timezone: str
    days: list[LessonDay]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonReport:
    """A lesson; `measured_level` is the level it has by measurement, `findings` are the rules that it breaks.

    `id` is `{article_id}#{level}`. `place` is where you stopped, null if you have not begun.
    """

    id: str
    lesson_id: int
    article_id: str
    level: Level
    language: str
    text: str
    sentences: list[LessonSentence]
    word_count: int
    measured_level: Level
    is_at_level: bool
    score: float
    findings: list[LessonFinding]
    provider: str
    model: str
    prompt: str
    disclaimer: str
    created_at: datetime
    updated_at: datetime
    place: LessonPlace | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonStatus:
    """How far a lesson is; `problem` says why it failed, `next_try_at` when it is tried again."""

    level: Level
    state: LessonState
    asked_at: datetime | None
    problem: str | None
    next_try_at: datetime | None


class DaysQuery(RequestModel):
    days: Annotated[int, Field(ge=1, le=31, description="How many days, today among them.")] = SHOWN_DAYS


class ProgressBody(RequestModel):
    """`sentence` is the one to go on with, from 0; `position_ms` the place in the audio at normal speed."""

    sentence: Annotated[int, Field(ge=0, le=10_000)] = 0
    position_ms: Annotated[int, Field(ge=0, le=MAX_POSITION)] = 0
    is_heard: Annotated[bool, Field(description="Whether it was heard to the end.")] = False
    at: Annotated[AwareDatetime | None, Field(description="When that was, if it is sent later; default: now.")] = None


@router.get("/lessons", response_model=LessonDays)
@needs("read")
async def list_days(
    request: Request,
    conn: ReadConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    query: Annotated[DaysQuery, fastapi.Query()],
) -> Response:
    """The articles for learners of the last days, by date in your timezone (Japan's by default)."""
    learner = await learners.get_learner(conn, by.user_id) if by.user_id is not None else None
    timezone = ZoneInfo(learner.timezone) if learner else JAPAN
    today = desk.clock().astimezone(timezone).date()
    days = await reads.list_days(conn, today=today, days=query.days, timezone=timezone)
    ids = [article.document_id for day in days for article in day.articles]
    places = await learners.list_progress(conn, by.user_id, ids) if by.user_id is not None else []
    listed = [LessonDay(day=day.day, articles=[_article(article, places) for article in day.articles]) for day in days]
    level = learner.level if learner else learners.DEFAULT_LEVEL
    return responses.json(request, LessonDays(level=level, timezone=timezone.key, days=listed))


def _article(article: ListeningArticle, places: list[LessonPlace]) -> ArticleOfDay:
    return ArticleOfDay(
        article_id=article.article_id,
        title=article.title,
        publisher=article.publisher,
        url=article.url,
        published_at=article.published_at,
        fetched_at=article.fetched_at,
        summary=article.summary,
        event_uuid=article.event_uuid,
        levels=list(article.levels),
        places=[place for place in places if place.document_id == article.document_id],
    )


@router.get("/lessons/{article_id}", response_model=list[LessonStatus])
@needs("read")
async def list_lessons(request: Request, conn: ReadConn, article_id: ArticleId) -> Response:
    """How far the lessons of an article are, at the levels that were asked for."""
    article = await reads.get_article(conn, article_id)
    progress = await lessons.list_progress(conn, "document", article.document_id)
    return responses.json(request, [_status(level, each) for level, each in progress.items()])


@router.get(
    "/lessons/{article_id}/{level}",
    response_model=LessonReport,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY),
)
@needs("read")
async def get_lesson(
    request: Request, desk: CurrentDesk, waits: Waits, by: CurrentVisitor, article_id: ArticleId, level: Level
) -> Response:
    """The lesson of an article at a level; it is made now, once, if it was never asked for."""
    return await _get_or_make(request, desk, waits, by, article_id, level)


@router.post(
    "/lessons/{article_id}/{level}",
    response_model=LessonStatus,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_lesson(
    request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, article_id: ArticleId, level: Level
) -> Response:
    """Ask for a lesson without waiting for it; a failed one is tried again at once if an editor asks."""
    return await _ask(request, conn, desk, by, article_id, level)


@router.post(
    "/events/{event_uuid}/lessons/{level}",
    response_model=LessonStatus,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_event_lesson(
    request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor, event_uuid: UUID, level: Level
) -> Response:
    """Ask for a lesson about an event, from all its articles."""
    return await _ask(request, conn, desk, by, str(event_uuid), level)


@router.get(
    "/events/{event_uuid}/lessons/{level}",
    response_model=LessonReport,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.BAD_GATEWAY),
)
@needs("read")
async def get_event_lesson(
    request: Request, desk: CurrentDesk, waits: Waits, by: CurrentVisitor, event_uuid: UUID, level: Level
) -> Response:
    """The lesson about an event at a level; it is made now, once, if it was never asked for."""
    return await _get_or_make(request, desk, waits, by, str(event_uuid), level)


@router.put(
    "/lessons/{article_id}/{level}/progress",
    response_model=LessonPlace,
    responses=document.problems(HTTPStatus.NOT_FOUND),
)
@needs("read")
async def put_progress(
    request: Request,
    conn: WriteConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    article_id: ArticleId,
    level: Level,
    body: ProgressBody,
) -> Response:
    """Store where you stopped, and whether you heard the lesson to the end, which counts for your streak.

    A place that is older than the stored one changes nothing.
    """
    return await _put_progress(request, conn, desk, by, article_id, level, body)


@router.put(
    "/events/{event_uuid}/lessons/{level}/progress",
    response_model=LessonPlace,
    responses=document.problems(HTTPStatus.NOT_FOUND),
)
@needs("read")
async def put_event_progress(
    request: Request,
    conn: WriteConn,
    desk: CurrentDesk,
    by: CurrentVisitor,
    event_uuid: UUID,
    level: Level,
    body: ProgressBody,
) -> Response:
    """Store where you stopped in the lesson about an event, as for one of an article."""
    return await _put_progress(request, conn, desk, by, str(event_uuid), level, body)


async def _get_or_make(
    request: Request, desk: Desk, waits: LessonWaits, by: Visitor, public_id: str, level: Level
) -> Response:
    async with desk.reading() as conn:
        material = await reads.get_material(conn, public_id)
        lesson = await lessons.find(conn, material.kind, material.subject_id, level)
    if lesson is None:
        lesson = await waits.make(request, material, level, by)
    async with desk.reading() as conn:
        return responses.json(request, await _report(conn, lesson, by))


async def _ask(request: Request, conn: Connection, desk: Desk, by: Visitor, public_id: str, level: Level) -> Response:
    if not by.is_known:
        raise Unauthenticated
    material = await reads.get_material(conn, public_id)
    progress = await actions.ask(conn, material, level, writer=desk.lesson_writer, may_retry="edit" in by.rights)
    return responses.json(request, _status(level, progress), status=HTTPStatus.ACCEPTED)


async def _put_progress(
    request: Request, conn: Connection, desk: Desk, by: Visitor, public_id: str, level: Level, body: ProgressBody
) -> Response:
    if by.user_id is None:
        raise Unauthenticated
    material = await reads.get_material(conn, public_id)
    lesson = await lessons.get(conn, material.kind, material.subject_id, level)
    place = await learner_actions.record_progress(
        conn,
        by.user_id,
        lesson.lesson_id,
        sentence=body.sentence,
        position_ms=body.position_ms,
        is_heard=body.is_heard,
        at=min(body.at or desk.clock(), desk.clock()),
    )
    return responses.json(request, place)


async def _report(conn: Connection, lesson: Lesson, by: Visitor) -> LessonReport:
    place = await learners.find_progress(conn, by.user_id, lesson.lesson_id) if by.user_id is not None else None
    return LessonReport(
        id=lesson.public_id,
        lesson_id=lesson.lesson_id,
        article_id=lesson.article_id,
        level=lesson.level,
        language=lesson.language,
        text=lesson.lesson_text,
        sentences=list(lesson.sentences),
        word_count=lesson.word_count,
        measured_level=lesson.measured_level,
        is_at_level=lesson.is_at_level,
        score=round(lesson.score, 3),
        findings=list(lesson.findings),
        provider=lesson.provider,
        model=lesson.model,
        prompt=f"{lesson.prompt_id}@{lesson.prompt_version}",
        disclaimer=disclaimer(lesson.disclaimer_id, lesson.language).text,
        created_at=lesson.created_at,
        updated_at=lesson.updated_at,
        place=place,
    )


def _status(level: Level, progress: LessonProgress) -> LessonStatus:
    return LessonStatus(
        level=level,
        state=progress.state,
        asked_at=progress.asked_at,
        problem=progress.problem,
        next_try_at=progress.next_try_at,
    )
