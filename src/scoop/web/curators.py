"""Pages of curators: all of them, and one with the articles of a day, their scores, reasons and labels."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from http import HTTPStatus
from typing import Annotated, Literal
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Depends, Form, Path, Response
from starlette.responses import RedirectResponse

from scoop.actions import curators as actions
from scoop.actions.curators import LabelEffect
from scoop.actions.topic_settings import MAX_SLUG
from scoop.core import digest_windows
from scoop.core.curation import EvaluationState, RejectReason
from scoop.core.digest import DigestChoice
from scoop.errors import Conflict, UsageError
from scoop.http import pagination, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.pagination import Listed
from scoop.http.routes import needs
from scoop.model import Topic
from scoop.stages import curated_digest
from scoop.store import curators as store
from scoop.store import topics
from scoop.store.curators import ArticleLabel, Curator
from scoop.store.db import Connection
from scoop.store.reads import digests as digest_reads
from scoop.store.reads import evaluations as evaluation_reads
from scoop.store.reads.digests import DatedDigest
from scoop.store.reads.evaluations import DayArticle, DayBounds, StateCount
from scoop.store.topics import TopicChannel
from scoop.web import digests as digest_pages
from scoop.web import explain, pages
from scoop.web import topics as topic_pages
from scoop.web.calendar import parse_day
from scoop.web.context import PageContext
from scoop.web.explain import EvidenceSignal

router = routes.for_pages()

PAGE = 30
SHOWN_DIGESTS = 7
SHOWN_LABELS = 20
EFFECTS_TIMEOUT = 2.0  # seconds

CuratorSlug = Annotated[str, Path(pattern=rf"^[a-z0-9_]{{1,{MAX_SLUG}}}$")]
ArticleNumber = Annotated[int, Path(ge=1, le=2**63 - 1)]
Thumb = Literal["up", "down", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorLine:
    """A curator in the list, with the numbers of its articles of today by state."""

    curator: Curator
    topic: Topic
    counts: Mapping[EvaluationState, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateQuery:
    """Filters of a curator's articles; without a day those of today, which may still be posted."""

    day: date | None = None
    state: EvaluationState | None = None
    reason: RejectReason | None = None

    def href(self, slug: str, *, after: str = "") -> str:
        chosen = {"day": self.day, "state": self.state, "reason": self.reason, "after": after}
        query = urlencode({name: str(value) for name, value in chosen.items() if value})
        return f"/curators/{slug}{'?' if query else ''}{query}"

    def change(self, **changes: date | str | None) -> "CandidateQuery":
        """The same filters but for these; a reason needs its state."""
        return replace(self, **{"reason": None, **changes})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """An article with its score as bars, what would become of it in the next post, and what the labels do to it."""

    article: DayArticle
    parts: list[EvidenceSignal]
    choice: DigestChoice | None
    outlook: str
    effect: LabelEffect | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorPage:
    """A curator with the articles of a day in its timezone; `coming` is the day of its next post.

    `choices` are by evaluation, for the current day.
    """

    curator: Curator
    topic: Topic
    day: date
    today: date
    coming: date
    articles: Listed[DayArticle]
    counts: list[StateCount]
    choices: Mapping[int, DigestChoice]
    digests: list[DatedDigest]
    channels: list[TopicChannel]
    labels: list[ArticleLabel]


async def _query(
    day: str = "", state: EvaluationState | Literal[""] = "", reason: RejectReason | Literal[""] = ""
) -> CandidateQuery:
    return CandidateQuery(day=parse_day(day) if day else None, state=state or None, reason=reason or None)


QueryOfCandidates = Annotated[CandidateQuery, Depends(_query)]
"""The filters in the address of a curator's page, as an argument of a handler."""


@router.get("/curators")
@needs("read")
async def curators_page(conn: ReadConn, context: PageContext) -> Response:
    found = await store.list_curators(conn)
    topic_by_id = {topic.topic_id: topic for topic in await topics.list_topics(conn)}
    bounds = [day_bounds(each, topic_by_id[each.topic_id], None, now=context.now) for each in found]
    counts = await evaluation_reads.count_days(conn, bounds)
    return pages.page(
        "curators.html",
        context,
        lines=[
            CuratorLine(curator=each, topic=topic_by_id[each.topic_id], counts=count_states(counts, each))
            for each in found
        ],
        channels=await topics.channels_by_topic(conn),
        next_digest=topic_pages.next_digest,
        local=topic_pages.local,
    )


def count_states(counts: Sequence[StateCount], curator: Curator) -> Mapping[EvaluationState, int]:
    """The numbers of a curator's articles by state."""
    states: Counter[EvaluationState] = Counter()
    for each in counts:
        if each.topic_id == curator.topic_id:
            states[each.state] += each.count
    return states


def day_bounds(curator: Curator, topic: Topic, day: date | None, *, now: datetime) -> DayBounds:
    """A day of a curator in its timezone; the current one has what may still be posted, too."""
    zone = ZoneInfo(topic.timezone)
    today = now.astimezone(zone).date()
    shown = day or today
    since = datetime.combine(shown, time(), zone)
    is_today = shown == today
    return DayBounds(
        topic_id=curator.topic_id,
        since=since,
        until=datetime.combine(shown + timedelta(days=1), time(), zone),
        relevant_since=min(since, now - curator.freshness) if is_today else since,
        has_waiting=is_today,
    )


@router.get("/curators/{slug}")
@needs("read")
async def curator_page(
    desk: CurrentDesk, context: PageContext, slug: CuratorSlug, query: QueryOfCandidates, after: str | None = None
) -> Response:
    async with desk.reading() as conn:
        found = await _read(conn, slug, query, after, now=context.now)
    effects = await _effects(desk, found)
    next_cursor = found.articles.next_cursor
    return pages.page(
        "curator.html",
        context,
        page=found,
        curator=found.curator,
        topic=found.topic,
        query=query,
        lines=[_line(article, found, effects, now=context.now) for article in found.articles.items],
        older=query.href(slug, after=next_cursor) if next_cursor else "",
        is_first=after is None,
        state_counts=count_states(found.counts, found.curator),
        reason_counts={each.reason: each.count for each in found.counts if each.reason},
        digests=[
            (each, digest_pages.state(each, now=context.now, timezone=str(context.timezone))) for each in found.digests
        ],
        shown_labels=found.labels[:SHOWN_LABELS],
        effects=effects,
        next_digest=topic_pages.next_digest,
        local=topic_pages.local,
        digest_href=digest_pages.href,
        one_day=timedelta(days=1),
    )


async def _read(conn: Connection, slug: str, query: CandidateQuery, after: str | None, *, now: datetime) -> CuratorPage:
    curator, topic = await store.by_slug(conn, slug), await topics.by_slug(conn, slug)
    today = now.astimezone(ZoneInfo(topic.timezone)).date()
    bounds = day_bounds(curator, topic, query.day, now=now)
    position = pagination.decode_cursor(after, int, int)
    cursor = (position[0], position[1]) if position else evaluation_reads.BEST
    listed = await evaluation_reads.list_day(
        conn, bounds, state=query.state, reason=query.reason, after=cursor, limit=PAGE + 1
    )
    return CuratorPage(
        curator=curator,
        topic=topic,
        day=query.day or today,
        today=today,
        coming=digest_windows.coming(topic.digest_cron, topic.timezone, now),
        articles=pagination.paginate(listed, PAGE, lambda article: article.cursor),
        counts=await evaluation_reads.count_days(conn, [bounds]),
        choices=await curated_digest.choose_now(conn, curator, now=now) if bounds.has_waiting else {},
        digests=await digest_reads.list_digests(conn, topic_slug=slug, after=digest_reads.START, limit=SHOWN_DIGESTS),
        channels=await topics.list_channels(conn, curator.topic_id),
        labels=await store.list_labels(conn, curator.topic_id),
    )


async def _effects(desk: Desk, page: CuratorPage) -> dict[int, LabelEffect]:
    """What labels do to the articles of a page and to those that are labelled; empty if that takes too long."""
    shown = {article.document_id for article in page.articles.items if article.document_id is not None}
    labelled = {label.document_id for label in page.labels[:SHOWN_LABELS]}
    if not labelled:
        return {}
    try:
        async with asyncio.timeout(EFFECTS_TIMEOUT), desk.database.connection() as conn:
            return await actions.label_effects(conn, page.curator, sorted(shown | labelled))
    except TimeoutError:  # the first score of a process loads the model, which goes on: the next page has the effects
        return {}


def _line(
    article: DayArticle, page: CuratorPage, effects: Mapping[int, LabelEffect], *, now: datetime
) -> CandidateLine:
    choice = page.choices.get(article.evaluation_id)
    return CandidateLine(
        article=article,
        parts=explain.score_bars(article.score_parts),
        choice=choice,
        outlook=curated_digest.outlook(choice, article.seen_at, page.curator, now=now),
        effect=effects.get(article.document_id) if article.document_id else None,
    )


@router.post("/curators/{slug}/labels/{document_id}")
@needs("edit")
async def label_article(
    desk: CurrentDesk,
    by: CurrentVisitor,
    slug: CuratorSlug,
    document_id: ArticleNumber,
    query: QueryOfCandidates,
    thumb: Annotated[Thumb, Form()],
) -> Response:
    """Put a thumb up or down on an article, or take it back."""
    # Without the time limit of a request: the first score of a process loads the model.
    async with desk.database.transaction() as conn:
        if thumb == "none":
            await actions.unlabel(conn, slug, document_id)
        else:
            await actions.label(conn, slug, document_id, is_wanted=thumb == "up", by=by.name)
    return RedirectResponse(f"{query.href(slug)}#article-{document_id}", status_code=HTTPStatus.SEE_OTHER)


@router.post("/curators/{slug}/enable")
@needs("edit")
async def enable_curator(conn: WriteConn, slug: CuratorSlug) -> Response:
    await store.by_slug(conn, slug)
    await topics.set_enabled(conn, slug, enabled=True)
    return pages.redirect_with_notice(f"/curators/{slug}", notice="Curator enabled.")


@router.post("/curators/{slug}/disable")
@needs("edit")
async def disable_curator(conn: WriteConn, slug: CuratorSlug) -> Response:
    await store.by_slug(conn, slug)
    await topics.set_enabled(conn, slug, enabled=False)
    notice = "Curator disabled. It evaluates and posts nothing; what it remembers stays."
    return pages.redirect_with_notice(f"/curators/{slug}", notice=notice)


@router.post("/curators/{slug}/remove")
@needs("edit")
async def remove_curator(conn: WriteConn, slug: CuratorSlug) -> Response:
    curator = await store.by_slug(conn, slug)
    try:
        await actions.remove(conn, slug)
    except UsageError as error:
        raise Conflict(f"{curator.topic_name} has posted digests, which are kept: disable it instead") from error
    return pages.redirect_with_notice("/curators", notice=f"{curator.topic_name} removed with what it remembered.")
