"""`scoop replay`: the ledger is told again under other settings, and the difference to the stories is shown."""

import asyncio
import json

import pytest
from newsstand_builders import ANCHOR, Clock, a_world, an_article

from builders import BODY, an_item, as_lines, ingest, run_all, scoop
from scoop.model import ArticlePage
from scoop.newsstand import server, world
from scoop.newsstand.sites import embeddings as face
from scoop.serve import serving
from scoop.store import article_pages
from scoop.store.article_pages import FetchedPage

TOLD = 40  # articles of the newsstand, several of which tell of one event
TEASER = "Old bridge over the Lenn stays closed"


def items():
    """Articles that form groups, and two of one text: one of them has it from its page only."""
    articles = [article for article in world.load(world.SHIPPED).articles if article.body][:TOLD]
    return [
        *(
            an_item(
                number,
                source=article.outlet,
                canonical_url=f"https://{number}.example/",
                title=article.title,
                body_text=article.body,
                published_at=None,
            )
            for number, article in enumerate(articles)
        ),
        an_item(TOLD, title=TEASER, body_text=BODY, metadata={"collection": "teasers"}),
        an_item(
            TOLD + 1,
            source="herald",
            title="No cars on the old bridge",
            body_text=None,
            canonical_url="https://herald.example/1",
            metadata={"collection": "teasers"},
        ),
    ]


@pytest.fixture
async def desk(database, database_url):
    """The command line, on a database whose stories were made with the settings that everybody starts with."""
    await ingest(database, items())
    async with database.connection() as conn:
        newest = await conn.fetchval("SELECT max(raw_arrival_id) FROM raw_arrivals")
        await article_pages.put(
            conn, [FetchedPage(raw_arrival_id=newest, url="https://herald.example/1", page=ArticlePage(text=BODY))]
        )
    await run_all(database)

    async def call(*arguments, **settings):
        return await asyncio.to_thread(scoop, *arguments, database_url=database_url, **settings)

    return call


async def replayed(desk, *arguments, **settings):
    done = await desk("replay", "--json", *arguments, **settings)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def snapshot(database):
    """All that a command could have left in a database, but for what the database counts itself."""
    async with database.connection() as conn:
        tables = await conn.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'news'::regnamespace AND relkind = 'r'"
        )
        return {
            table["relname"]: await conn.fetchval(
                f"SELECT md5(string_agg(row::text, '' ORDER BY row::text)) FROM news.{table['relname']} AS row"
            )
            for table in tables
        }


async def test_the_same_settings_give_the_same_stories_and_leave_the_database_as_it_was(desk, database):
    before = await snapshot(database)
    found = await replayed(desk)
    assert await snapshot(database) == before
    assert (found["arrivals"], found["documents"], found["unplaced"]) == (TOLD + 2, TOLD + 2, 0)
    assert found["before"] == found["after"]
    assert found["differences"] == []
    for tier in ("merge", "coverage"):
        assert (found[tier]["before"], found[tier]["moved"]) == (found[tier]["after"], 0)
        assert set(found[tier]["agreement"].values()) == {1}
    assert found["coverage"]["before"] < found["merge"]["before"] < TOLD + 2


async def test_another_model_is_compared_and_what_comes_apart_is_told_with_titles(desk):
    async with serving(server.create_app(a_world(an_article()), ANCHOR, Clock())) as address:
        settings = {"embedding_url": f"{address}/{face.HOST}/embed", "embedding_model": "toy"}
        found = await replayed(desk, "--embedder", "openai", **settings)
        output = (await desk("replay", "--embedder", "openai", **settings)).stdout
        refused = await desk("replay", "--embedder", "openai", "--coverage-at", "0.6", **settings)
    splits = [one for one in found["differences"] if (one["tier"], one["kind"]) == ("coverage", "split")]
    assert found["after"] == {"model_name": "toy", "model_version": "v1+lead400", "thresholds": {}}
    assert found["coverage"]["after"] == found["merge"]["after"] > found["coverage"]["before"]
    assert found["coverage"]["moved"] == sum(split["documents"] for split in splits) > 0
    assert "after:  toy v1+lead400, no link model: only copies are merged" in output
    assert f"coverage: a group of {splits[0]['documents']} documents became {splits[0]['parts']}\n" in output
    assert all(f"  {title}\n" in output for title in splits[0]["titles"])
    assert refused.returncode == 2
    assert "the model toy v1+lead400 has no link model" in refused.stderr


async def test_other_thresholds_are_compared(desk):
    strict = await replayed(desk, "--coverage-at", "1")
    assert strict["after"]["thresholds"] == strict["before"]["thresholds"] | {"coverage_at": 1}
    assert strict["merge"]["moved"] == 0
    assert strict["coverage"]["after"] > strict["coverage"]["before"]
    assert {one["kind"] for one in strict["differences"]} == {"split"}
    lax = await replayed(desk, "--merge-at", "0.6", "--sure-at", "0.6")
    assert lax["merge"]["after"] < lax["merge"]["before"]
    assert ("merge", "join") in {(one["tier"], one["kind"]) for one in lax["differences"]}


async def test_a_part_of_the_ledger_can_be_told(desk, database):
    teasers = await replayed(desk, "--collection", "teasers")
    assert (teasers["documents"], teasers["merge"]["before"], teasers["merge"]["after"]) == (2, 1, 1)
    async with database.connection() as conn:
        await conn.execute("DELETE FROM story_members WHERE document_id = (SELECT max(document_id) FROM documents)")
    newest = await replayed(desk, "--limit", "1")
    assert (newest["arrivals"], newest["documents"], newest["unplaced"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--collection", "nowhere"), 1, "the ledger has no matching arrivals"),
        (("--days", "30"), 1, "the ledger has no matching arrivals"),
        (("--embedder", "none"), 3, "must be one of local, openai"),
        (("--coverage-at", "1.5"), 2, "must be a number from 0 to 1"),
        (("--days", "0"), 2, "must be a whole number from 1 to 36,500"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(database_url, arguments, code, told):
    old = an_item(1, metadata={"scraped_at": "2001-01-01T00:00:00Z"})
    scoop("ingest", "--items", "-", stdin=as_lines([old]), database_url=database_url)
    done = scoop("replay", *arguments, database_url=database_url)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
