"""Any program that takes a POST: it can tell who sent it, and that it has it already."""

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.posts import (
    CANARY,
    NOON,
    a_digest,
    a_post,
    answer,
    closed_port,
    failure,
    hanging,
    on_an_errand,
    resetting,
    saying,
    serving,
)
from scoop.channels import DeliveryRefused, NotSent, Unknown
from scoop.channels.webhook import WebhookChannel
from scoop.fetch import client as fetch


def a_webhook(address: str | None = None, **options) -> WebhookChannel:
    return WebhookChannel(
        WebhookChannel.Options(url="https://hooks.example/news?to=desk", connect_to=address, **options)
    )


async def after(script, *, secrets=None, **options):
    async with serving(script) as server, on_an_errand(**(secrets or {})) as errand:
        return await a_webhook(server.address, **options).send(a_post(), errand), server.asked


async def problem(script, **more):
    return await failure(after(script, **more))


@pytest.mark.parametrize(
    ("secret", "key"), [("any text", b"any text"), (f"whsec_{base64.b64encode(b'bytes').decode()}", b"bytes")]
)
async def test_a_post_is_signed_as_standard_webhooks_says(secret, key):
    sent, (asked,) = await after(saying(answer(202, {})), secret="desk", secrets={"desk": secret})
    stamp = str(int(NOON.timestamp()))
    signed = f"{a_post().key}.{stamp}.".encode() + asked.body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert asked.line == "POST /news?to=desk HTTP/1.1"
    assert asked.body == a_post().payload.encode()
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["webhook-id"] == asked.headers["idempotency-key"] == sent == a_post().key
    assert asked.headers["webhook-timestamp"] == stamp
    assert asked.headers["webhook-signature"] == f"v1,{wanted}"


async def test_without_a_secret_a_post_is_not_signed():
    _, (asked,) = await after(saying(answer(200, {})))
    assert "webhook-signature" not in asked.headers


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({"id": "abc"}, "abc"),
        ({"id": 12}, "12"),
        ({"id": "x" * 500}, "x" * 200),
        ({"id": "a\n\x00b"}, "a b"),
        ({"id": " "}, a_post().key),
        ({"id": None}, a_post().key),
        (b"OK", a_post().key),
        (b"", a_post().key),
    ],
)
async def test_a_message_has_the_receivers_id_or_the_posts_key(body, sent):
    assert (await after(saying(answer(200, body))))[0] == sent


@pytest.mark.parametrize(
    ("said", "meaning", "is_dead"),
    [
        (answer(400, b"no such\n desk"), DeliveryRefused, False),
        (answer(401), DeliveryRefused, False),
        (answer(404), DeliveryRefused, True),
        (answer(410), DeliveryRefused, True),
        (answer(301, Location="https://elsewhere.example/"), DeliveryRefused, False),
        (answer(408), Unknown, None),
        (answer(425), NotSent, None),
        (answer(500), Unknown, None),
        (answer(503), Unknown, None),
        (b"", Unknown, None),
    ],
)
async def test_each_answer_has_one_meaning(said, meaning, is_dead):
    error = await problem(saying(said))
    assert type(error) is meaning
    assert getattr(error, "is_dead", None) is is_dead
    assert "\n" not in str(error)


async def test_the_receivers_own_words_are_told():
    assert "answered 400: no such desk" in str(await problem(saying(answer(400, b"no such\n desk"))))


async def test_a_receiver_that_is_too_busy_is_left_alone_as_long_as_it_asks():
    error = await problem(saying(answer(429, b"", Retry_After="30")))
    assert (type(error), error.after) == (NotSent, timedelta(seconds=30))


@pytest.mark.parametrize("script", [hanging, resetting])
async def test_an_answer_that_never_came_leaves_it_unknown_and_it_may_be_sent_again(monkeypatch, script):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.3)
    assert type(await problem(script)) is Unknown
    assert WebhookChannel.repeats


async def test_what_found_nobody_or_a_private_address_was_not_sent():
    async with on_an_errand() as errand:
        assert type(await failure(a_webhook(closed_port()).send(a_post(), errand))) is NotSent
        inside = WebhookChannel(WebhookChannel.Options(url="http://127.0.0.1:1/"))
        error = await failure(inside.send(a_post(), errand))
        assert type(error) is NotSent
        assert "allow_private" in str(error)


async def test_a_private_receiver_that_the_operator_allows_is_asked():
    async with serving(saying(answer(200, {"id": "in"}))) as server, on_an_errand() as errand:
        inside = WebhookChannel(WebhookChannel.Options(url=f"http://{server.address}/", allow_private=True))
        assert await inside.send(a_post(), errand) == "in"


@pytest.mark.parametrize("secrets", [{}, {"desk": f"whsec_{CANARY}"}, {"desk": f"{CANARY}\nmore"}])
async def test_a_secret_that_is_missing_or_broken_says_what_to_set(secrets):
    error = await problem(saying(answer(200)), secret="desk", secrets=secrets)
    assert type(error) is DeliveryRefused
    assert "SCOOP_SECRET_DESK" in str(error)
    assert CANARY not in str(error)


@pytest.mark.parametrize("url", ["", "ftp://x.example/", "http://", "https://me:pass@x.example/", "hooks.example"])
def test_only_web_addresses_without_a_password_are_taken(url):
    with pytest.raises(msgspec.ValidationError, match="http or https"):
        msgspec.convert({"url": url}, WebhookChannel.Options)


def test_a_digest_is_told_whole_with_every_story_and_as_markdown():
    (part,) = a_webhook().parts(a_digest(), lambda number: f"marker{number}")
    told = json.loads(part.payload)
    story = told["stories"][0]
    assert {key: value for key, value in told.items() if key not in {"stories", "markdown"}} == {
        "topic_slug": "ai_news",
        "topic_name": "AI News",
        "run_date": "2026-11-15",
        "timezone": "Europe/Berlin",
        "introduction": "",
        "part_no": 1,
        "parts": 1,
        "marker": "marker1",
    }
    assert (story["story_id"], story["url"], story["twins"][0]["title"]) == (4, "https://tribune.example/1", "Twin")
    assert "Bridge closed" in told["markdown"]
    assert part.story_ids == (4, 9)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([200, 201, 204, 302, 400, 404, 408, 410, 425, 429, 500, 599]), st.binary(max_size=100))
async def test_whatever_is_answered_a_post_was_sent_not_sent_refused_or_is_unknown(status, body):
    try:
        sent, _ = await after(saying(answer(status, body)))
    except (NotSent, DeliveryRefused, Unknown):
        return
    assert 0 < len(sent) <= 200
