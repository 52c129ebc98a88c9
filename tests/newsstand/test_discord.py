import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from newsstand_builders import ANCHOR, Clock, Visitor, a_world, visiting

from scoop.newsstand.discord import forms, markdown
from scoop.newsstand.discord.refusals import DiscordError
from scoop.newsstand.discord.state import (
    BOT,
    CHANNELS,
    DEMO_TOKEN,
    GUILD_ID,
    WEBHOOKS,
    Discord,
    DiscordChannel,
    ReplyMode,
)
from scoop.newsstand.sites.discord import HOST

CHANNEL = CHANNELS["ai_news"]
WEBHOOK = WEBHOOKS["ai_news"]
MESSAGES = f"/api/v10/channels/{CHANNEL}/messages"
HOOK = f"/api/v10/webhooks/{WEBHOOK.webhook_id}/{WEBHOOK.token}"
BOT_HEADERS = {"authorization": f"Bot {DEMO_TOKEN}"}


@dataclass(frozen=True, kw_only=True)
class Told:
    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, kw_only=True)
class Caller:
    visitor: Visitor
    clock: Clock

    @property
    def discord(self) -> Discord:
        return self.visitor.app.state.discord

    async def ask(self, method: str, path: str, *, headers: Mapping[str, str] = BOT_HEADERS, **given: Any) -> Told:
        headers = {"host": HOST, **headers}
        async with self.visitor.session.request(method, path, headers=headers, **given) as response:
            text = await response.text()
            return Told(status=response.status, headers=response.headers, body=json.loads(text) if text else None)

    async def post(self, **message: Any) -> Told:
        return await self.ask("POST", MESSAGES, json=message)

    async def ids(self, query: str = "") -> list[str]:
        return [message["id"] for message in (await self.ask("GET", MESSAGES + query)).body]


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    clock = Clock()
    async with visiting(a_world(), clock) as visitor:
        visitor.app.state.discord.limits.is_on = False
        yield Caller(visitor=visitor, clock=clock)


async def test_what_a_bot_posts_is_answered_and_listed(caller):
    posted = await caller.post(content="  Hello  ", nonce="n1")
    assert posted.status == 200
    assert posted.body["content"] == "Hello"
    assert posted.body["author"]["id"] == BOT.user_id
    assert posted.body["nonce"] == "n1"
    assert (await caller.ask("GET", MESSAGES)).body == [posted.body]


async def test_a_bot_learns_who_it_is(caller):
    assert (await caller.ask("GET", "/api/v10/users/@me")).body["id"] == BOT.user_id


@pytest.mark.parametrize("authorization", ["", "Bot wrong", DEMO_TOKEN, f"Bearer {DEMO_TOKEN}"])
async def test_a_wrong_token_is_refused(caller, authorization):
    told = await caller.ask("POST", MESSAGES, headers={"authorization": authorization}, json={"content": "x"})
    assert (told.status, told.body) == (401, {"message": "401: Unauthorized", "code": 0})


@pytest.mark.parametrize(("channel", "status", "code"), [("404", 404, 10003), ("403", 403, 50001)])
async def test_a_channel_that_is_unknown_or_closed_is_refused(caller, channel, status, code):
    caller.discord.add(DiscordChannel(channel_id="403", name="staff", is_open=False))
    told = await caller.ask("POST", f"/api/v10/channels/{channel}/messages", json={"content": "x"})
    assert (told.status, told.body["code"]) == (status, code)


async def test_ids_tell_the_time_and_grow(caller):
    first, second = (await caller.post(content="x")).body["id"], (await caller.post(content="y")).body["id"]
    assert (int(first) >> 22) + 1420070400000 == ANCHOR.timestamp() * 1000
    assert int(first) < int(second)


async def test_the_same_nonce_gives_the_earlier_message(caller):
    first = await caller.post(content="x", nonce="n1", enforce_nonce=True)
    again = await caller.post(content="other", nonce="n1", enforce_nonce=True)
    assert again.body == first.body
    assert len(caller.discord.messages(CHANNEL)) == 1


@pytest.mark.parametrize("minutes", [0, 5])
async def test_a_nonce_is_forgotten_after_its_window(caller, minutes):
    caller.discord.nonce_window = timedelta(minutes=minutes)
    for _ in range(2):
        await caller.post(content="x", nonce=7, enforce_nonce=True)
        caller.clock.turn(hours=minutes / 60)
    assert len(caller.discord.messages(CHANNEL)) == 2


async def test_a_nonce_that_is_not_enforced_stops_nothing(caller):
    for _ in range(2):
        await caller.post(content="x", nonce="n1")
    assert len(caller.discord.messages(CHANNEL)) == 2


async def test_listings_are_newest_first_and_nearest_to_what_was_named(caller):
    ids = [(await caller.post(content=str(number))).body["id"] for number in range(5)]
    assert await caller.ids() == ids[::-1]
    assert await caller.ids("?limit=2") == [ids[4], ids[3]]
    assert await caller.ids(f"?after={ids[0]}&limit=2") == [ids[2], ids[1]]
    assert await caller.ids(f"?before={ids[3]}&limit=2") == [ids[2], ids[1]]


@pytest.mark.parametrize(
    ("limit", "code"), [("0", "NUMBER_TYPE_MIN"), ("101", "NUMBER_TYPE_MAX"), ("x", "NUMBER_TYPE_COERCE")]
)
async def test_a_listing_has_between_1_and_100_messages(caller, limit, code):
    told = await caller.ask("GET", f"{MESSAGES}?limit={limit}")
    assert (told.status, told.body["errors"]["limit"]["_errors"][0]["code"]) == (400, code)


async def test_a_bot_edits_and_deletes_its_message(caller):
    posted = await caller.post(content="x", embeds=[{"title": "t"}])
    path = f"{MESSAGES}/{posted.body['id']}"
    edited = await caller.ask("PATCH", path, json={"content": "y"})
    assert (edited.body["content"], edited.body["embeds"][0]["title"]) == ("y", "t")
    assert edited.body["edited_timestamp"]
    assert (await caller.ask("DELETE", path)).status == 204
    assert (await caller.ask("GET", path)).body["code"] == 10008


async def test_an_edit_may_not_leave_a_message_empty(caller):
    posted = await caller.post(content="x")
    told = await caller.ask("PATCH", f"{MESSAGES}/{posted.body['id']}", json={"content": None})
    assert told.body["code"] == 50006


async def test_a_bot_may_not_touch_what_a_webhook_said(caller):
    posted = await caller.ask("POST", f"{HOOK}?wait=true", json={"content": "x"})
    path = f"{MESSAGES}/{posted.body['id']}"
    assert (await caller.ask("PATCH", path, json={"content": "y"})).body["code"] == 50005
    assert (await caller.ask("DELETE", path)).body["code"] == 50013


@pytest.mark.parametrize("address", [HOOK, WEBHOOK.url.removeprefix("https://discord.com")])
async def test_a_webhook_tells_its_message_only_to_those_who_wait(caller, address):
    assert (await caller.ask("POST", address, json={"content": "x"})).status == 204
    waited = await caller.ask("POST", f"{address}?wait=true", json={"content": "y", "username": "Desk"})
    assert (waited.status, waited.body["author"]["username"]) == (200, "Desk")
    assert len(caller.discord.messages(CHANNEL)) == 2


async def test_a_webhook_reads_edits_and_deletes_its_own_messages_only(caller):
    own = (await caller.ask("POST", f"{HOOK}?wait=true", json={"content": "x"})).body["id"]
    others = (await caller.post(content="y")).body["id"]
    assert (await caller.ask("PATCH", f"{HOOK}/messages/{own}", json={"content": "z"})).status == 200
    assert (await caller.ask("GET", f"{HOOK}/messages/{own}")).body["content"] == "z"
    assert (await caller.ask("DELETE", f"{HOOK}/messages/{own}")).status == 204
    assert (await caller.ask("GET", f"{HOOK}/messages/{others}")).body["code"] == 10008


@pytest.mark.parametrize(("path", "code"), [("1/x", 10015), (f"{WEBHOOK.webhook_id}/wrong", 50027)])
async def test_a_webhook_that_is_not_is_refused(caller, path, code):
    told = await caller.ask("POST", f"/api/v10/webhooks/{path}", json={"content": "x"})
    assert told.body["code"] == code


TOO_LONG = "BASE_TYPE_MAX_LENGTH"
A_FIELD = {"name": "n", "value": "v"}


@pytest.mark.parametrize(
    ("message", "path", "code"),
    [
        ({"content": "x" * 2001}, "content", TOO_LONG),
        ({"content": ["x"]}, "content", "STRING_TYPE_CONVERT"),
        ({"embeds": [{"title": "t"}] * 11}, "embeds", TOO_LONG),
        ({"embeds": [{"title": "t"}, {"title": "x" * 257}]}, "embeds.1.title", TOO_LONG),
        ({"embeds": [{"description": "x" * 4097}]}, "embeds.0.description", TOO_LONG),
        ({"embeds": [{"fields": [A_FIELD] * 26}]}, "embeds.0.fields", TOO_LONG),
        ({"embeds": [{"fields": [A_FIELD | {"name": "x" * 257}]}]}, "embeds.0.fields.0.name", TOO_LONG),
        ({"embeds": [{"fields": [A_FIELD | {"value": "x" * 1025}]}]}, "embeds.0.fields.0.value", TOO_LONG),
        ({"embeds": [{"fields": [{"name": "n", "value": " "}]}]}, "embeds.0.fields.0.value", "BASE_TYPE_REQUIRED"),
        ({"embeds": [{"footer": {"text": "x" * 2049}}]}, "embeds.0.footer.text", TOO_LONG),
        ({"embeds": [{"author": {"name": "x" * 257}}]}, "embeds.0.author.name", TOO_LONG),
        ({"embeds": [{"description": "x" * 3001}] * 2}, "embeds", "MAX_EMBED_SIZE_EXCEEDED"),
        ({"embeds": [{"title": "t", "url": "ftp://a.example/"}]}, "embeds.0.url", "URL_TYPE_INVALID_SCHEME"),
        ({"embeds": [{"title": "t", "url": "a.example"}]}, "embeds.0.url", "URL_TYPE_INVALID_URL"),
        ({"embeds": [{"title": "t", "url": "http://[a"}]}, "embeds.0.url", "URL_TYPE_INVALID_URL"),
        ({"embeds": [{"title": "t", "color": 1 << 24}]}, "embeds.0.color", "NUMBER_TYPE_MAX"),
        ({"embeds": [{"title": "t", "timestamp": "noon"}]}, "embeds.0.timestamp", "DATE_TIME_TYPE_PARSE"),
        ({"embeds": {"title": "t"}}, "embeds", "LIST_TYPE_CONVERT"),
        ({"embeds": ["t"]}, "embeds.0", "DICT_TYPE_CONVERT"),
        ({"content": "x", "nonce": "n" * 26}, "nonce", "NONCE_TYPE_TOO_LONG"),
        ({"content": "x", "nonce": 1.5}, "nonce", "NONCE_TYPE_INVALID_TYPE"),
        ({"content": "x", "enforce_nonce": "yes"}, "enforce_nonce", "BOOLEAN_TYPE_CONVERT"),
        ({"content": "x", "allowed_mentions": {"parse": ["all"]}}, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"),
        ({"content": "x", "allowed_mentions": {"users": ["me"]}}, "allowed_mentions.users.0", "NUMBER_TYPE_COERCE"),
        (
            {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
            "allowed_mentions",
            "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        ),
    ],
)
async def test_what_is_beyond_the_limits_is_refused_with_its_path(caller, message, path, code):
    told = await caller.post(**message)
    assert (told.status, told.body["code"], told.body["message"]) == (400, 50035, "Invalid Form Body")
    place = told.body["errors"]
    for key in path.split("."):
        place = place[key]
    assert [error["code"] for error in place["_errors"]] == [code]
    assert caller.discord.messages(CHANNEL) == []


async def test_what_is_just_within_the_limits_is_taken(caller):
    embeds = [{"title": "t" * 256, "description": "d" * 4096, "author": {"name": "a" * 256}}]
    embeds += [{"fields": [{"name": "n", "value": "v"}] * 25, "footer": {"text": "f" * (6000 - 4608 - 50)}}]
    assert (await caller.post(content="x" * 2000, embeds=embeds, nonce="n" * 25)).status == 200


@pytest.mark.parametrize(
    "message", [{}, {"content": " \n "}, {"embeds": []}, {"embeds": [{"url": "http://a.example"}]}]
)
async def test_an_empty_message_is_refused(caller, message):
    told = await caller.post(**message)
    assert (told.status, told.body) == (400, {"message": "Cannot send an empty message", "code": 50006})


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"content": NaN}', b'{"content": "\\ud800"}'])
async def test_what_is_not_json_is_refused(caller, body):
    told = await caller.ask("POST", MESSAGES, data=body, headers=BOT_HEADERS | {"content-type": "application/json"})
    assert (told.status, told.body["code"]) == (400, 50109)


async def test_json_that_does_not_say_so_is_refused(caller):
    told = await caller.ask("POST", MESSAGES, data=b'{"content": "x"}')
    assert told.body["errors"]["_errors"][0]["code"] == "CONTENT_TYPE_INVALID"


async def test_of_embeds_with_one_url_only_the_first_is_shown(caller):
    a, b = "http://a.example/", "http://b.example/"
    embeds = [{"title": "1", "url": a}, {"title": "2", "url": b}, {"title": "3", "url": a}, {"title": "4"}]
    posted = await caller.post(embeds=[*embeds, {"title": "5"}])
    assert [embed["title"] for embed in posted.body["embeds"]] == ["1", "2", "4", "5"]


CALLS = "@everyone @here <@1> <@!2> <@&3>"


@pytest.mark.parametrize(
    ("allowed", "pinged"),
    [
        (None, ("@everyone", "@here", "<@1>", "<@!2>", "<@&3>")),
        ({"parse": []}, ()),
        ({}, ()),
        ({"parse": ["users"]}, ("<@1>", "<@!2>")),
        ({"parse": ["everyone"], "users": ["2"], "roles": ["3"]}, ("@everyone", "@here", "<@!2>", "<@&3>")),
    ],
)
async def test_a_message_pings_whom_it_may(caller, allowed, pinged):
    posted = await caller.post(content=CALLS, allowed_mentions=allowed)
    assert caller.discord.messages(CHANNEL)[0].pinged == pinged
    assert posted.body["mention_everyone"] == ("@everyone" in pinged)


async def test_a_webhook_pings_users_unless_told_otherwise_and_embeds_nobody(caller):
    await caller.ask("POST", HOOK, json={"content": CALLS})
    await caller.post(embeds=[{"title": CALLS, "description": CALLS}])
    assert [message.pinged for message in caller.discord.messages(CHANNEL)] == [("<@1>", "<@!2>"), ()]


async def test_a_full_bucket_says_how_long_to_wait(caller):
    caller.discord.limits.is_on = True
    answers = [await caller.post(content="x") for _ in range(6)]
    assert [told.headers["X-RateLimit-Remaining"] for told in answers] == ["4", "3", "2", "1", "0", "0"]
    assert [told.status for told in answers] == [200] * 5 + [429]
    assert answers[5].body == {"message": "You are being rate limited.", "retry_after": 5.0, "global": False}
    assert answers[5].headers["Retry-After"] == "5"
    assert answers[5].headers["X-RateLimit-Reset-After"] == "5.000"
    caller.clock.turn(hours=5 / 3600)
    assert (await caller.post(content="x")).status == 200


async def test_each_channel_has_a_bucket_of_its_own(caller):
    caller.discord.limits.is_on = True
    caller.discord.limits.requests = 1
    others = f"/api/v10/channels/{CHANNELS['world_news']}/messages"
    answers = [await caller.post(content="x"), await caller.ask("POST", others, json={"content": "x"})]
    assert [told.status for told in answers] == [200, 200]
    assert len({told.headers["X-RateLimit-Bucket"] for told in answers}) == 2


async def test_all_requests_of_a_bot_together_are_limited(caller):
    caller.discord.limits.is_on = True
    caller.discord.limits.requests_a_second = 1
    await caller.post(content="x")
    told = await caller.ask("GET", MESSAGES)
    assert (told.status, told.body["global"], told.headers["X-RateLimit-Global"]) == (429, True, "true")


@pytest.mark.parametrize(
    ("mode", "status", "stored"),
    [
        (ReplyMode.ACCEPT, 200, 1),
        (ReplyMode.ACCEPT_204, 204, 1),
        (ReplyMode.ACCEPT_500, 500, 1),
        (ReplyMode.REJECT_500, 500, 0),
        (ReplyMode.REJECT_429, 429, 0),
        (ReplyMode.REJECT_429_GLOBAL, 429, 0),
    ],
)
@pytest.mark.parametrize("path", [MESSAGES, f"{HOOK}?wait=true"])
async def test_what_goes_wrong_can_be_scripted(caller, path, mode, status, stored):
    caller.discord.script(CHANNEL, [mode])
    told = await caller.ask("POST", path, json={"content": "x"})
    assert (told.status, len(caller.discord.messages(CHANNEL))) == (status, stored)
    assert (await caller.ask("POST", path, json={"content": "y"})).status == 200


@pytest.mark.parametrize("is_global", [False, True])
async def test_a_scripted_limit_tells_its_wait_twice(caller, is_global):
    caller.discord.script(CHANNEL, [ReplyMode.REJECT_429_GLOBAL if is_global else ReplyMode.REJECT_429])
    told = await caller.post(content="x")
    assert (told.body["retry_after"], told.body["global"], told.headers["Retry-After"]) == (0.35, is_global, "1")


@pytest.mark.parametrize(("mode", "stored"), [(ReplyMode.ACCEPT_DROP, 1), (ReplyMode.REJECT_DROP, 0)])
async def test_a_dropped_connection_gives_no_answer(caller, mode, stored):
    caller.discord.script(CHANNEL, [mode])
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await caller.post(content="x")
    assert len(caller.discord.messages(CHANNEL)) == stored


async def test_a_hanging_answer_never_comes(caller):
    caller.discord.script(CHANNEL, [ReplyMode.ACCEPT_HANG])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await caller.post(content="x")
    assert len(caller.discord.messages(CHANNEL)) == 1


async def test_a_hanging_answer_is_given_up_in_the_end(caller):
    caller.discord.hang_seconds = 0.05
    caller.discord.script(CHANNEL, [ReplyMode.ACCEPT_HANG])
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await caller.post(content="x")


async def test_who_does_not_wait_is_not_told_that_it_failed(caller):
    caller.discord.script(CHANNEL, [ReplyMode.REJECT_500])
    assert (await caller.ask("POST", HOOK, json={"content": "x"})).status == 204
    assert caller.discord.messages(CHANNEL) == []


async def test_what_goes_wrong_can_be_left_to_chance(caller):
    dice = random.Random(7)
    caller.discord.chance = lambda: dice.choice([ReplyMode.ACCEPT, ReplyMode.REJECT_500])
    statuses = [(await caller.post(content="x")).status for _ in range(20)]
    assert set(statuses) == {200, 500}
    assert len(caller.discord.messages(CHANNEL)) == statuses.count(200)


async def test_a_refused_form_uses_up_no_mode(caller):
    caller.discord.script(CHANNEL, [ReplyMode.ACCEPT_500])
    await caller.post()
    assert (await caller.post(content="x")).status == 500


async def test_a_late_message_is_found_after_its_delay(caller):
    caller.discord.lateness = timedelta(hours=1)
    posted = await caller.post(content="x", nonce="n1", enforce_nonce=True)
    path = f"{MESSAGES}/{posted.body['id']}"
    assert (await caller.ids(), (await caller.ask("GET", path)).status) == ([], 404)
    assert (await caller.post(content="x", nonce="n1", enforce_nonce=True)).body["id"] == posted.body["id"]
    caller.clock.turn(hours=1)
    assert (await caller.ids(), (await caller.ask("GET", path)).status) == ([posted.body["id"]], 200)


def unchanged(url: str) -> str:
    return url


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**b** *i* _i_ __u__ ~~s~~", "<p><strong>b</strong> <em>i</em> <em>i</em> <u>u</u> <s>s</s></p>"),
        ("***both***", "<p><strong><em>both</em></strong></p>"),
        (r"\*plain\* a_b_c 2 * 3 * 4", "<p>*plain* a_b_c 2 * 3 * 4</p>"),
        (r"**a \*\* b", "<p>**a ** b</p>"),
        ("`**code**` ``a`b``", "<p><code>**code**</code> <code>a`b</code></p>"),
        ("# One\n## Two\n### Three\n#four", "<h3>One</h3><h4>Two</h4><h5>Three</h5><p>#four</p>"),
        ("a\nb\n-# small", "<p>a\nb</p><small>small</small>"),
        ("> *a\n> b*\nc", "<blockquote><em>a\nb</em></blockquote><p>c</p>"),
        (">>> a\nb", "<blockquote>a\nb</blockquote>"),
        ("- a\n- b", "<li>a</li><li>b</li>"),
        ("```py\n<x>\n```end", "<pre><code>&lt;x&gt;</code></pre><p>end</p>"),
        ("||x|| @here", '<p><span class="spoiler">x</span> <span class="mention">@here</span></p>'),
        ("<b>&", "<p>&lt;b&gt;&amp;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ],
)
def test_markdown_is_shown_as_discord_shows_it(text, shown):
    assert markdown.render(text, unchanged) == shown


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (r"[a \] **b**](https://a.example/x_(y))", [("https://a.example/x_(y)", "a ] b")]),
        ("[a](<https://a.example/?q=1>)", [("https://a.example/?q=1", "a")]),
        ("see https://a.example/x, <https://b.example>", [("https://a.example/x",) * 2, ("https://b.example",) * 2]),
        ("[https://a.example](https://evil.example)", []),
    ],
)
def test_links_lead_where_they_say(text, links):
    shown = html.fromstring(f"<div>{markdown.render(text, unchanged)}</div>")
    assert [(link.get("href"), link.text_content()) for link in shown.iter("a")] == links


MARKS = [*'*_~`|<>[]()\\#-@\n x"', "**", "||", "```", "https://a.example/", "javascript:"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(MARKS), max_size=60).map("".join)))
@example("*" * 4096)
def test_no_text_brings_tags_of_its_own(text):
    shown = html.fromstring(f"<div>{markdown.render(text.replace(chr(0), ''), unchanged)}</div>")
    known = {*markdown.TAGS.values(), *markdown.LINE_TAGS.values(), "div", "p", "pre", "code", "a", "span"}
    assert {element.tag for element in shown.iter()} <= known
    assert {name for element in shown.iter() for name in element.attrib} <= {"href", "rel", "class"}
    assert all(link.get("href").startswith(("http://", "https://")) for link in shown.iter("a"))


KEYS = st.sampled_from(["title", "url", "fields", "name", "footer", "text", "parse"])
WILD = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 1 << 25) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(st.dictionaries(st.sampled_from(["content", "embeds", "nonce", "allowed_mentions", "username"]), WILD))
def test_whatever_is_handed_in_is_a_form_or_a_refusal(message):
    with suppress(DiscordError):
        form = forms.read(json.dumps(message).encode(), "application/json")
        assert len(form.content) <= 2000


async def page(caller: Caller, path: str = f"/{HOST}/channels") -> html.HtmlElement:
    return html.fromstring((await caller.visitor.get(path)).text)


async def test_the_page_shows_a_message_with_its_embeds(caller):
    embed = {
        "title": "River *rises*",
        "url": "http://tribune.example/flood",
        "description": "It **rained**.",
        "color": 0xFF0000,
        "fields": [{"name": "Told by", "value": "two"}],
        "footer": {"text": "1/1 · <k7f2>"},
    }
    posted = await caller.post(content="**World news**", embeds=[embed, {"description": "second"}])
    article = (await page(caller)).get_element_by_id(posted.body["id"])
    for text in ("Scoop", "World news", "River rises", "It rained.", "Told by", "1/1 · <k7f2>", "second"):
        assert text in article.text_content()
    assert article.xpath(".//h3/a/@href") == ["/tribune.example/flood"]
    assert article.xpath(".//section/@style")[0] == "--bar: #ff0000"


async def test_the_page_leads_to_every_channel(caller):
    links = (await page(caller)).xpath("//nav//a/@href")
    assert links == [f"/{HOST}/channels/{GUILD_ID}/{channel_id}" for channel_id in CHANNELS.values()]
    assert "Nothing was posted here yet" in (await page(caller, links[1])).text_content()
    assert (await caller.visitor.get(f"/{HOST}/channels/{GUILD_ID}/1")).status == 404


async def test_the_page_runs_no_script(caller):
    await caller.post(content="<script>1</script>", embeds=[{"title": "<img src=x onerror=1>", "url": 'http://a/"x'}])
    answer = await caller.visitor.get(f"/{HOST}/channels")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert html.fromstring(answer.text).xpath("//script | //img | //@onerror") == []


async def test_a_message_that_follows_at_once_does_not_repeat_who_speaks(caller):
    await caller.post(content="1/2")
    await caller.post(content="2/2")
    caller.clock.turn(hours=1)
    await caller.post(content="later")
    assert len((await page(caller)).xpath("//article")) == 3
    assert len((await page(caller)).xpath("//article/header")) == 2


async def test_the_newsstand_leads_to_the_page():
    async with visiting(a_world()) as visitor:
        assert f"/{HOST}/channels" in html.fromstring((await visitor.get("/")).text).xpath("//a/@href")
