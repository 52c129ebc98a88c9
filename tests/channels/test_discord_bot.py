"""The bot's channel: every answer of Discord's has one meaning, and a post that may have arrived is looked for."""

import json
from datetime import timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.posts import (
    CANARY,
    MARKER,
    NOON,
    a_digest,
    a_post,
    answer,
    by_path,
    closed_port,
    failure,
    hanging,
    on_an_errand,
    resetting,
    saying,
    serving,
)
from scoop.channels import DeliveryRefused, NotSent, Unknown
from scoop.channels.discord_bot import PAGE, DiscordBot
from scoop.fetch import client as fetch

CHANNEL = "123456789012345678"
BOT = {"id": "42"}
ME = {"/users/@me": answer(200, BOT)}
FORM = {
    "message": "Invalid Form Body", "code": 50035,
    "errors": {"embeds": {"0": {"title": {"_errors": [{"code": "LONG", "message": "Must be 256 or fewer."}]}}}},
}  # fmt: skip


def a_bot(address: str | None = None, **options) -> DiscordBot:
    return DiscordBot(DiscordBot.Options(channel_id=CHANNEL, connect_to=address, **options))


def a_message(number: int, *, author: str = "42", content: str = "", footer: str | None = None) -> dict:
    embeds = [{"title": "x"}, {"footer": {"text": footer}}] if footer else []
    return {"id": str(number), "author": {"id": author}, "content": content, "embeds": embeds, "type": 0}


async def after(script, ask):
    """What a bot makes of a server, and what the server was asked."""
    async with serving(script) as server, on_an_errand(discord_bot_token=CANARY) as errand:
        return await ask(a_bot(server.address), errand), server.asked


async def problem(script):
    async def ask(bot, errand):
        return await failure(bot.send(a_post(), errand))

    return (await after(script, ask))[0]


async def test_a_post_is_sent_as_it_was_frozen_with_its_marker_as_nonce():
    sent, (asked,) = await after(saying(answer(200, {"id": "987"})), lambda bot, errand: bot.send(a_post(), errand))
    assert sent == "987"
    assert asked.line == f"POST /api/v10/channels/{CHANNEL}/messages HTTP/1.1"
    assert asked.headers["authorization"] == f"Bot {CANARY}"
    assert asked.headers["host"] == "discord.com"
    assert asked.json == json.loads(a_post().payload) | {"nonce": MARKER, "enforce_nonce": True}


@pytest.mark.parametrize(
    ("said", "meaning", "is_dead", "told"),
    [
        (answer(400, FORM), DeliveryRefused, False, "Invalid Form Body (50035); embeds.0.title: Must be 256 or fewer."),
        (answer(401, {"message": "401: Unauthorized", "code": 0}), DeliveryRefused, True, "401: Unauthorized"),
        (answer(403, {"message": "Missing Access", "code": 50001}), DeliveryRefused, True, "Missing Access (50001)"),
        (answer(404, {"message": "Unknown Channel", "code": 10003}), DeliveryRefused, True, "Unknown Channel (10003)"),
        (answer(413, b"<html>"), DeliveryRefused, False, "413"),
        (answer(302, Location="https://elsewhere.example/"), DeliveryRefused, False, "redirect"),
        (answer(408), Unknown, None, "408"),
        (answer(500), Unknown, None, "500"),
        (answer(502, b"<html>bad gateway"), Unknown, None, "502"),
        (answer(503, Retry_After="3"), Unknown, None, "503"),
        (answer(204, b""), Unknown, None, "204"),
        (answer(200, {}), Unknown, None, "200"),
        (answer(200, {"id": "x"}), Unknown, None, "200"),
        (answer(200, b"{"), Unknown, None, "200"),
        (b"", Unknown, None, "closed the connection"),
        (b"SSH-2.0\r\n", Unknown, None, ""),
    ],
)
async def test_each_answer_has_one_meaning(said, meaning, is_dead, told):
    error = await problem(saying(said))
    assert type(error) is meaning
    assert getattr(error, "is_dead", None) is is_dead
    assert told in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        (answer(429, {"retry_after": 1.5, "global": False}, Retry_After="1"), 1.5),
        (answer(429, {"retry_after": 0.25, "global": True}, Retry_After="3"), 3),
        (answer(429, b"<html>banned", Retry_After="600"), 600),
        (answer(429, {"retry_after": 1e300}), 48 * 3600),
    ],
)
async def test_too_many_requests_are_a_wait_as_long_as_discord_asks(said, wait):
    error = await problem(saying(said))
    assert type(error) is NotSent
    assert error.after == timedelta(seconds=wait)


@pytest.mark.parametrize("script", [hanging, resetting])
async def test_an_answer_that_never_came_leaves_it_unknown(monkeypatch, script):
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.3)
    assert type(await problem(script)) is Unknown


async def test_where_nobody_answers_nothing_was_sent():
    async with on_an_errand(discord_bot_token=CANARY) as errand:
        assert type(await failure(a_bot(closed_port()).send(a_post(), errand))) is NotSent


async def test_a_missing_token_or_channel_says_what_to_set():
    async with on_an_errand() as errand:
        assert "SCOOP_CHANNELS_DISCORD_BOT_BOT_TOKEN" in str(await failure(a_bot().send(a_post(), errand)))
        assert "SCOOP_SECRET_DESK" in str(await failure(a_bot(token="desk").send(a_post(), errand)))
    async with on_an_errand(discord_bot_token=CANARY) as errand:
        unplaced = DiscordBot(DiscordBot.Options())
        assert "discord_channel_id" in str(await failure(unplaced.send(a_post(), errand)))


@pytest.mark.parametrize("wrong", [{"channel_id": "12"}, {"channel_id": "1234567890123456789\n"}, {"token": CANARY}])
def test_wrong_options_are_refused_without_telling_a_token(wrong):
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(wrong, DiscordBot.Options)
    assert CANARY not in str(caught.value)


async def test_no_error_tells_the_token_even_if_the_server_does():
    error = await problem(saying(answer(400, {"message": f"what is Bot {CANARY}?"})))
    assert "what is Bot" in str(error)
    assert CANARY not in str(error)


def listing(*pages: list[dict]) -> dict[str, bytes]:
    """Pages by the id after which they are asked for."""
    starts = ["after="] + [f"after={max(int(each['id']) for each in page)} " for page in pages[:-1]]
    return {start: answer(200, page) for start, page in reversed(list(zip(starts, pages, strict=True)))}


async def found(*pages: list[dict], **post) -> tuple[str | None, list]:
    return await after(by_path(ME | listing(*pages)), lambda bot, errand: bot.find(a_post(**post), errand))


@pytest.mark.parametrize("place", [{"footer": f"Berlin · 1/1 · {MARKER}"}, {"content": f"Nothing new\n-# {MARKER}"}])
async def test_a_post_is_found_by_its_marker(place):
    page = [a_message(503), a_message(502, **place), a_message(501, footer="another")]
    assert (await found(page))[0] == "502"


async def test_who_quotes_a_marker_is_not_taken_for_the_post():
    assert (await found([a_message(502, author="666", content=MARKER)]))[0] is None


async def test_of_two_the_older_is_the_post():
    assert (await found([a_message(10, footer=MARKER), a_message(9, footer=MARKER)]))[0] == "9"


async def test_messages_are_read_from_before_the_send_until_the_end():
    full = [a_message(number) for number in range(1000 + PAGE, 1000, -1)]
    sent, asked = await found(full, [a_message(1102, footer=MARKER), a_message(1101)])
    assert sent == "1102"
    start = int(asked[1].line.partition("after=")[2].split()[0])
    margin = NOON.timestamp() - ((start >> 22) / 1000 + 1_420_070_400)
    assert margin == pytest.approx(120)


async def test_what_was_never_tried_is_not_looked_for():
    sent, asked = await found([], sending_at=None)
    assert (sent, asked) == (None, [])


@pytest.mark.parametrize(
    "answers",
    [
        ME | {"/messages": answer(429, {"retry_after": 2})},
        ME | {"/messages": answer(500)},
        ME | {"/messages": answer(200, {"not": "a list"})},
        ME | {"/messages": answer(200, [{"id": "x"}])},
        ME | {"/messages": b""},
    ],
)
async def test_what_cannot_be_looked_for_stays_unknown(answers):
    async def ask(bot, errand):
        return await failure(bot.find(a_post(), errand))

    error, _ = await after(by_path(answers), ask)
    assert type(error) is Unknown


@pytest.mark.parametrize(
    "answers",
    [{"/users": answer(401)}, ME | {"/messages": answer(403, {"message": "Missing Access", "code": 50001})}],
)
async def test_a_bot_that_may_not_look_says_so(answers):
    async def ask(bot, errand):
        return await failure(bot.find(a_post(), errand))

    error, _ = await after(by_path(answers), ask)
    assert type(error) is DeliveryRefused


async def test_without_its_token_a_bot_cannot_look():
    async with on_an_errand() as errand:
        assert "SCOOP_CHANNELS_DISCORD_BOT_BOT_TOKEN" in str(await failure(a_bot().find(a_post(), errand)))


async def test_a_correction_changes_the_message_itself():
    post = a_post(message_id="987", correction='{"content": "better"}')
    _, (asked,) = await after(saying(answer(200, {"id": "987"})), lambda bot, errand: bot.edit(post, errand))
    assert asked.line == f"PATCH /api/v10/channels/{CHANNEL}/messages/987 HTTP/1.1"
    assert asked.json == {"content": "better"}


async def test_a_message_that_somebody_deleted_does_not_make_the_channel_dead():
    async def ask(bot, errand):
        return await failure(bot.edit(a_post(message_id="987", correction="{}"), errand))

    error, _ = await after(saying(answer(404, {"message": "Unknown Message", "code": 10008})), ask)
    assert (type(error), error.is_dead) == (DeliveryRefused, False)


async def test_the_sweep_sees_the_bots_own_messages_with_their_markers_and_can_delete_one():
    newest = [a_message(number) for number in range(1200, 1100, -1)]
    older = [a_message(1100, footer=f"1/2 · {MARKER}"), a_message(1099, author="1", content=MARKER)]
    answers = ME | {"before=1101": answer(200, older), "GET": answer(200, newest), "DELETE": answer(204, b"")}

    async def ask(bot, errand):
        seen = await bot.recent(errand, 150)
        await bot.delete("1100", errand)
        return seen

    seen, asked = await after(by_path(answers), ask)
    assert (len(seen), seen[0], seen[-1]) == (101, ("1200", ()), ("1100", (MARKER,)))
    assert asked[-1].line == f"DELETE /api/v10/channels/{CHANNEL}/messages/1100 HTTP/1.1"


async def test_a_message_that_is_gone_already_counts_as_deleted():
    assert (await after(saying(answer(404)), lambda bot, errand: bot.delete("1100", errand)))[0] is None


def test_a_digest_is_told_in_parts_with_their_markers():
    (part,) = a_bot().parts(a_digest(), lambda number: f"marker{number}")
    assert "marker1" in part.payload
    assert 4 in part.story_ids


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "message", "code", "errors", "_errors", "retry_after", "global"]), below
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([200, 204, 301, 400, 401, 404, 408, 425, 429, 500, 503]), JSON | st.binary(max_size=60))
async def test_whatever_is_answered_a_post_was_sent_not_sent_refused_or_is_unknown(status, body):
    async with serving(saying(answer(status, body))) as server, on_an_errand(discord_bot_token=CANARY) as errand:
        try:
            told = await a_bot(server.address).send(a_post(), errand)
        except (NotSent, DeliveryRefused, Unknown) as error:
            told = str(error)
    assert CANARY not in told


async def test_errors_nested_without_end_are_no_more_than_refused():
    for depth in (50, 800, 100_000):
        body = b'{"errors":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
        assert type(await problem(saying(answer(400, body)))) is DeliveryRefused
