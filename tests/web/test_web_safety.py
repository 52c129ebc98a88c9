import asyncio
import contextlib

import pytest

from builders import told
from scoop.http import deps
from web.visitor import TODAY, a_report, disconnect, visiting

ROUTES = [
    "/",
    TODAY,
    "/stories/00000000-0000-0000-0000-000000000000",
    "/events/00000000-0000-0000-0000-000000000000",
    "/healthz",
    "/readyz",
    "/static/style.css",
    "/nope",
]
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SCRIPTS = {"/static/keys.js", "/static/local_time.js"}
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title></textarea></style><svg/onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "safe\u202egnp.exe\u2066 \u0000 end",
    "<!--", "]]>", "&lt;script&gt;", "😀 بلاغ",
]  # fmt: skip


def guarded(headers):
    return {name: headers.get(name) for name in HEADERS} == HEADERS and "Server" not in headers


def broken_clock():
    raise RuntimeError("the secret detail")


@pytest.mark.parametrize("path", ROUTES)
async def test_every_route_answers_with_the_guarding_headers(database, path):
    async with visiting(database) as visitor:
        answers = [
            await visitor.get(path),
            await visitor.get(path, method="HEAD"),
            await visitor.get(path, method="POST"),
            await visitor.get(path, Host="evil.test"),
        ]
    assert all(guarded(answer.headers) for answer in answers)
    assert [answer.status for answer in answers[2:]] == [403, 400]  # the POST came from nowhere


async def test_pages_are_not_for_shared_caches_and_static_files_are_for_ever(database):
    async with visiting(database) as visitor:
        pages = [await visitor.get(path) for path in ("/", TODAY, "/sources", "/account", "/nope")]
        style = await visitor.get("/static/style.css")
    assert {page.headers["Cache-Control"] for page in pages} == {"private, no-cache"}
    assert style.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ROUTES)
async def test_methods_that_nobody_needs_are_not_answered(database, path):
    async with visiting(database) as visitor:
        answers = [await visitor.get(path, method=method) for method in ("OPTIONS", "TRACE", "PROPFIND")]
        invented = await visitor.get(path, method="CONNECTED")
    assert {answer.status for answer in answers} == {405}
    assert all("GET" in answer.headers["Allow"] for answer in answers)
    assert invented.status == 400  # which is no HTTP, as the server tells before any page is asked


@pytest.mark.parametrize("path", ["/", TODAY, "/healthz", "/static/style.css"])
async def test_head_tells_what_get_would(database, path):
    async with visiting(database) as visitor:
        got, told_only = await visitor.get(path), await visitor.get(path, method="HEAD")
    assert (told_only.status, told_only.text) == (200, "")
    assert told_only.headers["Content-Type"] == got.headers["Content-Type"]
    assert told_only.headers["Content-Length"] == got.headers["Content-Length"]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("localhost", 200),
        ("localhost:8787", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:8787", 200),
        ("[::1]", 200),
        ("desk.home", 200),
        ("Desk.Home:8787", 200),
        ("evil.test", 400),
        ("evil.test:8787", 400),
        ("localhost.evil.test", 400),
        ("127.0.0.1.evil.test", 400),
        ("localhost:evil", 400),
        ("evil@localhost", 400),
        ("", 400),
        ("[::2]:8787", 400),
        ("0.0.0.0", 400),
    ],
)
async def test_only_known_hosts_are_answered(database, name, status):
    async with visiting(database, hostnames="desk.home") as visitor:
        answer = await visitor.get("/healthz", Host=name)
    assert answer.status == status


async def event_paths(database):
    async with database.connection() as conn:
        rows = await conn.fetch("SELECT event_uuid FROM events WHERE status = 'active' ORDER BY event_id")
    return [f"/events/{row['event_uuid']}" for row in rows]


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_stays_text_in_every_field(database, hostile):
    plain = hostile.replace("\x00", "")
    await told(
        database,
        [
            a_report(1, title=plain, source=plain, body_text=plain, canonical_url=None, metadata={"collection": plain}),
            a_report(
                2, title=plain, authors=[plain], tags=[plain], canonical_url="https://real.org/?q=%22%3E%3Cscript%3E"
            ),
        ],
    )
    async with visiting(database) as visitor:
        front = await visitor.get("/")
        events = [await visitor.get(path) for path in await event_paths(database)]
        read_links = {link for event in events for link in event.page.links("/stories/") if "/read/" in link}
        texts = [await visitor.get(link) for link in read_links]
    assert (len(events), len(texts)) == (2, 2)
    for answer in (front, *events, *texts):
        page = answer.page
        assert answer.status == 200
        assert {attrs["src"].partition("?")[0] for attrs in page.attributes("script")} == SCRIPTS
        assert not {"img", "iframe", "object", "style", "base"} & {tag for tag, _ in page.tags}
        assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
        assert all(link.startswith(("/", "#", "https://real.org/")) for link in page.links())
        assert not {"\u202e", "\u2066"} & set(answer.text)


async def test_links_out_tell_nobody_where_the_reader_comes_from(database):
    await told(database, [a_report(1, canonical_url="https://real.org/x")])
    async with visiting(database) as visitor:
        front = (await visitor.get("/")).page
        event = (await visitor.get((await event_paths(database))[0])).page
    outward = [attrs for page in (front, event) for attrs in page.attributes("a") if attrs["href"].startswith("http")]
    assert len(outward) == 2
    assert {attrs["rel"] for attrs in outward} == {"noopener noreferrer nofollow"}


async def test_no_page_has_inline_script_or_style(database):
    await told(database, [a_report()])
    async with visiting(database) as visitor:
        front = await visitor.get("/")
        event = await visitor.get((await event_paths(database))[0])
    for page in (front.page, event.page):
        assert all(attrs.get("src") for attrs in page.attributes("script"))
        assert not page.attributes("style")
        assert not [attrs for _, attrs in page.tags if "style" in attrs]


async def test_a_page_that_breaks_tells_nothing_of_the_cause(database):
    async with visiting(database, clock=broken_clock) as visitor:
        answer = await visitor.get("/")
    assert answer.status == 500
    assert guarded(answer.headers)
    assert "Internal error" in answer.page.text
    assert "secret" not in answer.text


async def test_a_database_that_is_away_is_told_without_its_address(database, monkeypatch):
    monkeypatch.setattr(deps, "CONNECTION_TIMEOUT", 0.3)
    async with visiting(database) as visitor:
        await disconnect(database)
        answer = await visitor.get("/")
    assert answer.status == 503
    assert guarded(answer.headers)
    assert "Stored data is safe" in answer.page.text
    assert "postgres" not in answer.text.lower()


@pytest.mark.parametrize(
    "path", ["../app.py", "%2e%2e/app.py", "..%2fapp.py", "%2fetc/passwd", "..%5capp.py", "a%00b", ""]
)
async def test_static_files_are_the_static_files_only(database, path):
    async with visiting(database) as visitor:
        answer = await visitor.get(f"/static/{path}")
    assert answer.status == 404


async def test_two_host_headers_are_refused(database):
    async with visiting(database) as visitor:
        host, port = visitor.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        with contextlib.closing(writer):
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 400")
