"""Requests to services are counted where they leave the process."""

from datetime import timedelta

import pytest

from builders import FIRE, an_item, told
from channels.posts import a_post, answer, closed_port, failure, on_an_errand, saying, serving
from scoop.channels.discord_webhook import DiscordWebhook
from scoop.core.budgets import Budget
from scoop.errors import FetchFailed
from scoop.fetch.client import open_client
from scoop.fetch.model_server import ModelServer, ServerSettings
from scoop.metrics import recording
from writing import a_desk

WEBHOOK = "https://discord.com/api/webhooks/123456789012345678/token"


@pytest.fixture(autouse=True)
def _nothing_counted():
    recording.take()


def counted():
    """What was counted, without latencies."""
    return {
        (name.removeprefix("scoop_").removesuffix("_total"), *(value for _, value in labels)): amount
        for (name, labels), amount in recording.take().items()
        if "latency" not in name
    }


async def test_requests_to_a_model_server_and_their_errors_are_counted_by_code():
    settings = ServerSettings(noun="writer toy", prefix="SCOOP_WRITERS_TOY")
    async with open_client() as client, serving(saying(answer(401), answer(200, {}))) as server:
        for address in (server.address, server.address, closed_port()):
            model = ModelServer(client=client, endpoint=f"http://{address}/v1", settings=settings, max_bytes=1000)
            try:
                await model.post({}, deadline=timedelta(seconds=5))
            except FetchFailed:
                continue
    assert counted() == {
        ("model_requests", "writer toy"): 3,
        ("model_errors", "writer toy", "401"): 1,
        ("model_errors", "writer toy", "unreachable"): 1,
    }


async def test_requests_of_a_channel_and_their_errors_are_counted_by_code():
    async with (
        serving(saying(answer(429, {"retry_after": 0}, Retry_After="0"), answer(200, {"id": "1"}))) as server,
        on_an_errand(desk=WEBHOOK) as errand,
    ):
        webhook = DiscordWebhook(DiscordWebhook.Options(url="desk", connect_to=server.address))
        await failure(webhook.send(a_post(), errand))
        await webhook.send(a_post(), errand)
    assert counted() == {("channel_requests", "test"): 2, ("channel_errors", "test", "429"): 1}


async def test_tokens_and_waits_of_texts_are_counted_by_task(database, tmp_path):
    await told(database, [an_item(n, title=f"Fire {n}", body_text=f"{FIRE['body_text']} {n}") for n in (1, 2)])
    budget = Budget(requests_per_day=1, tokens_per_day=0, money_per_day=0, requests_per_minute=0)
    async with a_desk(database, tmp_path, budget=budget) as desk:
        ids = [row["document_id"] for row in await desk.rows("SELECT document_id FROM documents")]
        await desk.ask(dict.fromkeys(ids, "en"))
        recording.take()
        await desk.write()
    found = counted()
    assert found["model_requests", "writer openai"] == 1
    assert found["model_waits", "summary", "day"] == 1
    assert found["model_tokens", "summary", "input"] > found["model_tokens", "summary", "output"] > 0
