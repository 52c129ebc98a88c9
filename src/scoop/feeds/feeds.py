"""Feeds of stories and digests: RSS, Atom and JSON Feed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode
from uuid import UUID, uuid5

from fastapi import Path, Query, Request, Response
from pydantic import BaseModel, Field

from scoop.actions import search
from scoop.core import display_names
from scoop.core import search as search_query
from scoop.core.feed_writing import SUMMARY_CHARACTERS, FeedEntry, OutputFeed, atom, content, jsonfeed, line, rss
from scoop.core.feed_writing.content import FeedStory, Mention
from scoop.core.rendering import common
from scoop.errors import NotFound
from scoop.http import links, responses, routes
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.routes import needs
from scoop.model import Telling
from scoop.store import posts, topics
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import coverage as coverage_reads
from scoop.store.reads import digests as digest_reads
from scoop.store.reads.coverage import OutgoingStory
from scoop.store.reads.digests import PublishedDigest

router = routes.for_programs("Feeds", prefix="/feeds")

MAX_LIMIT = 200
MAX_QUERY = 400
SHOWN_OUTLETS = 20
SHOWN_COMPANY = 20
LEAD_PARAGRAPH = "\n\n"
CACHE_CONTROL = "private, max-age=60"
# Parameters that the feed's own address repeats: never a key, however it is spelled.
REPEATED = ("q", "collection", "source", "topic", "language", "limit")
NO_NUL = r"^[^\x00]*$"

FeedFormat = Literal["rss", "atom", "json"]
WRITERS: dict[FeedFormat, Callable[[OutputFeed], bytes]] = {
    "rss": rss.write,
    "atom": atom.write,
    "json": jsonfeed.write,
}
MEDIA: dict[FeedFormat, str] = {
    "rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json",
}  # fmt: skip
EntryLimit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of entries.")]
FeedName = Annotated[str, Path(max_length=200, pattern=NO_NUL)]
CONTENT: dict[str, Any] = {media: {} for media in MEDIA.values()}
RESPONSES: dict[int | str, dict[str, Any]] = {200: {"description": "The feed", "content": CONTENT}}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSubject:
    """The subject of a feed: the name its id is made of, its title, and its page."""

    name: str
    title: str
    path: str = "/"


@router.get("/all.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def all_feed(
    request: Request, desk: CurrentDesk, conn: ReadConn, format: FeedFormat, limit: EntryLimit = 50
) -> Response:
    """The latest stories of all collections; stories of probably the same event are one entry."""
    subject = FeedSubject(name="all", title="Scoop")
    return await _stories(request, desk, conn, format, subject, await coverage_reads.latest_groups(conn, limit=limit))


class FeedSearch(BaseModel):
    """The search and its filters."""

    q: str = Field(max_length=MAX_QUERY, pattern=NO_NUL, description="The query, in the syntax of the search page.")
    collection: str | None = Field(None, max_length=200, pattern=NO_NUL)
    source: str | None = Field(None, max_length=200, pattern=NO_NUL)
    topic: str | None = Field(None, max_length=200, pattern=NO_NUL)
    language: str | None = Field(None, max_length=35, pattern=NO_NUL)
    limit: int = Field(50, ge=1, le=MAX_LIMIT, description="Maximum number of stories.")


@router.get("/search.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def search_feed(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    format: FeedFormat,
    query: Annotated[FeedSearch, Query()],
) -> Response:
    """The stories that match a search, the latest first."""
    filters = query.model_dump(exclude={"q"})
    hits = (await search.search_stories(conn, search_query.Query(text=query.q, **filters), now=desk.clock())).items
    groups = await coverage_reads.groups_of_stories(conn, [hit.story.story_id for hit in hits])
    address = urlencode({name: value for name, value in query.model_dump(exclude={"limit"}).items() if value})
    subject = FeedSubject(name=f"search {address}", title=f"Scoop: {query.q}", path=f"/search?{address}")
    return await _stories(request, desk, conn, format, subject, groups)


@router.get("/{collection}.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def collection_feed(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    collection: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 50,
) -> Response:
    """The latest stories of a collection."""
    if not await collection_reads.has_collection(conn, collection):
        raise NotFound(f"there is no collection {collection!r}; the front page lists the collections")
    subject = FeedSubject(name=f"collection {collection}", title=f"Scoop: {display_names.collection_name(collection)}")
    groups = await coverage_reads.latest_groups(conn, collection=collection, limit=limit)
    return await _stories(request, desk, conn, format, subject, groups)


@router.get("/topics/{slug}.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def topic_feed(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    slug: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 50,
) -> Response:
    """The latest stories of a topic, without suppressed ones."""
    topic = await topics.by_slug(conn, slug)
    subject = FeedSubject(name=f"topic {slug}", title=f"Scoop: {topic.topic_name}", path=f"/topics/{slug}")
    groups = await coverage_reads.latest_groups_of_topic(conn, topic.topic_id, limit=limit)
    return await _stories(request, desk, conn, format, subject, groups)


@router.get("/digests/{slug}.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def digest_feed(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    slug: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 30,
) -> Response:
    """The latest published digests of a topic, one entry each."""
    topic = await topics.by_slug(conn, slug)
    subject = FeedSubject(name=f"digests {slug}", title=f"Scoop: {topic.topic_name}, digests", path="/digests")
    desk_id = UUID(await posts.get_desk_id(conn))
    published = await digest_reads.list_published(conn, topic.topic_id, limit=limit)
    entries = [_digest_entry(desk, desk_id, _base(request), digest) for digest in published]
    return _respond(request, format, _feed(request, desk_id, subject, entries))


async def _stories(
    request: Request,
    desk: Desk,
    conn: Connection,
    form: FeedFormat,
    subject: FeedSubject,
    groups: Sequence[Sequence[OutgoingStory]],
) -> Response:
    desk_id = UUID(await posts.get_desk_id(conn))
    entries = [_story_entry(desk, _base(request), group) for group in groups]
    changed_at = max((story.changed_at for group in groups for story in group), default=None)
    return _respond(request, form, _feed(request, desk_id, subject, entries), changed_at)


def _feed(request: Request, desk_id: UUID, subject: FeedSubject, entries: Sequence[FeedEntry]) -> OutputFeed:
    return OutputFeed(
        id=uuid5(desk_id, f"feed {subject.name}").urn,
        title=line(subject.title),
        description=line(f"{subject.title}: what Scoop has collected, each story once."),
        url=f"{_base(request)}{subject.path}",
        self_url=_own_address(request),
        updated_at=max((entry.updated_at for entry in entries), default=datetime.fromtimestamp(0, UTC)),
        entries=tuple(entries),
    )


def _base(request: Request) -> str:
    """Scheme and host of the request; the middleware has checked the host."""
    return f"{request.url.scheme}://{request.url.netloc}"


def _own_address(request: Request) -> str:
    """The address of a feed without its key."""
    query = {name: request.query_params[name] for name in REPEATED if name in request.query_params}
    return f"{_base(request)}{quote(request.url.path)}{'?' if query else ''}{urlencode(query)}"


def _story_entry(desk: Desk, base: str, group: Sequence[OutgoingStory]) -> FeedEntry:
    """Stories of one event as one entry: its id is the oldest story's, its title that of the widest covered one."""
    first, *others = group
    story = first.story
    outlets = list({outlet.source: outlet for member in group for outlet in member.outlets}.values())
    lead = line(story.lead.partition(LEAD_PARAGRAPH)[0], SUMMARY_CHARACTERS)
    body = FeedStory(
        lead=lead,
        outlets=[
            Mention(text=display_names.outlet_name(outlet.source, outlet.source_name), href=_href(desk, outlet.url))
            for outlet in outlets[:SHOWN_OUTLETS]
        ],
        company=[
            Mention(text=other.story.title, href=f"{base}/stories/{other.story.story_uuid}")
            for other in others[:SHOWN_COMPANY]
        ],
    )
    return FeedEntry(
        id=first.group_uuid.urn,
        url=f"{base}/stories/{story.story_uuid}",
        external_url=_href(desk, story.url),
        title=line(story.title) or common.UNTITLED,
        summary=lead,
        html=content.render_story(body),
        published_at=min(member.story.first_seen_at for member in group),
        updated_at=max(member.story.last_seen_at for member in group),
        authors=tuple(line(mention.text) for mention in body.outlets),
        categories=_categories(group),
        language=story.language,
    )


def _categories(group: Sequence[OutgoingStory]) -> tuple[str, ...]:
    """The collection, then the topics, each once."""
    names = [group[0].story.collection, *(slug for member in group for slug in member.topics)]
    return tuple(dict.fromkeys(line(name) for name in names))


def _digest_entry(desk: Desk, desk_id: UUID, base: str, digest: PublishedDigest) -> FeedEntry:
    headlines = [common.headline(telling) for telling in digest.tellings]
    return FeedEntry(
        id=uuid5(desk_id, f"digest {digest.topic_slug} {digest.run_date}").urn,
        url=f"{base}/digests/{digest.topic_slug}/{digest.run_date}",
        title=line(f"{common.topic_name(digest)}, {common.written_out(digest.run_date)}"),
        summary=line("; ".join(headlines), SUMMARY_CHARACTERS) or "Nothing new today.",
        html=content.render_digest([_digest_story(desk, base, telling) for telling in digest.tellings]),
        published_at=digest.published_at,
        updated_at=digest.published_at,
        categories=(digest.topic_slug,),
    )


def _digest_story(desk: Desk, base: str, telling: Telling) -> FeedStory:
    article = common.link(telling.url)
    host = Mention(text=article.host, href=_href(desk, telling.url)) if article else None
    others = [Mention(text=name) for name in telling.publishers if not host or not host.text.endswith(name)]
    return FeedStory(
        headline=Mention(text=common.headline(telling), href=f"{base}/stories/{telling.story_uuid}"),
        change=common.change(telling),
        lead=common.summary(telling),
        outlets=[*([host] if host else []), *others[:SHOWN_OUTLETS]],
        company=[
            Mention(text=common.headline(twin), href=f"{base}/stories/{twin.story_uuid}") for twin in telling.twins
        ],
    )


def _href(desk: Desk, url: str | None) -> str | None:
    link = common.link(url)
    return links.href(link.href, newsstand=desk.newsstand) if link else None


def _respond(request: Request, form: FeedFormat, feed: OutputFeed, changed_at: datetime | None = None) -> Response:
    """The feed, or 304 if the client has it; `changed_at` is the last change of anything in it."""
    modified = (changed_at or feed.updated_at).replace(microsecond=0)
    headers = {"Cache-Control": CACHE_CONTROL, "Last-Modified": format_datetime(modified.astimezone(UTC), usegmt=True)}
    if "if-none-match" not in request.headers and _is_current(request, modified):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return responses.with_etag(request, WRITERS[form](feed), f"{MEDIA[form]}; charset=utf-8", headers=headers)


def _is_current(request: Request, modified: datetime) -> bool:
    try:
        since = parsedate_to_datetime(request.headers["if-modified-since"])
    except (KeyError, ValueError):
        return False
    return since.tzinfo is not None and timedelta() <= since - modified
