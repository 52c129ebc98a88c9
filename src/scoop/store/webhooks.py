"""Webhooks: their settings, and the outbox of their deliveries about events, digests and stories."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec

from scoop.errors import Conflict, NotFound
from scoop.model import PAGE_PENDING, Story
from scoop.stage_names import StageName
from scoop.store import db, topics, work
from scoop.store.db import Connection
from scoop.store.reads import digests as digest_reads
from scoop.store.reads import event_summaries
from scoop.store.reads import events as event_reads
from scoop.store.reads.event_summaries import EventSummary
from scoop.store.reads.stories import story_from
from scoop.store.work import Subject

SQL = db.blocks(__name__)
EVENT_NEWS_LOCK = 0x5C05  # advisory lock: one transaction at a time announces events
STORIES_AT_ONCE = 100  # in one delivery
EVENTS_AT_ONCE = 50  # in one delivery
STORIES_OF_EVENT = 20  # in a delivery, the lead first
DELETED_AFTER = timedelta(days=30)

AlertEvent = Literal["alert.raised", "alert.resolved"]
WebhookEvent = Literal[
    "event.new", "event.developed", "digest.told", "story.new", "story.developed", "alert.raised", "alert.resolved"
]
DEFAULT_EVENTS: tuple[WebhookEvent, ...] = ("event.new", "event.developed", "digest.told")
DOCUMENT_STAGES = (StageName.EMBED, StageName.LINK)
STORY_STAGES = (StageName.GROUP, StageName.ASSIGN_TOPICS)
DeliveryState = Literal["waiting", "sent", "dropped", "quarantined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """The settings of a webhook; `secret` is the name of a secret."""

    name: str
    url: str
    secret: str
    events: tuple[WebhookEvent, ...] = DEFAULT_EVENTS
    collection: str | None = None
    topic: str | None = None
    allow_private: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(WebhookSettings):
    """A webhook; `problem` is why it was disabled by an error, `waiting` the number of queued deliveries."""

    webhook_id: int
    problem: str | None
    created_at: datetime
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingDelivery:
    """A delivery to be sent."""

    webhook_delivery_id: int
    key: str
    payload: str
    name: str
    url: str
    secret: str
    allow_private: bool
    enabled: bool
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryOutcome:
    """The outcome of an attempt; `is_gone`: the receiver answered that it no longer exists."""

    webhook_delivery_id: int
    name: str
    state: Literal["waiting", "sent", "dropped"]
    error: str | None = None
    is_tried: bool = True
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A delivery in a list."""

    webhook_delivery_id: int
    webhook: str
    event: WebhookEvent
    story_count: int
    digest_run_id: int | None
    key: str
    state: DeliveryState
    tries: int
    tried_at: datetime | None
    sent_at: datetime | None
    next_try_at: datetime | None
    error: str | None
    created_at: datetime


async def list_webhooks(conn: Connection) -> list[Webhook]:
    return [_webhook(row) for row in await conn.fetch(SQL["webhooks"], None)]


async def by_name(conn: Connection, name: str) -> Webhook:
    row = await conn.fetchrow(SQL["webhooks"], name)
    if row is None:
        raise _not_found(name)
    return _webhook(row)


async def put(conn: Connection, settings: WebhookSettings) -> None:
    """Upsert a webhook by its name."""
    await conn.execute(SQL["put"], *await _columns(conn, settings))


async def add(conn: Connection, settings: WebhookSettings) -> None:
    if await conn.fetchval(SQL["add"], *await _columns(conn, settings)) is None:
        raise Conflict(f"there is a webhook {settings.name!r} already; choose another name")


async def set_enabled(conn: Connection, name: str, *, enabled: bool) -> None:
    if await conn.fetchval(SQL["set_enabled"], name, enabled) is None:
        raise _not_found(name)


async def remove(conn: Connection, name: str) -> None:
    if await conn.fetchval(SQL["remove"], name, StageName.DELIVER_WEBHOOKS) is None:
        raise _not_found(name)


async def enqueue_stories(conn: Connection, story_ids: Sequence[int]) -> list[Subject]:
    """Store deliveries about these stories, inside the caller's transaction; gives them as work."""
    if not await conn.fetchval(SQL["has_subscribers"], ["story.new", "story.developed"]):
        return []
    rows = await conn.fetch(SQL["news"], story_ids, PAGE_PENDING)
    if not rows:
        return []
    await conn.execute(
        SQL["put_known_counts"], *([row[name] for row in rows] for name in ("webhook_id", "story_id", "item_count"))
    )
    payload_by_story = await _story_payloads(conn, [row["story_id"] for row in rows])
    news: defaultdict[tuple[int, WebhookEvent], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        event: WebhookEvent = "story.new" if row["known_count"] == 0 else "story.developed"
        if event in row["events"] and row["item_count"] > row["known_count"]:
            payload = payload_by_story[row["story_id"]] | {"known_item_count": row["known_count"]}
            news[row["webhook_id"], event].append(payload)
    return [
        Subject(await _deliver(conn, webhook_id, event, {"stories": batch}, story_count=len(batch)))
        for (webhook_id, event), changed in news.items()
        for batch in (changed[at : at + STORIES_AT_ONCE] for at in range(0, len(changed), STORIES_AT_ONCE))
    ]


async def enqueue_events(conn: Connection, story_ids: Sequence[int]) -> list[Subject]:
    """Store deliveries about the events of these stories, inside the caller's transaction; gives them as work.

    A new event is announced once nothing is queued that may still change its stories or topics: called when a story was
    grouped and when its topics were assigned, whichever comes last.
    """
    if not await conn.fetchval(SQL["has_subscribers"], ["event.new", "event.developed"]):
        return []
    # Of two transactions that do the last two stages of an event, each would see the other's work in the queue.
    await conn.execute(SQL["lock_event_news"], EVENT_NEWS_LOCK)
    rows = await conn.fetch(SQL["event_news"], story_ids, DOCUMENT_STAGES, STORY_STAGES, PAGE_PENDING)
    if not rows:
        return []
    columns = ("webhook_id", "event_id", "developed_at")
    await conn.execute(SQL["put_known_events"], *([row[name] for row in rows] for name in columns))
    now = datetime.now(UTC)
    payload_by_event = await _event_payloads(conn, {row["event_id"] for row in rows}, now=now)
    news: defaultdict[tuple[int, WebhookEvent], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        event: WebhookEvent = "event.developed" if row["is_known"] else "event.new"
        if event in row["events"]:
            news[row["webhook_id"], event].append(payload_by_event[row["event_id"]])
    return [
        Subject(
            await _deliver(conn, webhook_id, event, {"events": batch}, story_count=sum(e["story_count"] for e in batch))
        )
        for (webhook_id, event), changed in news.items()
        for batch in (changed[at : at + EVENTS_AT_ONCE] for at in range(0, len(changed), EVENTS_AT_ONCE))
    ]


async def enqueue_digest(conn: Connection, post_id: int) -> None:
    """Enqueue deliveries about the digest of a post, once per digest, inside the caller's transaction."""
    if not await conn.fetchval(SQL["has_subscribers"], ["digest.told"]):
        return
    digest_run_id = await conn.fetchval(SQL["digest_of_post"], post_id)
    digest = None if digest_run_id is None else await digest_reads.find_published(conn, digest_run_id)
    if digest is None:
        return
    payload = message("digest.told", {"digest": digest}, now=datetime.now(UTC))
    rows = await conn.fetch(SQL["deliver_digest"], digest.digest_run_id, len(digest.tellings), payload)
    await work.enqueue(conn, StageName.DELIVER_WEBHOOKS, [Subject(row["webhook_delivery_id"]) for row in rows])


async def enqueue_alerts(conn: Connection, event: AlertEvent, alerts: Sequence[Mapping[str, Any]]) -> None:
    """Enqueue a delivery about each alert for every subscribed webhook, inside the caller's transaction."""
    if not alerts or not await conn.fetchval(SQL["has_subscribers"], [event]):
        return
    now = datetime.now(UTC)
    rows = await conn.fetch(SQL["deliver_alerts"], event, [message(event, {"alert": each}, now=now) for each in alerts])
    await work.enqueue(conn, StageName.DELIVER_WEBHOOKS, [Subject(row["webhook_delivery_id"]) for row in rows])


def message(event: str, data: Any, *, now: datetime) -> str:
    """The payload in the form of Standard Webhooks."""
    return msgspec.json.encode({"type": event, "timestamp": now, "data": data}).decode()


def new_key() -> str:
    return f"msg_{secrets.token_hex(16)}"


async def list_outgoing(conn: Connection, ids: Sequence[int]) -> list[OutgoingDelivery]:
    return [OutgoingDelivery(**row) for row in await conn.fetch(SQL["outgoing"], ids)]


async def settle(conn: Connection, outcomes: Sequence[DeliveryOutcome]) -> None:
    """Store the outcomes of attempts; webhooks that are gone are disabled."""
    columns = ("webhook_delivery_id", "state", "error", "is_tried")
    await conn.execute(SQL["settle"], *([getattr(outcome, name) for outcome in outcomes] for name in columns))
    if gone := {outcome.name: outcome.error for outcome in outcomes if outcome.is_gone}:
        await conn.execute(SQL["disable"], list(gone), list(gone.values()))


async def list_deliveries(
    conn: Connection, *, name: str | None = None, before: int = db.LAST_ID, limit: int = 50
) -> list[Delivery]:
    """Deliveries, the latest first."""
    return [
        Delivery(**row) for row in await conn.fetch(SQL["deliveries"], StageName.DELIVER_WEBHOOKS, name, before, limit)
    ]


async def delete_old(conn: Connection) -> None:
    """Delete deliveries that were settled long ago."""
    await conn.execute(SQL["delete_old"], DELETED_AFTER)


async def _deliver(
    conn: Connection, webhook_id: int, event: WebhookEvent, data: Mapping[str, Any], *, story_count: int
) -> int:
    payload = message(event, data, now=datetime.now(UTC))
    return int(await conn.fetchval(SQL["deliver"], webhook_id, event, story_count, new_key(), payload))


async def _story_payloads(conn: Connection, story_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Stories as messages have them: with outlets and topics, without internal numbers."""
    return {
        row["story_id"]: _without_numbers(story_from(row)) | {"outlets": row["outlets"] or [], "topics": row["topics"]}
        for row in await conn.fetch(SQL["outgoing_stories"], story_ids)
    }


async def _event_payloads(conn: Connection, event_ids: Iterable[int], *, now: datetime) -> dict[int, dict[str, Any]]:
    """Events as messages have them: with their stories, the lead first."""
    found = await event_reads.events_by_id(conn, list(event_ids))
    stories = await event_reads.list_stories(conn, list(found), limit=STORIES_OF_EVENT)
    return {
        summary.event_id: _without_numbers(summary)
        | {"stories": [_without_numbers(story) for story in stories[summary.event_id]]}
        for summary in await event_summaries.summarize(conn, list(found.values()), now=now)
    }


def _without_numbers(row: EventSummary | Story) -> dict[str, Any]:
    """The fields of an event or a story; receivers know both by their public ids."""
    internal = {"event_id", "story_id", "merged_into"}
    return {name: value for name, value in msgspec.to_builtins(row).items() if name not in internal}


async def _columns(conn: Connection, settings: WebhookSettings) -> Iterable[Any]:
    topic_id = (await topics.by_slug(conn, settings.topic)).topic_id if settings.topic else None
    return (
        settings.name,
        settings.url,
        settings.secret,
        list(settings.events),
        settings.collection,
        topic_id,
        settings.allow_private,
        settings.enabled,
    )


def _webhook(row: Any) -> Webhook:
    return Webhook(**{**row, "events": tuple(row["events"])})


def _not_found(name: str) -> NotFound:
    return NotFound(f"there is no webhook {name!r}; `scoop webhooks list` lists all")
