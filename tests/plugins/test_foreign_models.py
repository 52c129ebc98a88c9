"""The clients of model servers against a server that others wrote: its replies, its errors and its refusals."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npm_servers import serving
from scoop import embedders, plugins, writers
from scoop.core.briefs import Order, Prompt, SourceText
from scoop.errors import FetchFailed, Retry
from scoop.fetch.client import Client, open_client
from scoop.plugin_settings import PluginSettings
from scoop.writers import Writer

KEY = "right-key"
DOCUMENT = SourceText(document_id=7, title="Bridge", body_text="It closed at noon.", language="en", publisher="Tribune")
ORDER = Order(kind="summary", language="en", documents=(DOCUMENT,))
PROMPT = Prompt(
    prompt_id="summary",
    prompt_version="1",
    system="You summarise news.",
    user="It closed at noon.",
    schema={"type": "object"},
    max_output_tokens=800,
)
every_protocol = pytest.mark.parametrize("name", ["openai", "azure"])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Path(__file__).parent / "model_server") as address:
        yield address


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with open_client() as client:
        yield client


def make(package: Any, name: str, client: Client, **options: Any) -> Any:
    settings = PluginSettings(tables={package.__name__.rpartition(".")[2]: {name: options}})
    return plugins.makers(package, settings)[name]({}, client)


def a_writer(address: str, client: Client, model: str, *, name: str = "openai", key: str = KEY) -> Writer:
    chosen = {"deployment" if name == "azure" else "model": model}
    made: Writer = make(writers, name, client, base_url=address, api_key=key, timeout=1, **chosen)
    return made


@every_protocol
async def test_a_reply_comes_with_its_tokens(address, client, name):
    reply = await a_writer(address, client, "writer", name=name).write(ORDER, PROMPT)
    assert json.loads(reply.text)["paragraphs"][0][0]["document"] == 7
    assert (reply.finish, reply.input_tokens, reply.output_tokens) == ("complete", 1200, 34)


@pytest.mark.parametrize(("model", "finish"), [("cut-off", "cut_off"), ("filtered", "filtered")])
async def test_a_reply_that_is_not_complete_says_why(address, client, model, finish):
    assert (await a_writer(address, client, model).write(ORDER, PROMPT)).finish == finish


@pytest.mark.parametrize("model", ["fenced", "no-schema"])
async def test_json_is_read_from_a_fence_and_without_a_schema(address, client, model):
    reply = await a_writer(address, client, model).write(ORDER, PROMPT)
    assert json.loads(reply.text)["paragraphs"]


@pytest.mark.parametrize(
    ("model", "error_class", "reason"),
    [
        ("busy", "unexpected", "Rate limit reached"),
        ("quota", "exhausted", "current quota"),
        ("broken", "unavailable", "The engine failed"),
        ("disconnecting", "unavailable", "127.0.0.1"),
        ("slow", "unavailable", "did not answer within 1 seconds"),
        ("unknown", "not_found", "404"),
    ],
)
async def test_an_error_is_typed_and_has_the_reason_of_the_server(address, client, model, error_class, reason):
    with pytest.raises(FetchFailed, match=reason) as failed:
        await a_writer(address, client, model).write(ORDER, PROMPT)
    assert failed.value.error_class == error_class


async def test_a_wait_that_the_server_asks_for_is_kept(address, client):
    with pytest.raises(FetchFailed) as failed:
        await a_writer(address, client, "busy").write(ORDER, PROMPT)
    assert failed.value.after is not None
    assert 6 <= failed.value.after.total_seconds() <= 8


@every_protocol
async def test_a_wrong_key_names_the_setting(address, client, name):
    with pytest.raises(FetchFailed, match=f"Invalid API key.*SCOOP_WRITERS_{name.upper()}_API_KEY") as failed:
        await a_writer(address, client, "writer", name=name, key="wrong-key").write(ORDER, PROMPT)
    assert failed.value.error_class == "denied"


async def test_a_body_that_is_no_json_is_tried_again(address, client):
    with pytest.raises(Retry, match="did not send a chat completion as JSON"):
        await a_writer(address, client, "malformed").write(ORDER, PROMPT)


async def test_vectors_have_length_one_and_the_order_of_the_texts(address, client):
    embedder = make(embedders, "openai", client, base_url=f"{address}/v1", model="any", api_key=KEY)
    one, two, again = await embedder.embed(["bridge", "ferry", "bridge"])
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-5)
    assert np.allclose(one, again)
    assert not np.allclose(one, two)
