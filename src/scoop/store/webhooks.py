"""Webhooks: their settings, and the outbox of their deliveries about stories and digests."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec

from scoop.errors import Conflict, NotFound
from scoop.stage_names import StageName
from scoop.store import db, topics, work
from scoop.store.db import Connection
from scoop.store.reads import coverage as coverage_reads
from scoop.store.reads import digests as digest_reads
from scoop.store.reads.coverage import OutgoingStory
from scoop.store.work import Subject

SQL = db.blocks(__name__)
STORIES_AT_ONCE = 100  # in one delivery
DELETED_AFTER = timedelta(days=30)

WebhookEvent = Literal["story.new", "story.developed", "digest.told"]
DeliveryState = Literal["waiting", "sent", "dropped", "quarantined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """The settings of a webhook; `secret` is the name of a secret."""

    name: str
    url: str
    secret: str
    events: tuple[WebhookEvent, ...] = ("story.new", "story.developed", "digest.told")
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
    rows = await conn.fetch(SQL["news"], story_ids)
    if not rows:
        return []
    await conn.execute(
        SQL["put_known_counts"], *([row[name] for row in rows] for name in ("webhook_id", "story_id", "item_count"))
    )
    stories = await coverage_reads.outgoing_stories(conn, [row["story_id"] for row in rows])
    story_by_id = {outgoing.story.story_id: outgoing for outgoing in stories}
    news: defaultdict[tuple[int, WebhookEvent], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        event: WebhookEvent = "story.new" if row["known_count"] == 0 else "story.developed"
        if event in row["events"] and row["item_count"] > row["known_count"]:
            news[row["webhook_id"], event].append(_story(story_by_id[row["story_id"]], known_count=row["known_count"]))
    return [
        Subject(await _deliver(conn, webhook_id, event, batch))
        for (webhook_id, event), changed in news.items()
        for batch in (changed[at : at + STORIES_AT_ONCE] for at in range(0, len(changed), STORIES_AT_ONCE))
    ]


async def enqueue_digest(conn: Connection, post_id: int) -> None:
    """Enqueue deliveries about the digest of a post, once per digest, inside the caller's transaction."""
    if not await conn.fetchval(SQL["has_subscribers"], ["digest.told"]):
        return
    digest = await digest_reads.find_published(conn, await conn.fetchval(SQL["digest_of_post"], post_id))
    if digest is None:
        return
    payload = message("digest.told", {"digest": digest}, now=datetime.now(UTC))
    rows = await conn.fetch(SQL["deliver_digest"], digest.digest_run_id, len(digest.tellings), payload)
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


async def _deliver(conn: Connection, webhook_id: int, event: WebhookEvent, stories: Sequence[dict[str, Any]]) -> int:
    payload = message(event, {"stories": stories}, now=datetime.now(UTC))
    return int(await conn.fetchval(SQL["deliver"], webhook_id, event, len(stories), new_key(), payload))


def _story(outgoing: OutgoingStory, *, known_count: int) -> dict[str, Any]:
    """A story in a payload, with the number of documents that the receiver knew before."""
    values = msgspec.to_builtins(outgoing.story) | {"outlets": outgoing.outlets, "topics": outgoing.topics}
    internal = {"story_id", "merged_into"}
    return {name: value for name, value in values.items() if name not in internal} | {"known_item_count": known_count}


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
