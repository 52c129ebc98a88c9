"""Metrics of the whole desk, for a monitoring system."""

from prometheus_client.parser import text_string_to_metric_families

from scoop import metrics
from scoop.http import accounts
from scoop.metrics import recording
from scoop.store import alerts, users
from scoop.store import metrics as store
from web.visitor import NOW, visiting


async def a_key(database, *scopes):
    async with database.transaction() as conn:
        owner = await users.add(conn, name=f"owner of {' '.join(scopes)}", role="editor", password_hash="-")
        made = await accounts.new_key(conn, owner, "editor", name="Prometheus", scopes=scopes, now=NOW, lasts=None)
    return {"Authorization": f"Bearer {made.key}"}


async def test_a_monitoring_system_reads_every_metric_with_a_key_of_its_own(database):
    recording.take()
    metrics.FIRESTORE_READS.add(400, collection="notified_articles")
    metrics.FIRESTORE_LATENCY.observe(0.2, operation="get_all")
    metrics.MODEL_ERRORS.add(plugin="writer openai", code="401")
    await store.flush(database)
    async with database.connection() as conn:
        await alerts.settle(conn, {("digest_late", "ai_news"): "late"}, subjects=["ai_news"], kinds=["digest_late"])
    key = await a_key(database, "metrics")
    async with visiting(database, role=None) as visitor:
        answer = await visitor.get("/metrics", **key)
        elsewhere = await visitor.get("/api/v1/stories", **key)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert {family.name.removesuffix("_total") for family in metrics.METRICS} == set(families)
    assert [sample.value for sample in families["firestore_reads"].samples] == [400]
    assert [(sample.labels, sample.value) for sample in families["scoop_alerts_open"].samples] == [
        ({"level": "critical", "kind": "digest_late"}, 1)
    ]
    assert families["firestore_latency_seconds"].type == "histogram"
    assert all(family.documentation for family in families.values())
    assert elsewhere.status == 403


async def test_strangers_and_readers_get_no_metrics(database):
    reading = await a_key(database, "read")
    for public_reading in (False, True):
        async with visiting(database, role=None, public_reading=public_reading) as visitor:
            stranger = await visitor.get("/metrics")
            reader = await visitor.get("/metrics", **reading)
            guess = await visitor.get("/metrics", Authorization="Bearer guess")
        assert (stranger.status, reader.status, guess.status) == (401, 403, 401)
        assert stranger.headers["WWW-Authenticate"] == 'Bearer realm="Scoop"'
        assert "firestore" not in stranger.text + reader.text + guess.text


async def test_metrics_say_what_curators_remember(database):
    async with database.connection() as conn:
        await conn.execute(
            """
            INSERT INTO evaluations (topic_id, url_hash, article_title, state, reason)
            SELECT topic_id, sha256(number::text::bytea), 'x', 'rejected', 'low_relevance'
            FROM generate_series(1, 3) AS number, (SELECT topic_id FROM topics WHERE topic_slug = 'ai_news') AS topic
            """
        )
        await store.measure_memory(conn)
        await store.measure_memory(conn)
        samples = [each for each in await store.list_samples(conn) if each.name == metrics.CURATOR_MEMORY.name]
        assert [(each.labels, each.value) for each in samples] == [({"curator": "ai_news", "state": "rejected"}, 3)]
        await conn.execute("DELETE FROM evaluations")
        await store.measure_memory(conn)
        assert not [each for each in await store.list_samples(conn) if each.name == metrics.CURATOR_MEMORY.name]
