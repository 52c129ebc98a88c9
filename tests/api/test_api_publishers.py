from builders import an_item, told
from web.visitor import visiting

FAMILY = "/api/v1/publishers/tribune.example"


async def test_an_editor_renames_a_publisher_and_readers_see_the_name(database):
    await told(database, [an_item()])
    async with visiting(database, role="editor") as visitor:
        before = await visitor.get(FAMILY)
        renamed = await visitor.ask("PATCH", FAMILY, {"name": "Coastal Tribune"})
        documents = await visitor.get("/api/v1/documents")
        reset = await visitor.ask("PATCH", FAMILY, {"name": None})
    assert before.json == {"family": "tribune.example", "name": "tribune.example", "is_edited": False}
    assert renamed.json == {"family": "tribune.example", "name": "Coastal Tribune", "is_edited": True}
    assert documents.json["items"][0]["publisher_name"] == "Coastal Tribune"
    assert reset.json == before.json


async def test_publishers_are_listed_page_by_page_and_found_by_words(database):
    await told(database, [an_item(n, canonical_url=f"https://paper{n}.example/a") for n in (1, 2, 3)])
    async with visiting(database, role="reader") as visitor:
        first = await visitor.get("/api/v1/publishers?like=paper&limit=2")
        rest = await visitor.get(f"/api/v1/publishers?like=paper&limit=2&cursor={first.json['next_cursor']}")
    assert [one["name"] for one in first.json["items"]] == ["paper1.example", "paper2.example"]
    assert [one["name"] for one in rest.json["items"]] == ["paper3.example"]


async def test_a_reader_renames_nobody_and_an_unknown_publisher_is_not_found(database):
    await told(database, [an_item()])
    async with visiting(database, role="reader") as visitor:
        forbidden = await visitor.ask("PATCH", FAMILY, {"name": "Mine"})
        unknown = await visitor.get("/api/v1/publishers/nobody.example")
    assert (forbidden.status, unknown.status) == (403, 404)
