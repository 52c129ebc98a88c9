"""Errors of Firestore, injected at the wire: which are passed over, retried, or stop the projection."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import grpc
import pytest

from projections import memories
from projections.memories import RememberingDesk
from projections.scripted_firestore import ScriptedFirestore, scripted_firestore
from scoop.core.projection_plans import Record, Upsert
from scoop.core.secrets import Secret
from scoop.errors import ConfigError, Retry
from scoop.metrics import recording
from scoop.stages import project
from scoop.stages.stage import Worker, run_batch
from scoop.store import alerts, work
from scoop.store import projections as store
from scoop.store.db import Database

CODES = grpc.StatusCode
POST = "https://dev.to/example/post"


@pytest.fixture
def server() -> Iterator[ScriptedFirestore]:
    with scripted_firestore() as script:
        yield script


@pytest.fixture
def failing(database: Database, server: ScriptedFirestore) -> RememberingDesk:
    return RememberingDesk(database, server.address, memories.a_projection(server.address))


async def attempt(desk: RememberingDesk) -> store.FeedState:
    """Try the feed once, whenever it is due; gives its state."""
    async with desk.database.connection() as conn:
        await project.schedule(conn, [desk.projection])
        await work.retry_now(conn, stage="project")
        member = Worker(await work.register_worker(conn), conn)
        await run_batch(desk.stage(), member)
        (state,) = await store.list_states(conn)
    return state


async def open_alerts(desk: RememberingDesk) -> list[tuple[str, str]]:
    async with desk.database.connection() as conn:
        return [(each.kind, each.subject) for each in await alerts.latest(conn, with_resolved=False, limit=10)]


def upserts(count: int, **more) -> list[Upsert]:
    return [
        Upsert(
            subject=str(number),
            row_id=number,
            record=Record(key=f"notified_articles/picks.{number}", content={"relevance_score": 80}),
            fingerprint=b"",
            stale_keys=more.get("stale_keys", ()),
            is_repeated=more.get("is_repeated", False),
        )
        for number in range(count)
    ]


# Batches


async def test_a_commit_has_at_most_500_writes(server):
    await memories.a_projection(server.address).upsert(upserts(1201))
    assert server.batch_sizes == [500, 500, 201]


async def test_a_document_that_moves_is_deleted_and_written_by_one_commit(server):
    await memories.a_projection(server.address).upsert(upserts(251, stale_keys=("rejected_articles/a", "old/b")))
    assert server.batch_sizes == [498, 255]


async def test_documents_that_may_be_there_are_looked_up_500_at_a_time(server):
    await memories.a_projection(server.address).upsert(upserts(501, is_repeated=True))
    assert server.batch_sizes == [500, 1, 500, 1]


async def test_deletions_come_500_at_a_time(server):
    await memories.a_projection(server.address).delete([f"notified_articles/{number}" for number in range(501)])
    assert server.batch_sizes == [500, 1]


async def test_a_deletion_is_not_counted_as_a_write(server):
    recording.take()
    await memories.a_projection(server.address).upsert(upserts(2, stale_keys=("rejected_articles/a",)))
    taken = {name: value for (name, _), value in recording.take().items() if name.endswith("s_total")}
    assert taken == {"firestore_writes_total": 2, "firestore_deletes_total": 2}


# The table of errors


async def test_a_document_that_is_not_found_is_passed_over(server):
    projection = memories.a_projection(server.address)
    server.codes = [CODES.NOT_FOUND]
    await projection.delete(["notified_articles/gone"])
    server.codes = [CODES.NOT_FOUND]
    await projection.upsert(upserts(1, is_repeated=True))
    assert [method for method, _ in server.requests] == ["Commit", "BatchGetDocuments", "Commit"]
    server.codes = [CODES.NOT_FOUND] * 2
    assert [page async for page in projection.list_keys()] == []


async def test_a_missing_database_is_an_error_of_the_settings(server):
    server.codes = [CODES.NOT_FOUND]
    with pytest.raises(ConfigError, match="there is no database projects/desk-"):
        await memories.a_projection(server.address).prepare()


@pytest.mark.parametrize("code", [CODES.PERMISSION_DENIED, CODES.UNAUTHENTICATED])
async def test_a_denied_request_stops_the_feed_and_raises_an_alert_until_access_is_given(code, failing, server):
    await failing.notify(POST)
    server.codes = [code]
    state = await attempt(failing)
    assert "roles/datastore.user" in state.error
    assert state.next_attempt_at - datetime.now(UTC) > timedelta(minutes=14)
    assert await open_alerts(failing) == [("service_denied", "firestore")]
    assert (await attempt(failing)).error is None
    assert await open_alerts(failing) == []


async def test_a_spent_quota_stops_the_feed_for_the_day_and_raises_an_alert(failing, server):
    await failing.notify(POST)
    server.codes = [CODES.RESOURCE_EXHAUSTED]
    state = await attempt(failing)
    assert state.next_attempt_at.astimezone(memories.PACIFIC).hour == 0
    assert await open_alerts(failing) == [("service_quota", "firestore")]


@pytest.mark.parametrize("code", [CODES.UNAVAILABLE, CODES.DEADLINE_EXCEEDED])
async def test_a_server_that_is_down_or_slow_is_tried_again_after_5_15_and_45_seconds(code, failing, server):
    await failing.notify(POST)
    for seconds in (5, 15, 45):
        server.codes = [code]
        began = datetime.now(UTC)
        state = await attempt(failing)
        waits = [state.next_attempt_at - moment for moment in (began, datetime.now(UTC))]
        assert waits[1] <= timedelta(seconds=seconds * 1.2)  # up to a fifth more, so that workers do not come together
        assert waits[0] >= timedelta(seconds=seconds)
    assert await open_alerts(failing) == []
    assert (await attempt(failing)).error is None


async def test_an_outage_does_not_resolve_an_alert_about_access(failing, server):
    server.codes = [CODES.PERMISSION_DENIED]
    await attempt(failing)
    server.codes = [CODES.UNAVAILABLE]
    await attempt(failing)
    assert await open_alerts(failing) == [("service_denied", "firestore")]


async def test_the_library_does_not_retry_by_itself(server):
    server.codes = [CODES.UNAVAILABLE]
    with pytest.raises(Retry) as caught:
        await memories.a_projection(server.address).upsert(upserts(1))
    assert (caught.value.error_class, caught.value.after) == ("unavailable", None)
    assert len(server.requests) == 1


async def test_errors_are_counted_by_their_code(server):
    recording.take()
    for code in (CODES.PERMISSION_DENIED, CODES.RESOURCE_EXHAUSTED, CODES.RESOURCE_EXHAUSTED):
        server.codes = [code]
        with pytest.raises(Retry):
            await memories.a_projection(server.address).upsert(upserts(1))
    errors = {
        labels[0][1]: value for (name, labels), value in recording.take().items() if name == "firestore_errors_total"
    }
    assert errors == {"PermissionDenied": 1, "ResourceExhausted": 2}


async def test_a_write_that_exists_already_is_a_set_and_not_a_create(server):
    await memories.a_projection(server.address).upsert(upserts(1))
    ((_, request),) = server.requests
    assert not request.writes[0]._pb.HasField("current_document")
    assert list(request.writes[0].update_mask.field_paths) == ["relevance_score"]


# Settings


async def test_an_emulator_is_told_that_no_rules_bind_the_desk(server):
    await memories.a_projection(server.address, database="other-database").prepare()
    assert server.metadata["authorization"] == "Bearer owner"
    assert server.metadata["google-cloud-resource-prefix"].endswith("/databases/other-database")


@pytest.mark.parametrize(
    ("option", "value"),
    [("project", ""), ("project", "no project"), ("database", "x"), ("collection_prefix", "a/b"), ("base_url", "x")],
)
def test_a_wrong_option_is_named(option, value):
    with pytest.raises(ConfigError, match=option):
        memories.a_projection("http://127.0.0.1:9", **{option: value})


def test_without_a_key_the_settings_say_which_to_set():
    with pytest.raises(ConfigError, match="SCOOP_PROJECTIONS_FIRESTORE_CREDENTIALS_FILE"):
        memories.a_projection("", credentials=None)


@pytest.mark.parametrize("key", ["not JSON", "[]", "{}", '{"type": "authorized_user", "client_id": "x"}'])
def test_a_key_that_is_not_of_a_service_account_is_refused(key):
    with pytest.raises(ConfigError, match="JSON key of a service account"):
        memories.a_projection("", credentials=Secret(key))


def test_without_the_package_the_settings_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(ConfigError, match=r"pip install 'scoop-news\[firestore\]'"):
        memories.a_projection("http://127.0.0.1:9")


def test_the_environment_of_the_library_has_no_effect(monkeypatch, server):
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "elsewhere.example:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "elsewhere")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere.json")
    assert (
        memories.a_projection(server.address, project="own").target
        == f"{server.address} projects/own/databases/(default)"
    )
