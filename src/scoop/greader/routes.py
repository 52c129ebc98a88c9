"""The calls that reading apps make."""

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
WITHOUT_TOKEN = frozenset({"", "x"})  # what FeedMe and Reeder send; the key in the header is what counts


@router.api_route("/accounts/ClientLogin", methods=["GET", "POST"])
@needs(None)
async def sign_in(request: Request) -> Response:
    """An app's first call: the password is a key of Scoop's."""
    given = await _given(request)
    key = str(given.get("Passwd", ""))
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
    """Collections and topics, each as a feed in its folder."""
    address = str(request.base_url).rstrip("/")
    collections = [each.collection for each in (await stats_reads.get_stats(conn)).collections]
    found = [
        _subscription(
            f"{streams.COLLECTION}{name}",
            display_names.collection_name(name),
            "Collections",
            address,
            f"/feeds/{name}.rss",
        )
        for name in collections
    ]
    found += [
        _subscription(
            f"{streams.TOPIC}{each.topic_slug}",
            each.topic_name,
            "Topics",
            address,
            f"/feeds/topics/{each.topic_slug}.rss",
        )
        for each in await topics.list_topics(conn)
        if each.enabled
    ]
    return _json({"subscriptions": found})


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
    """Collections and topics are made in Scoop itself."""
    raise invalid(what, "feeds are the collections and topics of this desk; add sources and topics in Scoop")


@router.get(f"{API}/unread-count")
@needs("read")
async def unread_count(conn: ReadConn, by: CurrentVisitor) -> Response:
    collections, of_topics = await stream_reads.count_unread(conn, _person(by))
    counts = [_count(f"{streams.COLLECTION}{each.name}", each.count, each.newest_at) for each in collections]
    counts += [_count(f"{streams.TOPIC}{each.name}", each.count, each.newest_at) for each in of_topics]
    if collections:
        newest = max(each.newest_at for each in collections)
        counts.append(_count(streams.READING_LIST, sum(each.count for each in collections), newest))
    return _json({"max": stream_reads.MAX_COUNTED, "unreadcounts": counts})


def _count(stream: str, count: int, newest_at: datetime) -> dict[str, Any]:
    return {"id": stream, "count": count, "newestItemTimestampUsec": str(int(newest_at.timestamp() * 1_000_000))}


@router.get(f"{API}/stream/items/ids")
@needs("read")
async def item_ids(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    given = request.query_params
    limit = _number(given, "n", 20, most=MOST_IDS)
    stream = await _stream(conn, streams.named(given.get("s", streams.READING_LIST)), given)
    found = await stream_reads.list_ids(conn, _person(by), stream, limit=limit + 1)
    refs = [
        {"id": str(story_id), "directStreamIds": [], "timestampUsec": str(int(made.timestamp() * 1_000_000))}
        for story_id, made in found[:limit]
    ]
    return _json({"itemRefs": refs, **_continued(found, limit)})


@router.get(f"{API}/stream/contents")
@router.get(f"{API}/stream/contents/{{stream_id:path}}")
@needs("read")
async def stream_contents(request: Request, conn: ReadConn, by: CurrentVisitor, stream_id: str = "") -> Response:
    given, wanted = request.query_params, stream_id or request.query_params.get("s", streams.READING_LIST)
    limit = _number(given, "n", 20, most=MOST_ITEMS)
    stream = await _stream(conn, streams.named(wanted), given)
    found = await stream_reads.list_ids(conn, _person(by), stream, limit=limit + 1)
    shown = await stream_reads.list_items(conn, _person(by), [story_id for story_id, _ in found[:limit]])
    return (
        _contents(request, wanted, shown)
        if len(found) <= limit
        else _contents(request, wanted, shown, continuation=str(found[limit - 1][0]))
    )


@router.api_route(f"{API}/stream/items/contents", methods=["GET", "POST"])
@needs("read")
async def item_contents(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    wanted = [streams.story_id(str(each)) for each in (await _given(request)).getlist("i")]
    if len(wanted) > MOST_ITEMS:
        raise invalid("i", f"at most {MOST_ITEMS} items at once")
    survivors = (await story_reads.resolve_merged(conn, wanted)).values()
    shown = await stream_reads.list_items(conn, _person(by), list(dict.fromkeys(survivors)))
    return _contents(request, streams.READING_LIST, shown)


@router.post(f"{API}/edit-tag")
@needs("read")
async def edit_tag(request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    """Mark stories as read or unread, starred or not."""
    given = await _given(request)
    _check_token(request, given)
    wanted = [streams.story_id(str(each)) for each in given.getlist("i")]
    state = streams.wanted_state([str(each) for each in given.getlist("a")], [str(each) for each in given.getlist("r")])
    if wanted and any(said is not None for said in state.values()):
        survivors = (await story_reads.resolve_merged(conn, wanted)).values()
        await read_state.mark(conn, _person(by), list(survivors), now=desk.clock(), **state)
    return PlainTextResponse("OK")


@router.post(f"{API}/mark-all-as-read")
@needs("read")
async def mark_all_as_read(request: Request, conn: WriteConn, desk: CurrentDesk, by: CurrentVisitor) -> Response:
    given = await _given(request)
    _check_token(request, given)
    wanted = streams.named(str(given.get("s", streams.READING_LIST)))
    until = _moment(given, "ts", 1_000_000)
    through = await stream_reads.last_id_before(conn, until) if until else LAST_ID
    if wanted.topic:
        topic = await topics.by_slug(conn, wanted.topic)
        await read_state.read_topic(conn, _person(by), topic.topic_id, through=through, now=desk.clock())
    else:
        await read_state.read_all(conn, _person(by), through=through, collection=wanted.collection or "")
    return PlainTextResponse("OK")


async def _stream(conn: Connection, wanted: NamedStream, given: Mapping[str, str]) -> Stream:
    """The stories that a call asks for: of its stream, without what it excludes, between its bounds."""
    excluded, included = streams.canonical(given.get("xt", "")), streams.canonical(given.get("it", ""))
    is_read = False if excluded == streams.READ else True if included == streams.READ else wanted.is_read
    topic_id = (await topics.by_slug(conn, wanted.topic)).topic_id if wanted.topic else None
    since, until = _moment(given, "ot", 1), _moment(given, "nt", 1)
    after = await stream_reads.last_id_before(conn, since) if since else 0
    before = await stream_reads.last_id_before(conn, until) + 1 if until else LAST_ID
    is_oldest_first = given.get("r") == "o"
    if continued := _number(given, "c", 0, most=streams.MAX_ID):
        after, before = (max(after, continued), before) if is_oldest_first else (after, min(before, continued))
    return Stream(
        collection=wanted.collection,
        topic_id=topic_id,
        is_read=is_read,
        is_starred=wanted.is_starred or included == streams.STARRED,
        after=after,
        before=before,
        is_oldest_first=is_oldest_first,
    )


def _contents(request: Request, stream: str, shown: Sequence[StreamItem], *, continuation: str = "") -> Response:
    desk: Desk = request.app.state.desk
    address = str(request.base_url).rstrip("/")
    told = {
        "direction": "ltr",
        "id": stream,
        "title": "Scoop",
        "updated": int(desk.clock().timestamp()),
        "self": [{"href": str(request.url)}],
        "items": [items.item(each, address=address) for each in shown],
    }
    return _json(told | ({"continuation": continuation} if continuation else {}))


def _continued(found: Sequence[tuple[int, datetime]], limit: int) -> dict[str, str]:
    return {"continuation": str(found[limit - 1][0])} if len(found) > limit else {}


async def _given(request: Request) -> FormData:
    """What an app says, in the body or in the address."""
    body = await request.form(max_fields=MAX_FIELDS) if request.method == "POST" else FormData()
    return FormData([*request.query_params.multi_items(), *body.multi_items()])


def _person(by: Visitor) -> int:
    if by.user_id is None:
        raise Unauthenticated()
    return by.user_id


def _token(request: Request) -> str:
    carried = request.headers.get("authorization") or request.cookies.get(auth.COOKIE, "")
    return passwords.hashed(f"token of {carried}").hex()[:57]


def _check_token(request: Request, given: Mapping[str, Any]) -> None:
    told = str(given.get("T", ""))
    if told not in WITHOUT_TOKEN and told != _token(request):
        problem = Unauthenticated("the token T is not yours; ask for one at /reader/api/0/token")
        problem.headers = {"X-Reader-Google-Bad-Token": "true"}
        raise problem


def _number(given: Mapping[str, Any], name: str, default: int, *, most: int) -> int:
    told = str(given.get(name) or default)
    if not (told.isascii() and told.isdecimal() and len(told) < 20):
        raise invalid(name, "must be a whole number")
    return min(int(told), most)


def _moment(given: Mapping[str, Any], name: str, per_second: int) -> datetime | None:
    number = _number(given, name, 0, most=MAX_SECONDS * per_second)
    return datetime.fromtimestamp(number / per_second, UTC) if number else None


def _json(told: Any) -> Response:
    return Response(msgspec.json.encode(told), media_type="application/json")
