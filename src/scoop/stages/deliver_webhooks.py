"""Programs are told of stories and digests: each delivery until it was taken, under one key for every try."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scoop import channels
from scoop.channels import DeliveryRefused, Errand, NotSent, Unknown, http, signing
from scoop.core.secrets import Secret
from scoop.errors import Retry
from scoop.fetch.client import Client
from scoop.stage_names import StageName
from scoop.stages.stage import Failure, Outcome, Stage
from scoop.store import webhooks
from scoop.store.db import Connection
from scoop.store.webhooks import DeliveryOutcome, OutgoingDelivery
from scoop.store.work import Subject

GONE = frozenset({410})
DEADLINE = timedelta(seconds=10)
TRIES = 12  # over two and a half days
AT_ONCE = 4
RESTS = "the webhook rests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Sends deliveries."""

    client: Client
    secrets: Mapping[str, Secret]
    clock: Callable[[], datetime]

    async def load(self, conn: Connection, ids: Sequence[int]) -> list[OutgoingDelivery]:
        return [each for each in await webhooks.outbound(conn, ids) if each.state == "waiting"]

    async def deliver(self, deliveries: list[OutgoingDelivery]) -> Outcome[list[DeliveryOutcome]]:
        errand = Errand(client=self.client, secrets=self.secrets, clock=self.clock)
        tried = await asyncio.gather(*(_tried(each, errand) for each in deliveries))
        return Outcome(
            output=[settled for settled, _ in tried],
            failures={settled.webhook_delivery_id: failure for settled, failure in tried if failure},
            messages=[f"webhook {settled.name}: {settled.error}" for settled, _ in tried if settled.error],
        )

    async def save(self, conn: Connection, settled: list[DeliveryOutcome]) -> list[Subject]:
        await webhooks.settle(conn, settled)
        return []


async def _tried(delivery: OutgoingDelivery, errand: Errand) -> tuple[DeliveryOutcome, Failure | None]:
    """What became of a delivery, and why it must be tried again, if so."""
    sent = DeliveryOutcome(webhook_delivery_id=delivery.webhook_delivery_id, name=delivery.name, state="sent")
    if not delivery.enabled:
        return replace(sent, state="dropped", error=RESTS, is_tried=False), None
    try:
        await send(delivery, errand)
    except (NotSent, Unknown) as failure:
        return replace(sent, state="waiting", error=str(failure)), failure
    except DeliveryRefused as refusal:
        if refusal.is_dead:
            return replace(sent, state="dropped", error=str(refusal), is_gone=True), None
        # Whoever refuses may be mended: nothing is given up before its time.
        return replace(sent, state="waiting", error=str(refusal)), Retry(str(refusal))
    return sent, None


async def send(delivery: OutgoingDelivery, errand: Errand) -> int:
    """Send a delivery once; the status it was taken with. NotSent, Unknown or Refused for what was not."""
    content = delivery.payload.encode()
    asked = http.request(
        channels.HttpOptions(allow_private=delivery.allow_private),
        delivery.url,
        method="POST",
        content=content,
        headers=signing.headers(delivery.key, content, errand, secret=delivery.secret),
        deadline=DEADLINE,
    )
    given = await http.answer(errand, asked)
    if not http.is_success(given):
        said = http.line(given.body.decode("utf-8", "replace"))
        raise http.outcome(given, errand, said=said, dead=GONE)
    return given.status


def stage(
    client: Client, *, secrets: Mapping[str, Secret], clock: Callable[[], datetime]
) -> Stage[list[OutgoingDelivery], list[DeliveryOutcome]]:
    notify = Notify(client=client, secrets=secrets, clock=clock)
    return Stage(
        name=StageName.DELIVER_WEBHOOKS,
        load=notify.load,
        work=notify.deliver,
        save=notify.save,
        batch=AT_ONCE,
        max_attempts=TRIES,
        waits=True,
    )
