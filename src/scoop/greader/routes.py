"""The endpoints of the Google Reader API."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any
from urllib.parse import urlencode

import msgspec
from fastapi import Request, Response
from starlette.datastructures import FormData
from starlette.responses import PlainTextResponse

from scoop.core import display_names
from scoop.core.access import Visitor
from scoop.greader import items, streams
from scoop.greader.streams import NamedStream
from scoop.http import accounts, auth, passwords, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated, invalid
from scoop.http.routes import needs
from scoop.model import Topic
from scoop.store import read_state, topics
from scoop.store.db import Connection
from scoop.store.reads import events as event_reads
from scoop.store.reads import stats as stats_reads
from scoop.store.reads import streams as stream_reads
from scoop.store.reads.slices import END, START
from scoop.store.reads.streams import Stream, StreamItem

router = routes.for_pages()
API = "/reader/api/0"
MOST_IDS = 10_000
MOST_ITEMS = 250
MAX_FIELDS = 20_000
MAX_COUNTED = 50_000  # what apps are promised as the largest count
ICON = "/reader/icon.svg"
APP_KEY = "reading app"
APP_KEY_LASTS = timedelta(days=365)
MAX_SECONDS = 253_370_764_800  # the year 9999
MAX_ICON_NAME = 100
ICON_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="10" fill="#0b57a4"/>'
    '<text x="32" y="42" font-family="sans-serif" font-size="28" font-weight="600" text-anchor="middle" '
    'fill="#fff">{initials}</text></svg>'
)
WITHOUT_TOKEN = frozenset({"", "x"})  # sent by FeedMe and Reeder; the key in the header authenticates


@router.api_route("/accounts/ClientLogin", methods=["GET", "POST"])
@needs(None)
async def sign_in(request: Request) -> Response:
    """Authenticate an app: its password is an API key, or that of the account, for which it gets a key of its own."""
    params = await _params(request)
    password = str(params.get("Passwd", ""))
    visitor = await auth.find_key(request, password)
    key = password if visitor else await _key_for_password(request, str(params.get("Email", "")), password)
    if key is None or (visitor and "read" not in visitor.rights):
        return PlainTextResponse("Error=BadAuthentication\n", status_code=401)
    return PlainTextResponse(f"SID={key}\nLSID={key}\nAuth={key}\n")


async def _key_for_password(request: Request, name: str, password: str) -> str | None:
    """A key that only reads, for an app that has the password of an account; None if that is wrong.

    The app keeps the key and not the password, and the person can revoke it.
    """
    desk: Desk = request.app.state.desk
    signed_in = await accounts.sign_in(desk, name, password, address=auth.client_network(request)) if name else None
    if signed_in is None:
        return None
    visitor, _session = signed_in
    async with desk.writing() as conn:
        made = await accounts.new_key(
            conn,
            _person(visitor),
            visitor.role or "reader",
            name=APP_KEY,
            scopes=["read"],
            now=desk.clock(),
            lasts=APP_KEY_LASTS,
        )
    return made.key


@router.get(f"{API}/token")
@needs("read")
async def token(request: Request) -> Response:
    return PlainTextResponse(_token(request))


@router.get(f"{API}/user-info")
@needs("read")
async def user_info(by: CurrentVisitor) -> Response:
    user_id, name = str(_person(by)), by.name
    return _json({"userId": user_id, "userName": name, "userProfileId": user_id, "userEmail": name})


@router.get(f"{API}/tag/list")
@needs("read")
async def tags(conn: ReadConn, by: CurrentVisitor) -> Response:
    """The starred state, the folders of the subscriptions, and the labels that the person uses."""
    folders = [{"id": label, "type": "folder"} for label in streams.LABELS]
    labels = [
        {"id": f"{streams.LABEL}{label}", "type": "tag"} for label in await stream_reads.list_labels(conn, _person(by))
    ]
    return _json({"tags": [{"id": streams.STARRED}, *folders, *labels]})


@router.get(f"{API}/preference/list")
@needs("read")
async def preferences() -> Response:
    return _json({"prefs": [{"id": "lhn-prefs", "value": '{"subscriptions":{"ssa":"true"}}'}]})


@router.get(f"{API}/preference/stream/list")
@needs("read")
async def stream_preferences() -> Response:
    return _json({"streamprefs": {}})


@router.get(f"{API}/subscription/list")
@needs("read")
async def subscriptions(request: Request, conn: ReadConn) -> Response:
    """Collections and topics as feeds in two folders; a topic that has all of one collection is the collection."""
    address = str(request.base_url).rstrip("/")
    collections = [summary.collection for summary in (await stats_reads.get_stats(conn)).collections]
    listed = [
        _subscription(
            f"{streams.COLLECTION}{name}",
            display_names.collection_name(name),
            "Collections",
            address,
            f"/feeds/{name}.rss",
        )
        for name in collections
    ]
    listed += [
        _subscription(
            f"{streams.TOPIC}{topic.topic_slug}",
            topic.topic_name,
            "Topics",
            address,
            f"/feeds/topics/{topic.topic_slug}.rss",
        )
        for topic in await _listed_topics(conn)
    ]
    return _json({"subscriptions": listed})


async def _listed_topics(conn: Connection) -> list[Topic]:
    """The topics that choose among events; what has all of one collection would be counted twice.

    A curator reads all articles of its collections, and chooses some of them in its digests only.
    """
    return [
        topic
        for topic in await topics.list_topics(conn)
        if topic.enabled
        and not topic.is_curator
        and (topic.source_rules or topic.keyword_rules or len(topic.collections) != 1)
    ]


def _subscription(stream: str, title: str, label: str, address: str, feed: str) -> dict[str, Any]:
    return {
        "id": stream,
        "title": title,
        "url": address + feed,
        "htmlUrl": f"{address}/",
        "iconUrl": f"{address}{ICON}?{urlencode({'name': title})}",
        "categories": [{"id": f"user/-/label/{label}", "label": label}],
    }


@router.get(ICON)
@needs(None)
async def icon(name: str = "") -> Response:
    """The initials of a subscription as a picture: apps fetch it without a key, and no site is asked for it."""
    drawn = ICON_SVG.format(initials=escape(display_names.initials(name[:MAX_ICON_NAME])))
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "public, max-age=86400"})


@router.post(f"{API}/subscription/{{what}}")
@needs("read")
async def change_subscription(what: str) -> Response:
    """Refused: feeds are managed in Scoop."""
    raise invalid(what, "feeds are the collections and topics of this desk; add sources and topics in Scoop")


@router.get(f"{API}/unread-count")
@needs("read")
async def unread_count(conn: ReadConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    topic_ids = [topic.topic_id for topic in await _listed_topics(conn)]
    collections, of_topics = await stream_reads.count_unread(conn, _person(by), topic_ids=topic_ids, now=desk.clock())
    counts = [_count(f"{streams.COLLECTION}{stream.name}", stream.count, stream.newest_at) for stream in collections]
    counts += [_count(f"{streams.TOPIC}{stream.name}", stream.count, stream.newest_at) for stream in of_topics]
    if collections:
        newest = max(stream.newest_at for stream in collections)
        counts.append(_count(streams.READING_LIST, sum(stream.count for stream in collections), newest))
    return _json({"max": MAX_COUNTED, "unreadcounts": counts})


def _count(stream: str, count: int, newest_at: datetime) -> dict[str, Any]:
    return {"id": stream, "count": count, "newestItemTimestampUsec": str(streams.microseconds(newest_at))}


@router.get(f"{API}/stream/items/ids")
@needs("read")
async def item_ids(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    params = request.query_params
    limit = _number(params, "n", 20, most=MOST_IDS)
    stream = await _stream(conn, streams.parse_stream(params.get("s", streams.READING_LIST)), params)
    ids = await stream_reads.list_ids(conn, _person(by), stream, limit=limit + 1)
    refs = [
        {"id": str(event_id), "directStreamIds": [], "timestampUsec": str(streams.microseconds(developed_at))}
        for event_id, developed_at in ids[:limit]
    ]
    return _json({"itemRefs": refs, **_continued(ids, limit)})


@router.get(f"{API}/stream/contents")
@router.get(f"{API}/stream/contents/{{stream_id:path}}")
@needs("read")
async def stream_contents(request: Request, conn: ReadConn, by: CurrentVisitor, stream_id: str = "") -> Response:
    params, requested = request.query_params, stream_id or request.query_params.get("s", streams.READING_LIST)
    limit = _number(params, "n", 20, most=MOST_ITEMS)
    stream = await _stream(conn, streams.parse_stream(requested), params)
    ids = await stream_reads.list_ids(conn, _person(by), stream, limit=limit + 1)
    shown = await stream_reads.list_items(conn, _person(by), [event_id for event_id, _ in ids[:limit]])
    return _contents(request, requested, shown, _continued(ids, limit))


@router.api_route(f"{API}/stream/items/contents", methods=["GET", "POST"])
@needs("read")
async def item_contents(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    requested = [streams.parse_item_id(str(value)) for value in (await _params(request)).getlist("i")]
    if len(requested) > MOST_ITEMS:
        raise invalid("i", f"at most {MOST_ITEMS} items at once")
    survivors = (await event_reads.resolve_merged(conn, requested)).values()
    shown = await stream_reads.list_items(conn, _person(by), list(dict.fromkeys(survivors)))
    return _contents(request, streams.READING_LIST, shown, {})


@router.post(f"{API}/edit-tag")
@needs("read")
async def edit_tag(request: Request, conn: WriteConn, by: CurrentVisitor) -> Response:
    """Mark events as read, unread, starred or not starred, and change their labels."""
    params = await _params(request)
    _check_token(request, params)
    requested = [streams.parse_item_id(str(value)) for value in params.getlist("i")]
    added, removed = ([str(value) for value in params.getlist(name)] for name in ("a", "r"))
    state = streams.parse_state(added, removed)
    labels = {
        name: [label for tag in tags if (label := streams.parse_label(tag))]
        for name, tags in (("added", added), ("removed", removed))
    }
    events = list((await event_reads.resolve_merged(conn, requested)).values())
    if events and any(value is not None for value in state.values()):
        await read_state.mark(conn, _person(by), events, **state)
    if events and any(labels.values()):
        await read_state.set_labels(conn, _person(by), events, **labels)
    return PlainTextResponse("OK")


@router.post(f"{API}/mark-all-as-read")
@needs("read")
async def mark_all_as_read(request: Request, conn: WriteConn, by: CurrentVisitor) -> Response:
    params = await _params(request)
    _check_token(request, params)
    requested = streams.parse_stream(str(params.get("s", streams.READING_LIST)))
    until = _moment(params, "ts", 1_000_000)
    if requested.topic:
        topic = await topics.by_slug(conn, requested.topic)
        await read_state.read_topic(conn, _person(by), topic.topic_id, until=until)
    else:
        await read_state.read_all(conn, _person(by), collection=requested.collection or "", until=until)
    return PlainTextResponse("OK")


async def _stream(conn: Connection, requested: NamedStream, params: Mapping[str, str]) -> Stream:
    """The requested events: of the stream, without excluded states, developed within the bounds."""
    excluded, included = streams.canonical(params.get("xt", "")), streams.canonical(params.get("it", ""))
    is_read = False if excluded == streams.READ else True if included == streams.READ else requested.is_read
    topic_id = (await topics.by_slug(conn, requested.topic)).topic_id if requested.topic else None
    return Stream(
        collection=requested.collection,
        topic_id=topic_id,
        is_read=is_read,
        is_starred=requested.is_starred or included == streams.STARRED,
        label=requested.label,
        since=_moment(params, "ot", 1) or START,
        until=_moment(params, "nt", 1) or END[0],
        cursor=streams.parse_continuation(params.get("c", "")),
        is_oldest_first=params.get("r") == "o",
    )


def _contents(request: Request, stream: str, shown: Sequence[StreamItem], continued: Mapping[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    address = str(request.base_url).rstrip("/")
    content = {
        "direction": "ltr",
        "id": stream,
        "title": "Scoop",
        "updated": int(desk.clock().timestamp()),
        "self": [{"href": str(request.url)}],
        "items": [items.item(event, address=address) for event in shown],
    }
    return _json({**content, **continued})


def _continued(ids: Sequence[tuple[int, datetime]], limit: int) -> dict[str, str]:
    return {"continuation": streams.continuation(ids[limit - 1])} if len(ids) > limit else {}


async def _params(request: Request) -> FormData:
    """The parameters in the query string and the body."""
    body = await request.form(max_fields=MAX_FIELDS) if request.method == "POST" else FormData()
    return FormData([*request.query_params.multi_items(), *body.multi_items()])


def _person(by: Visitor) -> int:
    if by.user_id is None:
        raise Unauthenticated()
    return by.user_id


def _token(request: Request) -> str:
    carried = request.headers.get("authorization") or request.cookies.get(auth.COOKIE, "")
    return passwords.hashed(f"token of {carried}").hex()[:57]


def _check_token(request: Request, params: Mapping[str, Any]) -> None:
    content = str(params.get("T", ""))
    if content not in WITHOUT_TOKEN and content != _token(request):
        problem = Unauthenticated("invalid token T; request one at /reader/api/0/token")
        problem.headers = {"X-Reader-Google-Bad-Token": "true"}
        raise problem


def _number(params: Mapping[str, Any], name: str, default: int, *, most: int) -> int:
    content = str(params.get(name) or default)
    if not (content.isascii() and content.isdecimal() and len(content) < 20):
        raise invalid(name, "must be a whole number")
    return min(int(content), most)


def _moment(params: Mapping[str, Any], name: str, per_second: int) -> datetime | None:
    number = _number(params, name, 0, most=MAX_SECONDS * per_second)
    return datetime.fromtimestamp(number / per_second, UTC) if number else None


def _json(content: Any) -> Response:
    return Response(msgspec.json.encode(content), media_type="application/json")
