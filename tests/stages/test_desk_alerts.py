"""Alerts about closed channels and quotas, and the webhooks that hear of alerts."""

import json
from datetime import UTC, datetime, timedelta

from builders import FIRE, an_item, told
from scoop.core.budgets import Budget
from scoop.metrics import FIRESTORE_READS, FIRESTORE_WRITES, recording
from scoop.model import ChannelSettings
from scoop.stages import desk_alerts
from scoop.store import alerts, metrics, posts, topics, webhooks
from scoop.store.webhooks import WebhookSettings
from writing import a_desk

ONE_REQUEST = Budget(requests_per_day=1, tokens_per_day=0, money_per_day=0, requests_per_minute=0)


async def found(conn, **query):
    return [
        (each.level, each.kind, each.subject, each.resolved_at is not None)
        for each in await alerts.latest(conn, **({"with_resolved": True, "limit": 10} | query))
    ]


async def test_a_channel_that_refuses_posts_is_critical_until_it_is_enabled_again(database):
    async with database.connection() as conn:
        topic = await topics.by_slug(conn, "ai_news")
        settings = ChannelSettings(name="bot", kind="discord_bot", options={"channel_id": "1"})
        await topics.put_channel(conn, topic.topic_id, settings)
        await desk_alerts.alert_refused_channels(conn)
        assert await found(conn) == []

        await posts.disable_channel(conn, topic.topic_id, "bot", "discord.com answered 401: Unauthorized")
        await desk_alerts.alert_refused_channels(conn)
        await desk_alerts.alert_refused_channels(conn)
        (alert,) = await alerts.latest(conn, with_resolved=False, limit=10)
        assert (alert.level, alert.kind, alert.subject) == ("critical", "channel_refused", "ai_news")
        assert "bot: discord.com answered 401" in alert.message

        await topics.set_channel_enabled(conn, topic, "bot", enabled=True)
        await desk_alerts.alert_refused_channels(conn)
        assert await found(conn) == [("critical", "channel_refused", "ai_news", True)]


async def test_a_spent_budget_is_alerted_until_the_next_day_of_the_desk(database, tmp_path):
    async with database.connection() as conn, a_desk(database, tmp_path, budget=ONE_REQUEST) as desk:
        await told(database, [an_item(1, **FIRE)])
        budgets = {"summary": ONE_REQUEST, "lesson": ONE_REQUEST}
        now = datetime.now(UTC)
        await desk_alerts.alert_spent_budgets(conn, budgets, now=now, timezone="UTC")
        assert await found(conn) == []

        await desk.ask({await conn.fetchval("SELECT document_id FROM documents"): "en"})
        await desk.write()
        for _ in range(2):
            await desk_alerts.alert_spent_budgets(conn, budgets, now=now, timezone="UTC")
        (alert,) = await alerts.latest(conn, with_resolved=False, limit=10)
        assert (alert.level, alert.kind, alert.subject) == ("warning", "budget_spent", "summary")
        assert "requests of 1 a day used" in alert.message

        await desk_alerts.alert_spent_budgets(conn, budgets, now=now + timedelta(days=1), timezone="UTC")
        assert await found(conn) == [("warning", "budget_spent", "summary", True)]


async def test_a_day_with_many_reads_or_writes_of_firestore_is_pointed_out(database):
    recording.take()
    async with database.connection() as conn:
        for reads, writes in ((30_000, 9_000), (10_000, 6_000)):
            FIRESTORE_READS.add(reads, collection="notified_articles")
            FIRESTORE_WRITES.add(writes, collection="rejected_articles")
            await metrics.flush(database)
        await desk_alerts.alert_firestore_quota(conn)
        assert await found(conn) == []

        FIRESTORE_READS.add(1, collection="rejected_articles")
        FIRESTORE_WRITES.add(1, collection="rejected_articles")
        await metrics.flush(database)
        await desk_alerts.alert_firestore_quota(conn)
        assert sorted(await found(conn)) == [
            ("info", "firestore_reads", "firestore", False),
            ("info", "firestore_writes", "firestore", False),
        ]

        await conn.execute("UPDATE metrics SET day = day - 1")
        await desk_alerts.alert_firestore_quota(conn)
        assert {is_resolved for *_, is_resolved in await found(conn)} == {True}


async def test_webhooks_hear_of_alerts_and_of_their_end_once(database):
    async with database.connection() as conn:
        settings = WebhookSettings(
            name="ops", url="https://x.example/", secret="desk", events=("alert.raised", "alert.resolved")
        )
        await webhooks.put(conn, settings)
        await webhooks.put(conn, WebhookSettings(name="news", url="https://x.example/", secret="desk"))
        late = {("digest_late", "ai_news"): "https://user:verysecret@x.example/ answered 500"}
        for messages in (late, late, {}, {}):
            await alerts.settle(conn, messages, subjects=["ai_news"], kinds=["digest_late"])
        deliveries = await webhooks.list_deliveries(conn)
        sent = await webhooks.list_outgoing(conn, sorted(each.webhook_delivery_id for each in deliveries))
    payloads = [json.loads(each.payload) for each in sent]
    assert [payload["type"] for payload in payloads] == ["alert.raised", "alert.resolved"]
    assert {each.name for each in sent} == {"ops"}
    assert [payload["data"]["alert"]["level"] for payload in payloads] == ["critical", "critical"]
    assert payloads[0]["data"]["alert"]["resolved_at"] is None
    assert payloads[1]["data"]["alert"]["resolved_at"] is not None
    assert "verysecret" not in str(payloads)


async def test_alerts_are_listed_by_level(database):
    async with database.connection() as conn:
        messages = {("digest_late", "ai_news"): "late", ("source_quiet", "herald"): "quiet"}
        await alerts.settle(conn, messages, subjects=[], kinds=[])
        assert await found(conn, levels=["info"]) == [("info", "source_quiet", "herald", False)]
        assert len(await found(conn)) == 2
