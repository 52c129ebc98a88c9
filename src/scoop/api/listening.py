"""Articles for learners and their texts in the shape of the older listening API (camelCase keys, day keys in Japan)."""

import hmac
import re
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any

import fastapi
from fastapi import Header, Path, Request, Response
from pydantic import AfterValidator, Field

from scoop import app
from scoop.actions import learners as learner_actions
from scoop.actions import listening as actions
from scoop.api import document
from scoop.core.shapes import listening as shapes
from scoop.core.shapes.listening import GeneratedTextFacts, ListeningArticleFacts, Shape
from scoop.errors import Conflict, NotFound, Retry
from scoop.http import auth, responses, routes
from scoop.http.cache import Cached, CachedResponse, cached_response
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk
from scoop.http.errors import Forbidden, Unauthenticated
from scoop.http.lessons import Waits
from scoop.http.listening import Store
from scoop.http.params import RequestModel
from scoop.http.routes import needs
from scoop.model import Lesson, Level
from scoop.store import learners
from scoop.store.db import Connection
from scoop.store.reads import lessons as lesson_reads
from scoop.store.reads.lessons import ListeningArticle

router = routes.for_programs("Listening", prefix="/api")

RANGE = re.compile(r"([1-7])d")
ABOUT_RANGE = "The last days, today among them: 7d; at most 7."
ARTICLE_ID = re.compile(r"art_[0-9a-f]{32}")
ArticleId = Annotated[str, Path()]


def _check_article_id(article_id: str) -> None:
    """In this contract an id of another form is an article that is not there, and no wrong argument."""
    if not ARTICLE_ID.fullmatch(article_id):
        raise NotFound("there is no article with this id")


def _check_range(value: str) -> str:
    if not RANGE.fullmatch(value):
        raise ValueError("must be 1d to 7d")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSettings:
    """The settings of a learner; `level` counts from the next request on."""

    id: str
    userId: str  # noqa: N815 - the shape of this contract
    level: Level
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815
    type: str = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsArticle:
    """An article; `dayKey` is its date in Japan, by `publishedAt` if it has one, else by when it was fetched first.

    `fetchedAt` is when its newest version was fetched.
    """

    id: str
    type: str
    dayKey: str  # noqa: N815
    url: str | None
    title: str
    source: str
    publishedAt: str | None  # noqa: N815
    fetchedAt: str  # noqa: N815
    summary: str
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """The articles of the last days, the newest first."""

    range: str
    articles: list[NewsArticle]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheState:
    """`hit`: the text existed before this request."""

    hit: bool
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsText:
    """The text of an article at a level; `measuredLevel` is the level it has by measurement."""

    id: str
    type: str
    articleId: str  # noqa: N815
    level: Level
    generatedText: str  # noqa: N815
    promptVersion: str  # noqa: N815
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815
    text: str
    measuredLevel: Level  # noqa: N815
    cache: CacheState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsUpdate:
    """What an update did: `saved` articles are new; `state` has the whole date."""

    status: str
    date: str
    saved: int
    skippedDuplicates: int  # noqa: N815
    error: str | None
    state: dict[str, Any]


class SettingsBody(RequestModel):
    level: Level


class NewsQuery(RequestModel):
    range: Annotated[str, Field(description=ABOUT_RANGE), AfterValidator(_check_range)] = "7d"


class TextQuery(RequestModel):
    level: Annotated[Level | None, Field(description="A1 to C2; default: that of the settings.")] = None


class UpdateBody(RequestModel):
    """`date` is one in Japan, today by default; `limit` the most articles that are added."""

    day: Annotated[date | None, Field(alias="date", description="A date in Japan, as 2026-11-18.")] = None
    limit: Annotated[int, Field(ge=1, le=10)] = 10


@router.get("/user/settings", response_model=UserSettings)
@needs("read")
async def get_settings(request: Request, desk: CurrentDesk, store: Store, by: CurrentVisitor) -> Response:
    """Your level as a learner."""
    if by.user_id is None:
        raise Unauthenticated
    if (stored := await store.find_user(by.user_id)) is not None:
        return responses.json(request, stored)
    async with desk.reading() as conn:
        return responses.json(request, shapes.user(await learners.get_learner(conn, by.user_id)))


@router.put("/user/settings", response_model=UserSettings)
@needs("read")
async def change_settings(
    request: Request, desk: CurrentDesk, store: Store, by: CurrentVisitor, body: SettingsBody
) -> Response:
    """Change your level; it counts from the next request on."""
    if by.user_id is None:
        raise Unauthenticated
    async with desk.writing() as conn:
        learner = await learner_actions.change_settings(conn, by.user_id, level=body.level)
    await store.put_user(learner)
    return responses.json(request, shapes.user(learner))


@router.get("/news", response_model=News)
@needs("read")
async def list_news(
    request: Request, desk: CurrentDesk, cache: Cached, store: Store, query: Annotated[NewsQuery, fastapi.Query()]
) -> Response:
    """The articles of the last days, by date in Japan, the newest first."""
    today, days = actions.today(desk.clock()), int(query.range[:-1])
    if (stored := await store.list_articles(today, days)) is not None:
        return responses.json(request, _news(query.range, stored))

    async def read(conn: Connection) -> CachedResponse:
        articles = await lesson_reads.list_articles(conn, today=today, days=days)
        return cached_response(_news(query.range, [shapes.article(_article_facts(article)) for article in articles]))

    cached = await cache.find(("news", query.range, today), read)
    return responses.with_etag(request, cached.body, "application/json")


def _news(period: str, articles: list[Shape]) -> dict[str, Any]:
    return {"range": period, "articles": shapes.newest_first(articles)}


@router.get("/news/{article_id}", response_model=NewsArticle, responses=document.problems(HTTPStatus.NOT_FOUND))
@needs("read")
async def get_news(request: Request, desk: CurrentDesk, store: Store, article_id: ArticleId) -> Response:
    """One article, also an older one."""
    _check_article_id(article_id)
    if (stored := await store.find_article(article_id)) is not None:
        return responses.json(request, stored)
    async with desk.reading() as conn:
        article = await lesson_reads.get_article(conn, article_id)
    return responses.json(request, shapes.article(_article_facts(article)))


@router.get(
    "/news/{article_id}/text",
    response_model=NewsText,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.BAD_GATEWAY),
)
@needs("read")
async def get_text(
    request: Request,
    desk: CurrentDesk,
    cache: Cached,
    store: Store,
    waits: Waits,
    by: CurrentVisitor,
    article_id: ArticleId,
    query: Annotated[TextQuery, fastapi.Query()],
) -> Response:
    """The text of an article at a level; it is made now if it was never asked for, and kept.

    The response is 502 if it cannot be made; a text that exists is served whatever happens. An anonymous request gets
    texts that exist, where reading is public.
    """
    _check_article_id(article_id)
    level = query.level or await _own_level(desk, by.user_id)
    if (stored := await store.find_text(article_id, level)) is not None:
        return responses.json(request, shapes.text_response(stored, hit=True))

    async def read(conn: Connection) -> CachedResponse | None:
        lesson = await lesson_reads.find_lesson(conn, article_id, level)
        return None if lesson is None else cached_response(_text(lesson, hit=True))

    cached = await cache.find(("text", article_id, level), read)
    if cached is not None:
        return responses.with_etag(request, cached.body, "application/json")
    async with desk.reading() as conn:
        material = await lesson_reads.get_material(conn, article_id)
    try:
        lesson = await waits.make(request, material, level, by)
    except Conflict as error:  # a program of this contract knows no 409
        raise Retry(str(error)) from error
    return responses.json(request, _text(lesson, hit=False))


async def _own_level(desk: Desk, user_id: int | None) -> Level:
    if user_id is None:
        return learners.DEFAULT_LEVEL
    async with desk.reading() as conn:
        return (await learners.get_learner(conn, user_id)).level


@router.post(
    "/admin/news/update",
    response_model=NewsUpdate,
    responses={int(status): {"description": text} for status, text in document.WITH_RIGHT.items()},
)
@needs(None)
async def update_news(
    request: Request,
    desk: CurrentDesk,
    body: UpdateBody | None = None,
    x_update_secret: Annotated[str | None, Header(description="The setting news_update_secret.")] = None,
) -> Response:
    """Choose articles for a date now, as the daily update does; with the secret, or the key of an admin."""
    await _check_admin(request, desk, x_update_secret)
    now, wanted = desk.clock(), body or UpdateBody()
    policy = app.lesson_policy(desk.config)
    async with desk.writing() as conn:
        result = await actions.update(conn, policy, day=wanted.day or actions.today(now), now=now, limit=wanted.limit)
    state = shapes.job_state(result.state)
    return responses.json(
        request,
        {
            "status": result.state.status,
            "date": state["lastRunDateJst"],
            "saved": result.saved,
            "skippedDuplicates": result.skipped_duplicates,
            "error": result.state.error,
            "state": state,
        },
    )


async def _check_admin(request: Request, desk: Desk, secret: str | None) -> None:
    """Accept the secret of the settings, else an admin."""
    expected = desk.config.news_update_secret
    if secret is not None and expected and hmac.compare_digest(secret.encode(), expected.encode()):
        return
    visitor = await auth.authenticate(request)
    if not visitor.is_known:
        raise Unauthenticated
    if "admin" not in visitor.rights:
        raise Forbidden("admin")


def _article_facts(article: ListeningArticle) -> ListeningArticleFacts:
    return ListeningArticleFacts(
        article_id=article.article_id,
        url=article.url,
        title=article.title,
        source=article.publisher,
        published_at=article.published_at,
        fetched_at=article.fetched_at,
        last_fetched_at=article.last_fetched_at,
        summary=article.summary,
        created_at=article.created_at,
        updated_at=article.updated_at,
    )


def _text(lesson: Lesson, *, hit: bool) -> dict[str, Any]:
    """A lesson in the shape of a generated text, with how it was found."""
    facts = GeneratedTextFacts(
        article_id=lesson.article_id,
        level=lesson.level,
        text=lesson.lesson_text,
        prompt_version=lesson.prompt_version,
        measured_level=lesson.measured_level,
        created_at=lesson.created_at,
        updated_at=lesson.updated_at,
    )
    return shapes.text_response(shapes.measured_text(facts), hit=hit)
