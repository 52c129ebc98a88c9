"""Outbox pages: posts, and decisions about held ones."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, get_args
from urllib.parse import urlencode, urlsplit

import msgspec
from fastapi import Path, Response

from scoop.core import redaction
from scoop.http import pagination, routes
from scoop.http.deps import ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import Post, PostState
from scoop.newsstand.discord.state import GUILD_ID
from scoop.store import db, posts
from scoop.store import topics as store
from scoop.store.db import Connection
from scoop.web import labels, pages
from scoop.web.context import PageContext
from scoop.web.forms import FormValues, QueryFields

router = routes.for_pages()
PostId = Annotated[int, Path(ge=1, le=db.LAST_ID)]

PAGE_POSTS = 50
SHOWN_HELD = 50
STATES: tuple[PostState, ...] = get_args(PostState)
WAITING_FOR_A_WORD: tuple[PostState, ...] = ("held", "failed")
COLOURS: dict[PostState, str] = {
    "waiting": "rest", "sending": "watch", "sent": "good", "held": "watch", "failed": "bad", "dropped": "rest",
}  # fmt: skip
WHAT_TO_DO: dict[PostState, str] = {
    "held": "It is not known whether it arrived. Look for its mark in the channel, then decide.",
    "failed": "The channel refused it. Fix the reason and resend it, or drop it.",
}


@router.get("/posts")
@needs("read")
async def posts_page(conn: ReadConn, context: PageContext, asked: QueryFields) -> Response:
    """Posts that await a decision first, then the latest."""
    state = next((state for state in STATES if state == asked["state"]), None)
    (before,) = pagination.decode_cursor(asked.get("before"), int) or (db.LAST_ID,)
    held = [each for each in WAITING_FOR_A_WORD if state in {None, each}]
    settled = [each for each in STATES if each not in WAITING_FOR_A_WORD and state in {None, each}]
    wanted: dict[str, Any] = {"topic_slug": asked["topic"] or None, "channel": asked["channel"] or None}
    latest = await posts.list_posts(conn, **wanted, states=settled, before=before, limit=PAGE_POSTS + 1)
    shown = latest[:PAGE_POSTS]
    found = await store.list_topics(conn)
    return pages.page(
        "posts.html",
        context,
        held=await posts.list_posts(conn, **wanted, states=held, limit=SHOWN_HELD) if before == db.LAST_ID else [],
        posts=shown,
        more=_more(asked, shown[-1]) if len(latest) > PAGE_POSTS else None,
        asked=asked,
        states=STATES,
        topics=[(topic.topic_slug, topic.topic_name) for topic in found],
        channels=sorted({channel.name for topic in found for channel in topic.channels}),
        colours=COLOURS,
        what_to_do=WHAT_TO_DO,
        as_sent=as_sent,
        message_href=message_href,
    )


def _more(asked: FormValues, last: Post) -> str:
    return f"/posts?{urlencode({**asked, 'before': pagination.encode_cursor(last.post_id)})}"


def as_sent(payload: str) -> str:
    """The payload; JSON with a line for each value."""
    try:
        return msgspec.json.format(payload.encode(), indent=2).decode()
    except (msgspec.DecodeError, UnicodeEncodeError):
        return payload


def message_href(post: Post, context: PageContext) -> str | None:
    """The address of a message, in the demo's Discord; elsewhere the number does not name the server."""
    channel_id = post.options.get("channel_id")
    if not (context.newsstand and post.message_id and channel_id):
        return None
    if post.kind != "discord_bot" or post.options.get("connect_to") != urlsplit(context.newsstand).netloc:
        return None
    return f"{context.newsstand}/discord.com/channels/{GUILD_ID}/{channel_id}#{post.message_id}"


@router.get("/posts/{post_id}")
@needs("read")
async def post_page(conn: ReadConn, context: PageContext, post_id: PostId) -> Response:
    post = await posts.by_id(conn, post_id)
    return pages.page(
        "posts_one.html",
        context,
        post=post,
        colours=COLOURS,
        what_to_do=WHAT_TO_DO,
        as_sent=as_sent,
        message_href=message_href,
        waits_for_a_word=post.state in WAITING_FOR_A_WORD,
        redacted=redaction.redact_text,
    )


@router.post("/posts/{post_id}/arrived")
@needs("edit")
async def confirm_post(conn: WriteConn, post_id: PostId) -> Response:
    return await _decided(conn, post_id, posts.confirm, "is marked as sent; the parts that follow are sent")


@router.post("/posts/{post_id}/resend")
@needs("edit")
async def resend_post(conn: WriteConn, post_id: PostId) -> Response:
    return await _decided(conn, post_id, posts.resend, "is being sent")


@router.post("/posts/{post_id}/drop")
@needs("edit")
async def drop_post(conn: WriteConn, post_id: PostId) -> Response:
    return await _decided(conn, post_id, posts.drop, "is dropped; the parts that follow are sent")


async def _decided(
    conn: Connection, post_id: int, decide: Callable[[Connection, int], Awaitable[None]], outcome: str
) -> Response:
    await decide(conn, post_id)
    post = await posts.by_id(conn, post_id)
    notice = f"Part {post.part_no} of {labels.collection_name(post.topic_slug)} of {post.run_date} {outcome}."
    return pages.redirect_with_notice("/posts", notice=notice)
