"""Whoever visits the hostile face through Scoop's client comes back unhurt, and says what happened."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from newsstand_builders import ANCHOR, a_world

from scoop.errors import FetchFailed
from scoop.fetch import client as fetching
from scoop.fetch.client import Client, Request, Response, open_client
from scoop.fetch.robots import RobotsFiles
from scoop.newsstand import server
from scoop.newsstand.sites import hostile
from scoop.serve import serving


@dataclass(frozen=True, kw_only=True)
class Prey:
    client: Client
    address: str

    async def get(self, path: str) -> Response:
        return await self.client.get(f"http://{hostile.HOST}{path}", connect_to=self.address)


@pytest.fixture
async def prey() -> AsyncIterator[Prey]:
    app = server.create_app(a_world(), ANCHOR, lambda: ANCHOR)
    async with serving(app) as url:
        address = url.removeprefix("http://")
        async with open_client(allowed=[address]) as client:
            yield Prey(client=client, address=address)


@pytest.mark.parametrize(
    "path", ["/endless", "/huge", *(f"/bomb/{name}" for name in hostile.BOMBS if name.count("+") < 2)]
)
async def test_what_grows_without_measure_is_cut_off(prey, path):
    with pytest.raises(FetchFailed, match="larger than 15 MiB"):
        await prey.get(path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/bomb/" + "+".join(["gzip"] * 9), "encoded 9 times over"),
        ("/truncated", "ends too early"),
        ("/not-offered", "was not offered"),
        ("/redirect/loop", "redirects more than 5 times"),
    ],
)
async def test_what_cannot_be_read_is_named(prey, path, reason):
    with pytest.raises(FetchFailed, match=reason):
        await prey.get(path)


async def test_a_drip_is_given_up_at_the_deadline(prey, monkeypatch):
    monkeypatch.setattr(fetching, "DEADLINE_SECONDS", 0.3)
    with pytest.raises(FetchFailed) as failed:
        await prey.get("/drip")
    assert failed.value.health == "timeout"


@pytest.mark.parametrize("number", range(len(hostile.PRIVATE_ADDRESSES)))
async def test_nobody_is_led_inside(prey, number):
    with pytest.raises(FetchFailed) as failed:
        await prey.client.get(f"http://{prey.address}/{hostile.HOST}/redirect/private/{number}")
    assert failed.value.health == "refused_address"


@pytest.mark.parametrize("status", [301, 308])
async def test_a_move_for_good_is_followed_and_told(prey, status):
    answer = await prey.get(f"/moved/{status}")
    assert answer.body == hostile.FEED
    assert answer.moved_to == "http://hostile.example/feed.xml"


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("form", "after"),
    [
        ("seconds", timedelta(minutes=2)),
        ("date", timedelta(minutes=2)),
        ("past", timedelta()),
        ("garbage", None),
    ],
)
async def test_a_busy_server_says_when_to_come_back(prey, status, form, after):
    answer = await prey.get(f"/busy/{status}/{form}")
    assert fetching.response_failure(answer, now=ANCHOR).after == after


@pytest.mark.parametrize(
    ("path", "status", "body"), [("/not-modified", 304, b""), ("/gone", 410, b""), ("/empty", 200, b"")]
)
async def test_what_brings_nothing_is_answered_as_such(prey, path, status, body):
    answer = await prey.get(path)
    assert (answer.status, answer.body) == (status, body)


async def test_a_flood_has_other_ids_at_every_visit(prey):
    answer = await prey.get("/flood")
    assert answer.body.count(b"<item>") == hostile.FLOOD_ITEMS


async def test_without_its_robots_a_site_is_left_alone(prey):
    request = Request(url=f"http://{hostile.ROBOTLESS_HOST}/feed.xml", connect_to=prey.address)
    with pytest.raises(FetchFailed) as failed:
        await RobotsFiles().check(prey.client, request, now=ANCHOR)
    assert failed.value.health == "robots"
