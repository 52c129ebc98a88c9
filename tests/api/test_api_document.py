"""The API's description of itself: valid, complete, and true of what the server does."""

import asyncio
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis.checks import CheckFunction
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi import checks

from builders import FIRE, FIRE_AGAIN, ingest, told
from scoop.asgi import create_app
from scoop.config import Config
from scoop.core import access
from scoop.http import accounts
from scoop.store import sources, users
from scoop.store.db import Database
from web.visitor import NOW, a_report, visiting

EXAMPLES = 3  # of each operation, right and wrong ones each
FAR_ID = 10**12  # of whoever asks: no example removes them by chance
CHECKS: list[CheckFunction] = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
ENDLESS = {"/api/v1/progress"}  # an answer that goes on is no answer to check
ITEM_BY_ITEM = {"/api/v1/items"}  # where a bad item is refused by itself, and the others are taken


@pytest.fixture(scope="module")
def document():
    return create_app(Config(), None, clock=lambda: NOW).openapi()


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_the_document_is_valid_openapi(document):
    assert document["openapi"].startswith("3.1")
    assert [str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_every_operation_says_what_it_does_what_it_needs_and_what_can_go_wrong(document):
    found = dict(operations(document))
    assert len(found) > 60
    assert [name for name, operation in found.items() if not operation.get("description")] == []
    assert [name for name, operation in found.items() if operation["x-right"] not in {*access.RIGHTS, "none"}] == []
    for name, operation in found.items():
        told_of = operation["responses"].keys()
        assert {"400", "429", "503"} <= told_of, name
        assert {"401", "403"} <= told_of or operation["x-right"] == "none", name
        assert "404" in told_of or "{" not in name, name
        assert {"413", "415"} <= told_of or "requestBody" not in operation, name


def test_every_problem_has_the_one_shape_and_those_of_feeds_are_text(document):
    shape = {"$ref": "#/components/schemas/Error"}
    for name, operation in operations(document):
        for status, answer in operation["responses"].items():
            if status >= "400":
                is_feed = "/feeds/" in name
                expected = {"text/plain": {"type": "string"}} if is_feed else {"application/json": shape}
                assert {media: kind["schema"] for media, kind in answer["content"].items()} == expected, (
                    f"{name} {status}"
                )


def test_names_of_operations_are_unique(document):
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(names) == len(set(names))


async def test_no_question_however_odd_breaks_the_server_or_the_document(database):
    key = await with_everything(database)
    async with visiting(database, role=None, requests_per_minute=0) as visitor:
        described = create_app(Config(), database, clock=lambda: NOW).openapi()
        found = await asyncio.to_thread(lambda: list(problems(described, visitor.address, key)))
        still = await visitor.get("/api/v1/users", Authorization=f"Bearer {key}")
    assert found == []
    assert still.status == 200  # nothing of this has cost the caller its rights


async def with_everything(database: Database) -> str:
    """Something of each noun, so that lists are not empty; give the key of an admin."""
    await told(database, [a_report(1), a_report(2, source="b", **FIRE), a_report(3, source="c", **FIRE_AGAIN)])
    await ingest(database, b'{"no": "item"}\n')
    async with database.transaction() as conn:
        settings = {"kind": "rss", "collection": "world_news", "base_url": "https://tribune.example/feed"}
        await sources.put(conn, sources.SourceSettings(slug="tribune", name="Tribune", **settings))
        await conn.execute("SELECT setval(pg_get_serial_sequence('users', 'user_id'), $1)", FAR_ID)
        await conn.execute("SELECT setval(pg_get_serial_sequence('api_keys', 'api_key_id'), $1)", FAR_ID)
        user_id = await users.add(conn, name="Ada", role="admin", password_hash="-")
        made = await accounts.new_key(conn, user_id, "admin", name="Test", scopes=access.RIGHTS, now=NOW, lasts=None)
    return made.key


def problems(document: dict[str, object], address: str, key: str) -> Iterator[str]:
    """What is wrong with the answers to generated questions, right and wrong ones, to every operation."""
    schema = schemathesis.openapi.from_dict(document)
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {key}"
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path in ENDLESS:
                continue
            for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:
                yield from asked(operation, mode, address, session)


def asked(operation: APIOperation, mode: GenerationMode, address: str, session: requests.Session) -> Iterator[str]:
    """What is wrong with the answers to questions of one kind."""
    if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
        return  # nothing that could be wrong
    found: dict[str, str] = {}

    @hypothesis.seed(20240516)
    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        answer = case.call(base_url=address, session=session, timeout=30)
        if answer.status_code >= 500 and answer.status_code != 502:  # which is told where another server is asked
            found[str(answer.status_code)] = f"{operation.label}: {answer.status_code} for {case.as_curl_command()}"
        is_lenient = operation.path in ITEM_BY_ITEM or says_twice(str(answer.request.url))
        try:
            case.validate_response(answer, checks=CHECKS + ([] if is_lenient else [checks.negative_data_rejection]))
        except FailureGroup as failures:
            for failure in failures.exceptions:
                assert isinstance(failure, Failure)
                found[failure.title] = f"{operation.label}: {failure.title}: {failure.message} {case.as_curl_command()}"

    ask()
    yield from found.values()


def says_twice(url: str) -> bool:
    """Whether an address gives a name several times: the last counts, which may well be a right one."""
    names = [name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    return len(names) > len(set(names))
