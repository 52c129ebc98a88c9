"""Nonsense finds nothing by its meaning; a paraphrase finds the story it means."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from builders import told
from scoop.actions import search
from scoop.core.search import Query
from scoop.embedders.local import Local
from scoop.newsstand import items, world

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
QUERIES = 40  # of each kind of nonsense
NONSENSE_MAX = 0.02  # share of nonsense that may find a story; 0.005 were measured
NAMES = ["Ragna Czerwinski", "Sture Vandersloot", "Emeka Bjarkason", "xyzzy blorp", "flurbish grankle", "asdf qwertz"]
PARAPHRASES = {
    "port workers walk out": "dock",
    "art theft museum": "museum",
    "space mission to a comet": "comet",
    "mobile phone surveillance ruling": "location data",
    "court orders AI firm to reveal training data": "マローフィールド",
    "disease outbreak ends": "cholera",
    "trade pact signed": "trade",
    "river floods homes": "osmer",
    "chip maker earnings": "basaltine",
    "Hafenarbeiter legen Arbeit nieder": "dock",
}


def random_words(chance: random.Random, letters: str, *, words: int) -> str:
    return " ".join("".join(chance.choices(letters, k=chance.randint(4, 9))) for _ in range(words))


def nonsense() -> list[str]:
    chance = random.Random(2026)
    scripts = [
        "bcdfghjklmnpqrstvwxyz",
        "abeilmnorstuvwz",
        "бвгджзклмнпрстаеиоуы",
        "アイウエオカキクサシタチナニハヒマミ",
    ]
    made = [random_words(chance, letters, words=chance.randint(1, 4)) for letters in scripts for _ in range(QUERIES)]
    return [*made, *NAMES]


@pytest.fixture
async def desk(database):
    """A desk with the newsstand's articles, and a search by meaning over it."""
    await told(database, items.items(world.load(world.SHIPPED), NOW, NOW, "run"))
    local = Local(Local.Options(), None)

    async def find(text: str) -> list[str]:
        query = Query(text=text)
        vector = await search.embed_query(local, query, within=timedelta(minutes=1))
        async with database.connection() as conn:
            result = await search.search_stories(conn, query, now=NOW, vector=vector)
        return [hit.story.title for hit in result.items if "meaning" in hit.found_by]

    return find


async def test_nonsense_finds_nothing_by_its_meaning(desk):
    queries = nonsense()
    found = [text for text in queries if await desk(text)]
    assert len(found) <= NONSENSE_MAX * len(queries), found


async def test_a_paraphrase_finds_the_story_it_means(desk):
    found = {text: await desk(text) for text in PARAPHRASES}
    missed = {
        text: titles
        for text, titles in found.items()
        if not any(PARAPHRASES[text] in title.lower() for title in titles)
    }
    assert missed == {}
