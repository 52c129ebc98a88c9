"""An editor tries to have a service's key sent to a server of their own: by API, by form, by a changed kind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from starlette.responses import Response

from gathering import Web, a_feed, open_desk, open_web
from scoop.core.access import Role
from scoop.model import Source
from scoop.plugin_settings import PluginSettings
from scoop.sources.tavily import Tavily
from scoop.store import sources
from scoop.store.db import Database
from web.visitor import Visitor, visiting

KEY = "tvly-canary-5f2c"
SETTINGS = PluginSettings(tables={"sources": {"tavily": {"api_key": KEY}}})
FOUND = Response('{"results": []}', media_type="application/json")


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A visitor with a role, a server of theirs, and the real service; both are on the loopback address."""

    visitor: Visitor
    database: Database
    evil: Web
    service: Web

    @property
    def url(self) -> str:
        return f"http://{self.evil.address}/feed"

    async def add_feed(self) -> None:
        given = {"target": self.url, "slug": "mine", "collection": "news", "check": False}
        assert (await self.visitor.ask("POST", "/api/v1/sources", given)).status == 201

    async def test(self, slug: str = "mine") -> None:
        await self.visitor.ask("POST", f"/api/v1/sources/{slug}/test")

    async def source(self) -> Source:
        async with self.database.connection() as conn:
            return await sources.by_slug(conn, "mine")

    def keys(self, web: Web) -> list[str]:
        """Everything that a server was sent and that holds the key."""
        requests = [request for asked in web.asked.values() for request in asked]
        return [str(request.url) for request in requests if KEY in f"{request.url} {request.headers}"]


@asynccontextmanager
async def attacking(database: Database, monkeypatch: pytest.MonkeyPatch, role: Role) -> AsyncIterator[Attack]:
    async with open_web() as evil, open_web() as service:
        address = f"http://{service.address}/search"
        service.answers[address] = FOUND
        monkeypatch.setattr(Tavily, "base_url", address)
        allowed = f"{evil.address},{service.address}"
        async with visiting(database, role=role, allow_private=allowed, plugins=SETTINGS) as visitor:
            attack = Attack(visitor=visitor, database=database, evil=evil, service=service)
            evil.answers[attack.url] = a_feed("Bridge closed")
            yield attack


async def test_a_feed_that_becomes_a_search_by_the_api_does_not_get_the_key(database, monkeypatch):
    async with attacking(database, monkeypatch, "editor") as attack:
        await attack.add_feed()
        change = {"kind": "tavily", "options": {"query": "x"}}
        changed = await attack.visitor.ask("PATCH", "/api/v1/sources/mine", change)
        await attack.test()
        assert (changed.status, changed.json["base_url"]) == (200, Tavily.base_url)
        assert (attack.keys(attack.evil), len(attack.keys(attack.service))) == ([], 1)


async def test_a_search_whose_form_names_another_server_does_not_send_the_key_there(database, monkeypatch):
    async with attacking(database, monkeypatch, "editor") as attack:
        given = {"target": "search:x", "slug": "mine", "collection": "news", "check": False}
        await attack.visitor.ask("POST", "/api/v1/sources", given)
        form = {"name": "x", "collection": "news", "schedule": "1h", "timezone": "UTC", "request_interval_ms": "0"}
        for theirs in ({"base_url": attack.url}, {"base_url": Tavily.base_url, "option-base_url": attack.url}):
            await attack.visitor.post("/sources/mine", {**form, "option-query": "x", **theirs})
            await attack.test()
        assert "base_url" not in (await attack.source()).options
        assert attack.keys(attack.evil) == []


@pytest.mark.parametrize("more", [{}, {"options": {"query": "x", "base_url": "EVIL"}}, {"base_url": "EVIL"}])
async def test_a_new_search_at_the_editors_own_server_does_not_get_the_key(database, monkeypatch, more):
    async with attacking(database, monkeypatch, "editor") as attack:
        base = {"target": attack.url, "kind": "tavily", "collection": "news", "slug": "mine", "options": {"query": "x"}}
        given = _with(base | more, attack.url)
        await attack.visitor.ask("POST", "/api/v1/sources/preview", {k: v for k, v in given.items() if k != "slug"})
        await attack.visitor.ask("POST", "/api/v1/sources", given | {"check": True})
        await attack.test()
        target = quote(attack.url)
        page = f"/sources/add?target={target}&kind=tavily&option-query=x&option-base_url={target}"
        await attack.visitor.get(page)
        form = {"target": attack.url, "kind": "tavily", "option-query": "x", "option-base_url": attack.url}
        await attack.visitor.post("/sources/add", {**form, "collection": "news", "schedule": "1h", "timezone": "UTC"})
        assert attack.keys(attack.evil) == []


def _with(given: dict[str, Any], url: str) -> dict[str, Any]:
    options = {name: url if value == "EVIL" else value for name, value in given["options"].items()}
    return {**given, "options": options} | ({"base_url": url} if "base_url" in given else {})


async def test_an_address_that_was_stored_before_does_not_get_the_key(database, monkeypatch, tmp_path):
    async with attacking(database, monkeypatch, "editor") as attack:
        await attack.add_feed()
        async with database.connection() as conn:
            await conn.execute("UPDATE sources SET kind = 'tavily', options = '{\"query\": \"x\"}'")
        await attack.test()
        async with open_desk(database, tmp_path, settings=SETTINGS) as desk:
            await desk.visit("mine")
        assert attack.keys(attack.evil) == []


async def test_a_key_is_never_an_option_of_a_source(database, monkeypatch):
    async with attacking(database, monkeypatch, "admin") as attack:
        given = {"target": "search:x", "collection": "news", "options": {"api_key": "mine"}, "check": False}
        refused = await attack.visitor.ask("POST", "/api/v1/sources", given)
        page = await attack.visitor.get("/sources/add?target=search:x")
    assert (refused.status, "option api_key is a secret" in refused.text) == (400, True)
    assert "option-api_key" not in page.text


async def test_an_admin_moves_a_search_to_a_server_of_the_desk_with_its_key(database, monkeypatch):
    async with attacking(database, monkeypatch, "admin") as attack:
        await attack.add_feed()
        attack.evil.answers[attack.url] = FOUND
        change = {"kind": "tavily", "options": {"query": "x", "base_url": attack.url}}
        changed = await attack.visitor.ask("PATCH", "/api/v1/sources/mine", change)
        await attack.test()
        assert (changed.status, changed.json["base_url"]) == (200, attack.url)
        assert len(attack.keys(attack.evil)) == 1


async def test_an_editor_cannot_change_a_source_that_an_admin_moved(database, monkeypatch):
    async with attacking(database, monkeypatch, "admin") as attack:
        await attack.add_feed()
        change = {"kind": "tavily", "options": {"query": "x", "base_url": attack.url}}
        await attack.visitor.ask("PATCH", "/api/v1/sources/mine", change)
        async with visiting(database, role="editor") as editor:
            theirs = {"kind": "hackernews", "options": {"query": None}}
            refused = await editor.ask("PATCH", "/api/v1/sources/mine", theirs)
            renamed = await editor.ask("PATCH", "/api/v1/sources/mine", {"name": "Search"})
    assert (refused.status, renamed.status) == (403, 403)
