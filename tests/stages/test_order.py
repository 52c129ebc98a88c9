"""Which documents are one article, whatever order they come in and however many are judged in one go."""

import asyncio
import random
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import an_item, ingest
from scoop import worker
from scoop.cli.progress import Silent
from scoop.stages import dedup, normalize
from scoop.stages.stage import Worker
from scoop.store import stories as store
from scoop.store import work

BRIDGE = (
    "Engineers found rust in two cables of the old bridge over the Lenn and want every strand to be checked twice "
    "before the first lorry may cross it again in spring."
)
FERRY = (
    "The council voted eleven to nine for a ferry that carries cyclists and pupils free of charge until the repair "
    "is paid for by the harbour fund."
)
SHOPS = (
    "Shopkeepers on the eastern bank fear for the Christmas trade, since half of their customers used to walk over "
    "from the station within minutes."
)
MOON = (
    "A telescope in the desert has seen water vapour above a moon of the ringed planet, where a thin haze hid the "
    "ice from all earlier surveys."
)
PASSAGES = (BRIDGE, FERRY, SHOPS, MOON)
HEADLINES = (
    "Old bridge over the Lenn stays closed until spring",
    "Old bridge over the Lenn stays closed until spring | Harbour Tribune",
    "OLD BRIDGE over the Lenn stays closed, until spring!",
    "Old bridge over the Lenn stays closed after 2 cables rust",
    "Old bridge over the Lenn stays closed after 3 cables rust",
    "Morning briefing",
    "Ferry sails free",
)
HOSTS = ("tribune.example", "herald.example", "post.example", "courier.example")
DAYS = ("2026-11-01", "2026-11-09", "2026-11-20")

collections = (f"order_{number}" for number in count())


def a_document(number, *, title=HEADLINES[0], body=(), host=HOSTS[0], path=None, day=DAYS[0], source=None):
    return an_item(
        number,
        source=source or host,
        title=title,
        body_text="\n".join(PASSAGES[place] for place in body) or None,
        canonical_url=f"https://{host}/{path if path is not None else f'own-{number}'}",
        published_at=f"{day}T08:00:00Z",
    )


async def partition(database, portions, *, batch):
    """The stories, as sets of source item ids, after the portions were taken in and judged one after the other."""
    collection = next(collections)
    for portion in portions:
        items = [item | {"source_metadata": item["source_metadata"] | {"collection": collection}} for item in portion]
        await ingest(database, items)
        async with database.connection() as conn:
            member = Worker(await work.register_worker(conn), conn)
            for stage in (normalize.stage(then=("dedup",)), replace(dedup.stage(then=()), batch=batch)):
                await worker.drain(stage, member, stop=asyncio.Event(), report=Silent())
    async with database.connection() as conn:
        placed = await store.get_placements(conn)
    stories: dict[int, set[str]] = {}
    for (found_in, _, source_item_id), place in placed.items():
        if found_in == collection:
            stories.setdefault(place.merge, set()).add(source_item_id)
    assert sum(map(len, stories.values())) == sum(map(len, portions))
    return {frozenset(story) for story in stories.values()}


# Each set holds documents of one rule; what they come to is known.
TANGLES = {
    "a URL that two sources link to, and a text that a third one has too": (
        [
            a_document(1, title="Ferry sails free", body=(0,), path="x"),
            a_document(2, title="Morning briefing", body=(1,), path="x", source="aggregator"),
            a_document(3, title="Morning briefing", body=(1,), host=HOSTS[1]),
        ],
        [{1, 2, 3}],
    ),
    "posts of one feed that share a link, one of them sent twice, with links of others to two posts and to the page": (
        [
            a_document(1, title="Ferry sails free", body=(0,), path=""),
            a_document(2, title="Ferry sails late", body=(1,), path=""),
            a_document(3, title="Ferry sails free", path=""),
            a_document(4, title="Ferry sails free", path="", source="aggregator"),
            a_document(5, title="A good blog about ferries", path="", source="aggregator"),
            a_document(6, title="Another good blog", path="", source="forum"),
        ],
        [{1, 3, 4}, {2}, {5}, {6}],
    ),
    "posts of one feed that share a link, of which the third shows that it is shared": (
        [
            a_document(1, title="Ferry sails free", body=(0, 1), path=""),
            a_document(2, title="Ferry sails late", body=(0, 1), path=""),
            a_document(3, title="Ferry sails twice", body=(0, 1), path=""),
        ],
        [{1}, {2}, {3}],
    ),
    "an article that was sent again under another id and title": (
        [
            a_document(1, title="Ferry sails free", body=(0, 1), path="x"),
            a_document(2, title="Ferry sails late", body=(0, 1), path="x"),
            a_document(3, title="Seen at the harbour", path="x", source="aggregator"),
        ],
        [{1, 2, 3}],
    ),
    "posts that share a link except for the fragment, and links of others to one of them and to the page": (
        [
            a_document(1, title="Ferry sails free", path="log#p1"),
            a_document(2, title="Ferry sails late", path="log#p2"),
            a_document(3, title="On the harbour blog", path="log#p2", source="aggregator"),
            a_document(4, title="The harbour blog", path="log", source="forum"),
        ],
        [{1}, {2, 3}, {4}],
    ),
    "near copies that only a third one ties together": (
        [
            a_document(1, title="Rust on the Lenn", body=(0, 1)),
            a_document(2, title="Free ferry instead of the bridge", body=(1, 2), host=HOSTS[1]),
            a_document(3, title="Shops fear for Christmas", body=(2, 3), host=HOSTS[2]),
            a_document(4, title="Water above a distant moon", body=(3,), host=HOSTS[2], path="moon"),
        ],
        [{1, 2, 3}, {4}],
    ),
    "one headline, typed in three ways": (
        [a_document(number, title=HEADLINES[number], host=HOSTS[number]) for number in range(3)],
        [{0, 1, 2}],
    ),
    "one headline over texts that have nothing in common": (
        [
            a_document(1, body=(0, 1)),
            a_document(2, body=(3, 3), host=HOSTS[1]),
            a_document(3, host=HOSTS[2], day=DAYS[2]),
        ],
        [{1}, {2}, {3}],
    ),
    "a teaser that its publisher sent twice, of which the later one is of a copy's time": (
        [
            a_document(1),
            a_document(2, day=DAYS[2]),
            a_document(3, host=HOSTS[1], day=DAYS[2]),
        ],
        [{1}, {2, 3}],
    ),
    "a teaser that its publisher sent twice, and a copy of it": (
        [a_document(1), a_document(2), a_document(3, host=HOSTS[1])],
        [{1, 2, 3}],
    ),
    "a text that its publisher sent again after months, and a copy of the later one": (
        [
            a_document(1, title="Ferry sails free", body=(0, 1), day="2026-08-01"),
            a_document(2, title="Ferry sails free", body=(0, 1), day=DAYS[2]),
            a_document(3, title="Free ferry", body=(0, 1), host=HOSTS[1], day=DAYS[2]),
        ],
        [{1, 2, 3}],
    ),
    "one headline, which its publisher has sent more often than a copy is compared with": (
        [
            a_document(1, host=HOSTS[1]),
            *(a_document(number) for number in range(2, 9)),
            a_document(9, host=HOSTS[2]),
        ],
        [set(range(1, 10))],
    ),
    "headlines that say too little, or other numbers": (
        [
            a_document(1, title="Morning briefing"),
            a_document(2, title="Morning briefing", host=HOSTS[1]),
            a_document(3, title=HEADLINES[3], host=HOSTS[2]),
            a_document(4, title=HEADLINES[4], host=HOSTS[3]),
        ],
        [{1}, {2}, {3}, {4}],
    ),
    "look-alikes of one publisher, which a copy elsewhere ties together": (
        [
            a_document(1, title="Rust on the Lenn", body=(0, 1)),
            a_document(2, title="Rust on the Lenn, part two", body=(0, 1, 2)),
            a_document(3, title="Bridge of rust", body=(3,)),
            a_document(4, title="Rust", body=(0, 1), host=HOSTS[1]),
        ],
        [{1, 2, 4}, {3}],
    ),
}


@pytest.mark.parametrize("name", TANGLES)
async def test_the_same_stories_come_of_every_order(database, name):
    items, stories = TANGLES[name]
    expected = {frozenset(f"item-{number}" for number in story) for story in stories}
    assert await partition(database, [items], batch=1000) == expected
    assert await partition(database, [[item] for item in items], batch=1000) == expected
    assert await partition(database, [[item] for item in reversed(items)], batch=1000) == expected
    for first in range(len(items)):
        turned = items[first:] + items[:first]
        assert await partition(database, [turned], batch=1) == expected
        assert await partition(database, [turned[:2], turned[2:]], batch=1000) == expected
        assert await partition(database, [turned[:1], turned[1:]], batch=1000) == expected


async def test_look_alikes_of_one_publisher_stay_apart_where_nothing_ties_them_together(database):
    items = [a_document(1, body=(0, 1)), a_document(2, title="Rust", body=(0, 1, 2))]
    assert len(await partition(database, [items], batch=1000)) == 2
    assert len(await partition(database, [items[1:], items[:1]], batch=1000)) == 2


documents = st.builds(
    dict,
    title=st.sampled_from(HEADLINES),
    body=st.lists(st.sampled_from(range(len(PASSAGES))), max_size=3, unique=True),
    host=st.sampled_from(HOSTS),
    path=st.none() | st.sampled_from(("x", "y", "x#p1", "x#p2")),
    day=st.sampled_from(DAYS),
    source=st.none() | st.just("aggregator"),
)


@given(st.lists(documents, min_size=2, max_size=12), st.randoms(use_true_random=False), st.sampled_from((1, 2, 5)))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_stories_depend_neither_on_the_order_of_arrival_nor_on_the_size_of_a_batch(
    database, drawn, chance, batch
):
    items = [a_document(number, **document) for number, document in enumerate(drawn)]
    shuffled = chance.sample(items, len(items))
    cut = chance.randint(1, len(items) - 1)
    in_one_go = await partition(database, [items], batch=1000)
    assert await partition(database, [shuffled], batch=batch) == in_one_go
    assert await partition(database, [shuffled[:cut], shuffled[cut:]], batch=1000) == in_one_go


def rare(seed, count):
    """Words that no other seed has."""
    chance = random.Random(seed)
    return " ".join(
        "".join(chance.choice("bdgklmnprst") + chance.choice("aeiou") for _ in range(4)) for _ in range(count)
    )


async def test_the_name_of_a_site_in_a_title_counts_the_same_from_both_sides(database):
    one = a_document(1, title=HEADLINES[1]) | {"body_text": "Harbour tribune. " * 6 + rare(1, 50)}
    other = a_document(2, host=HOSTS[1]) | {"body_text": "Harbour tribune. " * 6 + rare(2, 50)}
    forwards = await partition(database, [[one], [other]], batch=1000)
    assert await partition(database, [[other], [one]], batch=1000) == forwards
    assert await partition(database, [[one, other]], batch=1000) == forwards


async def test_a_copy_is_found_among_many_documents_that_share_a_notice_with_it(database):
    notice = (
        "You read a free preview. Subscribe today and support independent local reporting in your own town. All rights "
        "reserved, no reproduction without written permission of the publisher at any time or place."
    )

    def document(number, seed):
        host, title = f"paper{number}.example", f"Report {rare(5000 + number, 2)} {rare(seed, 1)}"
        return a_document(number, title=title, host=host) | {"body_text": f"{rare(seed, 60)} {notice}"}

    one, copy = document(0, seed=7), document(1, seed=7)
    crowd = [document(number, seed=1000 + number) for number in range(2, 302)]
    early = await partition(database, [[one, copy], crowd], batch=1000)
    late = await partition(database, [crowd, [one], [copy]], batch=1000)
    assert frozenset({"item-0", "item-1"}) in early
    assert late == early
