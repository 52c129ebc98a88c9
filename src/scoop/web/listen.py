"""The pages of learners: articles of the last days, one lesson with its player, and the level."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Form, Path, Query, Response

from scoop.actions import learners as learner_actions
from scoop.actions import lessons as lesson_actions
from scoop.actions import recordings as recording_actions
from scoop.actions.recordings import RecordingReport
from scoop.core import dictionary, disclaimers
from scoop.core.access import Visitor
from scoop.core.audio import marked_text
from scoop.core.dictionary import DictionaryEntry
from scoop.core.listening import JAPAN
from scoop.errors import Conflict
from scoop.http import routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated
from scoop.http.routes import needs
from scoop.model import LEVELS, Lesson, Level
from scoop.store import learners, lessons, recordings
from scoop.store.db import Connection
from scoop.store.learners import DEFAULT_LEVEL, LessonPlace
from scoop.store.lessons import LessonProgress
from scoop.store.reads import lessons as reads
from scoop.store.reads.lessons import LessonMaterial, ListeningArticle
from scoop.store.recordings import RecordingLength
from scoop.web import labels, pages
from scoop.web.context import Context, PageContext

router = routes.for_pages()

MAX_HARD_WORDS = 12

PUBLIC_ID = r"(art_[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})"  # of an article or an event
PublicId = Annotated[str, Path(pattern=f"^{PUBLIC_ID}$")]
ListedState = Literal["new", "begun", "heard", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLesson:
    """An article in the list: whether it was heard at the level, and how long its recording is if there is one.

    `failed`: no lesson of the level can be made of it.
    """

    article: ListeningArticle
    href: str
    state: ListedState
    length: RecordingLength | None

    @property
    def minutes(self) -> str:
        seconds = round(self.length.duration_ms / 1000) if self.length else 0
        return f"{seconds // 60}:{seconds % 60:02}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedLesson:
    """A lesson as its page shows it; `problem` is why there is none."""

    lesson: Lesson | None
    recording: RecordingReport | None = None
    place: LessonPlace | None = None
    problem: str = ""

    @property
    def is_pending(self) -> bool:
        return self.lesson is None and not self.problem

    @property
    def is_being_spoken(self) -> bool:
        return self.recording is not None and self.recording.state in {"waiting", "making"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedWord:
    """A word above the level, what the dictionary says of it, and the sentence it is in."""

    entry: DictionaryEntry
    sentence: str


@router.get("/listen")
@needs("read")
async def listen_page(
    conn: ReadConn,
    desk: CurrentDesk,
    context: PageContext,
    by: CurrentVisitor,
    level: Annotated[Level | None, Query()] = None,
) -> Response:
    """The articles of the last seven days, by date in the learner's timezone."""
    learner = await learners.get_learner(conn, by.user_id) if by.user_id is not None else None
    chosen = level or (learner.level if learner else DEFAULT_LEVEL)
    timezone = ZoneInfo(learner.timezone) if learner else JAPAN
    today = context.now.astimezone(timezone).date()
    days = await reads.list_days(conn, today=today, timezone=timezone)
    ids = [article.document_id for day in days for article in day.articles]
    places = await learners.list_progress(conn, by.user_id, ids) if by.user_id is not None else []
    lengths = await recordings.list_lengths(conn, ids, chosen)
    stats = await learner_actions.get_stats(conn, by.user_id, now=context.now) if by.user_id is not None else None
    failed = await lessons.list_failed(conn, ids, chosen)
    listed = [(day.day, _listed(day.articles, chosen, by, places, lengths, failed)) for day in days]
    return pages.page(
        "listen.html",
        context,
        levels=LEVELS,
        level=chosen,
        days=listed,
        timezone=timezone.key,
        stats=stats,
        keep=next((kept for _, of_day in listed if (kept := _addresses(of_day))), []),
        is_made=desk.lesson_writer != "none",
        here="/listen",
    )


def _listed(
    articles: Sequence[ListeningArticle],
    level: Level,
    by: Visitor,
    places: Sequence[LessonPlace],
    lengths: Mapping[int, RecordingLength],
    failed: Collection[int],
) -> list[ListedLesson]:
    query = "" if by.is_known else f"?{urlencode({'level': level})}"
    place_by_document = {place.document_id: place for place in places if place.level == level}
    return [
        ListedLesson(
            article=article,
            href=f"/listen/{article.article_id}{query}",
            state="failed" if article.document_id in failed else _state(place_by_document.get(article.document_id)),
            length=lengths.get(article.document_id),
        )
        for article in articles
    ]


def _state(place: LessonPlace | None) -> ListedState:
    if place is None:
        return "new"
    return "heard" if place.heard_at else "begun"


def _addresses(listed: Sequence[ListedLesson]) -> list[str]:
    """What a device keeps of a day: the pages of the lessons that can be heard, their sound and their words."""
    return [
        address
        for lesson in listed
        if (length := lesson.length) is not None
        for address in (
            lesson.href,
            recording_actions.sound_url(length.lesson_id, length.updated_at),
            f"/api/v1/lessons/{length.lesson_id}/words",
        )
    ]


@router.post("/listen/level")
@needs("read")
async def change_level(
    conn: WriteConn,
    by: CurrentVisitor,
    level: Annotated[Level, Form()],
    back: Annotated[str, Form(pattern=f"^/listen(/{PUBLIC_ID})?$")] = "/listen",
) -> Response:
    """Remember a person's level and show the page again at that level."""
    if by.user_id is None:
        return pages.redirect_with_notice(f"{back}?{urlencode({'level': level})}")
    await learner_actions.change_settings(conn, by.user_id, level=level)
    return pages.redirect_with_notice(back)


@router.post("/listen/timezone")
@needs("read")
async def change_timezone(
    conn: WriteConn, by: CurrentVisitor, timezone: Annotated[str, Form(max_length=64)]
) -> Response:
    """Remember the timezone of a person's dates and streak."""
    if by.user_id is None:
        raise Unauthenticated
    learner = await learner_actions.change_settings(conn, by.user_id, timezone=timezone.strip())
    return pages.redirect_with_notice("/listen", notice=f"Dates are in {learner.timezone} now.")


@router.get("/listen/{public_id}")
@needs("read")
async def lesson_page(
    desk: CurrentDesk,
    context: PageContext,
    by: CurrentVisitor,
    public_id: PublicId,
    level: Annotated[Level | None, Query()] = None,
) -> Response:
    """An article or an event at a level, with its player; what is missing is asked for, and shown when it is ready."""
    async with desk.writing() as conn:
        learner = await learners.get_learner(conn, by.user_id) if by.user_id is not None else None
        chosen = level or (learner.level if learner else DEFAULT_LEVEL)
        material = await reads.get_material(conn, public_id)
        opened = await _open(conn, desk, by, material, chosen)
        progress = await lessons.list_progress(conn, material.kind, material.subject_id)
    lesson, recording = opened.lesson, opened.recording
    texts = [sentence.text for sentence in lesson.sentences] if lesson else []
    sentences = marked_text.mark(texts, chosen, recording.sentences if recording else ())
    hard = [
        ExplainedWord(entry=dictionary.look_up(word)[0], sentence=sentence)
        for word, sentence in list(marked_text.hard_words(sentences).items())[:MAX_HARD_WORDS]
    ]
    return pages.page(
        "lesson.html",
        context,
        levels=LEVELS,
        level=chosen,
        missing=_missing(progress),
        material=material,
        opened=opened,
        sentences=sentences,
        hard=hard,
        day=material.day_key(ZoneInfo(learner.timezone) if learner else JAPAN),
        disclaimer=disclaimers.disclaimer(lesson.disclaimer_id, lesson.language).text if lesson else "",
        source_href=_source_href(context, material),
        here=f"/listen/{public_id}",
    )


def _missing(progress: Mapping[Level, LessonProgress]) -> dict[Level, str]:
    """Why there is no lesson of some levels, where no further attempt is planned."""
    return {
        level: f"No lesson of {level}: {labels.failure_reason(one.problem)}."
        for level, one in progress.items()
        if one.state == "failed" and one.next_try_at is None
    }


def _source_href(context: Context, material: LessonMaterial) -> str | None:
    return f"/events/{material.public_id}" if material.kind == "event" else context.href(material.url)


async def _open(conn: Connection, desk: Desk, by: Visitor, material: LessonMaterial, level: Level) -> OpenedLesson:
    """The lesson with its recording; people who are signed in ask for what is missing."""
    lesson = await lessons.find(conn, material.kind, material.subject_id, level)
    if lesson is None:
        return OpenedLesson(lesson=None, problem=await _ask(conn, desk, by, material, level))
    recording = await recording_actions.get_report(conn, lesson.lesson_id)
    if recording.state == "none" and by.is_known and desk.config.used_voice != recording_actions.NO_VOICE:
        recording = await recording_actions.ask(conn, lesson.lesson_id, voice=desk.config.used_voice)
    place = await learners.find_progress(conn, by.user_id, lesson.lesson_id) if by.user_id is not None else None
    return OpenedLesson(lesson=lesson, recording=recording, place=place)


async def _ask(conn: Connection, desk: Desk, by: Visitor, material: LessonMaterial, level: Level) -> str:
    """Ask for a lesson; why there will be none, or nothing."""
    if not by.is_known:
        return "Nobody has asked for this lesson yet. Sign in to have it made."
    try:
        progress = await lesson_actions.ask(conn, material, level, writer=desk.lesson_writer, may_retry=False)
    except Conflict as conflict:
        return f"{conflict}."
    if progress.state != "failed":
        return ""
    return f"No lesson of this level could be made: {labels.failure_reason(progress.problem)}. Choose another level."
