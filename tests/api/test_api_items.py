import asyncio
import gzip
import io
import json
import time
from dataclasses import replace

import aiohttp
import pytest

from builders import an_item, as_lines, ingest, run_all
from scoop.api import items
from scoop.asgi import create_app
from scoop.config import Config
from scoop.http import auth, middleware
from scoop.serve import serving
from scoop.stages import push_batches
from scoop.store import runs
from web.visitor import NOW, Visitor, signed_in, visiting

ITEMS = "/api/v1/items"
JSON, LINES = "application/json", "application/x-ndjson"


async def hand_in(visitor, body, *, media=JSON, **headers):
    """Push a body; bytes as they are, anything else as JSON."""
    raw = json.dumps(body).encode() if isinstance(body, dict | list) else body
    told = {"Content-Type": media, "Origin": visitor.address} | headers
    async with visitor.session.post(f"{visitor.address}{ITEMS}", data=raw, headers=told) as response:
        return response.status, await response.json()


async def arrivals(database):
    async with database.connection() as conn:
        return [row[0] for row in await conn.fetch("SELECT source_item_id FROM raw_arrivals ORDER BY raw_arrival_id")]


async def ended_run(database):
    async with database.connection() as conn:
        [run] = await runs.latest(conn)
    return run if run.status != "running" else None


async def until(look):
    """The first answer that is not empty."""
    while not (found := await look()):
        await asyncio.sleep(0.01)
    return found


@pytest.fixture
def slow_batches(monkeypatch):
    """Batches of ten items, of which the reader makes ten a second."""

    def slowly(*args, **options):
        for batch in read_batches(*args, **options):
            yield batch
            time.sleep(0.1)

    read_batches = push_batches.read_batches
    monkeypatch.setattr(push_batches, "BATCH", 10)
    monkeypatch.setattr(push_batches, "read_batches", slowly)


def totals(answer):
    return {name: answer[name] for name in ("items", "new", "duplicates", "refused")}


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (an_item(1), JSON),
        ([an_item(1)], JSON),
        (as_lines([an_item(1)]), LINES),
        (as_lines([an_item(1)]), JSON),
        (json.dumps(an_item(1), indent=2).encode(), f"{JSON}; charset=utf-8"),
        (gzip.compress(as_lines([an_item(1)]), mtime=0), LINES),
    ],
)
async def test_an_item_is_taken_in_whatever_form_it_has(database, body, media):
    async with visiting(database, role="editor") as visitor:
        status, answer = await hand_in(visitor, body, media=media)
    assert status == 200
    assert totals(answer) == {"items": 1, "new": 1, "duplicates": 0, "refused": 0}
    assert answer["problem"] is None
    assert await arrivals(database) == ["item-1"]


async def test_a_pushed_item_becomes_a_document_of_the_id_that_was_told(database):
    pushed = [an_item(1, canonical_url="https://Tribune.example/1?utm_source=x"), an_item(2, canonical_url=None)]
    async with visiting(database) as visitor:
        _, answer = await hand_in(visitor, pushed)
        await run_all(database)
        listed = (await visitor.get("/api/v1/documents")).json["items"]
    article_ids = {document["source_item_id"]: document["article_id"] for document in listed}
    assert [result["article_id"] for result in answer["results"]] == [article_ids["item-1"], article_ids["item-2"]]


async def test_every_item_has_its_fate_told(database):
    await ingest(database, [an_item(1)])
    bad = an_item(3) | {"nope": 1, "title": " "}
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, [an_item(1), an_item(2), bad, an_item(2), 4])
    assert status == 200
    assert totals(answer) == {"items": 5, "new": 1, "duplicates": 2, "refused": 2}
    assert [result["status"] for result in answer["results"]] == [
        "duplicate",
        "accepted",
        "refused",
        "duplicate",
        "refused",
    ]
    assert [result["index"] for result in answer["results"]] == [0, 1, 2, 3, 4]
    assert {problem["path"] for problem in answer["results"][2]["problems"]} == {"$[2].nope", "$[2].title"}
    assert answer["results"][1]["problems"] == []


async def test_an_item_that_the_database_cannot_hold_is_refused_alone(database):
    body = json.dumps([an_item(1), an_item(2, metadata={"figure": "HUGE"}), an_item(3)]).replace('"HUGE"', "1e-400000")
    async with visiting(database) as visitor:
        _, answer = await hand_in(visitor, body.encode())
    assert [result["status"] for result in answer["results"]] == ["accepted", "refused", "accepted"]
    assert totals(answer) == {"items": 3, "new": 2, "duplicates": 0, "refused": 1}
    assert "cannot store it" in answer["results"][1]["problems"][0]["reason"]


async def test_lines_have_their_numbers(database):
    body = as_lines([an_item(1)]) + b"\n{oops\n" + as_lines([an_item(2)])
    async with visiting(database) as visitor:
        _, answer = await hand_in(visitor, body, media=LINES)
    assert [(result["line"], result["status"]) for result in answer["results"]] == [
        (1, "accepted"),
        (3, "refused"),
        (4, "accepted"),
    ]


async def test_a_push_is_a_run_with_what_it_refused(database):
    async with visiting(database) as visitor:
        _, answer = await hand_in(visitor, [an_item(1), {}])
        refused = (await visitor.get(f"/api/v1/refused?run_id={answer['run_id']}")).json["items"]
    async with database.connection() as conn:
        [run] = await runs.latest(conn)
    assert (run.run_id, run.source, run.status) == (answer["run_id"], "items", "partial")
    assert (run.items_fetched, run.items_inserted, run.items_failed) == (2, 1, 1)
    assert [each["line"] for each in refused] == [1]


async def test_a_large_push_tells_of_the_first_items_and_of_refused_ones_beyond(database, monkeypatch):
    monkeypatch.setattr(items, "SHOWN", 10)
    pushed = [an_item(number) for number in range(5000)]
    pushed[4000] = {}
    async with visiting(database) as visitor:
        _, answer = await hand_in(visitor, io.BytesIO(as_lines(pushed)), media=LINES)
    assert totals(answer) == {"items": 5000, "new": 4999, "duplicates": 0, "refused": 1}
    assert [result["index"] for result in answer["results"]] == [*range(10), 4000]
    assert len(await arrivals(database)) == 4999


async def test_a_body_may_be_zipped_on_its_way(database):
    async with visiting(database) as visitor:
        zipped = await hand_in(
            visitor, gzip.compress(as_lines([an_item(1)])), media=LINES, **{"Content-Encoding": "gzip"}
        )
        plain = await hand_in(visitor, as_lines([an_item(2)]), media=LINES, **{"Content-Encoding": "gzip"})
        odd = await hand_in(visitor, as_lines([an_item(2)]), media=LINES, **{"Content-Encoding": "br"})
    assert zipped[0] == 200
    assert (plain[0], plain[1]["error"]["message"]) == (400, "body: is not gzip, although Content-Encoding says so")
    assert (odd[0], odd[1]["error"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert await arrivals(database) == ["item-1"]


async def test_a_body_that_was_cut_off_gives_what_it_has(database):
    whole = gzip.compress(as_lines(an_item(number) for number in range(300)))
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, whole[: len(whole) // 2], media=LINES)
    assert status == 200
    assert "gzip stream is damaged" in answer["problem"]
    assert 0 < answer["new"] < 300


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b"", JSON),
        (b" \n ", JSON),
        (b"[]", JSON),
        (b"", LINES),
        (b"\n\n", LINES),
        (b"oops", JSON),
        (b'{"title": ', JSON),
        (b"[oops]", JSON),
        (b"[", JSON),
        (b"oops\nand more\n", LINES),
        (b"\xff\xfe[\0]\0", JSON),
        (b"\x1f\x8b", LINES),
        (gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0), LINES),
    ],
)
async def test_what_holds_nothing_that_can_be_read_is_refused(database, body, media):
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, body, media=media)
    assert (status, answer["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert answer["error"]["details"][0]["field"] == "body"
    assert await arrivals(database) == []


@pytest.mark.parametrize("body", [b"1", b'"text"', b"null", b"{}", b"[[]]", b'{"title": "\\u0000"}'])
async def test_json_that_is_no_item_is_an_item_that_is_refused(database, body):
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, body)
    assert status == 200
    assert totals(answer) == {"items": 1, "new": 0, "duplicates": 0, "refused": 1}
    assert answer["results"][0]["problems"]


@pytest.mark.parametrize("media", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "x"])
async def test_a_body_of_another_kind_is_refused(database, media):
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, an_item(1), media=media)
    assert (status, answer["error"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_a_body_that_is_too_large_is_refused_also_while_it_streams(database, monkeypatch):
    monkeypatch.setattr(middleware, "MAX_PUSHED", 100_000)

    async def streamed():
        for number in range(400):
            yield as_lines([an_item(number)])

    async with visiting(database) as visitor:
        told_before = await hand_in(visitor, b"x" * 100_001)
        found_out = await hand_in(visitor, streamed(), media=LINES)
    for status, answer in (told_before, found_out):
        assert (status, answer["error"]["code"]) == (413, "TOO_LARGE")
    assert await arrivals(database) == []


async def test_a_body_that_unzips_without_end_is_read_no_further(database, monkeypatch):
    monkeypatch.setattr(items, "LIMITS", replace(items.LIMITS, decoded_bytes=1 << 20))
    bomb = gzip.compress(as_lines(an_item(number) for number in range(2500)) + b" " * (8 << 20))
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, bomb, media=LINES)
    assert status == 200
    assert "larger than 1,048,576 bytes" in answer["problem"]
    assert answer["new"] == 2000  # the batch before


async def test_a_small_gzip_of_many_refused_items_is_read_no_further_than_the_first_refusals(database):
    bomb = gzip.compress(b"1\n" * 500_000)
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, bomb, media=LINES)
        refused = (await visitor.get(f"/api/v1/refused?run_id={answer['run_id']}&limit=1")).json["items"]
    assert len(bomb) < 2000
    assert status == 200
    assert totals(answer) == {"items": 2000, "new": 0, "duplicates": 0, "refused": 2000}  # one batch
    assert answer["problem"].startswith("2,000 of the first 2,000 items were refused, so the rest was not read")
    assert refused
    async with database.connection() as conn:
        assert await conn.fetchval("SELECT count(*) FROM refused_items") == 2000
        [run] = await runs.latest(conn)
    assert (run.items_fetched, run.items_failed, run.error_message) == (2000, 2000, answer["problem"])


async def test_a_push_of_too_many_items_ends_at_the_stated_number(database, monkeypatch):
    monkeypatch.setattr(items, "LIMITS", replace(items.LIMITS, items=5))
    async with visiting(database) as visitor:
        status, answer = await hand_in(visitor, [an_item(number) for number in range(9)])
    assert (status, answer["new"]) == (200, 5)
    assert answer["problem"] == "more than 5 items; push the rest separately (nothing is duplicated)"


async def test_a_push_ends_when_its_client_disconnects(database, slow_batches):
    body = as_lines(an_item(number) for number in range(100))
    async with visiting(database) as visitor:
        sending = asyncio.create_task(hand_in(visitor, body, media=LINES))
        await until(lambda: arrivals(database))
        sending.cancel()
        run = await until(lambda: ended_run(database))
    assert (run.status, run.items_fetched) == ("partial", len(await arrivals(database)))
    assert 0 < run.items_fetched < 100
    assert run.error_message == f"interrupted after {run.items_fetched} items: the client disconnected"


async def test_a_push_ends_when_the_server_shuts_down_and_says_how_far_it_came(database, slow_batches):
    body = as_lines(an_item(number) for number in range(100))
    app = create_app(Config(), database, clock=lambda: NOW)
    cookies = {auth.COOKIE: await signed_in(database, "editor", now=NOW)}
    async with aiohttp.ClientSession(cookies=cookies, cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with serving(app) as address:
            sending = asyncio.create_task(hand_in(Visitor(address=address, session=session), body, media=LINES))
            await until(lambda: arrivals(database))
            began = time.monotonic()
        took = time.monotonic() - began
        status, answer = await sending
    run = await ended_run(database)
    assert (status, answer["error"]["code"]) == (503, "UNAVAILABLE")
    assert answer["error"]["message"] == (
        f"interrupted after {run.items_fetched} items: the server is shutting down; these are kept (run {run.run_id}). "
        "Push again: nothing is duplicated"
    )
    assert 0 < run.items_fetched == len(await arrivals(database)) < 100
    assert took < 5


async def test_a_push_ends_at_a_signal_although_the_rest_of_the_program_is_still_stopping(database, slow_batches):
    stop = asyncio.Event()
    app = create_app(Config(), database, clock=lambda: NOW)
    cookie = f"{auth.COOKIE}={await signed_in(database, 'editor', now=NOW)}"
    body = as_lines(an_item(number) for number in range(100))
    async with serving(app, stop=stop) as address, aiohttp.ClientSession() as session:
        visitor = Visitor(address=address, session=session)
        sending = asyncio.create_task(hand_in(visitor, body, media=LINES, Cookie=cookie))
        await until(lambda: arrivals(database))
        stop.set()
        status, answer = await sending
    assert (status, answer["error"]["code"]) == (503, "UNAVAILABLE")
    assert len(await arrivals(database)) < 100


@pytest.mark.parametrize("count", [10, 100])
async def test_a_push_is_answered_503_when_the_database_dies_during_it_or_at_its_end(database, slow_batches, count):
    body = as_lines(an_item(number) for number in range(count))
    async with visiting(database) as visitor:
        sending = asyncio.create_task(hand_in(visitor, body, media=LINES))
        await until(lambda: arrivals(database))
        async with database.connection() as conn:
            await conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1",
                runs.RUN_LOCK,
            )
        status, answer = await sending
    assert (status, answer["error"]["code"]) == (503, "UNAVAILABLE")
    assert "nothing is duplicated" in answer["error"]["message"]


async def test_who_leaves_before_the_end_hands_nothing_in(database):
    async with visiting(database) as visitor:

        async def half():
            yield as_lines([an_item(1)])
            raise ConnectionError("gone")

        with pytest.raises(aiohttp.ClientError):
            await hand_in(visitor, half(), media=LINES)
        status, _ = await hand_in(visitor, an_item(2))
    assert status == 200
    assert await arrivals(database) == ["item-2"]


async def test_several_push_at_once_and_nothing_is_doubled(database):
    body = as_lines(an_item(number) for number in range(50))
    async with visiting(database) as visitor:
        answers = await asyncio.gather(*(hand_in(visitor, body, media=LINES) for _ in range(6)))
    assert {status for status, _ in answers} == {200}
    assert sum(answer["new"] for _, answer in answers) == 50
    assert len(await arrivals(database)) == 50


async def test_nothing_is_taken_in_where_nothing_is_gathered(database):
    async with visiting(database, np_write_raw_ledger=False) as visitor:
        status, answer = await hand_in(visitor, an_item(1))
    assert (status, answer["error"]["code"]) == (409, "CONFLICT")


@pytest.mark.parametrize(("role", "status"), [("reader", 403), (None, 401)])
async def test_only_who_may_push_pushes(database, role, status):
    async with visiting(database, role=role, public_reading=True) as visitor:
        assert (await hand_in(visitor, an_item(1)))[0] == status
    assert await arrivals(database) == []


async def test_the_document_describes_what_may_be_sent(database):
    async with visiting(database) as visitor:
        document = (await visitor.get("/api/openapi.json")).json
    operation = document["paths"][ITEMS]["post"]
    assert set(operation["requestBody"]["content"]) == {JSON, LINES}
    assert operation["requestBody"]["content"][JSON]["schema"]["oneOf"][0] == {"$ref": "#/components/schemas/Item"}
    assert "source_metadata" in document["components"]["schemas"]["Item"]["required"]
    assert {"400", "401", "403", "409", "413", "415"} <= operation["responses"].keys()
