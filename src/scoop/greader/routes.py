"""The endpoints of the Google Reader API."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from fastapi import Request, Response
from starlette.datastructures import FormData
from starlette.responses import PlainTextResponse

from scoop.core import display_names
from scoop.core.access import Visitor
from scoop.greader import items, streams
from scoop.greader.streams import NamedStream
from scoop.http import auth, passwords, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, Desk, ReadConn, WriteConn
from scoop.http.errors import Unauthenticated, invalid
from scoop.http.routes import needs
from scoop.store import read_state, topics
from scoop.store.db import LAST_ID, Connection
from scoop.store.reads import stats as stats_reads
from scoop.store.reads import stories as story_reads
from scoop.store.reads import streams as stream_reads
from scoop.store.reads.streams import Stream, StreamItem

router = routes.for_pages()
API = "/reader/api/0"
MOST_IDS = 10_000
MOST_ITEMS = 250
MAX_FIELDS = 20_000
MAX_SECONDS = 253_370_764_800  # the year 9999
WITHOUT_TOKEN = frozenset({"", "x"})  # sent by FeedMe and Reeder; the key in the header authenticates


@router.api_route("/accounts/ClientLogin", methods=["GET", "POST"])
@needs(None)
async def sign_in(request: Request) -> Response:
    """Authenticate an app: its password is an API key."""
    params = await _params(request)
    key = str(params.get("Passwd", ""))
    visitor = await auth.find_key(request, key)
    if visitor is None or "read" not in visitor.rights:
        return PlainTextResponse("Error=BadAuthentication\n", status_code=401)
    return PlainTextResponse(f"SID={key}\nLSID={key}\nAuth={key}\n")


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
async def tags() -> Response:
    labels = [{"id": label, "type": "folder"} for label in streams.LABELS]
    return _json({"tags": [{"id": streams.STARRED}, *labels]})


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
    """Collections and topics as feeds in two folders."""
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
        for topic in await topics.list_topics(conn)
        if topic.enabled
    ]
    return _json({"subscriptions": listed})


def _subscription(stream: str, title: str, label: str, address: str, feed: str) -> dict[str, Any]:
    return {
        "id": stream,
        "title": title,
        "url": address + feed,
        "htmlUrl": f"{address}/",
        "iconUrl": "",
        "categories": [{"id": f"user/-/label/{label}", "label": label}],
    }


@router.post(f"{API}/subscription/{{what}}")
@needs("read")
async def change_subscription(what: str) -> Response:
    """Refused: feeds are managed in Scoop."""
    raise invalid(what, "feeds are the collections and topics of this desk; add sources and topics in Scoop")


@router.get(f"{API}/unread-count")
@needs("read")
async def unread_count(conn: ReadConn, by: CurrentVisitor) -> Response:
    collections, of_topics = await stream_reads.count_unread(conn, _person(by))
    counts = [_count(f"{streams.COLLECTION}{stream.name}", stream.count, stream.newest_at) for stream in collections]
    counts += [_count(f"{streams.TOPIC}{stream.name}", stream.count, stream.newest_at) for stream in of_topics]
    if collections:
        newest = max(stream.newest_at for stream in collections)
        counts.append(_count(streams.READING_LIST, sum(stream.count for stream in collections), newest))
    return _json({"max": stream_reads.MAX_COUNTED, "unreadcounts": counts})


def _count(stream: str, count: int, newest_at: datetime) -> dict[str, Any]:
    return {"id": stream, "count": count, "newestItemTimestampUsec": str(int(newest_at.timestamp() * 1_000_000))}


@router.get(f"{API}/stream/items/ids")
@needs("read")
async def item_ids(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    params = request.query_params
    limit = _number(params, "n", 20, most=MOST_IDS)
    stream = await _stream(conn, streams.parse_stream(params.get("s", streams.READING_LIST)), params)
    ids = await stream_reads.list_ids(conn, _person(by), stream, limit=limit + 1)
    refs = [
        {"id": str(story_id), "directStreamIds": [], "timestampUsec": str(int(made.timestamp() * 1_000_000))}
        for story_id, made in ids[:limit]
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
    shown = await stream_reads.list_items(conn, _person(by), [story_id for story_id, _ in ids[:limit]])
    return (
        _contents(request, requested, shown)
        if len(ids) <= limit
        else _contents(request, requested, shown, continuation=str(ids[limit - 1][0]))
    )


@router.api_route(f"{API}/stream/items/contents", methods=["GET", "POST"])
@needs("read")
async def item_contents(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    requested = [streams.parse_item_id(str(value)) for value in (await _params(request)).getlist("i")]
    if len(requested) > MOST_ITEMS:
        raise invalid("i", f"at most {MOST_ITEMS} items at once")
    survivors = (await story_reads.resolve_merged(conn, requested)).values()
    shown = await stream_reads.list_items(conn, _person(by), list(dict.fromkeys(survivors)))
    return _contents(request, streams.READING_LIST, shown)


@router.post(f"{API}/edit-tag")
@needs("read")
async def edit_tag(request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Mark stories as read, unread, starred or not starred."""
    params = await _params(request)
    _check_token(request, params)
    requested = [streams.parse_item_id(str(value)) for value in params.getlist("i")]
    state = streams.parse_state(
        [str(value) for value in params.getlist("a")], [str(value) for value in params.getlist("r")]
    )
    if requested and any(value is not None for value in state.values()):
        survivors = (await story_reads.resolve_merged(conn, requested)).values()
        await read_state.mark(conn, _person(by), list(survivors), now=desk.clock(), **state)
    return PlainTextResponse("OK")


@router.post(f"{API}/mark-all-as-read")
@needs("read")
async def mark_all_as_read(request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    params = await _params(request)
    _check_token(request, params)
    requested = streams.parse_stream(str(params.get("s", streams.READING_LIST)))
    until = _moment(params, "ts", 1_000_000)
    through = await stream_reads.last_id_before(conn, until) if until else LAST_ID
    if requested.topic:
        topic = await topics.by_slug(conn, requested.topic)
        await read_state.read_topic(conn, _person(by), topic.topic_id, through=through, now=desk.clock())
    else:
        await read_state.read_all(conn, _person(by), through=through, collection=requested.collection or "")
    return PlainTextResponse("OK")


async def _stream(conn: Connection, requested: NamedStream, params: Mapping[str, str]) -> Stream:
    """The requested stories: of the stream, without excluded states, within the bounds."""
    excluded, included = streams.canonical(params.get("xt", "")), streams.canonical(params.get("it", ""))
    is_read = False if excluded == streams.READ else True if included == streams.READ else requested.is_read
    topic_id = (await topics.by_slug(conn, requested.topic)).topic_id if requested.topic else None
    since, until = _moment(params, "ot", 1), _moment(params, "nt", 1)
    after = await stream_reads.last_id_before(conn, since) if since else 0
    before = await stream_reads.last_id_before(conn, until) + 1 if until else LAST_ID
    is_oldest_first = params.get("r") == "o"
    if continued := _number(params, "c", 0, most=streams.MAX_ID):
        after, before = (max(after, continued), before) if is_oldest_first else (after, min(before, continued))
    return Stream(
        collection=requested.collection,
        topic_id=topic_id,
        is_read=is_read,
        is_starred=requested.is_starred or included == streams.STARRED,
        after=after,
        before=before,
        is_oldest_first=is_oldest_first,
    )


def _contents(request: Request, stream: str, shown: Sequence[StreamItem], *, continuation: str = "") -> Response:
    desk: Desk = request.app.state.desk
    address = str(request.base_url).rstrip("/")
    content = {
        "direction": "ltr",
        "id": stream,
        "title": "Scoop",
        "updated": int(desk.clock().timestamp()),
        "self": [{"href": str(request.url)}],
        "items": [items.item(story, address=address) for story in shown],
    }
    return _json(content | ({"continuation": continuation} if continuation else {}))


def _continued(ids: Sequence[tuple[int, datetime]], limit: int) -> dict[str, str]:
    return {"continuation": str(ids[limit - 1][0])} if len(ids) > limit else {}


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
