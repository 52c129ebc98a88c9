"""Unusual events on every interface: suppressed with their lead, merged while starred, emptied, and very large."""

import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from builders import FIRE, FIRE_AGAIN, group_into_events, scoop, told
from greader.test_greader import READING_LIST, STARRED, syncing
from mcp_server.test_mcp_routes import a_key, asking
from scoop.store import review
from web.test_web_event import ADDRESS, FIVE_THOUSAND, event_path
from web.visitor import Visitor, a_report, visiting

FERRY = "Ferry to Ostburg is free for pupils"
ALL = 1000


@dataclass(frozen=True)
class Interfaces:
    """A desk as a reader of pages, a program, a reading app, an assistant and a person at a terminal see it."""

    database_url: str
    visitor: Visitor
    app: Any
    assistant: Any

    def command(self, *arguments):
        return scoop(*arguments, database_url=self.database_url)

    async def listed(self):
        """The ids of the events that each interface lists."""
        latest = (await self.assistant.call_tool("latest", {"limit": 50})).structured_content["result"]
        found = (await self.assistant.call_tool("search", {"query": "ostburg"})).structured_content["result"]
        items = await self.app.items(await self.app.ids(n=ALL))
        export = (await self.visitor.get("/export/events.ndjson")).text
        return {
            "home": uuids((await self.visitor.get("/")).text),
            "API": {event["event_uuid"] for event in (await self.visitor.get("/api/v1/events")).json["items"]},
            "feed": uuids((await self.visitor.get("/feeds/all.rss")).text),
            "export": {json.loads(line)["event_uuid"] for line in export.splitlines()},
            "search page": uuids((await self.visitor.get("/search?q=ostburg")).text),
            "search": {
                hit["event"]["event_uuid"] for hit in (await self.visitor.get("/api/v1/search?q=ostburg")).json["items"]
            },
            "app": set().union(*(uuids(item["summary"]["content"]) for item in items)),
            "assistant": {event["event_uuid"] for event in latest},
            "assistant's search": {hit["headline"]["event_uuid"] for hit in found},
            "command": {event["event_uuid"] for event in json.loads(self.command("events", "--json").stdout)},
        }

    async def resolved(self, uuid):
        """The event that each interface gives for an id."""
        page = await self.visitor.get(f"/events/{uuid}")
        asked = await self.assistant.call_tool("get_event", {"event_uuid": uuid})
        return {
            "page": page.headers.get("Location", f"/events/{uuid}").removeprefix("/events/"),
            "API": (await self.visitor.get(f"/api/v1/events/{uuid}")).json["event"]["event_uuid"],
            "assistant": asked.structured_content["headline"]["event_uuid"],
            "command": json.loads(self.command("event", uuid, "--json").stdout)["event"]["event_uuid"],
        }


def everywhere(answers, answer):
    """The same answer of each interface that answered."""
    return dict.fromkeys(answers, answer)


def uuids(text):
    return set(re.findall(r"/events/([0-9a-f-]{36})", text))


@asynccontextmanager
async def interfaces(database, database_url):
    key = await a_key(database)
    async with (
        syncing(database) as app,
        visiting(database, role="editor") as visitor,
        asking(visitor, key) as assistant,
    ):
        yield Interfaces(database_url, visitor, app, assistant)


async def two_events(database, titles=(FIRE["title"], FIRE_AGAIN["title"])):
    """The ids of two events about Ostburg: of a fire, with stories of these titles, and of a ferry."""
    reports = [
        a_report(1, source="one", canonical_url="https://one.example/1", hours_ago=3, **in_ostburg(FIRE)),
        a_report(2, source="two", canonical_url="https://two.example/2", hours_ago=2, **in_ostburg(FIRE_AGAIN)),
        a_report(3, source="one", title=FERRY, body_text=f"{FERRY} from May.", hours_ago=1),
    ]
    await told(database, [report for report in reports if report["title"] in {*titles, FERRY}])
    await group_into_events(database, titles)
    return [(await event_path(database, title)).rpartition("/")[2] for title in (FIRE["title"], FERRY)]


def in_ostburg(report):
    return {**report, "body_text": f"OSTBURG. {report['body_text']}"}


async def decide(database, function, *arguments):
    async with database.transaction() as conn:
        return await function(conn, *arguments)


async def story_of(database, title):
    async with database.connection() as conn:
        return str(await conn.fetchval("SELECT story_id FROM stories WHERE canonical_title = $1", title))


async def test_an_event_that_is_suppressed_with_its_chosen_lead_is_listed_nowhere_and_then_everywhere(
    database, database_url
):
    fire, ferry = await two_events(database)
    await decide(database, review.choose_lead, await story_of(database, FIRE_AGAIN["title"]))
    async with interfaces(database, database_url) as seen:
        before = await seen.listed()
        await decide(database, review.suppress, fire)
        hidden, resolved = await seen.listed(), await seen.resolved(fire)
        await decide(database, review.show_again, fire)
        after = await seen.listed()
        (event,) = [
            one for one in (await seen.visitor.get("/api/v1/events")).json["items"] if one["event_uuid"] == fire
        ]
    assert before == everywhere(before, {fire, ferry})
    assert hidden == everywhere(hidden, {ferry})
    assert resolved == everywhere(resolved, fire)
    assert after == before
    assert event["title"] == FIRE_AGAIN["title"]


async def test_two_starred_events_that_are_merged_are_one_with_a_star_and_two_again_when_that_is_undone(
    database, database_url
):
    fire, ferry = await two_events(database, [FIRE["title"]])
    async with interfaces(database, database_url) as seen:
        for item in await seen.app.ids(READING_LIST):
            await seen.app.post("edit-tag", ("i", item), ("a", STARRED))
        decision = await decide(
            database, review.merge, await story_of(database, FIRE["title"]), await story_of(database, FERRY)
        )
        merged, stars, resolved = await seen.listed(), await seen.app.ids(STARRED), await seen.resolved(ferry)
        await decide(database, review.undo, decision.decision_id)
        again, stars_again = await seen.listed(), await seen.app.ids(STARRED)
    assert merged == everywhere(merged, {fire})
    assert len(stars) == 1
    assert resolved == everywhere(resolved, fire)
    assert again == everywhere(again, {fire, ferry})
    assert len(stars_again) == 2


async def test_an_event_that_a_move_empties_leads_to_the_other_on_every_interface(database, database_url):
    fire, ferry = await two_events(database)
    async with interfaces(database, database_url) as seen:
        (decision,) = await decide(database, review.move, [await story_of(database, FERRY)], fire)
        emptied, resolved = await seen.listed(), await seen.resolved(ferry)
        await decide(database, review.undo, decision.decision_id)
        again, resolved_again = await seen.listed(), await seen.resolved(ferry)
    assert emptied == everywhere(emptied, {fire})
    assert resolved == everywhere(resolved, fire)
    assert again == everywhere(again, {fire, ferry})
    assert resolved_again == everywhere(resolved_again, ferry)


async def test_an_event_whose_documents_are_all_split_off_goes_on_with_one_of_them(database, database_url):
    copies = [
        a_report(n, source=f"copy{n}", canonical_url=ADDRESS, title=FERRY, body_text=f"{FERRY} from May.")
        for n in range(3)
    ]
    await told(database, copies)
    whole = (await event_path(database)).rpartition("/")[2]
    async with interfaces(database, database_url) as seen:
        documents = [
            one["document_id"] for one in (await seen.visitor.get(f"/api/v1/events/{whole}")).json["documents"]
        ]
        await decide(database, review.split_each, documents)
        listed, resolved = await seen.listed(), await seen.resolved(whole)
        sizes = [event["item_count"] for event in (await seen.visitor.get("/api/v1/events")).json["items"]]
    assert sizes == [1, 1, 1]
    assert listed == everywhere(listed, listed["API"])
    assert whole in listed["API"]
    assert resolved == everywhere(resolved, whole)


@pytest.mark.parametrize("documents", [1, 5000])
async def test_an_event_of_any_size_is_listed_once_and_shown_in_parts(database, database_url, documents):
    await told(database, [a_report(1, canonical_url=ADDRESS, title=FERRY, body_text=f"{FERRY} from May.")])
    whole = (await event_path(database)).rpartition("/")[2]
    if documents > 1:
        async with database.connection() as conn:
            await conn.execute(FIVE_THOUSAND)
    async with interfaces(database, database_url) as seen:
        listed, resolved = await seen.listed(), await seen.resolved(whole)
        detail = (await seen.visitor.get(f"/api/v1/events/{whole}")).json
        articles = (await seen.assistant.call_tool("get_event", {"event_uuid": whole})).structured_content["articles"]
        (item,) = await seen.app.items(await seen.app.ids())
        feed, home = (await seen.visitor.get("/feeds/all.rss")).text, (await seen.visitor.get("/")).text
        shown = seen.command("event", whole).stdout
    assert listed == everywhere(listed, {whole})
    assert resolved == everywhere(resolved, whole)
    assert len(detail["documents"]) == min(documents, 1000)
    assert len(articles) == min(documents, 50)
    assert max(len(text) for text in (item["summary"]["content"], feed, home, shown)) < 250_000
