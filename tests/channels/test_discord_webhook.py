"""The webhook's channel: it waits for its answer, holds what nobody can look up, and never tells its address."""

import traceback

import msgspec
import pytest

from channels.posts import (
    CANARY,
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
from scoop.channels.discord_webhook import DiscordWebhook
from scoop.fetch import client as fetch

ADDRESS = f"https://discord.com/api/webhooks/123456789012345678/{CANARY}"


def a_webhook(address: str | None = None) -> DiscordWebhook:
    return DiscordWebhook(DiscordWebhook.Options(url="desk", connect_to=address))


async def after(script, ask, *, secret: str = ADDRESS):
    async with serving(script) as server, on_an_errand(desk=secret) as errand:
        return await ask(a_webhook(server.address), errand), server.asked


async def problem(script, **more):
    async def ask(webhook, errand):
        return await failure(webhook.send(a_post(), errand))

    return (await after(script, ask, **more))[0]


@pytest.mark.parametrize(
    ("secret", "query"),
    [
        (ADDRESS, "?wait=true"),
        (ADDRESS.replace("/api/", "/api/v9/"), "?wait=true"),
        (f"{ADDRESS}/?wait=false&thread_id=55", "?wait=true&thread_id=55"),
    ],
)
async def test_a_post_is_sent_as_it_was_frozen_and_its_answer_waited_for(secret, query):
    sent, (asked,) = await after(
        saying(answer(200, {"id": "987"})), lambda webhook, errand: webhook.send(a_post(), errand), secret=secret
    )
    assert sent == "987"
    assert asked.line == f"POST /api/v10/webhooks/123456789012345678/{CANARY}{query} HTTP/1.1"
    assert asked.body == a_post().payload.encode()


@pytest.mark.parametrize(
    ("script", "meaning"),
    [
        (saying(answer(204, b"")), Unknown),
        (saying(answer(500)), Unknown),
        (saying(b""), Unknown),
        (saying(f"{CANARY}\r\n\r\n".encode()), Unknown),
        (hanging, Unknown),
        (resetting, Unknown),
        (saying(answer(429, {"retry_after": 2.5})), NotSent),
        (saying(answer(307, Location=ADDRESS)), DeliveryRefused),
        (saying(answer(400, {"message": f"no {CANARY}", "code": 50035})), DeliveryRefused),
        (saying(answer(404, {"message": "Unknown Webhook", "code": 10015})), DeliveryRefused),
    ],
)
async def test_each_answer_has_one_meaning_and_none_tells_the_token(monkeypatch, script, meaning):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.3)
    error = await problem(script)
    assert type(error) is meaning
    assert CANARY not in "".join(traceback.format_exception(error))


async def test_a_webhook_that_was_deleted_is_dead():
    error = await problem(saying(answer(404, {"message": "Unknown Webhook", "code": 10015})))
    assert error.is_dead
    assert "Unknown Webhook" in str(error)


async def test_where_nobody_answers_nothing_was_sent_and_nothing_is_told():
    async with on_an_errand(desk=ADDRESS) as errand:
        error = await failure(a_webhook(closed_port()).send(a_post(), errand))
    assert type(error) is NotSent
    assert CANARY not in str(error)


@pytest.mark.parametrize(
    "secret", ["", CANARY, ADDRESS.replace("https", "http"), f"https://discord.com/{CANARY}", f"https://[{CANARY}"]
)
async def test_a_secret_that_is_no_webhook_says_what_to_set(secret):
    error = await problem(saying(answer(200, {"id": "1"})), secret=secret)
    assert type(error) is DeliveryRefused
    assert "SCOOP_SECRET_DESK" in str(error)
    assert CANARY not in str(error)


def test_an_address_among_the_options_is_refused_and_not_repeated():
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"url": ADDRESS}, DiscordWebhook.Options)
    assert "the name of a secret" in str(caught.value)
    assert CANARY not in str(caught.value)


async def test_a_correction_changes_the_message_itself():
    post = a_post(message_id="987", correction='{"content": "better"}')
    _, (asked,) = await after(
        saying(answer(200, {"id": "987"})),
        lambda webhook, errand: webhook.edit(post, errand),
        secret=f"{ADDRESS}?thread_id=55",
    )
    assert asked.line.startswith(f"PATCH /api/v10/webhooks/123456789012345678/{CANARY}/messages/987?")
    assert "thread_id=55" in asked.line
    assert asked.json == {"content": "better"}


def test_a_digest_is_told_in_parts_with_their_markers():
    (part,) = a_webhook().parts(a_digest(), lambda number: f"marker{number}")
    assert "marker1" in part.payload
