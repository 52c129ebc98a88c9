"""The memory of curators in Firestore, read as other programs read it: with the vendor's client."""

import json
from datetime import timedelta

import pytest
from google.cloud.firestore import FieldFilter

from builders import scoop
from projections import memories
from projections.memories import MESSAGE, NOW, RememberingDesk, days_ago
from scoop.actions import curators
from scoop.core import hashes
from scoop.core.shapes import curator_memory
from scoop.metrics import recording
from scoop.stages import curate, project
from scoop.store import projections as store

POST = "https://dev.to/example/building-microservices"
OTHER = "https://dev.to/example/intro-to-javascript"
NOTIFIED, REJECTED = curator_memory.COLLECTIONS


def id_of(url: str, curator: str = "picks") -> str:
    return curator_memory.document_id(curator, url, hashes.sha256(url))


def counted(name: str) -> float:
    """What was counted under a name since the last time, over all labels."""
    return sum(value for (sample, _), value in recording.take().items() if sample == name)


# The contract of the collections


async def test_a_posted_article_has_the_fields_of_the_contract(memory):
    await memory.notify(POST)
    await memory.sync()
    assert memory.documents() == {
        f"{NOTIFIED}/{id_of(POST)}": {
            "notified_at": NOW,
            "discord_message_id": MESSAGE,
            "article_title": f"About {POST}",
            "relevance_score": 85,
            "url": POST,
            "readable_id": "https:--dev.to-example-building-microservices",
            "curator": "picks",
            "expires_at": NOW + timedelta(days=90),
        }
    }


@pytest.mark.parametrize(
    ("reason", "score"), [("low_relevance", 35), ("no_topic_match", 0), ("content_extraction_failed", None)]
)
async def test_a_rejected_article_has_the_fields_of_the_contract(reason, score, memory):
    await memory.reject(POST, reason=reason, relevance_score=score)
    await memory.sync()
    assert memory.documents() == {
        f"{REJECTED}/{id_of(POST)}": {
            "evaluated_at": NOW,
            "reason": reason,
            "relevance_score": score,
            "url": POST,
            "readable_id": "https:--dev.to-example-building-microservices",
            "curator": "picks",
            "expires_at": NOW + timedelta(days=30),
        }
    }


async def test_a_program_finds_out_whether_an_article_was_posted_or_rejected(memory):
    await memory.notify(POST)
    await memory.reject(OTHER)
    await memory.sync()
    found = {
        (collection, url): memory.client.collection(collection).document(id_of(url)).get().exists
        for collection in (NOTIFIED, REJECTED)
        for url in (POST, OTHER)
    }
    assert found == {(NOTIFIED, POST): True, (NOTIFIED, OTHER): False, (REJECTED, POST): False, (REJECTED, OTHER): True}


async def test_a_program_looks_500_articles_up_at_once(memory):
    known = [f"https://dev.to/known/{number}" for number in range(250)]
    new = [f"https://dev.to/new/{number}" for number in range(250)]
    await memory.notify(*known)
    await memory.sync()
    references = [memory.client.collection(NOTIFIED).document(id_of(url)) for url in known + new]
    found = {snapshot.to_dict()["url"] for snapshot in memory.client.get_all(references) if snapshot.exists}
    assert found == set(known)


async def test_a_program_finds_expired_articles_by_their_time_and_the_policy_by_its_field(memory):
    await memory.notify("https://dev.to/old", at=days_ago(80))
    await memory.notify("https://dev.to/new")
    await memory.sync()
    articles = memory.client.collection(NOTIFIED)
    old = articles.where(filter=FieldFilter("notified_at", "<", days_ago(70))).stream()
    ends = articles.where(filter=FieldFilter("expires_at", "<", days_ago(-11))).stream()
    assert [each.to_dict()["url"] for each in old] == ["https://dev.to/old"]
    assert [each.to_dict()["url"] for each in ends] == ["https://dev.to/old"]


# What becomes of documents


async def test_only_posted_and_rejected_articles_are_remembered_there(memory):
    await memory.reject("https://dev.to/waiting", state="waiting", reason=None, evaluated_at=None)
    await memory.reject("https://dev.to/relevant", state="relevant", reason=None)
    await memory.sync()
    assert memory.documents() == {}


async def test_an_article_that_is_posted_after_all_leaves_no_twin(memory):
    await memory.reject(POST)
    await memory.sync()
    await memory.execute("UPDATE evaluations SET state = 'notified', reason = NULL, notified_at = now()")
    await memory.sync()
    assert list(memory.documents()) == [f"{NOTIFIED}/{id_of(POST)}"]


async def test_curators_that_judge_an_article_differently_have_documents_of_their_own(memory):
    await memory.notify(POST, curator="picks")
    await memory.reject(POST, curator="lunch")
    await memory.notify(POST, curator="evening")
    await memory.sync()
    assert sorted((path, fields["curator"]) for path, fields in memory.documents().items()) == [
        (f"{NOTIFIED}/{id_of(POST, 'evening')}", "evening"),
        (f"{NOTIFIED}/{id_of(POST, 'picks')}", "picks"),
        (f"{REJECTED}/{id_of(POST, 'lunch')}", "lunch"),
    ]


async def test_the_fields_of_another_program_stay(memory):
    await memory.notify(POST)
    await memory.sync()
    document = memory.client.collection(NOTIFIED).document(id_of(POST))
    document.set({"read_by": "Ada"}, merge=True)
    await memory.execute("UPDATE evaluations SET relevance_score = 60")
    await memory.sync()
    fields = document.get().to_dict()
    assert (fields["read_by"], fields["relevance_score"]) == ("Ada", 60)


async def test_forgotten_articles_leave_the_store_and_may_come_back(memory):
    await memory.notify(POST, at=days_ago(89))
    await memory.reject(OTHER, at=days_ago(29))
    await memory.sync()
    assert len(memory.documents()) == 2
    async with memory.database.connection() as conn:
        await curate.forget(conn, now=NOW + timedelta(days=2))
    await memory.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await memory.sync()
    assert memory.documents() == {}
    await memory.reject(POST)
    await memory.sync()
    assert list(memory.documents()) == [f"{REJECTED}/{id_of(POST)}"]


async def test_an_article_that_is_forgotten_and_met_again_at_once_stays(memory):
    await memory.notify(POST)
    await memory.sync()
    await memory.execute("DELETE FROM evaluations")
    await memory.reject(POST)
    await memory.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await memory.sync()
    assert list(memory.documents()) == [f"{REJECTED}/{id_of(POST)}"]


async def test_articles_leave_when_they_expire_even_if_no_policy_deletes_them(memory):
    await memory.reject(POST, at=days_ago(29.9999))
    await memory.sync()
    await memory.execute("UPDATE projected_items SET expires_at = now()")
    await memory.execute("UPDATE evaluations SET evaluated_at = now() - interval '31 days'")
    await memory.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await memory.sync()
    assert memory.documents() == {}


async def test_a_removed_curator_leaves_nothing_behind(memory):
    await memory.notify(POST, curator="picks")
    await memory.notify(POST, curator="lunch")
    await memory.sync()
    async with memory.database.transaction() as conn:
        await curators.remove(conn, "lunch")
    await memory.execute("UPDATE projection_feeds SET swept_at = 'epoch'")
    await memory.sync()
    assert list(memory.documents()) == [f"{NOTIFIED}/{id_of(POST)}"]


async def test_several_desks_share_a_database_by_a_prefix(memory):
    await memory.notify(POST)
    await memory.sync()
    prefixed = memories.a_projection(memory.endpoint, project=memory.project_id, collection_prefix="test_")
    await RememberingDesk(memory.database, memory.endpoint, prefixed).sync()
    assert [each.id for each in memory.client.collection("test_notified_articles").stream()] == [id_of(POST)]
    assert [key async for page in prefixed.list_keys() for key in page] == [f"test_notified_articles/{id_of(POST)}"]


# Rebuilding


async def test_a_rebuild_restores_lost_documents_and_deletes_unknown_ones(memory):
    await memory.notify(POST, "https://dev.to/kept")
    await memory.reject(OTHER)
    await memory.sync()
    before = memory.documents()
    notified = memory.client.collection(NOTIFIED)
    notified.document(id_of(POST)).delete()
    notified.document(id_of("https://dev.to/kept")).set({"relevance_score": 1}, merge=True)
    notified.document(id_of("https://dev.to/unknown")).set({"url": "https://dev.to/unknown"})
    notified.document("https:--dev.to-of-another-program").set({"relevance_score": 90})
    async with memory.database.connection() as conn:
        await store.reset(conn, memory.projection.name)
    await memory.sync()
    async with memory.database.connection() as conn:
        assert await project.delete_unknown(conn, memory.projection) == 1
    foreign = {f"{NOTIFIED}/https:--dev.to-of-another-program"}
    assert memory.documents().keys() - before.keys() == foreign
    assert {path: fields for path, fields in memory.documents().items() if path not in foreign} == before


async def test_a_rebuild_of_an_intact_store_writes_nothing(memory):
    await memory.notify(*(f"https://dev.to/{number}" for number in range(30)))
    await memory.sync()
    async with memory.database.connection() as conn:
        await store.reset(conn, memory.projection.name)
    recording.take()
    await memory.sync()
    assert counted("firestore_writes_total") == 0


async def test_small_pages_lead_to_the_same_documents(memory):
    await memory.notify(*(f"https://dev.to/{number}" for number in range(7)))
    await memory.reject(*(f"https://dev.to/no/{number}" for number in range(6)))
    await memory.sync(page=2)
    other = RememberingDesk(memory.database, memory.endpoint, memories.a_projection(memory.endpoint))
    await memory.execute("TRUNCATE projection_feeds, projected_items")
    await other.sync()
    assert len(memory.documents()) == 13
    assert memory.documents() == other.documents()


async def test_reads_and_writes_are_counted_by_collection(memory):
    recording.take()
    await memory.notify(POST)
    await memory.reject(OTHER, "https://dev.to/no")
    await memory.sync()
    taken = recording.take()
    assert taken["firestore_writes_total", (("collection", NOTIFIED),)] == 1
    assert taken["firestore_writes_total", (("collection", REJECTED),)] == 2
    operations = {labels[0][1] for (name, labels) in taken if name == "firestore_latency_seconds_bucket"}
    assert operations == {"get_all", "commit"}


# Files


def test_the_files_for_the_tools_of_the_store_deny_clients_and_set_the_expiry(tmp_path):
    done = scoop("projections", "files", "firestore", "--to", str(tmp_path / "firebase"))
    assert done.returncode == 0
    assert "allow read, write: if false;" in (tmp_path / "firebase/firestore.rules").read_text()
    indexes = json.loads((tmp_path / "firebase/firestore.indexes.json").read_text())
    assert {each["collectionGroup"] for each in indexes["fieldOverrides"] if each["ttl"]} == {NOTIFIED, REJECTED}
    assert {each["fieldPath"] for each in indexes["fieldOverrides"]} == {"expires_at"}


def test_files_that_somebody_changed_are_not_overwritten(tmp_path):
    (tmp_path / "firestore.rules").write_text("my own")
    done = scoop("projections", "files", "firestore", "--to", str(tmp_path))
    assert done.returncode == 2
    assert "exists with another content" in done.stderr
    assert (tmp_path / "firestore.rules").read_text() == "my own"
