"""The actions of an event's page: merge, keep apart, split, move, choose the lead, suppress, undo."""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Form, Response

from scoop.core import text
from scoop.errors import UsageError
from scoop.http import routes
from scoop.http.deps import CurrentDesk, Desk, WriteConn
from scoop.http.routes import needs
from scoop.store import db, review, topics
from scoop.store.db import Connection
from scoop.store.reads import events as event_reads
from scoop.web import event, pages
from scoop.web.context import Context, PageContext

router = routes.for_pages()

MAX_REASON = 300
MAX_CHOSEN = 1000
OWN_EVENT = "own"
_NAMED_EVENT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,19}", re.IGNORECASE)

Number = Annotated[int, Form(ge=1, le=db.LAST_ID)]
Numbers = Annotated[list[Annotated[int, Form(ge=1, le=db.LAST_ID)]], Form(max_length=MAX_CHOSEN)]
ShortNote = Annotated[str, Form()]

Decide = Callable[[Connection], Awaitable[int | None]]
"""Carries out a decision; gives its number, or None if there is nothing to undo."""


@router.post("/events/{event_uuid}/merge")
@needs("edit")
async def merge(desk: CurrentDesk, context: PageContext, event_uuid: UUID, stories: Numbers = []) -> Response:  # noqa: B006
    async def decide(conn: Connection) -> int:
        return (await review.merge(conn, *_two(stories), by=context.visitor.name)).decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/apart")
@needs("edit")
async def keep_apart(desk: CurrentDesk, context: PageContext, event_uuid: UUID, stories: Numbers = []) -> Response:  # noqa: B006
    async def decide(conn: Connection) -> int:
        return (await review.keep_apart(conn, *_two(stories), by=context.visitor.name)).decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/split")
@needs("edit")
async def split(desk: CurrentDesk, context: PageContext, event_uuid: UUID, documents: Numbers = []) -> Response:  # noqa: B006
    async def decide(conn: Connection) -> int:
        return (await review.split(conn, _some(documents), by=context.visitor.name)).decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/split-each")
@needs("edit")
async def split_each(desk: CurrentDesk, context: PageContext, event_uuid: UUID, documents: Numbers = []) -> Response:  # noqa: B006
    async def decide(conn: Connection) -> int:
        return (await review.split_each(conn, _some(documents), by=context.visitor.name))[-1].decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/move")
@needs("edit")
async def move(
    desk: CurrentDesk,
    context: PageContext,
    event_uuid: UUID,
    stories: Numbers = [],  # noqa: B006
    to: ShortNote = "",
    address: ShortNote = "",
) -> Response:
    """Move stories to an event of the list, to the one whose address or number is typed, or to one of their own."""

    async def decide(conn: Connection) -> int:
        if not stories:
            raise UsageError("select the stories to move")
        target = None if to == OWN_EVENT and not address.strip() else _named_event(address.strip() or to)
        moved = await review.move(conn, [str(story) for story in stories], target, by=context.visitor.name)
        return moved[-1].decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/lead")
@needs("edit")
async def choose_lead(desk: CurrentDesk, context: PageContext, event_uuid: UUID, story: Number) -> Response:
    async def decide(conn: Connection) -> int:
        return (await review.choose_lead(conn, str(story), by=context.visitor.name)).decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/lead-by-rule")
@needs("edit")
async def release_lead(desk: CurrentDesk, context: PageContext, event_uuid: UUID) -> Response:
    async def decide(conn: Connection) -> None:
        await review.release_lead(conn, str(event_uuid), by=context.visitor.name)

    return await _carry_out(desk, context, event_uuid, decide, notice="The rule chooses the lead again.")


@router.post("/events/{event_uuid}/suppress")
@needs("edit")
async def suppress(desk: CurrentDesk, context: PageContext, event_uuid: UUID) -> Response:
    async def decide(conn: Connection) -> int:
        return (await review.suppress(conn, str(event_uuid), by=context.visitor.name)).decision_id

    return await _carry_out(desk, context, event_uuid, decide)


@router.post("/events/{event_uuid}/show")
@needs("edit")
async def show_again(desk: CurrentDesk, context: PageContext, event_uuid: UUID) -> Response:
    async def decide(conn: Connection) -> None:
        await review.show_again(conn, str(event_uuid), by=context.visitor.name)

    return await _carry_out(desk, context, event_uuid, decide, notice="Readers see this event again.")


@router.post("/events/{event_uuid}/undo")
@needs("edit")
async def undo(desk: CurrentDesk, context: PageContext, event_uuid: UUID, decision_id: Number) -> Response:
    async def decide(conn: Connection) -> None:
        await review.undo(conn, decision_id, by=context.visitor.name)

    notice = "Decision undone. The rules judge again in a moment."
    return await _carry_out(desk, context, event_uuid, decide, notice=notice)


@router.post("/events/{event_uuid}/suppress-in-topic")
@needs("edit")
async def suppress_in_topic(
    desk: CurrentDesk, context: PageContext, event_uuid: UUID, topic: ShortNote = "", reason: ShortNote = ""
) -> Response:
    reason = text.one_line(reason)
    try:
        async with desk.writing() as conn:
            suppressing = await topics.by_slug(conn, text.one_line(topic))
            _check_reason(reason)
            subject = await event_reads.get_event(conn, str(event_uuid))
            await topics.suppress_event(conn, suppressing, subject.event_id, reason)
    except UsageError as error:
        return await _refuse(desk, context, event_uuid, error, reason=reason)
    return pages.redirect_with_notice(
        f"/events/{subject.event_uuid}#topics", notice=f"Suppressed in {suppressing.topic_name}: {reason}"
    )


@router.post("/events/{event_uuid}/unsuppress-in-topic")
@needs("edit")
async def unsuppress_in_topic(conn: WriteConn, event_uuid: UUID, topic: ShortNote = "") -> Response:
    suppressing = await topics.by_slug(conn, text.one_line(topic))
    subject = await event_reads.get_event(conn, str(event_uuid))
    await topics.unsuppress_event(conn, suppressing, subject.event_id)
    return pages.redirect_with_notice(
        f"/events/{subject.event_uuid}#topics", notice=f"No longer suppressed in {suppressing.topic_name}."
    )


def _check_reason(reason: str) -> None:
    if not reason or len(reason) > MAX_REASON:
        raise UsageError(f"give a reason of 1 to {MAX_REASON} characters: it is shown on the digest's page")


def _two(stories: list[int]) -> tuple[str, str]:
    if len(stories) != 2:
        raise UsageError("select two stories")
    return str(stories[0]), str(stories[1])


def _some(documents: list[int]) -> set[int]:
    if not documents:
        raise UsageError("select the documents to split off")
    return set(documents)


def _named_event(typed: str) -> str:
    """The public id or number in an address, or in what was typed."""
    found = _NAMED_EVENT.findall(typed[: event.MAX_ADDRESS])
    if not found:
        raise UsageError("choose an event, or give its address or number")
    return str(next((name for name in found if "-" in name), found[-1]))


async def _carry_out(desk: Desk, context: Context, event_uuid: UUID, decide: Decide, *, notice: str = "") -> Response:
    """Carry out a decision and show it on the event's page; a refusal is shown above the unchanged page."""
    try:
        async with desk.writing() as conn:
            decision_id = await decide(conn)
            subject = await event_reads.get_event(conn, str(event_uuid))
    except UsageError as error:
        return await _refuse(desk, context, event_uuid, error)
    decided = f"?decided={decision_id}" if decision_id else ""
    return pages.redirect_with_notice(f"/events/{subject.event_uuid}{decided}", notice=notice)


async def _refuse(
    desk: Desk, context: Context, event_uuid: UUID, error: UsageError, *, reason: str | None = None
) -> Response:
    async with desk.reading() as conn:
        page = await event.read(conn, desk, context, event_uuid)
    return event.render(desk, context, page, error=str(error), reason=reason, status=HTTPStatus.BAD_REQUEST)
