"""Import of the memory of another curator, from a Firestore server and from documents."""

from dataclasses import replace
from datetime import timedelta

import pytest

from builders import FIRE, FIRE_AGAIN, an_item
from curating import INTERESTS, SLUG, CuratorDesk, a_curator, a_post_about
from projections import memories
from projections.memories import MESSAGE, NOW, RememberingDesk, days_ago
from scoop import metrics
from scoop.actions import curator_import, curator_previews, curators
from scoop.actions.curator_import import MemoryImport
from scoop.core.interests import Interest, Interests
from scoop.core.shapes import curator_memory
from scoop.core.shapes.curator_memory import StoredDocument
from scoop.metrics import recording
from scoop.stages import curate
from scoop.store import curators as curator_store
from scoop.store.db import Database

SEEDS = {
    "https:--dev.to-example-building-microservices": {
        "notified_at": days_ago(3),
        "discord_message_id": MESSAGE,
        "article_title": "Building Microservices with Go and Kubernetes",
        "relevance_score": 95,
    }
}


def posted(document_id: str, **changes) -> StoredDocument:
    fields = {"notified_at": days_ago(3), "discord_message_id": MESSAGE, "article_title": "", "relevance_score": 95}
    return StoredDocument(collection="notified_articles", document_id=document_id, fields=fields | changes)


def rejected(document_id: str, **changes) -> StoredDocument:
    fields = {"evaluated_at": days_ago(3), "reason": "low_relevance", "relevance_score": 35}
    return StoredDocument(collection="rejected_articles", document_id=document_id, fields=fields | changes)


async def imported(database: Database, *documents: StoredDocument | str, slug: str = SLUG, **more) -> MemoryImport:
    async with database.transaction() as conn:
        return await curator_import.import_memory(conn, slug, documents, now=NOW, **more)


async def rows(database: Database, columns: str) -> list[tuple]:
    async with database.connection() as conn:
        return [tuple(row) for row in await conn.fetch(f"SELECT {columns} FROM evaluations ORDER BY 1")]


async def test_a_memory_of_firestore_comes_back_as_it_was_projected(memory):
    await memory.notify("https://dev.to/a", "https://dev.to/b?x=1", f"https://dev.to/{'x' * 2000}", at=days_ago(80))
    await memory.reject("https://dev.to/c", reason="content_extraction_failed", relevance_score=None)
    await memory.notify("https://dev.to/c", curator="lunch")
    await memory.sync()
    before = memory.documents()
    await memory.execute("TRUNCATE evaluations, projection_feeds, projected_items CASCADE")
    documents = [document async for document in memory.projection.list_memory()]
    await imported(memory.database, *documents, slug="picks")
    done = await imported(memory.database, *documents, slug="lunch")
    assert (done.notified, done.others, done.problems) == (1, 4, [])
    fresh = RememberingDesk(memory.database, memory.endpoint, memories.a_projection(memory.endpoint))
    await fresh.sync()
    assert fresh.documents() == before


async def test_ids_of_both_forms_are_read_from_a_server(memory):
    await memory.add_curator()
    notified = memory.client.collection("notified_articles")
    for document_id, fields in SEEDS.items():
        notified.document(document_id).set(fields)
    own_id = curator_memory.document_id("picks", "https://dev.to/own", b"")
    memory.client.collection("rejected_articles").document(own_id).set(rejected(own_id).fields)
    done = await imported(memory.database, *[document async for document in memory.projection.list_memory()])
    assert (done.documents, done.notified, done.rejected, done.unresolved, done.problems) == (2, 1, 1, 1, [])
    assert await rows(memory.database, "article_title, url, state::text") == [
        ("Building Microservices with Go and Kubernetes", None, "notified"),
        ("https://dev.to/own", "https://dev.to/own", "rejected"),
    ]


async def test_repeating_an_import_changes_nothing(database, tmp_path):
    async with a_curator(database, tmp_path):
        documents = [posted("https:--dev.to-a"), rejected("https:--dev.to-b"), posted("https%3A%2F%2Fdev.to%2Fc")]
        assert (await imported(database, *documents)).notified == 2
        before = await rows(database, "evaluation_id, url_hash, state::text, updated_at")
        again = await imported(database, *documents)
        assert (again.notified, again.rejected, again.known) == (0, 0, 3)
        assert await rows(database, "evaluation_id, url_hash, state::text, updated_at") == before


async def test_what_was_posted_counts_more_than_what_was_rejected_or_evaluated_here(database, tmp_path):
    async with a_curator(database, tmp_path):
        await imported(database, rejected("https:--dev.to-a"))
        done = await imported(database, posted("https:--dev.to-a"), rejected("https:--dev.to-a"))
        assert (done.notified, done.rejected, done.known) == (1, 0, 1)
        assert await rows(database, "state::text, reason, relevance_score, discord_message_id") == [
            ("notified", None, 95, MESSAGE)
        ]
        await imported(database, rejected("https:--dev.to-a"))
        assert await rows(database, "state::text") == [("notified",)]


async def test_expired_articles_those_of_others_and_unreadable_ones_are_counted(database, tmp_path):
    async with a_curator(database, tmp_path):
        done = await imported(
            database,
            posted("https:--dev.to-old", notified_at=NOW - timedelta(days=91)),
            rejected("https:--dev.to-old", evaluated_at=NOW - timedelta(days=31)),
            posted("https:--dev.to-other", curator="lunch"),
            posted("nonsense"),
            StoredDocument(collection="users", document_id="ada", fields={}),
            "line 7 is not JSON",
        )
        assert (done.documents, done.expired, done.others, done.notified) == (6, 2, 1, 0)
        assert done.problems == [
            "notified_articles/nonsense: its id leads to no URL, and it has no field url",
            "users/ada: it is neither in notified_articles nor in rejected_articles",
            "line 7 is not JSON",
        ]
        assert await rows(database, "url") == []
        taken = await imported(database, posted("https:--dev.to-other", curator="lunch"), curator="lunch")
        assert taken.notified == 1


async def test_an_id_with_dashes_is_resolved_by_the_documents_of_the_desk(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await desk.gather([an_item(1, canonical_url="https://tribune.example/a-b/c?id=2")])
        done = await imported(database, rejected("https:--tribune.example-a-b-c-?id=2&utm_source=rss"))
        assert done.unresolved == 0
        assert await rows(database, "url, article_title, document_id IS NOT NULL") == [
            ("https://tribune.example/a-b/c?id=2", "Bridge number 1 stays closed", True)
        ]


@pytest.mark.parametrize("lossy", [True, False])
async def test_an_imported_article_is_neither_evaluated_nor_posted_when_it_is_gathered_later(lossy, database, tmp_path):
    url = "https://tribune.example/news/first-post"
    document_id = curator_memory.readable_id(url) if lossy else curator_memory.document_id(SLUG, url, b"")
    async with a_curator(database, tmp_path) as desk:
        await imported(database, posted(document_id, notified_at=desk.now - timedelta(days=1)))
        await desk.evaluate([a_post_about(1, "PostgreSQL", canonical_url=url), a_post_about(2, "Go")])
        assert await rows(database, "state::text, url, document_id IS NOT NULL, provider IS NOT NULL") == [
            ("notified", url, True, False),
            ("relevant", "https://tribune.example/2", True, True),
        ]
        assert [entry.title for entry in await desk.post() if entry.rank] == [a_post_about(2, "Go")["title"]]


FIRES = Interests(topics=(Interest(topic="fire"),), min_relevance_score=10)
BURNT = a_post_about(1, "x", source="tribune") | FIRE
BURNT_AGAIN = a_post_about(2, "x", source="post") | FIRE_AGAIN | {"canonical_url": "https://post.example/fire"}
COPY = {"source": "mirror", "source_item_id": "copy-1", "canonical_url": "https://mirror.example/a-copy"}


async def posted_titles(desk: CuratorDesk) -> list[str]:
    return [entry.title for entry in await desk.post() if entry.rank]


async def read_fires(desk: CuratorDesk) -> None:
    async with desk.database.transaction() as conn:
        await curators.put_interests(conn, SLUG, FIRES, origin="page")


@pytest.mark.parametrize("gathered_first", [True, False])
async def test_another_article_about_an_event_that_the_old_system_posted_is_not_posted(
    gathered_first, database, tmp_path
):
    async with a_curator(database, tmp_path) as desk:
        await read_fires(desk)
        if gathered_first:
            await desk.gather([BURNT])
        await imported(database, posted(curator_memory.document_id(SLUG, BURNT["canonical_url"], b"")))
        await desk.evaluate([BURNT, BURNT_AGAIN])
        assert await posted_titles(desk) == []


async def test_an_imported_article_is_recognised_when_it_follows_one_about_its_event(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await read_fires(desk)
        await imported(database, posted(curator_memory.document_id(SLUG, BURNT["canonical_url"], b"")))
        await desk.evaluate([BURNT_AGAIN])
        await desk.evaluate([BURNT])
        assert await posted_titles(desk) == []


@pytest.mark.parametrize("state", [posted, rejected])
async def test_an_imported_article_that_is_gathered_as_a_copy_makes_its_story_known(state, database, tmp_path):
    first = a_post_about(1, "PostgreSQL")
    async with a_curator(database, tmp_path) as desk:
        await imported(database, state(curator_memory.readable_id(COPY["canonical_url"])))
        await desk.evaluate([first, a_post_about(1, "PostgreSQL", hours_ago=4) | COPY])
        assert desk.desk.calls == []
        assert await posted_titles(desk) == []


async def test_the_event_of_an_imported_article_stays_posted_when_the_article_is_forgotten(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await read_fires(desk)
        await imported(database, posted(curator_memory.document_id(SLUG, BURNT["canonical_url"], b"")))
        await desk.evaluate([BURNT])
        async with database.transaction() as conn:
            await conn.execute("UPDATE evaluations SET notified_at = now() - interval '91 days'")
            await curate.forget(conn, now=desk.desk.now)
        await desk.evaluate([BURNT_AGAIN])
        assert await rows(database, "url") == [(BURNT_AGAIN["canonical_url"],)]
        assert await posted_titles(desk) == []


async def test_a_dry_run_knows_imported_articles_and_counts_nothing(database, tmp_path):
    async with a_curator(database, tmp_path) as desk:
        await read_fires(desk)
        await imported(database, posted(curator_memory.readable_id(BURNT["canonical_url"])))
        await desk.gather([BURNT, BURNT_AGAIN])
        before = await rows(database, "url, document_id, updated_at")
        recording.take()
        async with database.transaction() as conn:
            await conn.execute("SET TRANSACTION READ ONLY")
            curator = await curator_store.by_slug(conn, SLUG)
            preview = await curator_previews.preview(conn, curator, FIRES, until=desk.now)
        assert preview.articles == []
        assert not [name for name, _ in recording.take() if name == metrics.LOOKED_UP.name]
        assert await rows(database, "url, document_id, updated_at") == before


async def test_the_reason_of_an_imported_article_survives_new_interests(database, tmp_path):
    async with a_curator(database, tmp_path):
        await imported(database, rejected("https:--dev.to-a", reason="low_relevance"))
        async with database.transaction() as conn:
            await curators.put_interests(conn, SLUG, replace(INTERESTS, min_relevance_score=10), origin="command")
        assert await rows(database, "reason") == [("low_relevance",)]
