"""What every kind of source promises, whoever wrote it."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugins.desks import answering
from scoop import plugins, sources
from scoop.core import hashes, items
from scoop.errors import FetchFailed

KINDS = plugins.discover(sources)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A source of one kind, as it is found on the newsstand."""

    options: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)


CASES = {
    "rss": Case(source={"base_url": "http://stackwire.example/feed.xml"}),
    "hackernews": Case(),
    "arxiv": Case(options={"query": "cat:cs.CL OR cat:cs.SE"}),
    "reddit": Case(
        options={"subreddit": "ai_news", "comments": 3},
        secrets={"reddit_client_id": "reader", "reddit_client_secret": "s3cret"},
    ),
    "youtube": Case(options={"channel": "UCscoopNewsstandOnAirTV1"}),
    "tavily": Case(options={"query": "ferrypack"}, secrets={"tavily_api_key": "tvly-reader"}),
    "site": Case(options={"sitemap": True}, source={"base_url": "http://fennmoorgazette.example/"}),
}
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def asked(kind: str, **more: Any) -> dict[str, Any]:
    case = CASES[kind]
    return {"kind": kind, "options": case.options, "secrets": case.secrets, **case.source, **more}


def arrivals(harvest: sources.Harvest, now: Any) -> dict[tuple[str, bytes], dict[str, Any]]:
    """What a harvest would be in the ledger: complete items by id and hash."""
    whole = [
        items.complete(item, source="tried", collection="ai_news", category="news", now=now) for item in harvest.items
    ]
    return {(item["source_item_id"], hashes.payload_hash(item)): item for item in whole}


def test_every_kind_is_tried_here():
    assert CASES.keys() == KINDS.keys()


@every_kind
def test_a_kind_explains_itself_and_all_its_options(kind):
    found = KINDS[kind]
    assert found.name == kind
    assert len(found.__doc__.split()) > 10
    own = set(found.Options.__struct_fields__) - set(sources.Options.__struct_fields__)
    assert [option for option in own if f"`{option}`" not in found.Options.__doc__] == []


@every_kind
async def test_what_a_kind_brings_passes_the_door(desk, kind):
    harvest = await desk.fetch(**asked(kind))
    assert harvest.health == "ok"
    assert harvest.items
    assert {
        path: items.problems(item) for path, item in arrivals(harvest, desk.clock()).items() if items.problems(item)
    } == {}


@every_kind
async def test_a_checkpoint_survives_being_stored(desk, kind):
    harvest = await desk.fetch(**asked(kind))
    assert json.loads(json.dumps(harvest.checkpoint)) == harvest.checkpoint


@every_kind
async def test_a_second_visit_brings_nothing_that_is_new(desk, kind):
    first = await desk.fetch(**asked(kind))
    desk.clock.turn(hours=0.5)
    again = await desk.fetch(**asked(kind), checkpoint=first.checkpoint)
    assert arrivals(again, desk.clock()).keys() <= arrivals(first, desk.clock()).keys()


@every_kind
async def test_the_third_visit_remembers_the_first(desk, kind):
    first = await desk.fetch(**asked(kind))
    second = await desk.fetch(**asked(kind), checkpoint=first.checkpoint)
    third = await desk.fetch(**asked(kind), checkpoint=second.checkpoint)
    assert arrivals(third, desk.clock()).keys() <= arrivals(first, desk.clock()).keys()


ODD_BODIES = [
    b"", b" ", b"null", b"[]", b"{}", b"0", b"[null]", b"[[]]", b'{"results": null}', b'{"data": {"children": 7}}',
    b'{"access_token": ""}', b'{"results": [null, 1, {}, {"url": "http://[", "title": "A"}]}', b"<html>log in</html>",
    b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5_000, b"<" * 5_000, b"<rss", b"<feed/>",
    b"<urlset><url><loc>x</loc></url></urlset>", b"\x1f\x8b\x08garbage", b'<!DOCTYPE a [<!ENTITY b "c">]><feed>&b;</feed>',
]  # fmt: skip


def outcome(kind: str, bodies: list[bytes]) -> None:
    """Visit a server that answers with these, one after the other; any error but a failed fetch rises."""

    async def visit() -> None:
        turn: list[bytes] = []
        async with answering(lambda _path: (200, turn[0])) as desk:
            for body in bodies:
                turn[:] = [body]
                try:
                    harvest = await desk.fetch(**asked(kind, options={**CASES[kind].options, "robots": "ignore"}))
                except FetchFailed as failure:
                    assert len(str(failure)) > 10
                    continue
                found = arrivals(harvest, desk.clock()).values()
                assert [items.problems(item) for item in found if items.problems(item)] == []

    asyncio.run(visit())


@every_kind
def test_odd_answers_are_failed_visits_or_good_items(kind):
    outcome(kind, ODD_BODIES)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
        | st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(("id", "title", "url", "score", "time", "results", "content", "data", "children", "kind", "name", "access_token", "permalink", "text", "by", "published_date", "body", "created_utc"), inner),
        )
    ),
    max_leaves=20,
)  # fmt: skip
a_post = st.fixed_dictionaries({
    "kind": st.sampled_from(["t3", "t1"]),
    "data": st.fixed_dictionaries(
        {"name": st.sampled_from(["t3_a", "t1_b", "x"]), "title": st.text(max_size=9), "permalink": st.text(max_size=9),
         "body": st.text(max_size=9)},
        optional={"url": st.text(max_size=9), "created_utc": st.floats(), "score": st.integers(), "author": st.text()},
    ),
})  # fmt: skip
promising = st.one_of(
    st.fixed_dictionaries({"id": st.integers(0, 99), "title": st.text()}, optional={"url": st.text(), "time": st.integers()}),
    st.lists(st.integers(), max_size=5),
    st.fixed_dictionaries({"access_token": st.text(min_size=1), "data": st.fixed_dictionaries({"children": st.lists(a_post)})}),
    st.fixed_dictionaries({
        "results": st.lists(
            st.fixed_dictionaries(
                {"url": st.text(max_size=9).map(lambda path: f"http://a.example/{path}"), "title": st.text()},
                optional={"published_date": st.text(), "score": st.floats(), "content": st.text()},
            )
        )
    }),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["hackernews", "reddit", "tavily"])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=st.lists(json_values | promising, min_size=8, max_size=8))
def test_any_json_is_a_failed_visit_or_good_items(kind, values):
    outcome(kind, [json.dumps(value).encode() for value in values])
