"""What every kind of source promises, whoever wrote it."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
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
        secrets={"client_id": "reader", "client_secret": "s3cret"},
    ),
    "youtube": Case(options={"channel": "UCscoopNewsstandOnAirTV1"}),
    "tavily": Case(options={"query": "ferrypack"}, secrets={"api_key": "tvly-reader"}),
    "site": Case(options={"sitemap": True}, source={"base_url": "http://fennmoorgazette.example/"}),
}
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def asked(kind: str, **more: Any) -> dict[str, Any]:
    case = CASES[kind]
    return {"kind": kind, "options": case.options, "secrets": case.secrets, **case.source, **more}


def arrivals(harvest: sources.Harvest, now: Any) -> dict[tuple[str, bytes], dict[str, Any]]:
    """What a harvest would be in the ledger: complete items by id and hash."""
    whole = [
        items.complete_item(item, source="tried", collection="ai_news", category="news", now=now)
        for item in harvest.items
    ]
    return {(item["source_item_id"], hashes.payload_hash(item)): item for item in whole}


def problems(harvest: sources.Harvest, now: Any) -> list[list[items.ItemProblem]]:
    return [found for item in arrivals(harvest, now).values() if (found := items.list_problems(item))]


def test_every_kind_is_tried_here():
    assert CASES.keys() == KINDS.keys()


@every_kind
def test_a_kind_explains_itself_and_all_its_options(kind):
    found = KINDS[kind]
    assert found.name == kind
    assert len(found.__doc__.split()) > 10
    explained = " ".join(base.__doc__ or "" for base in found.Options.__mro__)
    assert [option for option in found.Options.__struct_fields__ if f"`{option}`:" not in explained] == []


@every_kind
async def test_what_a_kind_brings_passes_the_door(desk, kind):
    harvest = await desk.fetch(**asked(kind))
    assert harvest.health == "ok"
    assert harvest.items
    assert {
        path: items.list_problems(item)
        for path, item in arrivals(harvest, desk.clock()).items()
        if items.list_problems(item)
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
    b"<urlset><url><loc>x</loc></url></urlset>", b"\x1f\x8b\x08garbage", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
]  # fmt: skip
LEADING_IN = {"topstories": b"[1, 2]", "access_token": b'{"access_token": "x"}'}  # what comes before the items


def visits_end_well(kind: str, bodies: list[bytes], leading_in: Mapping[str, bytes]) -> None:
    """Visit a server that answers with these, one a visit: a failed fetch or good items, and no other error."""

    async def visit_all() -> None:
        told: list[bytes] = []

        def script(path: str) -> tuple[int, bytes]:
            return 200, next((body for part, body in leading_in.items() if part in path), told[-1])

        options = {**CASES[kind].options, "robots": "ignore"}
        async with answering(script) as desk:
            for body in bodies:
                told.append(body)
                with suppress(FetchFailed):
                    assert problems(await desk.fetch(**asked(kind, options=options)), desk.clock()) == []

    asyncio.run(visit_all())


@every_kind
def test_odd_answers_are_failed_visits_or_good_items(kind):
    visits_end_well(kind, ODD_BODIES, {})


words = st.text(max_size=12)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
links = words | words.map(lambda path: f"http://a.example/{path}")
anything = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=10,
)
stories = st.fixed_dictionaries(
    {"id": st.integers(), "title": words},
    optional={"url": links, "time": st.integers(), "text": words, "by": words, "score": st.integers(), "type": words},
)
told_by_reddit = st.fixed_dictionaries(
    {"name": st.sampled_from(["t3_a", "t1_b", "x"]), "title": words, "body": words, "permalink": links},
    optional={"url": links, "created_utc": numbers, "score": st.integers(), "author": words, "selftext": words},
)
things = st.fixed_dictionaries({"kind": st.sampled_from(["t1", "t3"]), "data": told_by_reddit | anything})
listings = st.lists(things, max_size=5).map(lambda children: {"data": {"children": children}})
results = st.fixed_dictionaries(
    {"url": links, "title": words}, optional={"published_date": words, "score": numbers, "content": words}
)
found = st.lists(results | anything, max_size=5).map(lambda each: {"results": each})


@pytest.mark.parametrize(("kind", "promised"), [("hackernews", stories), ("reddit", listings), ("tavily", found)])
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_any_json_is_a_failed_visit_or_good_items(kind, promised, data):
    values = data.draw(st.lists(promised | anything, min_size=10, max_size=10))
    visits_end_well(kind, [json.dumps(value).encode() for value in values], LEADING_IN)
