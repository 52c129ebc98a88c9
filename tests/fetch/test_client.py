"""The one way out: what it asks, what it refuses, and what it makes of hostile answers."""

import ast
import asyncio
import gzip
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from raw_server import raw_server, reply, saying

import scoop
from scoop.errors import FetchFailed
from scoop.fetch import client as fetch
from scoop.fetch.client import Client, open_client
from scoop.fetch.rate_limits import MAX_AT_ONCE_PER_HOST

PRIVATE = [
    "127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.192", "192.88.99.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fe80::1]", "[fc00::1]", "[fec0::1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]", "[ff02::1]", "[::127.0.0.1]", "①②⑦.0.0.1", "127。0。0。1",
]  # fmt: skip


class Resolver:
    """Names lead where the test says, each look-up to the next address."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.addresses: dict[str, list[str]] = {}
        self.connected: list[tuple[str, int]] = []
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", self._resolve, raising=False)
        monkeypatch.setattr("aiohttp.connector.aiohappyeyeballs.start_connection", self._connect)

    async def _resolve(self, host, port, **_more):
        left = self.addresses[host]
        found = (left.pop(0) if len(left) > 1 else left[0]).split()
        families = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in found]
        return [
            (family, socket.SOCK_STREAM, 6, "", (address, port))
            for family, address in zip(families, found, strict=True)
        ]

    async def _connect(self, addr_infos, **_more):
        self.connected += [info[4][:2] for info in addr_infos]
        raise OSError("nobody is connected to in a test")


@pytest.fixture
async def resolver(monkeypatch) -> Resolver:
    return Resolver(monkeypatch)


@pytest.fixture
async def client():
    async with open_client() as opened:
        yield opened


async def failure(asking) -> FetchFailed:
    with pytest.raises(FetchFailed) as caught:
        await asking
    return caught.value


@pytest.mark.parametrize("address", PRIVATE)
async def test_no_spelling_of_a_private_address_is_asked(client, monkeypatch, address):
    resolver = Resolver(monkeypatch)
    failed = await failure(client.get(f"http://{address}/"))
    assert failed.health == "refused_address"
    assert resolver.connected == []


METADATA = [
    "168.63.129.16", "100.100.100.200", "192.0.0.192", "169.254.170.2", "[fd00:ec2::254]", "[fd20:ce::254]",
    "34.118.224.1", "199.36.153.8", "161.26.0.10", "166.9.1.1",
]  # fmt: skip


@pytest.mark.parametrize("address", METADATA)
async def test_no_metadata_service_of_a_cloud_is_asked_even_at_a_public_address(client, monkeypatch, address):
    resolver = Resolver(monkeypatch)
    resolver.addresses = {"innocent.example": [address.strip("[]")]}
    for host in (address, "innocent.example"):
        assert (await failure(client.get(f"http://{host}/"))).health == "refused_address"
    assert resolver.connected == []


@pytest.mark.parametrize("address", [*PRIVATE[:8], "[::1]", "[::ffff:127.0.0.1]"])
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_no_redirect_leads_to_a_private_address(monkeypatch, address, status):
    """The first hop is the operator's own server, which the client may ask; the second is not."""
    away = saying(reply(status=status, Location=f"http://{address}:9/"))
    async with raw_server(away) as (server, _), open_client([server]) as client:
        failed = await failure(client.get(f"http://{server}/", typed_url=f"http://{server}/"))
    assert failed.health == "refused_address"


@pytest.mark.parametrize("url", ["ftp://x.example/", "file:///etc/passwd", "javascript:1", "//x", "", "http://", "x y"])
async def test_only_http_addresses_are_asked(client, url):
    assert (await failure(client.get(url))).health == "refused_address"


async def test_a_backslash_cannot_hide_the_host(client, resolver):
    resolver.addresses = {"public.example": ["93.184.216.34"]}
    failed = await failure(client.get("http://127.0.0.1\\@public.example/"))
    assert failed.health == "refused_address"


async def test_a_name_that_answers_public_first_and_private_second_never_reaches_the_private_one(client, resolver):
    resolver.addresses = {"flips.example": ["93.184.216.34", "127.0.0.1"]}
    first = await failure(client.get("http://flips.example/"))
    second = await failure(client.get("http://flips.example/"))
    assert (first.health, second.health) == ("unreachable", "refused_address")
    assert resolver.connected == [("93.184.216.34", 80)]


@pytest.mark.parametrize("addresses", ["127.0.0.1 93.184.216.34", "93.184.216.34 ::1", "::ffff:10.0.0.1"])
async def test_a_name_with_any_private_address_is_refused(client, resolver, addresses):
    resolver.addresses = {"mixed.example": [addresses]}
    assert (await failure(client.get("http://mixed.example/"))).health == "refused_address"
    assert resolver.connected == []


async def test_a_connection_to_an_allowed_private_host_is_not_shared_with_requests_that_may_not_use_it():
    async with raw_server(saying(reply(b"inside"))) as (server, _), open_client() as client:
        inside = await client.get(f"http://{server}/", private_host=server)
        assert inside.body == b"inside"
        assert (await failure(client.get(f"http://{server}/"))).health == "refused_address"


async def test_a_private_host_that_is_allowed_on_one_port_is_refused_on_another():
    async with raw_server(saying(reply(b"inside"))) as (server, _), open_client() as client:
        host, port = server.split(":")
        for allowed in (f"{host}:{int(port) - 1}", f"{host}:80", host):
            refused = await failure(client.get(f"http://{server}/", private_host=allowed))
            assert refused.health == "refused_address"


@pytest.mark.parametrize("is_any_port", [False, True])
async def test_allow_private_applies_to_the_address_that_an_operator_typed(is_any_port):
    async with (
        raw_server(saying(reply(b"inside"))) as (server, heads),
        open_client([server.partition(":")[0] if is_any_port else server]) as client,
    ):
        assert (await client.get(f"http://{server}/", typed_url=f"http://{server}/")).body == b"inside"
        for typed_url in (None, "https://public.example/"):  # as for a link in a feed
            failed = await failure(client.get(f"http://{server}/", typed_url=typed_url))
            assert failed.health == "refused_address"
    assert len(heads) == 1


async def test_allow_private_does_not_apply_to_a_redirect_from_another_private_host():
    async with raw_server(saying(reply(b"inside"))) as (inside, reached):
        away = saying(reply(status="302 Found", Location=f"http://{inside}/"))
        async with raw_server(away) as (typed, _), open_client([inside, typed]) as client:
            assert (
                await failure(client.get(f"http://{typed}/", typed_url=f"http://{typed}/"))
            ).health == "refused_address"
            # A link in the feed of `inside` leads out, and back in by a redirect.
            await failure(client.get(f"http://{typed}/", private_host=typed, typed_url=f"http://{inside}/"))
    assert reached == []


async def asked_of(script, **more) -> fetch.Response:
    async with raw_server(script) as (server, _), open_client() as client:
        return await client.get("http://site.example/", connect_to=server, **more)


async def test_an_answer_is_decoded_and_its_headers_are_found_however_they_are_written():
    answer = await asked_of(saying(reply(gzip.compress(b"bridge"), Content_Encoding="gzip", ETAG='W/"x"')))
    assert answer.body == b"bridge"
    assert answer.headers["etag"] == 'W/"x"'


async def test_we_say_who_we_are_and_ask_for_what_we_can_read_without_cookies():
    baking = saying(reply(Set_Cookie="a=b"))
    async with raw_server(baking) as (server, heads), open_client(contact="desk@news.example") as client:
        for _ in range(2):
            await client.get("http://site.example/page?x=1", connect_to=server)
    head = heads[1].decode()
    assert head.startswith("GET /page?x=1 HTTP/1.1\r\nHost: site.example\r\n")
    assert "User-Agent: Scoop/" in head
    assert "desk@news.example" in head
    assert "Accept-Encoding: gzip, deflate, br, zstd" in head
    assert "Cookie" not in head
    assert "Referer" not in head


async def test_the_environments_proxies_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    assert (await asked_of(saying(reply(b"direct")))).body == b"direct"


async def test_a_permanent_move_is_told_and_a_temporary_one_is_not():
    moved = [reply(status="301 Moved", Location="/b"), reply(status="308 Moved", Location="/c"), reply(b"here")]
    answer = await asked_of(saying(*moved))
    assert (answer.url, answer.moved_to) == ("http://site.example/c", "http://site.example/c")
    found = [reply(status="302 Found", Location="/b"), reply(status="301 Moved", Location="/c"), reply(b"here")]
    assert (await asked_of(saying(*found))).moved_to is None


async def test_secrets_go_to_the_host_they_are_for_and_are_told_to_nobody():
    answers = [reply(status="302 Found", Location="http://elsewhere.example/x"), reply(b"here")]
    async with raw_server(saying(*answers)) as (server, heads), open_client() as client:
        answer = await client.get(
            "http://site.example/feed?a=1",
            headers={"Authorization": "Bearer s3cret"},
            secret_query="token=s3cret",
            connect_to=server,
        )
    assert b"GET /feed?a=1&token=s3cret " in heads[0]
    assert b"s3cret" in heads[0].partition(b"\r\n")[2]
    assert b"s3cret" not in heads[1]
    assert "s3cret" not in answer.url


SECRETS = {"Authorization": "Bearer s3cret", "Cookie": "s3cret", "X-Api-Key": "s3cret"}
POSTS = [{"json": {"text": "s3cret"}}, {"form": {"client_secret": "s3cret"}}]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("https://site.example/", "http://site.example/"),
        ("https://site.example/", "https://site.example:8443/"),
        ("http://site.example/", "https://site.example/"),
        ("https://site.example/", "https://site.example.evil.example/"),
        ("https://site.example/", "//evil.example/"),
    ],
)
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_no_secret_header_follows_a_redirect_to_another_origin_or_from_https_to_http(here, there, status):
    answers = [reply(status=status, Location=there), reply(status=status, Location=here), reply(b"here")]
    async with raw_server(saying(*answers)) as (server, heads), open_client() as client:
        await client.get(here, headers={**SECRETS, "If-None-Match": '"x"'}, connect_to=server)
    assert heads[0].count(b"s3cret") == 3
    assert b"s3cret" not in heads[1] + heads[2]  # not even back at the first one
    assert b'If-None-Match: "x"' in heads[1]


@pytest.mark.parametrize("there", ["http://site.example/", "https://site.example:8443/", "https://evil.example/"])
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("body", POSTS)
async def test_no_body_follows_a_redirect_to_another_origin_or_from_https_to_http(there, status, body):
    async with raw_server(saying(reply(status=status, Location=there))) as (server, heads), open_client() as client:
        failed = await failure(
            client.send(fetch.Request(url="https://site.example/", method="POST", connect_to=server, **body))
        )
    assert len(heads) == 1
    assert (failed.health, failed.status, failed.is_unsent) == ("http_error", int(status[:3]), False)
    assert f"redirects this POST with HTTP {status[:3]} to {there}" in str(failed)


@pytest.mark.parametrize("body", POSTS)
async def test_a_post_follows_a_redirect_within_its_origin(body):
    answers = [reply(status="308 Permanent", Location="/v2"), reply(b"here")]
    async with raw_server(saying(*answers)) as (server, heads), open_client() as client:
        request = fetch.Request(
            url="https://site.example/v1", method="POST", headers=SECRETS, connect_to=server, **body
        )
        assert (await client.send(request)).body == b"here"
    assert heads[1].startswith(b"POST /v2 ")
    assert heads[1].count(b"s3cret") == 3


async def test_a_delete_without_a_body_does_not_leave_its_origin():
    away = saying(reply(status="307 Temporary", Location="https://evil.example/messages/1"))
    async with raw_server(away) as (server, heads), open_client() as client:
        await failure(client.send(fetch.Request(url="https://site.example/1", method="DELETE", connect_to=server)))
    assert len(heads) == 1


async def test_a_redirect_is_not_followed_if_the_url_has_a_secret_path():
    away = saying(reply(status="301 Moved", Location="http://site.example/hook/s3cret"))
    async with raw_server(away) as (server, heads), open_client() as client:
        request = fetch.Request(url="https://site.example/hook", secret_path="/s3cret", connect_to=server)
        response = await client.send(request)
    assert (response.status, response.url, len(heads)) == (301, "https://site.example/hook", 1)


async def test_a_redirect_that_repeats_the_secret_does_not_tell_it():
    answers = [reply(status="301 Moved", Location="/feed/?a=1&token=s3cret"), reply(b"here")]
    async with raw_server(saying(*answers)) as (server, _), open_client() as client:
        answer = await client.get("http://site.example/feed?a=1", secret_query="token=s3cret", connect_to=server)
    assert "s3cret" not in f"{answer.url} {answer.moved_to}"


async def test_a_failed_request_does_not_tell_its_secret():
    async with open_client() as client:
        failed = await failure(
            client.get("http://site.example/", secret_query="token=s3cret", connect_to="127.0.0.1:1")
        )
    assert failed.health == "unreachable"
    assert "s3cret" not in str(failed)


def drip(piece: bytes, *, head: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"):
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.02)

    return answer


@pytest.mark.parametrize(
    ("script", "health", "told"),
    [
        (drip(b"x"), "timeout", "did not answer within"),
        (drip(b"X-More: y\r\n", head=b"HTTP/1.1 200 OK\r\n"), "timeout", ""),
        (drip(b"5\r\nxxxxx\r\n", head=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "timeout", ""),
        (saying(reply(status="302 Found", Location="/")), "http_error", "redirects more than 5 times"),
        (saying(reply(status="302 Found", Location="http://[")), "http_error", "not a URL"),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort"), "unreachable", ""),
        (saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort"), "unreachable", ""),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx"), "unreachable", ""),
        (saying(b"SSH-2.0-OpenSSH_9\r\n"), "unreachable", ""),
        (saying(b""), "unreachable", ""),
        (saying(b"HTTP/1.1 200 OK\r\nX: " + b"y" * (1 << 20) + b"\r\n\r\n"), "unreachable", ""),
        (saying(reply(b"x" * 3000)), "http_error", "larger than"),
        (saying(reply(gzip.compress(bytes(1 << 24)), Content_Encoding="gzip")), "http_error", "larger than"),
        (saying(reply(gzip.compress(b"x" * 999)[:20], Content_Encoding="gzip")), "http_error", "ends too early"),
        (saying(reply(b"x", Content_Encoding="compress")), "http_error", "not offered"),
    ],
)
async def test_a_hostile_answer_costs_a_failure_and_no_more(monkeypatch, script, health, told):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.5)
    failed = await failure(asked_of(script, max_bytes=2000))
    assert failed.health == health
    assert told in str(failed)


async def test_what_may_be_cut_is_cut():
    answer = await asked_of(saying(reply(b"x" * 300_000)), max_bytes=100_000, cut=True)
    assert 0 < len(answer.body) <= 100_000


async def test_a_slow_host_does_not_hold_up_the_others(monkeypatch):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 1)
    async with (
        raw_server(drip(b"x")) as (slow, _),
        raw_server(saying(reply(b"quick"))) as (quick, _),
        open_client() as client,
    ):
        stuck = [asyncio.create_task(failure(client.get("http://slow.example/", connect_to=slow))) for _ in range(5)]
        answers = [await client.get(f"http://h{n}.example/", connect_to=quick) for n in range(20)]
        assert {answer.body for answer in answers} == {b"quick"}
        assert not any(task.done() for task in stuck)
        await asyncio.gather(*stuck)


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
async def test_a_host_that_asks_for_rest_is_not_asked_again_by_anybody(status):
    async with raw_server(saying(reply(status=status, Retry_After="120"))) as (server, heads), open_client() as client:
        first = await client.get("http://busy.example/a", connect_to=server)
        second = await failure(client.get("http://busy.example/b", connect_to=server))
        await client.get("http://idle.example/", connect_to=server)
    assert first.status in {429, 503}
    assert timedelta(seconds=100) < second.after <= timedelta(seconds=120)
    assert len(heads) == 2


async def test_a_host_is_asked_by_few_at_once_and_after_its_interval():
    running, most, begun = 0, 0, []

    async def slow(_head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        begun.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.1)
        writer.write(reply())
        running -= 1

    async with raw_server(slow) as (server, _), open_client() as client:
        step, start = timedelta(milliseconds=50), asyncio.get_running_loop().time()
        await asyncio.gather(*(client.get("http://a.example/", connect_to=server, interval=step) for _ in range(8)))
    assert most <= MAX_AT_ONCE_PER_HOST
    earliest = [start + number * step.total_seconds() for number in range(8)]
    assert all(moment >= due - 0.001 for moment, due in zip(begun, earliest, strict=True))


def test_nothing_else_in_the_program_can_connect():
    """Who imports what can open a connection: the client, the database driver's one home, the archive, the servers."""
    means = {
        "aiohttp",
        "http",
        "urllib.request",
        "urllib3",
        "requests",
        "httpx",
        "ftplib",
        "smtplib",
        "socket",
        "ssl",
        "aiosmtplib",
        "obstore",
        "asyncpg",
        "telnetlib",
        "xmlrpc",
        "uvicorn",
        "boto3",
    }
    allowed = {
        "fetch/smtp.py": {"socket", "ssl", "aiosmtplib"},
        "fetch/client.py": {"aiohttp", "ssl"},
        "fetch/resolver.py": {"aiohttp", "socket"},
        "store/db.py": {"asyncpg"},
        "archive/objects.py": {"obstore"},
        "serve.py": {"uvicorn", "socket"},
        "store/embedded.py": {"socket"},
    }
    root = Path(scoop.__file__).parent
    found: dict[str, set[str]] = {}
    for file in root.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            used = {name for name in names for mean in means if name == mean or name.startswith(f"{mean}.")}
            if used:
                found.setdefault(str(file.relative_to(root)), set()).update(name.partition(".")[0] for name in used)
    extra = {file: used - allowed.get(file, set()) for file, used in found.items()}
    assert {file: used for file, used in extra.items() if used - {"http"}} == {}


async def test_parsers_never_connect(client: Client, monkeypatch: pytest.MonkeyPatch):
    """What strangers send is read without asking anybody: no external entity, no image, no schema."""
    from scoop.core import feed_reading
    from scoop.fetch import articles

    def refuse(*_arguments: object, **_named: object) -> None:
        raise AssertionError("somebody connects")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    bomb = b'<!DOCTYPE rss SYSTEM "http://127.0.0.1:1/x.dtd" [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    feed = feed_reading.parse(
        bomb + b"<rss><channel><title>&e;</title><item><title>x &e;</title></item></channel></rss>"
    )
    page = articles.extract(b'<html><img src="http://127.0.0.1:1/x.png"><p>' + b"word " * 200, url="http://a.example/")
    assert "root:" not in f"{feed}{page}"
