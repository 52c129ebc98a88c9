"""Webhooks through the API."""

import pytest

from builders import told
from channels.posts import answer, saying, serving
from scoop.pipeline import PUBLISHING
from scoop.store import webhooks
from web.visitor import a_report, visiting

SECRET = {"named_secrets": (("desk", "c4nary-that-nobody-may-see"),)}
MAIN = {"name": "main", "url": "https://hooks.example/news", "secret": "desk"}
PATH = "/api/v1/webhooks"


async def test_a_webhook_is_added_shown_changed_and_removed(database):
    async with visiting(database) as visitor:
        added = await visitor.ask("POST", PATH, MAIN | {"topic": "world_news"})
        assert (added.status, added.json["events"]) == (201, ["event.new", "event.developed", "digest.told"])
        shown = await visitor.get(f"{PATH}/main")
        assert shown.json == added.json
        assert (await visitor.get(PATH)).json == [added.json]
        changed = await visitor.ask(
            "PATCH", f"{PATH}/main", {"events": ["digest.told"], "topic": None}, **{"If-Match": shown.headers["ETag"]}
        )
        assert changed.status == 200
        assert (changed.json["events"], changed.json["topic"], changed.json["url"]) == (
            ["digest.told"],
            None,
            MAIN["url"],
        )
        same = await visitor.ask("PATCH", f"{PATH}/main", {"url": None, "enabled": None})
        assert (same.status, same.json) == (200, changed.json)
        stale = await visitor.ask("PATCH", f"{PATH}/main", {"enabled": False}, **{"If-Match": shown.headers["ETag"]})
        assert stale.status == 412
        assert (await visitor.ask("POST", PATH, MAIN)).status == 409
        assert (await visitor.ask("DELETE", f"{PATH}/main")).status == 204
        assert (await visitor.get(f"{PATH}/main")).status == 404


async def test_a_webhook_is_tried_and_its_deliveries_are_listed_in_parts(database, monkeypatch):
    async with serving(saying(answer(200), answer(500, b"broken"))) as server, visiting(database, **SECRET) as visitor:
        given = MAIN | {"url": f"http://{server.address}/", "allow_private": True, "events": ["story.new"]}
        assert (await visitor.ask("POST", PATH, given)).status == 201
        assert (await visitor.ask("POST", f"{PATH}/main/test")).json == {"status": 200}
        failed = await visitor.ask("POST", f"{PATH}/main/test")
        assert (failed.status, "answered 500: broken" in failed.json["error"]["message"]) == (502, True)
        assert {asked.json["type"] for asked in server.asked} == {"webhook.test"}
        monkeypatch.setattr(webhooks, "STORIES_AT_ONCE", 1)
        await told(
            database, [a_report(number, body_text=f"{number} " * 40) for number in (1, 22, 333)], without=PUBLISHING
        )
        first = (await visitor.get(f"{PATH}/main/deliveries?limit=2")).json
        rest = (await visitor.get(f"{PATH}/main/deliveries?limit=2&cursor={first['next_cursor']}")).json
    assert [each["webhook_delivery_id"] for each in first["items"] + rest["items"]] == [3, 2, 1]
    assert (first["items"][0]["state"], rest["next_cursor"]) == ("waiting", None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (MAIN | {"name": "Not Good"}, "body.name"),
        (MAIN | {"events": ["story.gone"]}, "body.events.0"),
        (MAIN | {"events": []}, "body.events"),
        (MAIN | {"colection": "x"}, "body.colection"),
        (MAIN | {"collection": "\x00"}, "body.collection"),
        ({"name": "main", "secret": "desk"}, "body.url"),
    ],
)
async def test_wrong_fields_are_named(database, body, field):
    async with visiting(database) as visitor:
        refused = await visitor.ask("POST", PATH, body)
    assert (refused.status, [each["field"] for each in refused.json["error"]["details"]]) == (400, [field])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"url": "ftp://x.example/"}, "http or https"),
        ({"url": "https://\ud7ff\x00/"}, "url"),
        ({"secret": "not a name!"}, "never the secret itself"),
        ({"topic": "nowhere"}, "no topic"),
    ],
)
async def test_what_no_webhook_can_have_is_refused(database, change, said):
    async with visiting(database) as visitor:
        refused = await visitor.ask("POST", PATH, MAIN | change)
    assert refused.status in {400, 404}
    assert said in refused.json["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{PATH}/nobody"),
        ("PATCH", f"{PATH}/nobody"),
        ("DELETE", f"{PATH}/nobody"),
        ("POST", f"{PATH}/nobody/test"),
        ("GET", f"{PATH}/nobody/deliveries"),
    ],
)
async def test_a_webhook_that_nobody_has_is_not_found(database, method, path):
    async with visiting(database) as visitor:
        assert (await visitor.ask(method, path, {} if method == "PATCH" else None)).status == 404


@pytest.mark.parametrize(("role", "status"), [("editor", 403), ("reader", 403), (None, 401)])
async def test_only_an_admin_decides_who_is_told(database, role, status):
    await told(database, [a_report(1)])
    async with visiting(database, role=role, public_reading=True) as visitor:
        answers = [
            await visitor.get(PATH),
            await visitor.ask("POST", PATH, MAIN),
            await visitor.ask("DELETE", f"{PATH}/main"),
            await visitor.get(f"{PATH}/main/deliveries"),
        ]
    assert {each.status for each in answers} == {status}
