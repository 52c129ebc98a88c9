"""The reference of the API: as complete as the document that programs read."""

import shlex

import pytest

from scoop.web import api
from web.visitor import visiting

METHODS = {"get", "post", "put", "patch", "delete"}


async def operations(visitor):
    document = (await visitor.get("/api/openapi.json")).json
    return document, [(path, method) for path, found in document["paths"].items() for method in METHODS & found.keys()]


async def test_every_call_is_there_with_an_anchor_and_a_link_to_it(database):
    async with visiting(database, role="reader") as visitor:
        page = (await visitor.get("/api")).page
        _, calls = await operations(visitor)
    anchors = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert calls
    assert len(page.attributes("article")) == len(calls)
    for path, method in calls:
        assert f"{method.upper()} {path}" in page.text
        assert api._anchor(f"{method} {path}") in anchors
    assert all(link.removeprefix("#") in anchors for link in page.links("#"))


async def test_no_two_calls_share_an_anchor(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/api")).page
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


async def test_every_call_says_the_right_it_needs(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/api")).page
        document, calls = await operations(visitor)
    rights = [document["paths"][path][method]["x-right"] for path, method in calls]
    assert page.text.count("Needs the right ") == len([right for right in rights if right != "none"])
    assert {"read", "edit", "admin"} <= set(rights)


async def test_every_error_is_told_in_one_place(database):
    async with visiting(database) as visitor:
        page = (await visitor.get("/api")).page
        document, _ = await operations(visitor)
    for code in document["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]:
        assert page.text.count(code) >= 1


def typed(example):
    """The words of an example as a shell reads them."""
    return shlex.split(example.replace("\\\n", " "))


async def test_every_example_can_be_pasted_into_a_shell(database):
    async with visiting(database) as visitor:
        document, calls = await operations(visitor)
    found = [call for chapter in api.chapters(document, address="http://desk.test") for call in chapter.calls]
    assert len(found) == len(calls)
    for call in found:
        words = typed(call.example)
        assert (words[0], words[-1].startswith("http://desk.test/")) == ("curl", True)
        assert "{" not in words[-1]
        assert ("-X" in words) == (call.method != "GET")
        assert ("Authorization: Bearer $SCOOP_KEY" in words) == (call.right != "none")


THINGS = {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}
DOCUMENT = {
    "paths": {
        "/things/{thing_id}": {
            "put": {
                "tags": ["Things"],
                "x-right": "edit",
                "description": "Put a thing.\n\nIt is `kept`.",
                "parameters": [
                    {"name": "thing_id", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}},
                    {"name": "q", "in": "query", "required": True, "schema": {"type": "string", "maxLength": 9}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema": THINGS}}},
                    "404": {"description": "gone"},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name", "kind"],
                "properties": {
                    "name": {"type": "string", "description": "What it is called."},
                    "kind": {"enum": ["a", "b"]},
                    "size": {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}, "maxItems": 3},
                },
            }
        }
    },
}  # fmt: skip


@pytest.fixture
def call():
    (chapter,) = api.chapters(DOCUMENT, address="http://desk.test")
    (found,) = chapter.calls
    return found


def test_a_call_is_told_in_a_sentence_and_more(call):
    assert (call.summary, call.about, call.right) == ("Put a thing.", "It is `kept`.", "edit")


def test_values_are_told_with_type_and_limits(call):
    thing_id, q = call.parameters
    assert (thing_id.value.type, thing_id.value.limits, thing_id.place) == ("integer", ["at least 1"], "path")
    assert (q.value.type, q.value.limits, q.value.is_required) == ("string", ["at most 9 characters"], True)
    name, kind, size, parts = call.bodies[0].value.parts
    assert (name.type, kind.type, size.type, parts.type) == ("string", '"a" or "b"', "integer or null", "list of Thing")
    assert (name.about, parts.limits) == ("What it is called.", ["at most 3 items"])
    assert [each.is_required for each in (name, kind, size, parts)] == [True, True, False, False]


def test_what_holds_itself_comes_to_an_end(call):
    parts = call.bodies[0].value.parts[3]
    assert parts.parts == []


def test_a_list_shows_what_it_holds(call):
    (answer,) = call.answers
    assert answer.bodies[0].value.type == "list of Thing"
    assert [part.name for part in answer.bodies[0].value.parts] == ["name", "kind", "size", "parts"]


def test_the_example_holds_what_must_be_given(call):
    assert typed(call.example) == [
        "curl",
        "-X",
        "PUT",
        "-H",
        "Authorization: Bearer $SCOOP_KEY",
        "-H",
        "Content-Type: application/json",
        "-d",
        '{"name": "...", "kind": "a"}',
        "http://desk.test/things/THING_ID?q=...",
    ]
