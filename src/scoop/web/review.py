"""Review pages: two articles side by side that may be one story, and decisions about them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Depends, Form, Query, Response
from pydantic import Field

from scoop.actions import review
from scoop.actions.review import Answered
from scoop.core import differences, text
from scoop.core.differences import MarkedArticle
from scoop.errors import NotFound, UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.routes import needs
from scoop.model import Decision
from scoop.store import db
from scoop.store import review as store
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import review as review_reads
from scoop.store.reads.review import ReviewArticle, ReviewMember
from scoop.store.review_queue import GrayPair
from scoop.web import labels, pages
from scoop.web.context import PageContext
from scoop.web.explain import EvidenceSignal

router = routes.for_pages()

SHOWN_CHARACTERS = 1_100  # of each text; the rest is one click away
LOG_PAGE = 50
UNDO_AMONG = 20  # the latest active decision among these can be undone
MAX_NOTE = 500
MAX_SKIP = 10_000

ReviewId = Annotated[int, Field(ge=1, le=db.LAST_ID)]
SIGNALS = {
    "cosine": "meaning",
    "title_words": "words of the headline",
    "lead_terms": "specific words of the lead",
    "body_terms": "specific words of the text",
    "names": "names",
    "numbers": "numbers",
    "containment": "same phrases",
}
"""Labels of the pair's signals that are shares, in display order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePosition:
    """The reader's position in the queue: collection, and number of skipped pairs."""

    collection: str | None = None
    skip: int = 0

    def href(self, *, skip: int | None = None) -> str:
        passed = self.skip if skip is None else skip
        query = {"collection": self.collection or "", "skip": str(passed or "")}
        return _href("/review", {name: value for name, value in query.items() if value})


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSide:
    """One article of a pair with its differences marked: the shown text, the rest, and its story's documents."""

    article: ReviewArticle
    marked: MarkedArticle
    rest: list[differences.MarkedSpan]
    members: list[ReviewMember]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """The pair: both sides, the probability, the signals and remarks."""

    pair: GrayPair
    sides: list[PairSide]
    signals: list[EvidenceSignal]
    remarks: list[str]


def _href(path: str, query: Mapping[str, str]) -> str:
    return f"{path}{'?' if query else ''}{urlencode(query, quote_via=quote)}"


def _collection(given: str) -> str | None:
    if given and not given.isprintable():
        raise NotFound("unknown collection")
    return given or None


async def _asked(collection: str = "", skip: Annotated[int, Query(ge=0, le=MAX_SKIP)] = 0) -> QueuePosition:
    return QueuePosition(collection=_collection(collection), skip=skip)


async def _sent(
    collection: Annotated[str, Form()] = "", skip: Annotated[int, Form(ge=0, le=MAX_SKIP)] = 0
) -> QueuePosition:
    return QueuePosition(collection=_collection(collection), skip=skip)


PositionQuery = Annotated[QueuePosition, Depends(_asked)]
PositionForm = Annotated[QueuePosition, Depends(_sent)]
Note = Annotated[str, Form()]


@router.get("/review")
@needs("edit")
async def review_page(conn: ReadConn, context: PageContext, place: PositionQuery) -> Response:
    return await _page(conn, context, place)


@router.post("/review/merge")
@needs("edit")
async def merge(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    one: Annotated[ReviewId, Form()],
    other: Annotated[ReviewId, Form()],
    note: Note = "",
) -> Response:
    async def decide(conn: Connection) -> Decision:
        return await store.merge(conn, str(one), str(other), note=_noted(note), by=context.visitor.name)

    return await _answer(desk, context, place, decide)


@router.post("/review/together")
@needs("edit")
async def put_together(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    one: Annotated[ReviewId, Form()],
    other: Annotated[ReviewId, Form()],
    note: Note = "",
) -> Response:
    async def decide(conn: Connection) -> Decision:
        return await store.put_together(conn, str(one), str(other), note=_noted(note), by=context.visitor.name)

    return await _answer(desk, context, place, decide)


@router.post("/review/apart")
@needs("edit")
async def keep_apart(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    one: Annotated[ReviewId, Form()],
    other: Annotated[ReviewId, Form()],
    note: Note = "",
) -> Response:
    async def decide(conn: Connection) -> Decision:
        return await store.keep_apart(conn, str(one), str(other), note=_noted(note), by=context.visitor.name)

    return await _answer(desk, context, place, decide)


@router.post("/review/split")
@needs("edit")
async def split(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    documents: Annotated[list[ReviewId] | None, Form()] = None,
    note: Note = "",
) -> Response:
    async def decide(conn: Connection) -> Decision:
        if not documents:
            raise UsageError("select the documents to split off the story")
        return await store.split(conn, set(documents), note=_noted(note), by=context.visitor.name)

    return await _answer(desk, context, place, decide)


@router.post("/review/split-each")
@needs("edit")
async def split_each(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    documents: Annotated[list[ReviewId] | None, Form()] = None,
    note: Note = "",
) -> Response:
    async def decide(conn: Connection) -> Decision:
        if not documents:
            raise UsageError("select the documents to split off the story")
        decisions = await store.split_each(conn, set(documents), note=_noted(note), by=context.visitor.name)
        return decisions[-1]

    return await _answer(desk, context, place, decide)


@router.post("/review/undo")
@needs("edit")
async def undo(
    desk: CurrentDesk,
    context: PageContext,
    place: PositionForm,
    decision: Annotated[ReviewId, Form()],
    back: Annotated[str, Form()] = "",
) -> Response:
    """Undo a decision, and return to the pair or the log."""

    async def decide(conn: Connection) -> Decision:
        return await store.undo(conn, decision, by=context.visitor.name)

    if back != "log":
        return await _answer(desk, context, place, decide)
    async with desk.writing() as conn:
        undone = await decide(conn)
    return pages.redirect_with_notice(_log_href(place.collection), notice=_told(undone))


@router.get("/review/log")
@needs("edit")
async def log_page(
    conn: ReadConn, context: PageContext, collection: str = "", before: Annotated[ReviewId, Query()] = db.LAST_ID
) -> Response:
    wanted = _collection(collection)
    found = await store.list_decisions(conn, collection=wanted, before=before, limit=LOG_PAGE + 1)
    more = _log_href(wanted, before=found[LOG_PAGE - 1].decision_id) if len(found) > LOG_PAGE else None
    return pages.page(
        "review_log.html",
        context,
        decisions=found[:LOG_PAGE],
        more=more,
        collection=wanted,
        is_beginning=before == db.LAST_ID,
        sentence=_sentence,
    )


def _log_href(collection: str | None, *, before: int | None = None) -> str:
    query = {"collection": collection or "", "before": str(before or "")}
    return _href("/review/log", {name: value for name, value in query.items() if value})


def _noted(note: str) -> str:
    return text.one_line(note)[:MAX_NOTE]


async def _answer(
    desk: Desk, context: PageContext, place: QueuePosition, decide: Callable[[Connection], Awaitable[Decision]]
) -> Response:
    """Carry out a decision and go to the next pair; an error is shown beside the current pair."""
    try:
        async with desk.writing() as conn:
            decision = await decide(conn)
    except (UsageError, NotFound) as error:
        status = HTTPStatus.NOT_FOUND if isinstance(error, NotFound) else HTTPStatus.BAD_REQUEST
        async with desk.reading() as conn:
            return await _page(conn, context, place, error=str(error), status=status)
    return pages.redirect_with_notice(place.href(), notice=_told(decision))


def _told(decision: Decision) -> str:
    said = _sentence(decision)
    return f"{said} The rules decide again." if decision.undone_at else said


def _sentence(decision: Decision) -> str:
    """The state after a decision, in terms of the headlines."""
    one, other = (f"“{text.truncated(title or '', 80)}”" for title in (decision.title, decision.other_title))
    moved = labels.counted(len(decision.document_ids), "document", "documents")
    if decision.undone_at is None:
        return {
            "merge": f"Merged: {other} is part of {one} now.",
            "together": f"One event: {one} and {other}.",
            "apart": f"Kept apart: {one} and {other}.",
            "split": f"Split: {moved} of {one} made {other}.",
            "move": f"Moved: {one} to the event of {other}."
            if decision.other_title
            else f"Moved: {one} to its own event.",
            "lead": f"Lead chosen: {one}.",
            "suppress": f"Event suppressed: {one}.",
        }[decision.action]
    return {
        "merge": f"Undone: {other} is a story of its own again.",
        "together": f"Undone: {one} and {other} need not be one event any longer.",
        "apart": f"Undone: {one} and {other} may be merged again.",
        "split": f"Undone: {moved} went back to {one}.",
        "move": f"Undone: {one} went back to its event.",
        "lead": f"Undone: {one} does not have to lead its event.",
        "suppress": f"Undone: the event of {one} is shown again.",
    }[decision.action]


async def _page(
    conn: Connection, context: PageContext, place: QueuePosition, *, error: str = "", status: HTTPStatus = HTTPStatus.OK
) -> Response:
    found, waiting = await review.queue(conn, collection=place.collection, skip=place.skip, limit=1, now=context.now)
    if not found and place.skip:
        _, waiting = await review.queue(conn, collection=place.collection, limit=1, now=context.now)
    decisions = await store.list_decisions(conn, collection=place.collection, limit=UNDO_AMONG)
    return pages.page(
        "review.html",
        context,
        status=status,
        place=place,
        tabs=[None, *await collection_reads.list_names(conn)],
        waiting=waiting,
        shown=await _shown(conn, found[0]) if found else None,
        last=next((each for each in decisions if each.undone_at is None), None),
        answered=precision(await review.answered(conn)),
        VERDICTS=review.VERDICTS,
        sentence=_sentence,
        error=error,
    )


async def _shown(conn: Connection, pair: GrayPair) -> PairView:
    article_by_id = await review_reads.list_articles(conn, [pair.one.document_id, pair.other.document_id])
    one, other = article_by_id[pair.one.document_id], article_by_id[pair.other.document_id]
    several = [article.story_id for article in (one, other) if article.item_count > 1]
    members = await review_reads.list_members(conn, several)
    return PairView(
        pair=pair,
        sides=[_side(one, other, members.get(one.story_id, [])), _side(other, one, members.get(other.story_id, []))],
        signals=[_signal(name, pair.signals[key]) for key, name in SIGNALS.items()],
        remarks=remarks(pair.signals, one, other),
    )


def _signal(name: str, value: float) -> EvidenceSignal:
    share = min(1.0, max(0.0, value))
    return EvidenceSignal(name=name, value=f"{share:.2f}", share=share)


def _side(article: ReviewArticle, other: ReviewArticle, members: list[ReviewMember]) -> PairSide:
    ours, theirs = (
        differences.ComparedArticle(title=each.title, body=each.body, language=each.language)
        for each in (article, other)
    )
    marked = differences.mark_differences(ours, theirs)
    shown = len(text.truncated(article.body, SHOWN_CHARACTERS))
    head, rest = differences.split_spans(marked.body, shown)
    return PairSide(article=article, marked=MarkedArticle(title=marked.title, body=head), rest=rest, members=members)


def remarks(signals: Mapping[str, float], one: ReviewArticle, other: ReviewArticle) -> list[str]:
    """Remarks on the figures of a pair."""
    apart = abs(one.seen_at - other.seen_at)
    when = labels.counted(apart.days, "day", "days") if apart.days else f"{round(apart.total_seconds() / 3600)} h"
    said = [f"{when} apart"]
    if signals["numbers_differ"]:
        said.append("the headlines have different numbers")
    if signals["same_publisher"]:
        said.append("both are of one newsroom")
    if one.language != other.language:
        said.append(f"{labels.language_name(one.language)} and {labels.language_name(other.language)}")
    return said


def precision(answered: Answered | None) -> str:
    """Accuracy of the rules against the decisions, in one sentence."""
    if answered is None or not answered.labels:
        return "After some decisions this line shows how often Scoop is right."
    pairs = labels.counted(answered.labels, "pair of documents", "pairs of documents")
    summary = f"By your answers {answered.same:,} of {pairs} are one story"
    shares = [
        f"in {share:.0%} of what it {does}{_before(before) if before != share else ''}"
        for does, share, before in (
            ("would merge by itself", answered.merge.precision, answered.merge_before.precision),
            ("shows together", answered.coverage.precision, answered.coverage_before.precision),
        )
        if share is not None
    ]
    return (
        f"{summary}; Scoop is right {' and '.join(shares)}."
        if shares
        else f"{summary}; Scoop would have joined none of them."
    )


def _before(share: float | None) -> str:
    return "" if share is None else f" ({share:.0%} by its first thresholds)"
