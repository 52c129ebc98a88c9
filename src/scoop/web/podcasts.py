"""The page of podcasts: the private address of one, for an app that cannot sign in."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Form, Request, Response

from scoop.actions import podcasts
from scoop.core.access import Right
from scoop.http import accounts, links, routes
from scoop.http.accounts import NewKey
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.routes import needs
from scoop.model import LEVELS, Level
from scoop.store import learners
from scoop.store.db import Connection
from scoop.store.learners import DEFAULT_LEVEL
from scoop.web import account, pages
from scoop.web.context import PageContext

router = routes.for_pages()

SCOPES: tuple[Right, ...] = ("read",)  # a key in an address must not have more


@dataclass(frozen=True, slots=True, kw_only=True)
class PodcastAddress:
    """The address of a podcast, with a new key in it unless everybody may read."""

    name: str
    url: str
    key: NewKey | None = None


@router.get("/listen/podcasts")
@needs("read")
async def podcasts_page(
    request: Request, conn: ReadConn, desk: CurrentDesk, context: PageContext, by: CurrentVisitor
) -> Response:
    """Choose a topic and a level; where everybody may read, the addresses need no key."""
    level = (await learners.get_learner(conn, by.user_id)).level if by.user_id is not None else DEFAULT_LEVEL
    return await _page(request, conn, desk, context, topic=podcasts.ALL, level=level)


@router.post("/listen/podcasts")
@needs("read")
async def make_address(
    request: Request,
    conn: WriteConn,
    desk: CurrentDesk,
    context: PageContext,
    by: CurrentVisitor,
    level: Annotated[Level, Form()],
    topic: Annotated[str, Form(max_length=200)] = podcasts.ALL,
) -> Response:
    """Make a key that only reads, and show the address of the podcast with it once."""
    user_id = account.session_user(by)
    name = await podcasts.get_name(conn, topic, level)
    key = await accounts.new_key(
        conn,
        user_id,
        by.role or "reader",
        name=f"Podcast: {name}"[: accounts.MAX_KEY_NAME],
        scopes=SCOPES,
        now=context.now,
        lasts=None,
    )
    url = f"{_feed_url(request, topic, level)}?{urlencode({'key': key.key})}"
    made = PodcastAddress(name=name, url=url, key=key)
    response = await _page(request, conn, desk, context, topic=topic, level=level, made=made)
    response.headers.update(account.PRIVATE)
    return response


async def _page(
    request: Request,
    conn: Connection,
    desk: Desk,
    context: PageContext,
    *,
    topic: str,
    level: Level,
    made: PodcastAddress | None = None,
) -> Response:
    choices = await podcasts.list_topics(conn)
    public = [
        PodcastAddress(name=name, url=_feed_url(request, slug, level))
        for slug, name in choices
        if desk.config.public_reading
    ]
    return pages.page(
        "podcasts.html",
        context,
        status=HTTPStatus.CREATED if made else HTTPStatus.OK,
        topics=choices,
        topic=topic,
        levels=[(each, each) for each in LEVELS],
        level=level,
        made=made,
        public=public,
    )


def _feed_url(request: Request, topic: str, level: Level) -> str:
    return f"{links.base_url(request)}/podcast/{quote(topic)}/{level}.xml"
