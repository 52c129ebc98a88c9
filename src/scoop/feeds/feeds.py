"""Feeds of events and digests: RSS, Atom and JSON Feed."""

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

from scoop.core import disclaimers, display_names, summaries
from scoop.core import search as search_query
from scoop.core.feed_writing import (
    PARAGRAPH_CHARACTERS,
    SUMMARY_CHARACTERS,
    FeedEntry,
    OutputFeed,
    atom,
    content,
    jsonfeed,
    line,
    rss,
)
from scoop.core.feed_writing.content import FeedStory, LinkedText
from scoop.core.rendering import common
from scoop.errors import NotFound
from scoop.http import links, responses, routes, searches
from scoop.http.cache import Cached
from scoop.http.deps import CurrentDesk, Desk, ReadConn
from scoop.http.params import SearchDay
from scoop.http.routes import needs
from scoop.model import Digest, Event, Telling
from scoop.store import posts, topics
from scoop.store.db import Connection
from scoop.store.reads import collections as collection_reads
from scoop.store.reads import digests as digest_reads
from scoop.store.reads import events as event_reads
from scoop.store.reads.digests import PublishedDigest
from scoop.store.reads.events import ListedEvent
from scoop.store.reads.slices import ListSlice

router = routes.for_programs("Feeds", prefix="/feeds")

MAX_LIMIT = 200
MAX_QUERY = 400
SHOWN_OUTLETS = 20
SHOWN_COMPANY = 20
LEAD_PARAGRAPH = "\n\n"
CACHE_CONTROL = "private, max-age=60"
# Parameters that the feed's own address repeats: never a key, however it is spelled.
REPEATED = ("q", "collection", "source", "topic", "since", "until", "language", "limit")
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
    """The latest events of all collections, one entry each."""
    subject = FeedSubject(name="all", title="Scoop")
    return await _events(request, desk, conn, format, subject, await event_reads.list_events(conn, _latest(limit)))


class FeedSearch(BaseModel):
    """The search and its filters."""

    q: str = Field(max_length=MAX_QUERY, pattern=NO_NUL, description="The query, in the syntax of the search page.")
    collection: str | None = Field(None, max_length=200, pattern=NO_NUL)
    source: str | None = Field(None, max_length=200, pattern=NO_NUL)
    topic: str | None = Field(None, max_length=200, pattern=NO_NUL)
    since: SearchDay | None = Field(None, description="Seen on this day or later.")
    until: SearchDay | None = Field(None, description="Seen on this day or earlier.")
    language: str | None = Field(None, max_length=35, pattern=NO_NUL)
    limit: int = Field(50, ge=1, le=MAX_LIMIT, description="Maximum number of events.")


@router.get("/search.{format}", responses=RESPONSES, response_class=Response)
@needs("read")
async def search_feed(
    request: Request,
    cache: Cached,
    desk: CurrentDesk,
    format: FeedFormat,
    query: Annotated[FeedSearch, Query()],
) -> Response:
    """The events that match a search, the latest first."""
    since, until = search_query.day_bounds(query.since, query.until, desk.timezone)
    filters = query.model_dump(exclude={"q", "since", "until"})
    sought = search_query.Query(text=query.q, timezone=desk.timezone, since=since, until=until, **filters)
    hits = (await searches.find_stories(cache, desk, sought)).items
    address = urlencode({name: value for name, value in query.model_dump(exclude={"limit"}).items() if value})
    subject = FeedSubject(name=f"search {address}", title=f"Scoop: {query.q}", path=f"/search?{address}")
    async with desk.reading() as conn:
        events = (await event_reads.events_by_id(conn, [hit.event.event_id for hit in hits])).values()
        latest = sorted(events, key=lambda event: (event.last_seen_at, event.event_id), reverse=True)
        return await _events(request, desk, conn, format, subject, latest)


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
    """The latest events of a collection."""
    if not await collection_reads.has_collection(conn, collection):
        raise NotFound(f"there is no collection {collection!r}; the front page lists the collections")
    subject = FeedSubject(name=f"collection {collection}", title=f"Scoop: {display_names.collection_name(collection)}")
    events = await event_reads.list_events(conn, _latest(limit), collection=collection)
    return await _events(request, desk, conn, format, subject, events)


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
    """The latest events of a topic, without suppressed ones."""
    topic = await topics.by_slug(conn, slug)
    subject = FeedSubject(name=f"topic {slug}", title=f"Scoop: {topic.topic_name}", path=f"/topics/{slug}")
    events = await event_reads.list_events_of_topic(conn, topic.topic_id, limit=limit)
    return await _events(request, desk, conn, format, subject, events)


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
    entries = [_digest_entry(desk, desk_id, links.base_url(request), digest) for digest in published]
    return _respond(request, format, _feed(request, desk_id, subject, entries))


def _latest(limit: int) -> ListSlice:
    return ListSlice(limit=limit)


async def _events(
    request: Request, desk: Desk, conn: Connection, form: FeedFormat, subject: FeedSubject, events: Sequence[Event]
) -> Response:
    desk_id = UUID(await posts.get_desk_id(conn))
    listed = await event_reads.with_coverage(conn, events, max_stories=1 + SHOWN_COMPANY)
    entries = [_event_entry(desk, links.base_url(request), event) for event in listed]
    changed_at = await event_reads.get_last_change(conn, [event.event_id for event in events])
    return _respond(request, form, _feed(request, desk_id, subject, entries), changed_at)


def _feed(request: Request, desk_id: UUID, subject: FeedSubject, entries: Sequence[FeedEntry]) -> OutputFeed:
    return OutputFeed(
        id=uuid5(desk_id, f"feed {subject.name}").urn,
        title=line(subject.title),
        description=line(f"{subject.title}: what Scoop has collected, each event once."),
        url=f"{links.base_url(request)}{subject.path}",
        self_url=_own_address(request),
        updated_at=max((entry.updated_at for entry in entries), default=datetime.fromtimestamp(0, UTC)),
        entries=tuple(entries),
    )


def _own_address(request: Request) -> str:
    """The address of a feed without its key."""
    query = {name: request.query_params[name] for name in REPEATED if name in request.query_params}
    return f"{links.base_url(request)}{quote(request.url.path)}{'?' if query else ''}{urlencode(query)}"


def _event_entry(desk: Desk, base: str, listed: ListedEvent) -> FeedEntry:
    """An event as one entry, with the title and link of its lead."""
    event = listed.event
    lead = line(event.lead.partition(LEAD_PARAGRAPH)[0], SUMMARY_CHARACTERS)
    page = f"{base}/events/{event.event_uuid}"
    body = FeedStory(
        lead=lead,
        paragraphs=summaries.paragraphs_of(event.summary or ""),
        note=_disclaimer(event),
        outlets=[
            LinkedText(text=display_names.outlet_name(outlet.source, outlet.source_name), href=_href(desk, outlet.url))
            for outlet in display_names.distinct_outlets(listed.outlets)[:SHOWN_OUTLETS]
        ],
        company=[
            LinkedText(text=story.title, href=f"{page}?story={story.story_id}#story-{story.story_id}")
            for story in listed.stories
            if story.story_id != event.lead_story_id
        ],
    )
    return FeedEntry(
        id=event.event_uuid.urn,
        url=page,
        external_url=_href(desk, event.url),
        title=line(event.title) or common.UNTITLED,
        summary=_description(event) or lead,
        html=content.render_story(body),
        published_at=event.first_seen_at,
        updated_at=event.last_seen_at,
        authors=_authors(listed),
        categories=tuple(dict.fromkeys(line(name) for name in (event.collection, *listed.topics))),
        language=event.language,
    )


def _disclaimer(event: Event) -> str:
    """How the summary was made, in its language; empty if there is none."""
    if event.summary_disclaimer is None:
        return ""
    return disclaimers.disclaimer(event.summary_disclaimer, event.summary_language or "").text


def _description(event: Event) -> str:
    """The summary as text, and what kind of text it is; empty if there is none."""
    if not event.summary:
        return ""
    return f"{line(event.summary, PARAGRAPH_CHARACTERS)} ({summaries.NOTES[event.summary_disclaimer or '']})"


def _authors(listed: ListedEvent) -> tuple[str, ...]:
    """The publisher of the lead alone: readers show the last of several authors."""
    names = {outlet.publisher_family: outlet.publisher_name for outlet in listed.outlets}
    name = names.get(listed.event.own_publisher or "") or next(iter(names.values()), "")
    return (line(name),) if name else ()


def _digest_entry(desk: Desk, desk_id: UUID, base: str, digest: PublishedDigest) -> FeedEntry:
    headlines = [common.headline(telling) for telling in digest.tellings]
    return FeedEntry(
        id=uuid5(desk_id, f"digest {digest.topic_slug} {digest.run_date}").urn,
        url=f"{base}/digests/{digest.topic_slug}/{digest.run_date}",
        title=line(f"{common.topic_name(digest)}, {common.run_date(digest)}"),
        summary=line("; ".join(headlines), SUMMARY_CHARACTERS) or common.phrases_of(digest).nothing_new_sentence,
        html=content.render_digest(
            [_digest_story(desk, base, digest, telling) for telling in digest.tellings],
            introduction=common.introduction(digest),
        ),
        published_at=digest.published_at,
        updated_at=digest.published_at,
        categories=(digest.topic_slug,),
    )


def _digest_story(desk: Desk, base: str, digest: Digest, telling: Telling) -> FeedStory:
    article = common.link(telling.url)
    host = LinkedText(text=article.host, href=_href(desk, telling.url)) if article else None
    names = common.publisher_names(telling)
    others = [LinkedText(text=name) for name in names if not host or not host.text.endswith(name)]
    return FeedStory(
        headline=LinkedText(text=common.headline(telling), href=f"{base}/stories/{telling.story_uuid}"),
        change=common.change(telling),
        lead=common.summary(telling),
        note=" · ".join(filter(None, [common.verdict(telling, common.phrases_of(digest)), common.reason(telling)])),
        outlets=[*([host] if host else []), *others[:SHOWN_OUTLETS]],
        company=[
            LinkedText(text=common.headline(twin), href=f"{base}/stories/{twin.story_uuid}") for twin in telling.twins
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
