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
from scoop.core import search as sought_by
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
MAX_SOUGHT = 400
SHOWN_OUTLETS = 20
SHOWN_COMPANY = 20
LEAD_PARAGRAPH = "\n\n"
KEPT = "private, max-age=60"
# Of what is asked for, what the feed's own address repeats: never a key, however it is spelled.
SAID = ("q", "collection", "source", "topic", "language", "limit")
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
EntryLimit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many entries at most.")]
FeedName = Annotated[str, Path(max_length=200, pattern=NO_NUL)]
CONTENT: dict[str, Any] = {media: {} for media in MEDIA.values()}
GIVEN: dict[int | str, dict[str, Any]] = {200: {"description": "The feed", "content": CONTENT}}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSubject:
    """What a feed is of: its name for machines, its title, the page that shows the same."""

    name: str
    title: str
    path: str = "/"


@router.get("/all.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def all_stories(
    request: Request, desk: CurrentDesk, conn: ReadConn, format: FeedFormat, limit: EntryLimit = 50
) -> Response:
    """The latest stories of all collections; those that probably tell of one event are one entry."""
    subject = FeedSubject(name="all", title="Scoop")
    return await _stories(request, desk, conn, format, subject, await coverage_reads.latest_groups(conn, limit=limit))


class FeedSearch(BaseModel):
    """What is sought, and among which stories."""

    q: str = Field(max_length=MAX_SOUGHT, pattern=NO_NUL, description="Words, as the page Search takes them.")
    collection: str | None = Field(None, max_length=200, pattern=NO_NUL)
    source: str | None = Field(None, max_length=200, pattern=NO_NUL)
    topic: str | None = Field(None, max_length=200, pattern=NO_NUL)
    language: str | None = Field(None, max_length=35, pattern=NO_NUL)
    limit: int = Field(50, ge=1, le=MAX_LIMIT, description="How many stories are sought at most.")


@router.get("/search.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def found_stories(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    format: FeedFormat,
    sought: Annotated[FeedSearch, Query()],
) -> Response:
    """The stories in which words are found, the latest first."""
    asked = sought.model_dump(exclude={"q"})
    hits = (await search.search(conn, sought_by.Query(text=sought.q, **asked), now=desk.clock())).items
    groups = await coverage_reads.groups_of_stories(conn, [hit.story.story_id for hit in hits])
    query = urlencode({name: value for name, value in sought.model_dump(exclude={"limit"}).items() if value})
    subject = FeedSubject(name=f"search {query}", title=f"Scoop: {sought.q}", path=f"/search?{query}")
    return await _stories(request, desk, conn, format, subject, groups)


@router.get("/{collection}.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def stories_of_collection(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    collection: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 50,
) -> Response:
    """The latest stories of a collection."""
    if not await collection_reads.has_collection(conn, collection):
        raise NotFound(f"there is no collection {collection!r}")
    subject = FeedSubject(name=f"collection {collection}", title=f"Scoop: {display_names.collection_name(collection)}")
    found = await coverage_reads.latest_groups(conn, collection=collection, limit=limit)
    return await _stories(request, desk, conn, format, subject, found)


@router.get("/topics/{slug}.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def stories_of_topic(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    slug: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 50,
) -> Response:
    """The latest stories of a topic, without what is held back."""
    topic = await topics.by_slug(conn, slug)
    subject = FeedSubject(name=f"topic {slug}", title=f"Scoop: {topic.topic_name}", path=f"/topics/{slug}")
    found = await coverage_reads.latest_groups_of_topic(conn, topic.topic_id, limit=limit)
    return await _stories(request, desk, conn, format, subject, found)


@router.get("/digests/{slug}.{format}", responses=GIVEN, response_class=Response)
@needs("read")
async def digests_of_topic(
    request: Request,
    desk: CurrentDesk,
    conn: ReadConn,
    slug: FeedName,
    format: FeedFormat,
    limit: EntryLimit = 30,
) -> Response:
    """The latest digests of a topic that were posted, each as one entry."""
    topic = await topics.by_slug(conn, slug)
    subject = FeedSubject(name=f"digests {slug}", title=f"Scoop: {topic.topic_name}, digests", path="/digests")
    desk_id = UUID(await posts.desk_id(conn))
    found = await digest_reads.list_published(conn, topic.topic_id, limit=limit)
    entries = [_digest_entry(desk, desk_id, _base(request), digest) for digest in found]
    return _answer(request, format, _feed(request, desk_id, subject, entries))


async def _stories(
    request: Request,
    desk: Desk,
    conn: Connection,
    form: FeedFormat,
    subject: FeedSubject,
    groups: Sequence[Sequence[OutgoingStory]],
) -> Response:
    desk_id = UUID(await posts.desk_id(conn))
    entries = [_story_entry(desk, _base(request), group) for group in groups]
    touched = max((told.changed_at for group in groups for told in group), default=None)
    return _answer(request, form, _feed(request, desk_id, subject, entries), touched)


def _feed(request: Request, desk_id: UUID, subject: FeedSubject, entries: Sequence[FeedEntry]) -> OutputFeed:
    return OutputFeed(
        id=uuid5(desk_id, f"feed {subject.name}").urn,
        title=line(subject.title),
        description=line(f"{subject.title}: what Scoop has gathered, each story once."),
        url=f"{_base(request)}{subject.path}",
        self_url=_own_address(request),
        updated_at=max((entry.updated_at for entry in entries), default=datetime.fromtimestamp(0, UTC)),
        entries=tuple(entries),
    )


def _base(request: Request) -> str:
    """How the reader reaches us; the guard has seen to it that the name is one of ours."""
    return f"{request.url.scheme}://{request.url.netloc}"


def _own_address(request: Request) -> str:
    """The address of a feed, without the key that may be in it."""
    asked = {name: request.query_params[name] for name in SAID if name in request.query_params}
    return f"{_base(request)}{quote(request.url.path)}{'?' if asked else ''}{urlencode(asked)}"


def _story_entry(desk: Desk, base: str, group: Sequence[OutgoingStory]) -> FeedEntry:
    """Stories of one event as one entry, known by the oldest of them; the most widely told stands for all."""
    first, *others = group
    story = first.story
    outlets = list({outlet.source: outlet for told in group for outlet in told.outlets}.values())
    lead = line(story.lead.partition(LEAD_PARAGRAPH)[0], SUMMARY_CHARACTERS)
    piece = FeedStory(
        lead=lead,
        outlets=[
            Mention(text=display_names.outlet_name(each.source, each.source_name), href=_href(desk, each.url))
            for each in outlets[:SHOWN_OUTLETS]
        ],
        company=[
            Mention(text=told.story.title, href=f"{base}/stories/{told.story.story_uuid}")
            for told in others[:SHOWN_COMPANY]
        ],
    )
    return FeedEntry(
        id=first.group_uuid.urn,
        url=f"{base}/stories/{story.story_uuid}",
        external_url=_href(desk, story.url),
        title=line(story.title) or common.UNTITLED,
        summary=lead,
        html=content.story(piece),
        published_at=min(told.story.first_seen_at for told in group),
        updated_at=max(told.story.last_seen_at for told in group),
        authors=tuple(line(mention.text) for mention in piece.outlets),
        categories=_categories(group),
        language=story.language,
    )


def _categories(group: Sequence[OutgoingStory]) -> tuple[str, ...]:
    """The collection, then the topics, each once."""
    found = [group[0].story.collection, *(slug for told in group for slug in told.topics)]
    return tuple(dict.fromkeys(line(name) for name in found))


def _digest_entry(desk: Desk, desk_id: UUID, base: str, digest: PublishedDigest) -> FeedEntry:
    headlines = [common.headline(telling) for telling in digest.tellings]
    return FeedEntry(
        id=uuid5(desk_id, f"digest {digest.topic_slug} {digest.run_date}").urn,
        url=f"{base}/digests/{digest.topic_slug}/{digest.run_date}",
        title=line(f"{common.topic_name(digest)}, {common.written_out(digest.run_date)}"),
        summary=line("; ".join(headlines), SUMMARY_CHARACTERS) or "Nothing new today.",
        html=content.digest([_piece(desk, base, telling) for telling in digest.tellings]),
        published_at=digest.published_at,
        updated_at=digest.published_at,
        categories=(digest.topic_slug,),
    )


def _piece(desk: Desk, base: str, telling: Telling) -> FeedStory:
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
    found = common.link(url)
    return links.href(found.href, newsstand=desk.newsstand) if found else None


def _answer(request: Request, form: FeedFormat, feed: OutputFeed, touched: datetime | None = None) -> Response:
    """The feed, or that it is as it was; `touched` is when anything in it last changed."""
    modified = (touched or feed.updated_at).replace(microsecond=0)
    told = {"Cache-Control": KEPT, "Last-Modified": format_datetime(modified.astimezone(UTC), usegmt=True)}
    if "if-none-match" not in request.headers and _has_since(request, modified):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=told)
    return responses.with_etag(request, WRITERS[form](feed), f"{MEDIA[form]}; charset=utf-8", headers=told)


def _has_since(request: Request, modified: datetime) -> bool:
    try:
        since = parsedate_to_datetime(request.headers["if-modified-since"])
    except (KeyError, ValueError):
        return False
    return since.tzinfo is not None and timedelta() <= since - modified
