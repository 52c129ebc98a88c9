"""The client of model servers: what it sends, and what it makes of any answer."""

import json
from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_server import raw_server, reply, saying

from scoop.core import model_refusals
from scoop.core.model_refusals import Refusal
from scoop.core.secrets import Secret, SecretWithheld
from scoop.errors import ConfigError, FetchFailed, Retry
from scoop.fetch.client import open_client
from scoop.fetch.model_server import ModelServer, ServerSettings

SETTINGS = ServerSettings(noun="writer toy", prefix="SCOOP_WRITERS_TOY")
SOON = timedelta(seconds=10)


class Shape(msgspec.Struct):
    value: float


@pytest.fixture
async def client():
    async with open_client() as opened:
        yield opened


def a_server(client, address, **given):
    fields = {"endpoint": f"http://{address}/v1/toys", "settings": SETTINGS, "max_bytes": 1 << 20}
    return ModelServer(client=client, **(fields | given))


async def asked(client, body, *, status="200 OK", **given):
    async with raw_server(saying(reply(body, status=status))) as (address, _):
        server = a_server(client, address, **given)
        return server.decode(await server.post({}, deadline=SOON), Shape, content="a toy")


async def test_json_of_the_shape_is_decoded(client):
    assert await asked(client, b'{"value": 2, "more": [1]}') == Shape(value=2)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"value": NaN}',
        b'{"value": "\xff"}',
        b'{"value": 1',
        b"<html>",
        b'{"value":' + b"[" * 100_000,
        b'{"more":' + b"[" * 100_000 + b"]" * 100_000 + b',"value":1}',
        b'{"value":' + b"9" * 100_000 + b"}",
        b'{"value": 1}'.decode().encode("utf-16"),
    ],
    ids=lambda body: repr(body[:20]),
)
async def test_any_other_body_is_a_retry(client, body):
    with pytest.raises(Retry, match="did not send a toy as JSON"):
        await asked(client, body)


@given(st.binary(max_size=100))
def test_no_body_is_more_than_refused(body):
    refusal = model_refusals.read_refusal(body)
    assert len(refusal.message) <= model_refusals.MAX_MESSAGE
    assert "\n" not in refusal.message


async def test_a_body_above_the_limit_is_not_read_to_its_end(client):
    with pytest.raises(FetchFailed, match="larger than 1 MiB"):
        await asked(client, b" " * (2 << 20))


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"error": {"message": "no", "code": "c", "param": "p"}}, Refusal(message="no", code="c", param="p")),
        ({"error": {"message": "no", "code": 400, "param": None}}, Refusal(message="no", code="400")),
        ({"object": "error", "message": "no", "code": 400}, Refusal(message="no", code="400")),
        ({"error": "no"}, Refusal(message="no")),
        ({"detail": "no"}, Refusal(message="no")),
        ({"detail": [{"loc": ["body"], "msg": "no"}]}, Refusal(message='[{"loc":["body"],"msg":"no"}]')),
        ("no", Refusal(message="no")),
        ({}, Refusal()),
    ],
)
def test_a_refusal_is_read_in_the_forms_of_many_servers(body, refusal):
    assert model_refusals.read_refusal(json.dumps(body).encode()) == refusal


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"overloaded\r\n", "overloaded"),
        (b"<!doctype html><title>502</title>", ""),
        (b"[" * 100_000, "[" * model_refusals.MAX_MESSAGE),
        (b"\xff", "\ufffd"),
    ],
    ids=["text", "page", "nested", "not UTF-8"],
)
def test_a_refusal_that_is_not_json_is_its_text(body, message):
    assert model_refusals.read_refusal(body).message == message


async def test_a_failure_names_the_settings_to_check_and_hides_the_key(client):
    body = b'{"error": {"message": "wrong key s3cret"}}'
    with pytest.raises(FetchFailed, match="wrong key …; check SCOOP_WRITERS_TOY_API_KEY") as failed:
        await asked(client, body, status="401 Unauthorized", key="s3cret")
    assert failed.value.status == 401


@pytest.mark.parametrize(
    ("status", "body", "error_class", "minutes"),
    [
        ("401 Unauthorized", b"", "denied", 15),
        ("403 Forbidden", b"", "denied", 15),
        ("429 Too Many Requests", b'{"error": {"code": "insufficient_quota"}}', "exhausted", None),
        ("429 Too Many Requests", b"", "unexpected", 0),
        ("503 Service Unavailable", b"", "unavailable", 0),
        ("504 Gateway Timeout", b"", "unavailable", 0),
    ],
)
async def test_a_failure_has_the_class_of_its_error(client, status, body, error_class, minutes):
    with pytest.raises(FetchFailed) as failed:
        await asked(client, body, status=status)
    assert failed.value.error_class == error_class
    if minutes is not None:
        assert (failed.value.after or timedelta()) == timedelta(minutes=minutes)
    else:
        assert timedelta() < failed.value.after <= timedelta(hours=25)


@pytest.mark.parametrize(("status", "seconds"), [("503 Service Unavailable", 5), ("429 Too Many Requests", 60)])
async def test_a_host_is_paused_for_as_long_as_the_first_retry_waits_or_for_a_minute_if_it_is_limited(
    client, status, seconds
):
    async with raw_server(saying(reply(b"", status=status))) as (address, _):
        server = a_server(client, address)
        await server.post({}, deadline=SOON)
        with pytest.raises(FetchFailed, match="asked to wait") as paused:
            await server.post({}, deadline=SOON)
    assert timedelta(seconds=seconds - 4) < paused.value.after <= timedelta(seconds=seconds)


async def test_a_host_that_times_out_is_paused_under_the_name_by_which_it_is_asked(client):
    server = a_server(client, "", endpoint="http://127.0.0.1/v1/toys")  # a default port
    with pytest.raises(FetchFailed, match="did not answer"):
        await server.post({}, deadline=timedelta())
    with pytest.raises(FetchFailed, match="asked to wait"):
        await server.post({}, deadline=SOON)


async def test_a_redirect_to_another_host_gets_neither_prompt_nor_key(client):
    async with raw_server(saying(reply(b"{}"))) as (other, heads):
        moved = reply(b"", status="307 Temporary Redirect", Location=f"http://{other}/v1/toys")
        async with raw_server(saying(moved)) as (address, _):
            with pytest.raises(FetchFailed, match="set the final address"):
                await a_server(client, address, key="s3cret").post({}, deadline=SOON)
    assert heads == []


def test_a_key_is_withheld_from_another_host_and_must_be_one_line():
    key = Secret("s3cret", name="KEY").bound_to("https://a.example/v1")
    assert SETTINGS.read_key(key, "https://a.example/v1/toys") == "s3cret"
    assert SETTINGS.read_key(None, "https://a.example/") == ""
    with pytest.raises(SecretWithheld):
        SETTINGS.read_key(key, "https://b.example/v1/toys")
    with pytest.raises(ConfigError, match="SCOOP_WRITERS_TOY_API_KEY is not one line of text"):
        SETTINGS.read_key(Secret("two\nlines"), "https://a.example/")


def test_neither_key_nor_header_is_in_its_representation(client):
    assert "s3cret" not in repr(a_server(client, "a.example", key="s3cret"))
