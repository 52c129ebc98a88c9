"""Actions on a digest: make, make again, publish, correct, and suppress stories."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import Form, Response

from scoop import app
from scoop.actions import topics as catalogue
from scoop.channels import ChannelMakers
from scoop.core import digest_windows, text
from scoop.core.rendering import common as said
from scoop.errors import Conflict, NotFound, Reject, ScoopError, UsageError
from scoop.http import errors, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.routes import needs
from scoop.model import Digest, Topic
from scoop.stages import digest
from scoop.store import digests, posts, topics
from scoop.store.db import Connection
from scoop.store.digests import RunMode
from scoop.web import digests as shown
from scoop.web import pages
from scoop.web.calendar import parse_day
from scoop.web.context import PageContext
from scoop.web.digests import DigestId, DigestPage, DigestTopicSlug

router = routes.for_pages()

MAX_REASON = 300
MODES: tuple[RunMode, ...] = ("live", "shadow")
REFUSALS = (UsageError, NotFound, Conflict, Reject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A channel of the digest, its number of parts, or the reason it cannot take them."""

    name: str
    kind: str
    parts: int = 0
    problem: str | None = None


@router.post("/digests/{slug}/{day}/make")
@needs("edit")
async def make(
    desk: CurrentDesk,
    context: PageContext,
    slug: DigestTopicSlug,
    day: str,
    mode: Annotated[Literal["live", "shadow"], Form()] = "live",
) -> Response:
    wanted = parse_day(day)

    async def change(conn: Connection) -> str:
        if await digests.published_run_id(conn, (await topics.by_slug(conn, slug)).topic_id, wanted) and mode == "live":
            raise Conflict("it is posted or being posted: a published digest is not made again")
        await _make(conn, desk, slug, wanted, mode, now=context.now)
        return (
            "Shadow made: it is only compared, never posted."
            if mode == "shadow"
            else "Digest made. Nothing was posted."
        )

    return await _changed(desk, context, slug, wanted, change, view="shadow" if mode == "shadow" else "")


async def _make(conn: Connection, desk: Desk, slug: str, day: date, mode: RunMode, *, now: datetime) -> None:
    order = await digest.prepare_order(conn, slug, day, mode=mode, publish=False, modes=app.modes(desk.config), now=now)
    await digest.make(conn, order, app.channel_makers(desk.config))


@router.post("/digests/{slug}/{day}/suppress")
@needs("edit")
async def suppress(
    desk: CurrentDesk,
    context: PageContext,
    slug: DigestTopicSlug,
    day: str,
    story: Annotated[DigestId, Form()],
    reason: Annotated[str, Form()] = "",
) -> Response:
    """Suppress a story, and make the digest again without it if it was not posted."""
    wanted = parse_day(day)

    async def change(conn: Connection) -> str:
        await catalogue.suppress(conn, slug, str(story), text.one_line(reason)[:MAX_REASON])
        return f"Story suppressed in this topic. {await _made_again(conn, desk, slug, wanted, now=context.now)}"

    return await _changed(desk, context, slug, wanted, change)


@router.post("/digests/{slug}/{day}/unsuppress")
@needs("edit")
async def unsuppress(
    desk: CurrentDesk, context: PageContext, slug: DigestTopicSlug, day: str, story: Annotated[DigestId, Form()]
) -> Response:
    wanted = parse_day(day)

    async def change(conn: Connection) -> str:
        await catalogue.unsuppress(conn, slug, str(story))
        return f"Story allowed again. {await _made_again(conn, desk, slug, wanted, now=context.now)}"

    return await _changed(desk, context, slug, wanted, change)


async def _made_again(conn: Connection, desk: Desk, slug: str, day: date, *, now: datetime) -> str:
    """Make an unposted digest again; return a sentence about the outcome."""
    topic = await topics.by_slug(conn, slug)
    if await digests.published_run_id(conn, topic.topic_id, day) is not None:
        return "The posted digest stays as it is until you correct it."
    if digest_windows.window(topic.digest_cron, topic.timezone, day) is None:
        return "It applies to later digests."
    for mode in MODES:
        if await digests.find_latest_run(conn, topic.topic_id, day, mode) is not None:
            await _make(conn, desk, slug, day, mode, now=now)
    return "The digest was made again."


@router.post("/digests/{slug}/{day}/correct")
@needs("edit")
async def correct(desk: CurrentDesk, context: PageContext, slug: DigestTopicSlug, day: str) -> Response:
    """Edit what was posted to what it would say now."""
    wanted = parse_day(day)

    async def change(conn: Connection) -> str:
        topic = await topics.by_slug(conn, slug)
        run_id = await digests.published_run_id(conn, topic.topic_id, wanted)
        if run_id is None:
            raise Conflict("nothing of it was posted, so there is nothing to correct")
        changed = await digest.correct(conn, topic, run_id, app.channel_makers(desk.config))
        return f"{changed:,} post{'' if changed == 1 else 's'} will be edited." if changed else "Nothing to change."

    return await _changed(desk, context, slug, wanted, change)


async def _changed(
    desk: Desk,
    context: PageContext,
    slug: str,
    day: date,
    change: Callable[[Connection], Awaitable[str]],
    *,
    view: Literal["", "shadow"] = "",
) -> Response:
    """Carry out a change and show the digest, with the outcome or the error."""
    try:
        # no request timeout: the digest of a busy day takes long
        async with desk.database.transaction() as conn:
            notice = await change(conn)
    except REFUSALS as error:
        async with desk.reading() as conn:
            return await shown.page(conn, context, slug, day, error=str(error), status=errors.error_for(error).status)
    return pages.redirect_with_notice(f"{shown.href(slug, day)}{f'?view={view}' if view else ''}", notice=notice)


@router.get("/digests/{slug}/{day}/publish")
@needs("edit")
async def publish_page(
    desk: CurrentDesk, conn: ReadConn, context: PageContext, slug: DigestTopicSlug, day: str
) -> Response:
    """The parts per channel, before they are posted."""
    return await _publish_page(conn, desk, context, slug, parse_day(day))


@router.post("/digests/{slug}/{day}/publish")
@needs("edit")
async def publish(
    desk: CurrentDesk, context: PageContext, slug: DigestTopicSlug, day: str, run: Annotated[DigestId, Form()]
) -> Response:
    wanted = parse_day(day)
    try:
        async with desk.database.transaction() as conn:
            order = await digest.prepare_order(
                conn, slug, wanted, mode="live", publish=True, modes=app.modes(desk.config), now=context.now
            )
            await digest.publish(conn, order, run, app.channel_makers(desk.config))
            sent = await posts.list_run_posts(conn, run)
    except REFUSALS as error:
        async with desk.reading() as conn:
            return await _publish_page(conn, desk, context, slug, wanted, error=error)
    notice = f"Sending to {', '.join(sorted({post.channel for post in sent}))}." if sent else "No channel can take it."
    return pages.redirect_with_notice(shown.href(slug, wanted), notice=notice)


async def _publish_page(
    conn: Connection, desk: Desk, context: PageContext, slug: str, day: date, *, error: ScoopError | None = None
) -> Response:
    found = await shown.read(conn, slug, day, now=context.now)
    problem = error or await _obstacle(conn, desk, found, now=context.now)
    run = found.shown if found.live_id else None
    return pages.page(
        "digest_publish.html",
        context,
        status=errors.error_for(error).status if error else HTTPStatus.OK,
        page=found,
        run=run,
        where=await _where(conn, desk, found.topic, run.digest) if run else [],
        problem=str(problem) if problem else "",
        said=said,
        local=shown.local,
    )


async def _obstacle(conn: Connection, desk: Desk, found: DigestPage, *, now: datetime) -> ScoopError | None:
    """The error that prevents publishing, if any."""
    if found.is_committed:
        return Conflict("it is already posted or being posted")
    if found.live_id is None:
        return UsageError("it has not been made yet: make it and check it first")
    try:
        await digest.prepare_order(
            conn, found.topic.topic_slug, found.day, mode="live", publish=True, modes=app.modes(desk.config), now=now
        )
    except UsageError as error:
        return error
    return None


async def _where(conn: Connection, desk: Desk, topic: Topic, made: Digest) -> list[Where]:
    desk_id, makers = await posts.get_desk_id(conn), app.channel_makers(desk.config)
    return [_channel(topic, made, each, desk_id, makers) for each in await topics.list_channels(conn, topic.topic_id)]


def _channel(topic: Topic, made: Digest, channel: topics.TopicChannel, desk_id: str, makers: ChannelMakers) -> Where:
    if channel.problem or not channel.enabled:
        return Where(name=channel.name, kind=channel.kind, problem=channel.problem or "disabled")
    try:
        parts = digest.render_parts(made, digest.with_topic_channel(topic, channel), desk_id, makers)
    except Reject as refusal:
        return Where(name=channel.name, kind=channel.kind, problem=str(refusal))
    return Where(name=channel.name, kind=channel.kind, parts=len(parts))
