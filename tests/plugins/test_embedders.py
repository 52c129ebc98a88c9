"""What every embedder promises, and what becomes of servers that answer nonsense."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from newsstand_builders import ANCHOR, Clock, a_world, an_article
from starlette.responses import Response

from plugins.raw_server import sending
from scoop import embedders, plugins
from scoop.app import open_embedder
from scoop.config import Config
from scoop.core import embedding_text
from scoop.embedders import openai
from scoop.embedders.openai import OpenAI
from scoop.errors import ConfigError, FetchFailed, Retry
from scoop.fetch.client import open_client
from scoop.newsstand import server
from scoop.newsstand.sites import embeddings as face
from scoop.plugin_settings import PluginSettings
from scoop.serve import serving

TEXTS = [
    "The old bridge stays closed until every cable has been checked.",
    "Die alte Brücke bleibt gesperrt, bis jedes Kabel geprüft ist.",
    "コーヒーの値段が三年ぶりに下がった。",
    "",
    "\u200b \n\x00",
    "word " * 2000,
]
WAYS = {"local": "", "openai": "v1/embeddings", "openai, the plain way": "embed"}


@dataclass(frozen=True, kw_only=True)
class Servers:
    """The newsstand's server of embeddings, in each of its modes."""

    address: str
    client: object
    app: object

    def embedder(self, way: str = "v1/embeddings", *, mode: str = "", **options) -> OpenAI:
        url = "/".join(filter(None, (self.address, face.HOST, mode, way)))
        return OpenAI(OpenAI.Options(**({"base_url": url, "model": "toy"} | options)), self.client)


@pytest.fixture
async def servers() -> AsyncIterator[Servers]:
    app = server.create_app(a_world(an_article()), ANCHOR, Clock())
    async with serving(app) as address, open_client() as client:
        yield Servers(address=address, client=client, app=app)


@asynccontextmanager
async def asked_raw(*pieces: bytes) -> AsyncIterator[OpenAI]:
    async with sending(pieces) as address, open_client() as client:
        yield OpenAI(OpenAI.Options(base_url=f"http://{address}/embed", model="toy"), client)


def test_every_embedder_is_in_the_contract():
    assert {way.partition(",")[0] for way in WAYS} == plugins.discover(embedders).keys()


@pytest.mark.parametrize("way", WAYS)
async def test_an_embedder_gives_a_vector_of_length_one_for_each_text_in_their_order(servers, way):
    found = plugins.makers(embedders)["local"]({}, servers.client)
    embedder = servers.embedder(WAYS[way]) if WAYS[way] else found
    together = await embedder.embed(TEXTS)
    alone = np.concatenate([await embedder.embed([text]) for text in TEXTS])
    backwards = await embedder.embed(TEXTS[::-1])
    assert (together.dtype, together.shape[0]) == (np.float32, len(TEXTS))
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert together == pytest.approx(alone, abs=1e-5)
    assert together == pytest.approx(backwards[::-1], abs=1e-5)
    assert embedder.endpoint
    assert embedder.waits is (way != "local")


async def test_the_local_embedder_puts_the_same_report_in_two_languages_close_together():
    async with open_client() as client:
        english, german, japanese = await open_embedder(Config(), client).embed(TEXTS[:3])
    assert english @ german > 0.6 > 0.4 > english @ japanese


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("nan", "did not send vectors as JSON"),
        ("infinity", "NaN, infinity or numbers that are too large"),
        ("zero", "a vector of zeros"),
        ("short", "got 3 texts and .* 2 vectors"),
        ("ragged", "vectors of different lengths"),
        ("empty", "gave empty vectors"),
        ("duplicate-index", "sent 3 vectors, not one for each"),
        ("dies-in-the-middle", "closed the connection in the middle of its response"),
        ("html", "did not send vectors as JSON"),
        ("429", "answered 429"),
        ("503", "answered 503"),
        ("no-such-mode", "answered 404"),
    ],
)
async def test_an_answer_that_is_none_is_refused_and_may_be_asked_for_again(servers, mode, reason):
    with pytest.raises(Retry, match=reason):
        await servers.embedder(mode=mode).embed(TEXTS[:3])
    if mode != "duplicate-index":
        other = Servers(address=servers.address.replace("127.0.0.1", "localhost"), client=servers.client, app=None)
        with pytest.raises(Retry):
            await other.embedder("embed", mode=mode).embed(TEXTS[:3])


async def test_vectors_that_come_in_another_order_are_put_back_to_their_texts(servers):
    expected = await servers.embedder().embed(TEXTS)
    assert await servers.embedder(mode="shuffled").embed(TEXTS) == pytest.approx(expected)


@pytest.mark.parametrize("status", ["429", "503"])
async def test_an_overloaded_server_is_left_alone_for_as_long_as_it_asked(servers, status):
    embedder = servers.embedder(mode=status)
    with pytest.raises(FetchFailed) as first:
        await embedder.embed(TEXTS)
    with pytest.raises(FetchFailed) as second:
        await embedder.embed(TEXTS)
    assert first.value.after == timedelta(seconds=face.RETRY_SECONDS)
    assert timedelta() < second.value.after <= first.value.after
    assert len(servers.app.state.requests) == 1


async def test_a_server_that_lets_us_wait_in_vain_is_left_alone_for_a_while(servers, monkeypatch):
    monkeypatch.setattr(openai, "DEADLINE", timedelta(seconds=1))
    embedder = servers.embedder(mode="slow")
    with pytest.raises(FetchFailed, match="did not answer within 1 seconds"):
        await embedder.embed(TEXTS)
    with pytest.raises(FetchFailed, match="asked to wait"):
        await embedder.embed(TEXTS)
    assert len(servers.app.state.requests) <= 1  # on a busy machine even the first may be given up before it is seen


async def test_a_server_that_is_not_there_is_named():
    async with open_client() as client:
        with pytest.raises(FetchFailed, match=r"no connection to 127\.0\.0\.1:1"):
            await OpenAI(OpenAI.Options(base_url="http://127.0.0.1:1", model="toy"), client).embed(["a"])


@given(st.binary(max_size=200))
async def test_no_answer_is_more_than_refused(body):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    async with asked_raw(head, body) as embedder:
        with pytest.raises(Retry):
            await embedder.embed(["a"])


@given(st.lists(st.lists(st.floats(width=64), max_size=3), max_size=3))
def test_whatever_numbers_come_only_vectors_of_length_one_pass(rows):
    try:
        vectors = embedders.unit(rows, count=2, origin="somebody")
    except Retry:
        return
    assert vectors.shape[0] == 2
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://server.example:8844", "http://server.example:8844/v1/embeddings"),
        ("https://server.example/v1/", "https://server.example/v1/embeddings"),
        ("https://server.example/v1/embeddings", "https://server.example/v1/embeddings"),
        ("http://127.0.0.1:8844/embed", "http://127.0.0.1:8844/embed"),
        ("https://server.example/deep/v1?version=2", "https://server.example/deep/v1/embeddings?version=2"),
    ],
)
def test_the_address_of_a_server_is_completed(url, endpoint):
    assert OpenAI(OpenAI.Options(base_url=url, model="m"), None).endpoint == endpoint


@pytest.mark.parametrize(
    ("embedder", "options", "problem"),
    [
        ("none", {}, "must be one of local, openai"),
        ("openai", {}, "SCOOP_EMBEDDERS_OPENAI_BASE_URL"),
        ("openai", {"base_url": "http://a.example"}, "SCOOP_EMBEDDERS_OPENAI_MODEL"),
        ("openai", {"base_url": "nowhere", "model": "m"}, "is not an address"),
        ("openai", {"base_url": "nowhere", "model": "m", "api_key": "s3cret"}, "must be an http or https address"),
        ("openai", {"base_url": "file:///etc/passwd", "model": "m"}, "http or https"),
        ("openai", {"base_url": "http://u:p@a.example", "model": "m"}, "without a password"),
        ("openai", {"modle": "m"}, "there is no option modle; did you mean model"),
    ],
)
def test_a_wrong_setting_is_named_at_the_start(embedder, options, problem):
    settings = PluginSettings(tables={"embedders": {"openai": options}})
    with pytest.raises(ConfigError, match=problem) as refused:
        open_embedder(Config(embedder=embedder, plugins=settings), None)
    assert "s3cret" not in str(refused.value)


async def test_the_key_goes_to_the_server_and_shows_nowhere():
    keys = []

    async def answer(scope, receive, send):
        keys.append(dict(scope["headers"])[b"authorization"])
        await Response(status_code=401)(scope, receive, send)

    async with serving(answer) as address, open_client() as client:
        options = {"base_url": address, "model": "toy", "api_key": "s3cret"}
        settings = PluginSettings(tables={"embedders": {"openai": options}})
        config = Config(embedder="openai", plugins=settings)
        embedder = open_embedder(config, client)
        with pytest.raises(FetchFailed, match="answered 401") as failed:
            await embedder.embed(["a"])
    assert keys == [b"Bearer s3cret"]
    assert "s3cret" not in f"{failed.value} {embedder.endpoint} {settings} {config}"


def test_what_is_embedded_is_the_title_and_whole_words_of_the_lead():
    body = "word " * 1000
    text = embedding_text.embedding_text("Bridge closed", body)
    assert text.startswith("Bridge closed. word word")
    assert text.endswith("word")
    assert len(text) <= len("Bridge closed. ") + embedding_text.LEAD_CHARACTERS
    assert embedding_text.embedding_text("Bridge closed", "") == "Bridge closed."
