"""Responses of a DynamoDB server that is short of capacity, by a scripted server; and the installation without it."""

import json
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from starlette.requests import Request
from starlette.responses import Response

from core.shapes.test_summanow import ARTICLE, SUMMARY
from projections.tables import a_projection
from scoop.core.projection_plans import Upsert
from scoop.errors import ConfigError, Retry
from scoop.projections import dynamodb
from scoop.serve import serving


class ScriptedServer:
    """Takes some items of each batch, or answers with an error; notes the number of items of each request."""

    def __init__(self) -> None:
        self.takes = 25
        self.error = ""
        self.sizes: list[int] = []
        self.address = ""

    async def __call__(self, scope, receive, send) -> None:
        body = json.loads(await Request(scope, receive).body())
        if self.error:
            content, status = {"__type": f"com.amazonaws.dynamodb.v20120810#{self.error}", "message": "no"}, 400
        else:
            content, status = self._written(body["RequestItems"]), 200
        await Response(json.dumps(content), status, media_type="application/x-amz-json-1.0")(scope, receive, send)

    def _written(self, requests):
        [(table, items)] = requests.items()
        self.sizes.append(len(items))
        return {"UnprocessedItems": {table: items[self.takes :]} if items[self.takes :] else {}}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    async with serving(scripted) as address:
        scripted.address = address
        yield scripted


def upserts(projection, count):
    record = projection.record(ARTICLE)
    return [
        Upsert(
            subject=str(number),
            row_id=number,
            record=type(record)(key=f"{record.key}{number}", content=record.content),
            fingerprint=b"",
            stale_keys=(),
        )
        for number in range(count)
    ]


async def test_items_that_were_not_taken_are_sent_again(server, monkeypatch):
    monkeypatch.setattr(dynamodb, "PAUSES", (0.001,) * 5)
    projection = a_projection(server.address)
    server.takes = 10
    await projection.upsert(upserts(projection, 25))
    assert server.sizes == [25, 15, 5]


async def test_items_that_are_never_taken_are_retried_later(server, monkeypatch):
    monkeypatch.setattr(dynamodb, "PAUSES", (0.001,) * 2)
    projection = a_projection(server.address)
    server.takes = 0
    with pytest.raises(Retry, match="did not take 3 items") as caught:
        await projection.upsert(upserts(projection, 3))
    assert caught.value.after


async def test_a_request_has_at_most_25_items(server):
    projection = a_projection(server.address)
    await projection.upsert(upserts(projection, 60))
    assert sorted(server.sizes) == [10, 25, 25]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("ThrottlingException", Retry),
        ("InternalServerError", Retry),
        ("UnrecognizedClientException", ConfigError),
        ("ResourceNotFoundException", ConfigError),
    ],
)
async def test_an_error_is_retried_or_names_the_setting(error, expected, server):
    server.error = error
    projection = a_projection(server.address)
    with pytest.raises(expected):
        await projection.upsert(upserts(projection, 1))


def test_without_the_package_the_settings_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    with pytest.raises(ConfigError, match=r"pip install 'scoop-news\[dynamodb\]'"):
        a_projection("http://127.0.0.1:9")


def test_the_environment_of_the_library_has_no_effect(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://elsewhere.example")
    assert a_projection("http://127.0.0.1:9")._table._client.meta.endpoint_url == "http://127.0.0.1:9"


def test_a_summary_has_a_record_of_its_article():
    record = a_projection("http://127.0.0.1:9").record(SUMMARY)
    assert record.key == f"ARTICLE#{SUMMARY.article_id}\nSUMMARY#v1"
    assert record.content["generatedAt"] == datetime(2026, 11, 16, 12, 30, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
